"""What is done to the reports that somebody has ticked in the list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, QuotaExceeded, RateLimited, Unavailable
from pagegrade.model.stored import StoredReport
from pagegrade.service.reports.operations import delete_report, find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import MAX_ID, Call
from pagegrade.web.http.forms import parse_pairs
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.field_messages import refusal_of
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import go, page
from pagegrade.web.pages.reports.list_query import PATH, read_asked
from pagegrade.web.pages.reports.rows import short_address
from pagegrade.web.pages.reports.settings import analyse_again
from pagegrade.web.problems import Rejected, problem_of

MAX_SELECTED: Final = 100
"""As many as a list can show."""
_NAME: Final = re.compile(r"report-([1-9][0-9]{0,18})")
_SURE: Final = "1"


async def act_on_selected(call: Call) -> Answer:
    """Analyse the ticked reports again, or delete them after asking whether that is meant.

    Of those that are gone meanwhile nothing is said: they are as they were wanted to be, or nothing is left to analyse.
    """
    sent = await read_form(call)
    # Not "action": a field of that name would stand before the address that its form is sent to, for scripts.
    action = sent.get("deed", "")
    back = _back(call, sent.get("back", ""))
    reports = await call.read(lambda tx, caller: _selected(call, tx, caller, sent))
    if not reports or action not in ("again", "delete"):
        return go(_told(back, "none_selected"))
    if action == "again":
        try:
            await analyse_again(call, tuple(report.id for report in reports))
        except (RateLimited, QuotaExceeded, Unavailable) as error:
            return _ask(call, reports, action, sent, problem=refusal_of(call.texts, error), error=error)
        return go(_told(back, "many_again"))
    if sent.get("sure") != _SURE:
        return _ask(call, reports, action, sent)
    await _delete(call, reports)
    return go(_told(back, "many_deleted"))


async def _delete(call: Call, reports: tuple[StoredReport, ...]) -> None:
    def work(tx: Transaction, caller: Caller) -> None:
        for report in reports:
            try:
                delete_report(tx, caller, report.id, call.services.options, call.now_ms)
            except NotFound:
                continue  # gone meanwhile, as it was wanted

    await call.write(work)
    for report in reports:
        call.services.changes.notify(report.id)


def _selected(call: Call, tx: Transaction, caller: Caller, sent: Mapping[str, str]) -> tuple[StoredReport, ...]:
    matches = (_NAME.fullmatch(name) for name in sent)
    ids = [int(match[1]) for match in matches if match is not None][:MAX_SELECTED]
    found = []
    for report_id in ids:
        try:
            if report_id <= MAX_ID:
                found.append(find_report(tx, caller, report_id, call.services.options, call.now_ms))
        except NotFound:
            continue
    return tuple(found)


def _back(call: Call, query: str) -> str:
    """The list as it was, whatever the form says it was."""
    try:
        sent = parse_pairs(query.encode(), "The form")
    except Rejected:
        sent = {}
    return read_asked(sent, call.texts).address()


def _told(place: str, said: str) -> str:
    return f"{place}{'&' if '?' in place else '?'}said={said}"


def _ask(
    call: Call,
    reports: tuple[StoredReport, ...],
    action: str,
    sent: Mapping[str, str],
    *,
    problem: str = "",
    error: RateLimited | QuotaExceeded | Unavailable | None = None,
) -> Answer:
    return page(
        call,
        "reports_selected.html.jinja",
        status=200 if error is None else problem_of(error).status,
        reports=[(report.id, short_address(report.url)) for report in reports],
        action=action,
        back=sent.get("back", ""),
        place=_back(call, sent.get("back", "")),
        problem=problem,
    )


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=f"{PATH}/selected",
        name="act_on_selected",
        summary="Analyse the ticked reports again, or delete them",
        handler=act_on_selected,
        access="account",
        tag=PAGES,
    ),
)
