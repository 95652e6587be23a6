"""Use cases of the list of reports on pages: rows with counts and titles, states, trends of sites, the whole list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.monitors import Crossing
from pagegrade.model.stored import RATINGS, STATES, ListQuery, StoredReport
from pagegrade.parse.url import project_of
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report, find_reports
from pagegrade.service.reports.site_findings import SharedFinding, findings_of_pages
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.counts import Kind, count_matching, load_counts
from pagegrade.store.repositories.monitors import MAX_CROSSINGS, list_recent_crossings
from pagegrade.store.repositories.projects import (
    PageScore,
    WorsePage,
    average_score,
    changes_since,
    pages_that_got_worse,
    scores_of_project,
)
from pagegrade.store.repositories.run_history import load_details, load_recent_scores


class _Page(msgspec.Struct):
    title: str = ""


class _Detail(msgspec.Struct):
    page: _Page | None = None


_decode: Final = msgspec.json.Decoder(_Detail).decode
MAX_SHARED: Final = 8
"""Findings of several pages that are listed."""


def find_titles(tx: Transaction, reports: Sequence[StoredReport]) -> dict[int, str]:
    """Report id -> title of its page as it was last seen; without those that have none, or were never seen.

    Args:
        reports: A page of a list: the results of each are read.
    """
    found: dict[int, str] = {}
    for number, detail in load_details(tx, reports).items():
        page = _decode(detail).page
        if page is not None and page.title:
            found[number] = page.title
    return found


def find_shared_findings(tx: Transaction, reports: Sequence[StoredReport]) -> tuple[SharedFinding, ...]:
    """List the findings that at least two of the reports have: those of the most pages first, then by points.

    Args:
        reports: At most a hundred or so: the results of each are read.
    """
    _, found = findings_of_pages(tx, reports)
    return tuple(one for one in found if len(one.pages) > 1)[:MAX_SHARED]


DAY_MS: Final = 86_400_000
MAX_DAYS: Final = 30
"""The newest so many days with an analysis are shown."""


class TrendDay(NamedTuple):
    """The score of a site at the end of a day."""

    at_ms: int
    """Of the last analysis on that day (UTC)."""
    score: float
    """Mean of the newest score of each page until then."""
    pages: int
    """Pages that had a score by then."""


def site_trend(scores: Iterable[PageScore]) -> tuple[TrendDay, ...]:
    """Return the score of a site on each day on which a page of it was analyzed, oldest first.

    Only scores by the rules of the newest one count: others do not compare.

    Args:
        scores: Of any of its pages, in order of time; those of one page all compare.
    """
    known = list(scores)
    newest: dict[int, int] = {}
    total = 0
    days: dict[int, TrendDay] = {}
    for one in known:
        if one.ruleset != known[-1].ruleset:
            continue
        total += one.score - newest.get(one.report_id, 0)
        newest[one.report_id] = one.score
        days[one.at_ms // DAY_MS] = TrendDay(one.at_ms, total / len(newest), len(newest))
    return tuple(days.values())[-MAX_DAYS:]


MAX_SCORES: Final = 24
"""Runs of a report that are looked at for its trend in a list; only those that compare are shown."""
SHARED_PAGES: Final = 100
"""Pages of a site in which findings that several share are looked for, the newest ones."""
WEEK_MS: Final = 7 * 86_400_000


class Rows(msgspec.Struct, frozen=True):
    """A page of the list, and what is shown around it."""

    reports: tuple[StoredReport, ...]
    total: int
    titles: Mapping[int, str]
    counts: Mapping[str, int]
    """Result or state, or ``all`` -> reports of the account, or of the project that the query names."""
    has_any: bool
    """True if the account has any report, also one that the query does not find."""
    scores: Mapping[int, tuple[int, ...]]
    """Report id -> scores of its last runs that compare with the shown one, oldest first."""
    changes: Mapping[int, int]
    """Report id -> points gained this week, where it was analyzed in it."""
    average: float | None
    """Mean score of the newest reports of the account, or of the project; ``None`` without a score."""
    worse: tuple[WorsePage, ...]
    """Pages with fewer points than a week ago."""
    shared: tuple[SharedFinding, ...]
    """Findings of several of the newest ``SHARED_PAGES`` pages of the project; only where the query names one."""
    trend: tuple[TrendDay, ...]
    """Score of the project by day, oldest first; likewise."""
    crossings: tuple[Crossing, ...]
    """Breaches of budgets in the last week, and pages that could not be reached, the newest first; only where the query
    names a project."""


def find_rows(tx: Transaction, caller: Caller, query: ListQuery, options: ServiceOptions, now_ms: int) -> Rows:
    """Return a page of the caller's reports with their titles and the counts of the filters."""
    reports, total = find_reports(tx, caller, query, options, now_ms)
    everything = load_counts(tx, caller.account.id)
    project = None if query.project is None else project_of(query.project)
    kept = everything if project is None else load_counts(tx, caller.account.id, project) if project else {}
    return Rows(
        reports,
        total,
        find_titles(tx, reports),
        _by_name(kept),
        count_matching(everything) > 0,
        load_recent_scores(tx, reports, MAX_SCORES),
        changes_since(tx, reports, now_ms - WEEK_MS),
        average_score(tx, caller.account.id, project or ""),
        pages_that_got_worse(tx, caller.account.id, since_ms=now_ms - WEEK_MS, project=project or ""),
        find_shared_findings(tx, _newest(tx, caller, project, options, now_ms)) if project else (),
        site_trend(scores_of_project(tx, caller.account.id, project)) if project else (),
        _breaches(tx, caller, project, now_ms - WEEK_MS) if project else (),
    )


def _newest(
    tx: Transaction, caller: Caller, project: str, options: ServiceOptions, now_ms: int
) -> tuple[StoredReport, ...]:
    """Return the newest reports of a project, whichever of them the page of the list shows."""
    query = ListQuery(project=project, sort_by="generated_at", per_page=SHARED_PAGES)
    return find_reports(tx, caller, query, options, now_ms)[0]


def _breaches(tx: Transaction, caller: Caller, project: str, since_ms: int) -> tuple[Crossing, ...]:
    found = list_recent_crossings(tx, caller.account.id, project, since_ms=since_ms, count=MAX_CROSSINGS)
    return tuple(crossing for crossing in found if crossing.kind != "recovered")


def find_states(
    tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int
) -> tuple[dict[int, StoredReport | None], dict[str, int]]:
    """Return reports of the caller by id (``None``: gone), and how many there are by result and state."""
    found = {report_id: _existing(tx, caller, report_id, options, now_ms) for report_id in ids}
    return found, _by_name(load_counts(tx, caller.account.id))


def find_existing(
    tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int
) -> tuple[StoredReport, ...]:
    """Return those of the reports that the caller has."""
    found = (_existing(tx, caller, report_id, options, now_ms) for report_id in ids)
    return tuple(report for report in found if report is not None)


def _existing(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int
) -> StoredReport | None:
    try:
        return find_report(tx, caller, report_id, options, now_ms)
    except NotFound:
        return None


def _by_name(kept: Mapping[Kind, int]) -> dict[str, int]:
    counts = {"all": count_matching(kept)}
    counts.update({result: count_matching(kept, rating=rating) for result, rating in RATINGS.items()})
    counts.update({state: count_matching(kept, state=state) for state in STATES})
    return counts
