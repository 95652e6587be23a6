"""Share pages: a report for everyone with its link and, if set, its password; and its score card.

The card is the picture of links to a share page of a public report.
"""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial
from typing import Final

from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.render.finding_list import read_report_query
from pagegrade.render.pdf import is_installed
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Bucket
from pagegrade.service.reports.shares import SharedView
from pagegrade.service.reports.views import Viewed, compare_found, shown_report, view_found
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import is_unchanged, limited_as
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import VARY, View
from pagegrade.web.pages.reports.report_context import Drawn, ReportURLs, about, draw, waiting_header
from pagegrade.web.pages.reports.report_page import EMBEDDABLE, KEPT, compare_page, read_choice
from pagegrade.web.pages.reports.rows import RESULTS
from pagegrade.web.pages.share_access import (
    AUDIENCES,
    REPORTS,
    Preview,
    gate,
    not_found,
    to_gate,
    too_many,
    unlock,
    validated,
    visit,
)
from pagegrade.web.report_files import encoded_report
from pagegrade.web.request import Request

MEDIA_TYPE: Final = "image/png"
CARDS_PER_MINUTE: Final = 20
"""Cards that a client address may request: each needs a process, and their number is small."""


def card_path(slug: str) -> str:
    """Return the path of the card of a report."""
    return f"/r/{slug}/card.png"


def has_card(viewed: Viewed, score: int | None) -> bool:
    """Return whether a report has a card: everyone may see it, it has a score, and pictures can be made here."""
    return viewed.report.privacy == Privacy.PUBLIC and score is not None and is_installed()


async def show_card(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the card; the page that nothing is there for any report that has none."""
    found = await visit(request, work, view, services, partial(view_found, masked=True), kind=REPORTS)
    if isinstance(found, Response):
        return found
    viewed = found.seen
    shown = None if viewed is None else await asyncio.to_thread(shown_report, viewed)
    if viewed is None or shown is None or not has_card(viewed, shown.score):
        return not_found(view)
    brand = view.brand(viewed.brand)
    named = repr(
        (viewed.report.slug, viewed.report.revision, shown.score, view.texts.tag, brand.name, brand.color)
    ).encode()
    headers = (EMBEDDABLE, KEPT, VARY, ("ETag", f'"{hashlib.sha256(named).hexdigest()[:32]}"'))
    if is_unchanged(request.header(b"if-none-match"), None, etag=headers[-1][1], modified_ms=None):
        return Response(status_code=304, headers=headers)
    standing = await services.limits.take_now(Bucket(("cards", limited_as(request.client_address)), CARDS_PER_MINUTE))
    if not standing.allowed:
        return too_many(view, standing.reset_s)
    encoded = await asyncio.to_thread(encoded_report, shown)
    body = await services.documents.card(encoded, tag=view.texts.tag, brand=brand)
    return Response(status_code=200, content=body, media_type=MEDIA_TYPE, headers=headers)


PATH: Final = "/r/{slug}"


async def show_share(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the page behind a share link."""
    return await _show(request, work, view, services, None)


async def show_shared_run(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return one run of the report behind a share link."""
    return await _show(request, work, view, services, request.number("number"))


async def _show(request: Request, work: UnitOfWork, view: View, services: Services, number: int | None) -> Response:
    found = await visit(request, work, view, services, partial(view_found, masked=True, number=number), kind=REPORTS)
    if isinstance(found, Response):
        return found
    viewed = found.seen
    if viewed is None:
        return gate(view) if number is None else to_gate(request, REPORTS)
    headers: tuple[tuple[str, str], ...] = ()
    if viewed.report.privacy == Privacy.PUBLIC and not viewed.report.is_under_way and view.caller is None:
        # The number of the report and of its changes stay private: only their hash is sent.
        stored, runs = viewed.report, [(run.number, run.state) for run in viewed.runs]
        seen = (stored.slug, stored.revision, viewed.shown_number, runs)
        headers, same = validated(request, view, *seen, brand=view.brand(viewed.brand))
        if same is not None:
            return same
    return await _drawn(request, view, found, viewed, headers)


async def _drawn(
    request: Request,
    view: View,
    found: SharedView[StoredReport, Viewed],
    viewed: Viewed,
    headers: tuple[tuple[str, str], ...],
) -> Response:
    urls = ReportURLs(f"/r/{viewed.report.slug}")
    drawn = await draw(view, viewed, urls, read_report_query(read_query(request), request.path))
    if drawn is None:
        return view.page(
            "share_waiting.html.jinja",
            state=viewed.report.state,
            headers=(waiting_header(viewed, urls, view.now_ms),),
            brand=view.brand(viewed.brand),
        )
    return view.page(
        "share_page.html.jinja",
        drawn=drawn,
        is_owner=found.shared.is_owner,
        audience=view.texts.gettext(AUDIENCES[Privacy(viewed.report.privacy)]),
        preview=_preview(view, viewed, drawn),
        headers=headers,
        brand=view.brand(viewed.brand),
        **about(view, viewed, urls),
    )


async def compare_shared(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the comparison of two runs of the report behind a share link."""
    compared = partial(compare_found, choice=read_choice(request), masked=True)
    found = await visit(request, work, view, services, compared, kind=REPORTS)
    if isinstance(found, Response):
        return found
    if found.seen is None:
        return to_gate(request, REPORTS)
    return await compare_page(view, found.seen, ReportURLs(f"/r/{found.shared.item.slug}"), own=False)


async def unlock_share(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Check the password from the form, and grant access."""
    return await unlock(request, work, view, services, REPORTS)


def _preview(view: View, viewed: Viewed, drawn: Drawn) -> Preview:
    """Return the link preview; it reveals the result only if everyone with the link may see the report."""
    texts, stored = view.texts, viewed.report
    result, score = drawn.report.result, drawn.report.score
    card = f"{view.options.base_url}{card_path(stored.slug)}" if has_card(viewed, score) else ""
    if stored.privacy != Privacy.PUBLIC or score is None:
        return Preview(texts.gettext("Web page report"), texts.gettext("A report about a web page."), card)
    points = texts.number(score)
    if result is None:
        title = texts.gettext("Web page report: %(score)s", score=points)
    else:
        title = texts.gettext(
            "Web page report: %(result)s %(score)s", result=texts.gettext(RESULTS[result]), score=points
        )
    summary = texts.gettext(
        "A web page got %(score)s of 100 points. The report says why, and what to fix first.", score=points
    )
    return Preview(title, summary, card)


OPERATIONS: Final[tuple[Operation, ...]] = (
    PageOperation(path=card_path("{slug}"), handler=show_card, access="anyone"),
    PageOperation(
        path=PATH,
        description="Returns the report behind the link, or a form for its password.",
        handler=show_share,
        access="anyone",
    ),
    PageOperation(
        method="POST",
        path=PATH,
        summary="Unlock a share page",
        description="Takes the form of a share page that asks for a password.",
        handler=unlock_share,
        access="anyone",
    ),
    PageOperation(path=f"{PATH}/runs/{{number}}", handler=show_shared_run, access="anyone"),
    PageOperation(path=f"{PATH}/compare", handler=compare_shared, access="anyone"),
)
