"""The list of reports: the form for a new one, the filters, the rows, and how those under way are getting on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import RATINGS, Privacy, State, StoredReport
from pagegrade.model.stored import STATES as ALL_STATES
from pagegrade.parse.url import project_of
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report, find_reports
from pagegrade.service.reports.titles import find_titles
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.counts import Kind, count_matching, load_counts
from pagegrade.web.context import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import HELPED, page
from pagegrade.web.pages.reports.list_query import (
    DIRECTIONS,
    PAGE_SIZES,
    PATH,
    SORTS,
    Asked,
    choices,
    read_asked,
)
from pagegrade.web.pages.reports.rows import GONE, MEANINGS, PRIVACIES, RESULTS, STATES, row_of, state_object
from pagegrade.web.parameters import ReportListQuery
from pagegrade.web.report_requests import list_query

MAX_IDS: Final = 100
"""Reports whose state is told at once: as many as a list can show."""
MAX_IDS_TEXT: Final = 2_048
ALL: Final = N_("All")
UNFINISHED_FIRST: Final[tuple[State, ...]] = ("running", "queued", "failed")
SAID: Final = {
    "deleted": ("good", N_("The report was deleted.")),
    "many_deleted": ("good", N_("The reports were deleted.")),
    "many_again": ("good", N_("The pages will be analysed again.")),
    "made": ("good", N_("The reports were made. Their pages are analysed one after the other.")),
    "none_selected": ("decent", N_("Nothing was done: tick the reports first.")),
}
"""What has just been done -> (how it is shown, in words)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewForm:
    """The form for a new report, as somebody has filled it in."""

    url: str = ""
    privacy: str = ""
    """Empty: as the account is set."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Field -> sentence; empty for what is about none."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What one look at the database gave."""

    reports: tuple[StoredReport, ...]
    total: int
    titles: Mapping[int, str]
    counts: Mapping[str, int]
    """Result or state, or ``all`` -> reports of the account, or of the project that was asked for."""
    has_any: bool
    """Whether the account has any reports."""


async def list_report_rows(call: Call) -> Answer:
    """Answer with the list."""
    return await listing_page(call, NewForm())


async def listing_page(call: Call, form: NewForm, *, status: int = 200) -> Answer:
    """The page of the list.

    Args:
        call: The request, whose query says what to list.
        form: The form on top.
        status: HTTP status; another one where the query has something wrong.
    """

    def work(tx: Transaction, caller: Caller) -> tuple[Asked, _Found]:
        asked = read_asked(sent, call.texts)
        return asked, _find(tx, caller, asked.query, call.services.options, call.now_ms)

    sent = read_query(call)
    asked, found = await call.read(work)
    texts, account = call.texts, call.admitted.account
    rows = [row_of(report, texts, found.titles) for report in found.reports]
    said = SAID.get(sent.get("said", ""))
    if asked.problems and status == 200:  # noqa: PLR2004 - the form on top is as it should be
        status = 422
    return page(
        call,
        "reports.html.jinja",
        status=status,
        policy=HELPED,
        form=form,
        chosen_privacy=form.privacy or str(int(default_privacy(account, call.services.options))),
        privacies=privacy_options(texts),
        asked=asked,
        rows=rows,
        live=[row.id for row in rows if row.is_live],
        follows=sent.get("follow") == "1",
        total=found.total,
        has_any=found.has_any,
        chips=_chips(asked, found.counts, texts),
        last_page=max(1, -(-found.total // asked.query.per_page)),
        results=choices(texts, RESULTS, any_of=True),
        states=choices(texts, STATES, any_of=True),
        sorts=choices(texts, SORTS),
        directions=choices(texts, DIRECTIONS),
        sizes=[(size, texts.number(size)) for size in PAGE_SIZES],
        said=None if said is None else texts.gettext(said[1]),
        said_kind="" if said is None else said[0],
        timezone=account.timezone,
    )


async def show_states(call: Call) -> Answer:
    """Answer with how some reports are getting on, for the script of a page."""

    def work(tx: Transaction, caller: Caller) -> tuple[list[dict[str, Any]], dict[str, int]]:
        found: list[dict[str, Any]] = []
        for number in numbers:
            try:
                report = find_report(tx, caller, number, call.services.options, call.now_ms)
            except NotFound:
                words = call.texts.gettext(GONE)
                found.append({"id": number, "state": "gone", "finished": True, "state_words": words})
            else:
                found.append(state_object(report, call.texts, call.now_ms))
        return found, _counts(load_counts(tx, caller.account.id))

    sent = read_query(call)
    numbers = _numbers(sent.get("ids", ""))
    states, counts = await call.read(work)
    left = call.texts.ngettext(
        "%(num)s report on this page is not finished.",
        "%(num)s reports on this page are not finished.",
        sum(not state["finished"] for state in states),
    )
    counted = {name: call.texts.number(count) for name, count in counts.items()}
    return Answer(
        status=200,
        body=msgspec.json.encode({"reports": states, "left": left, "counts": counted}),
        headers=(("Cache-Control", "private, no-store"), ("Vary", "Cookie, Accept-Language")),
    )


def default_privacy(account: Account, options: ServiceOptions) -> Privacy:
    """Who may see a new report where nobody said."""
    return options.default_privacy if account.default_privacy is None else Privacy(account.default_privacy)


def privacy_options(texts: Texts) -> list[tuple[int, str, str]]:
    """(value, words, what it means) of who may see a report."""
    return [(int(each), texts.gettext(PRIVACIES[each]), texts.gettext(MEANINGS[each])) for each in Privacy]


def _find(tx: Transaction, caller: Caller, query: ReportListQuery, options: ServiceOptions, now_ms: int) -> _Found:
    reports, total = find_reports(tx, caller, list_query(query, caller.account), options, now_ms)
    everything = load_counts(tx, caller.account.id)
    project = None if query.project is None else project_of(query.project)
    kept = everything if project is None else load_counts(tx, caller.account.id, project) if project else {}
    return _Found(reports, total, find_titles(tx, reports), _counts(kept), count_matching(everything) > 0)


def _counts(kept: Mapping[Kind, int]) -> dict[str, int]:
    """Result or state, or ``all`` -> how many there are."""
    counts = {"all": count_matching(kept)}
    counts.update({result: count_matching(kept, rating=rating) for result, rating in RATINGS.items()})
    counts.update({state: count_matching(kept, state=state) for state in ALL_STATES})
    return counts


@dataclass(frozen=True, slots=True)
class _Chip:
    """A filter that is one click away."""

    words: str
    count: int | None
    """``None``: nobody has counted."""
    address: str
    is_current: bool
    grade: str
    name: str
    """Whose count the script may bring up to date; empty: nobody knows it but the list."""


def _chips(asked: Asked, counts: Mapping[str, int], texts: Texts) -> list[_Chip]:
    """All, each result, and the states that need a look while there are any."""
    query = asked.query
    chosen = (query.result, query.state)

    def chip(words: str, name: str, grade: str, *, result: str | None = None, state: str | None = None) -> _Chip:
        # What a search finds is counted by nobody but the list itself.
        count = None if query.search else counts[name]
        address = asked.address(result=result, state=state)
        is_current = chosen == (result, state)
        return _Chip(texts.gettext(words), count, address, is_current, grade, "" if query.project else name)

    chips = [chip(ALL, "all", "none")]
    chips += [chip(RESULTS[result], result, result, result=result) for result in RESULTS]
    for state in UNFINISHED_FIRST:
        if counts[state] or query.state == state:
            chips.append(chip(STATES[state], state, "bad" if state == "failed" else "none", state=state))
    return chips


def _numbers(text: str) -> list[int]:
    """The ids in a list like ``1,2,3``; what cannot be one is passed over."""
    words = text[:MAX_IDS_TEXT].split(",")[:MAX_IDS]
    return [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < len(str(2**63))]


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_report_rows",
        summary="The list of reports",
        handler=list_report_rows,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/states",
        name="show_states",
        summary="How reports are getting on",
        handler=show_states,
        access="account",
        counted_as="polls",  # several tabs that look after themselves must not use up what their reader may open
        tag=PAGES,
    ),
)
