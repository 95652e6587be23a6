"""The pages of a report for its owner: the report, one of its runs, the comparison of two, pictures and the badge.

Share pages show the comparison as well, and visitors get the pictures of what they may see. The badge of a public
report is embedded in a README or on a site.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import partial
from typing import Final

import msgspec
from markupsafe import Markup, escape

from pagegrade.model.account import Brand
from pagegrade.model.stored import UNFINISHED, Privacy, StoredReport, StoredRun
from pagegrade.render.account import NO_BRAND
from pagegrade.render.english import N_
from pagegrade.render.finding_list import read_report_query
from pagegrade.render.i18n import Texts
from pagegrade.render.shared_pictures import HEIGHT, LABEL, UNKNOWN, badge_width, render_badge
from pagegrade.service.accounts.operations import brand_of
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.reports.shares import find_public
from pagegrade.service.reports.views import (
    Choice,
    Compared,
    Viewed,
    compare_own,
    find_picture,
    find_wait,
    show_picture,
    view_own,
)
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import is_unchanged, limited_as
from pagegrade.web.http.response import UNKEPT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import HELPED, UNLISTED, View
from pagegrade.web.pages.reports.report_context import (
    ReportURLs,
    about,
    draw,
    draw_comparison,
    point_of,
    timezone_of,
    waiting_header,
)
from pagegrade.web.pages.reports.rows import MEANINGS, PRIVACIES
from pagegrade.web.pages.share_access import REPORTS, to_gate, visit
from pagegrade.web.request import Request
from pagegrade.web.responses import known_picture, picture_response
from pagegrade.web.schemas.report import share_url

SENTENCES: Final[dict[tuple[str, str], str]] = {
    ("from", "unreadable"): N_("Choose the older run."),
    ("to", "unreadable"): N_("Choose the newer run."),
    ("from", "unknown_run"): N_("There is no such older run, or none any more. Choose another one."),
    ("to", "unknown_run"): N_("There is no such newer run, or none any more. Choose another one."),
    ("from", "not_comparable"): N_("The older run has no results. Choose one that succeeded."),
    ("to", "not_comparable"): N_("The newer run has no results. Choose one that succeeded."),
    ("to", "same"): N_("These are one and the same run. Choose two."),
}
"""(Field, code) -> message about the selection."""
NOTHING_YET: Final = "no_run"
"""Code for a report without two runs to compare; the selection itself is valid."""
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")


def read_choice(request: Request) -> Choice:
    """Read the two runs selected by the query; by default the two newest."""
    sent = read_query(request)
    errors: dict[str, str] = {}
    before = _number(sent, "from", errors)
    after = _number(sent, "to", errors)
    if before is not None and after is not None:
        if before == after:
            errors["to"] = "same"
        # The older run comes first, in whatever order they were selected.
        before, after = min(before, after), max(before, after)
    return Choice(before=before, after=after, errors=errors)


async def compare_page(view: View, found: Compared, urls: ReportURLs, *, own: bool) -> Response:
    """Return the comparison with its form; only the form with its errors if the selection is not valid."""
    texts = view.texts
    article: Markup | None = None
    if found.two is not None:
        article = await draw_comparison(view, found.viewed, found.two, urls)
    wrong = {field: code for field, code in found.choice.errors.items() if code != NOTHING_YET}
    options = _options(view, texts, found.viewed.runs)
    numbers = [number for number, _ in options]
    # Values that are not valid are dropped: the form then proposes the two newest runs.
    before, after = (number if number in numbers else None for number in (found.choice.before, found.choice.after))
    return view.page(
        "report_compare.html.jinja",
        status=422 if wrong else 200,
        article=article,
        own=own,
        brand=NO_BRAND if own else view.brand(found.viewed.brand),
        options=options,
        before=before or next(iter(numbers[1:2]), ""),
        after=after or next(iter(numbers[:1]), ""),
        errors={field: texts.gettext(SENTENCES[field, code]) for field, code in wrong.items()},
        **about(view, found.viewed, urls),
    )


def _number(sent: Mapping[str, str], field: str, errors: dict[str, str]) -> int | None:
    text = sent.get(field, "").strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        errors[field] = "unreadable"
        return None
    return int(text)


def _options(view: View, texts: Texts, runs: tuple[StoredRun, ...]) -> list[tuple[int, str]]:
    """Return (number, label) of every run that can be selected, newest first."""
    timezone = timezone_of(view)
    options = []
    for run in runs:
        if run.state != "completed":
            continue
        words = texts.gettext(
            "Run %(number)s, score %(score)s, %(when)s",
            number=texts.number(run.number),
            when=texts.moment(point_of(run).at_ms, timezone),
            score="–" if run.score is None else texts.number(run.score),
        )
        options.append((run.number, words))
    return options


_HEADERS: Final = (UNLISTED, ("Vary", "Cookie"))


async def show_own_picture(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a picture of a report of the caller."""
    name = request.path_params["picture"]
    known = known_picture(request)
    shown = await work.read(show_picture, request.id, view.options, view.now_ms, name=name, is_known=known)
    return picture_response(shown, headers=_HEADERS)


async def show_shared_picture(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return a picture of the report behind a share link: it is no way past the password."""
    use_case = partial(find_picture, name=request.path_params["picture"], is_known=known_picture(request))
    found = await visit(request, work, view, services, use_case, kind=REPORTS)
    if isinstance(found, Response):
        return found
    if found.seen is None:
        return to_gate(request, REPORTS)
    return picture_response(found.seen, headers=_HEADERS)


FOLDER: Final = "/badge/"
SUFFIX: Final = ".svg"
VIEWS_PER_MINUTE: Final = 600
"""Badges that a client address may fetch: image proxies send the requests of many readers."""
MEDIA_TYPE: Final = "image/svg+xml"
KEPT_S: Final = 300
"""Maximum age of a cached badge, even of a report that is no longer public."""
KEPT: Final = ("Cache-Control", f"public, max-age={KEPT_S}")
EMBEDDABLE: Final = ("Cross-Origin-Resource-Policy", "cross-origin")
"""Allows pages of all origins to embed the badge."""
ALT: Final = "Pagegrade"
_UNKNOWN: Final = render_badge(UNKNOWN).encode()


def badge_path(slug: str) -> str:
    """Return the path of the badge of a report."""
    return f"{FOLDER}{slug}{SUFFIX}"


def badge_snippets(base_url: str, slug: str) -> tuple[str, str]:
    """Return (Markdown, HTML) that shows the badge as a link to its report.

    Args:
        base_url: Public origin of this installation.
    """
    picture, page = f"{base_url}{badge_path(slug)}", share_url(base_url, slug)
    html = f'<a href="{escape(page)}"><img src="{escape(picture)}" alt="{ALT}"></a>'
    return f"[![{ALT}]({picture})]({page})", html


async def show_badge(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the badge; without a public result, for any reason, the same gray image.

    The answer is an image in any case, because it is embedded as one.
    """
    standing = await services.limits.take_now(Bucket(("badges", limited_as(request.client_address)), VIEWS_PER_MINUTE))
    if not standing.allowed:
        headers = (EMBEDDABLE, UNKEPT, ("Retry-After", str(standing.reset_s)))
        return Response(status_code=429, content=_UNKNOWN, media_type=MEDIA_TYPE, headers=headers)
    name = request.path_params["file"]
    report = None
    if name.endswith(SUFFIX):
        options = view.options
        report = await work.read_public(find_public, name.removesuffix(SUFFIX), options=options, now_ms=view.now_ms)
    if report is None:
        return Response(status_code=404, content=_UNKNOWN, media_type=MEDIA_TYPE, headers=(EMBEDDABLE, KEPT))
    brand = view.brand(await work.read_public(brand_of, report.account_id))
    label = brand.name or LABEL
    body = render_badge(report.state, result=report.result, score=report.score, label=label).encode()
    headers = (EMBEDDABLE, KEPT, ("ETag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'))
    if is_unchanged(request.header(b"if-none-match"), None, etag=headers[-1][1], modified_ms=None):
        return Response(status_code=304, headers=headers)
    return Response(status_code=200, content=body, media_type=MEDIA_TYPE, headers=headers)


PATH: Final = "/reports/{id}"
SAID: Final[dict[str, str]] = {
    "created": N_("The report was created. The page is being analyzed."),
    "created_private": N_(
        "The report was created, and is private: it is made with an access profile, and shows what is not public. "
        "You can share it in its settings."
    ),
    "running": N_("The page is being analyzed again."),
    "saved": N_("The settings were saved."),
    "ignoring": N_("The finding is ignored from the next analysis on."),
}
"""Value of ``said`` -> message about the last action."""
_PASSING: Final = frozenset({"created", "created_private", "running"})
"""Messages that are dropped once the analysis has ended."""


async def show_report_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the report; before the end of its first analysis, a page that reloads itself."""
    viewed = await work.read(view_own, request.id, view.options, view.now_ms)
    urls = ReportURLs(f"/reports/{viewed.report.id}")
    drawn = await draw(view, viewed, urls, read_report_query(read_query(request), request.path))
    wait = await work.read(find_wait, viewed) if drawn is None else None
    return view.page(
        "report_page.html.jinja",
        policy=HELPED,
        wait=wait,
        drawn=drawn,
        said=_said(request, view, viewed),
        sharing=_sharing(view, viewed.report, view.brand(viewed.brand)),
        headers=(waiting_header(viewed, urls, view.now_ms),) if drawn is None else (),
        **about(view, viewed, urls),
    )


async def show_run_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return one run of the report, which never changes."""
    number = request.number("number")
    viewed = await work.read(view_own, request.id, view.options, view.now_ms, number=number)
    urls = ReportURLs(f"/reports/{viewed.report.id}")
    drawn = await draw(view, viewed, urls, read_report_query(read_query(request), request.path))
    return view.page("report_run.html.jinja", drawn=drawn, **about(view, viewed, urls))


async def compare_run_pages(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the comparison of two runs of the report."""
    found = await work.read(compare_own, request.id, view.options, view.now_ms, choice=read_choice(request))
    return await compare_page(view, found, ReportURLs(f"/reports/{found.viewed.report.id}"), own=True)


class _Sharing(msgspec.Struct, frozen=True, kw_only=True):
    """Privacy of the report, with the links to share."""

    words: str
    meaning: str
    link: str
    badge: str
    """URL of the badge; empty without a badge."""
    badge_size: tuple[int, int]
    """Width and height of the badge in pixels."""
    markdown: str
    html: str


def _sharing(view: View, report: StoredReport, brand: Brand) -> _Sharing:
    privacy = Privacy(report.privacy)
    link = share_url(view.options.base_url, report.slug)
    is_public = privacy is Privacy.PUBLIC
    markdown, html = badge_snippets(view.options.base_url, report.slug)
    return _Sharing(
        words=view.texts.gettext(PRIVACIES[privacy]),
        meaning=view.texts.gettext(MEANINGS[privacy]),
        link=link,
        badge=badge_path(report.slug) if is_public else "",
        badge_size=(
            badge_width(report.state, result=report.result, score=report.score, label=brand.name or LABEL),
            HEIGHT,
        ),
        markdown=markdown if is_public else "",
        html=html if is_public else "",
    )


def _said(request: Request, view: View, viewed: Viewed) -> str:
    """Return the message about the last action; empty without one, or once its analysis has ended."""
    key = read_query(request).get("said", "")
    if key not in SAID or (key in _PASSING and viewed.report.state not in UNFINISHED):
        return ""
    return view.texts.gettext(SAID[key])


OPERATIONS: Final = (
    PageOperation(path="/reports/{id}/pictures/{picture}", handler=show_own_picture),
    PageOperation(path="/r/{slug}/pictures/{picture}", handler=show_shared_picture, access="anyone"),
    PageOperation(path=f"{FOLDER}{{file}}", handler=show_badge, access="anyone"),
    PageOperation(path=PATH, handler=show_report_page),
    PageOperation(path=f"{PATH}/runs/{{number}}", handler=show_run_page),
    PageOperation(path=f"{PATH}/compare", handler=compare_run_pages),
)
