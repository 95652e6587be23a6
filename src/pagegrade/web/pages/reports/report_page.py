"""The pages of a report for its owner: the report itself, one of its runs, and the comparison of two runs."""

from __future__ import annotations

from typing import Final

import msgspec

from pagegrade.model.account import Brand
from pagegrade.model.stored import UNFINISHED, Privacy, StoredReport
from pagegrade.render.badge import HEIGHT, LABEL, badge_width
from pagegrade.render.english import N_
from pagegrade.render.finding_list import read_report_query
from pagegrade.service.reports.views import Viewed, compare_own, find_wait, view_own
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import HELPED, View
from pagegrade.web.pages.reports.badge import badge_path, badge_snippets
from pagegrade.web.pages.reports.compare import compare_page, read_choice
from pagegrade.web.pages.reports.report_context import ReportURLs, about, draw, waiting_header
from pagegrade.web.pages.reports.rows import MEANINGS, PRIVACIES
from pagegrade.web.request import Request
from pagegrade.web.schemas.report import share_url

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
    Operation(
        method="GET",
        path=PATH,
        name="show_report_page",
        summary="A report",
        handler=show_report_page,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/runs/{{number}}",
        name="show_run_page",
        summary="A run of a report",
        handler=show_run_page,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/compare",
        name="compare_run_pages",
        summary="Compare two runs of a report",
        handler=compare_run_pages,
        access="account",
        tag=PAGES,
    ),
)
