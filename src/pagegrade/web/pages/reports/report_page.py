"""The pages of a report for its owner: as it stands, one of its runs, and what changed between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.stored import UNFINISHED, Privacy, StoredReport
from pagegrade.render.badge import HEIGHT, badge_width
from pagegrade.render.english import N_
from pagegrade.service.reports.operations import find_report
from pagegrade.service.reports.serializers import share_url
from pagegrade.service.reports.views import Viewed, view_own
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import HELPED, page
from pagegrade.web.pages.reports.badge import badge_path, badge_snippets
from pagegrade.web.pages.reports.compare import LookedUp, compare_page, look_up
from pagegrade.web.pages.reports.report_context import Addresses, about, draw, waiting_header
from pagegrade.web.pages.reports.rows import MEANINGS, PRIVACIES

PATH: Final = "/reports/{id}"
SAID: Final[dict[str, str]] = {
    "created": N_("The report was created. The page is being analysed."),
    "running": N_("The page is being analysed again."),
    "saved": N_("The settings were saved."),
}
"""Value of ``said`` -> what has just been done."""
_PASSING: Final = frozenset({"created", "running"})
"""Not to be said of a page that was loaded again after its analysis had ended."""


async def show_report_page(call: Call) -> Answer:
    """The report as it stands; a page that asks again by itself while there is nothing to show."""

    def work(tx: Transaction, caller: Caller) -> Viewed:
        return view_own(tx, caller, call.id, call.services.options, call.now_ms)

    viewed = await call.read(work)
    addresses = Addresses(f"/reports/{viewed.report.id}")
    drawn = await draw(call, viewed, addresses)
    return page(
        call,
        "report_page.html.jinja",
        policy=HELPED,
        drawn=drawn,
        said=_said(call, viewed),
        sharing=_sharing(call, viewed.report),
        headers=(waiting_header(viewed, addresses, call.now_ms),) if drawn is None else (),
        **about(call, viewed, addresses),
    )


async def show_run_page(call: Call) -> Answer:
    """One run of the report, which never changes."""

    def work(tx: Transaction, caller: Caller) -> Viewed:
        number = call.number("number")
        return view_own(tx, caller, call.id, call.services.options, call.now_ms, number=number)

    viewed = await call.read(work)
    addresses = Addresses(f"/reports/{viewed.report.id}")
    drawn = await draw(call, viewed, addresses)
    return page(call, "report_run.html.jinja", drawn=drawn, **about(call, viewed, addresses))


async def compare_run_pages(call: Call) -> Answer:
    """What changed between two runs of the report."""

    def work(tx: Transaction, caller: Caller) -> LookedUp:
        report = find_report(tx, caller, call.id, call.services.options, call.now_ms)
        return look_up(call, tx, report, masked=False)

    found = await call.read(work)
    return await compare_page(call, found, Addresses(f"/reports/{found.viewed.report.id}"), own=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sharing:
    """Who may see the report, and what to hand them."""

    words: str
    meaning: str
    link: str
    badge: str
    """Address of its badge; empty where there is none."""
    badge_size: tuple[int, int]
    """Width and height in pixels."""
    markdown: str
    html: str


def _sharing(call: Call, report: StoredReport) -> _Sharing:
    privacy = Privacy(report.privacy)
    link = share_url(call.services.options.base_url, report.slug)
    is_public = privacy is Privacy.PUBLIC
    markdown, html = badge_snippets(call.services.options.base_url, report.slug)
    return _Sharing(
        words=call.texts.gettext(PRIVACIES[privacy]),
        meaning=call.texts.gettext(MEANINGS[privacy]),
        link=link,
        badge=badge_path(report.slug) if is_public else "",
        badge_size=(badge_width(report.state, result=report.result, score=report.score), HEIGHT),
        markdown=markdown if is_public else "",
        html=html if is_public else "",
    )


def _said(call: Call, viewed: Viewed) -> str:
    """What has just been done, in words; empty where nothing has, or it has come to its end."""
    key = read_query(call).get("said", "")
    if key not in SAID or (key in _PASSING and viewed.report.state not in UNFINISHED):
        return ""
    return call.texts.gettext(SAID[key])


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
