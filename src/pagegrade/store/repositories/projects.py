"""Projects: the hosts of an account's reports, how many there are, their tags, and figures of one or all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Subquery, bindparam, delete, func, insert, select, text

from pagegrade.model.stored import SiteQuery, State, StoredReport
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import WHOLE_ACCOUNT, Kind, count_projects, load_counts
from pagegrade.store.repositories.reports import GREATEST_ID, delete_reports
from pagegrade.store.repositories.run_history import same_basis
from pagegrade.store.schema.account_tables import site_tags
from pagegrade.store.schema.tables import report_counts, reports

# One look at the end of an index for each: a greatest value of many groups would read all of them.
_LATEST: Final = Prepared(
    select(reports.c.dated_at_ms)
    .where(reports.c.account_id == bindparam("account"), reports.c.project == bindparam("project"))
    .order_by(reports.c.dated_at_ms.desc())
    .limit(1)
)


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """One host."""

    name: str
    counts: Mapping[Kind, int]
    """(state, rating) -> reports."""
    tags: tuple[str, ...] = ()
    """In alphabetical order."""


EVERY: Final = SiteQuery()
"""All projects by name."""


def list_projects(
    tx: Transaction, account_id: int, page: int, per_page: int, query: SiteQuery = EVERY
) -> tuple[tuple[Project, ...], int]:
    """(the projects of a page in the order of the query, how many there are on all pages)."""
    names = _names(account_id, query)
    total = (
        count_projects(tx, account_id)
        if not (query.search or query.tag)
        else int(tx.execute(select(func.count()).select_from(names)).scalar_one())
    )
    skipped = (page - 1) * per_page
    if skipped >= total or skipped > GREATEST_ID:
        return (), total
    listed = select(names.c.project).order_by(*_order(account_id, query, names)).limit(per_page).offset(skipped)
    return load_projects(tx, account_id, tx.execute(listed).scalars()), total


def load_projects(tx: Transaction, account_id: int, names: Iterable[str]) -> tuple[Project, ...]:
    """Return those of the projects that have a report of the account, in the order of the names."""
    found: dict[str, dict[tuple[State, int | None], int]] = {name: {} for name in names if name != WHOLE_ACCOUNT}
    rows = tx.execute(
        select(report_counts.c.project, report_counts.c.state, report_counts.c.rating, report_counts.c.count).where(
            report_counts.c.account_id == account_id, report_counts.c.project.in_(tuple(found))
        )
    )
    for name, state, rating, count in rows:
        found[name][state, rating or None] = count
    tags = tags_of(tx, account_id, found)
    return tuple(Project(name=name, counts=counts, tags=tags[name]) for name, counts in found.items() if counts)


def _names(account_id: int, query: SiteQuery) -> Subquery:
    """Return the names of the projects that a query finds."""
    names = select(report_counts.c.project).where(
        report_counts.c.account_id == account_id, report_counts.c.project != WHOLE_ACCOUNT
    )
    if query.search:
        names = names.where(report_counts.c.project.contains(query.search, autoescape=True))
    if query.tag:
        tagged = select(site_tags.c.project).where(site_tags.c.account_id == account_id, site_tags.c.tag == query.tag)
        names = names.where(report_counts.c.project.in_(tagged))
    return names.distinct().subquery("names")


def _order(account_id: int, query: SiteQuery, names: Subquery) -> tuple[ColumnElement[Any], ...]:
    """Return what a list is sorted by; the name comes last, so that no two projects are equal."""
    by: ColumnElement[Any] = names.c.project
    if query.sort_by != "name":
        wanted = reports.c.score if query.sort_by == "score" else reports.c.dated_at_ms
        newest = (
            select(wanted.label("value"))
            .where(reports.c.account_id == account_id, reports.c.project == names.c.project)
            .order_by(reports.c.dated_at_ms.desc())
            .limit(NEWEST if query.sort_by == "score" else 1)
            .correlate(names)
            .subquery()
        )
        by = select(func.avg(newest.c.value)).scalar_subquery()
    direction = by.desc() if query.descending else by.asc()
    return (direction,) if query.sort_by == "name" else (direction.nulls_last(), names.c.project)


def load_project(tx: Transaction, account_id: int, name: str) -> Project | None:
    """A project of the account; ``None`` when it has no report there."""
    counts = load_counts(tx, account_id, name) if name else {}
    return Project(name=name, counts=counts, tags=tags_of(tx, account_id, (name,))[name]) if counts else None


def tags_of(tx: Transaction, account_id: int, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the tags of each of these projects, in alphabetical order."""
    found: dict[str, list[str]] = {name: [] for name in names}
    mine = (site_tags.c.account_id == account_id, site_tags.c.project.in_(tuple(found)))
    for project, tag in tx.execute(select(site_tags.c.project, site_tags.c.tag).where(*mine)):
        found[project].append(tag)
    return {name: tuple(sorted(tags)) for name, tags in found.items()}


def list_tags(tx: Transaction, account_id: int) -> tuple[str, ...]:
    """Return the tags that projects of an account have, each once, in alphabetical order."""
    there = select(report_counts.c.project).where(report_counts.c.account_id == account_id)
    mine = (site_tags.c.account_id == account_id, site_tags.c.project.in_(there))
    return tuple(sorted(tx.execute(select(site_tags.c.tag).where(*mine).distinct()).scalars()))


def set_tags(tx: Transaction, account_id: int, tags: Mapping[str, Iterable[str]]) -> None:
    """Give each of some projects tags, by its name, in place of those that it had."""
    tx.execute(delete(site_tags).where(site_tags.c.account_id == account_id, site_tags.c.project.in_(tuple(tags))))
    new = [{"account_id": account_id, "project": name, "tag": tag} for name, of_it in tags.items() for tag in of_it]
    if new:
        tx.execute(insert(site_tags), new)


def latest_at_ms(tx: Transaction, account_id: int, name: str) -> int | None:
    """When a page of the project was last analyzed, or asked for where none ever was; ``None``: it has no report."""
    row = _LATEST.first(tx, {"account": account_id, "project": name})
    return None if row is None else int(row[0])


def delete_from_project(tx: Transaction, account_id: int, name: str, *, limit: int) -> tuple[int, ...]:
    """Delete up to ``limit`` reports of a project with all their runs; the ids of those that are gone."""
    ids = tuple(
        tx.execute(
            select(reports.c.id)
            .where(reports.c.account_id == account_id, reports.c.project == name)
            .order_by(reports.c.id)
            .limit(limit)
        ).scalars()
    )
    delete_reports(tx, ids)
    return ids


NEWEST: Final = 1_000
"""Reports that the average is taken from, so that it costs the same for every account."""
TREND_PAGES: Final = 100
"""Reports of a project whose scores make its trend, the newest ones."""
TREND_RUNS: Final = 30
"""Runs of each of them, the newest ones."""
MAX_PAGES: Final = 500
"""Reports among which pages that got worse are looked for, the ones that were analyzed last."""
_SCORES: Final = select(reports.c.score).where(reports.c.account_id == bindparam("account"))
_OF_ALL: Final = _SCORES.order_by(reports.c.dated_at_ms.desc()).limit(NEWEST).subquery()
_OF_PROJECT: Final = (
    _SCORES.where(reports.c.project == bindparam("project"))
    .order_by(reports.c.dated_at_ms.desc())
    .limit(NEWEST)
    .subquery()
)
_AVERAGE: Final = Prepared(select(func.avg(_OF_ALL.c.score)))
_AVERAGE_OF_PROJECT: Final = Prepared(select(func.avg(_OF_PROJECT.c.score)))
_COMPARED: Final = (
    "SELECT b.number FROM runs AS b WHERE b.report_id = recent.report_id "  # noqa: S608 - ours
    "AND b.number < recent.number "
    f"AND b.score IS NOT NULL AND {same_basis('b', 'recent')} AND b.finished_at_ms"
)
_EARLIER: Final = (
    f"COALESCE(({_COMPARED} <= :since ORDER BY b.finished_at_ms DESC, b.number DESC LIMIT 1), "
    f"({_COMPARED} > :since ORDER BY b.finished_at_ms, b.number LIMIT 1))"
)
_WEEK_AGO: Final = f"JOIN runs AS earlier ON earlier.report_id = recent.report_id AND earlier.number = {_EARLIER} "
"""``earlier``: the run whose score was that of the page at ``since``, or the first one since, that compares."""


def _worse(condition: str) -> Prepared:
    return Prepared(
        text(
            "SELECT newest.id, newest.url, earlier.number, recent.number, earlier.score, "  # noqa: S608 - ours
            "recent.score FROM "
            f"(SELECT id, url, run_number FROM reports WHERE account_id = :account{condition}"
            " ORDER BY dated_at_ms DESC LIMIT :count) AS newest "
            "JOIN runs AS recent ON recent.report_id = newest.id AND recent.number = newest.run_number "
            f"{_WEEK_AGO}WHERE recent.finished_at_ms >= :since AND earlier.score > recent.score "
            "ORDER BY earlier.score - recent.score DESC, newest.id"
        )
    )


_WORSE: Final = _worse("")
_WORSE_OF_PROJECT: Final = _worse(" AND project = :project")
_CHANGES: Final = text(
    "SELECT reports.id, recent.score - earlier.score FROM reports "  # noqa: S608 - ours
    "JOIN runs AS recent ON recent.report_id = reports.id AND recent.number = reports.run_number "
    f"{_WEEK_AGO}WHERE reports.id IN :reports AND recent.finished_at_ms > :since"
).bindparams(bindparam("reports", expanding=True))


MAX_SITES: Final = 100
"""Projects that are looked at together."""
_SITE_PAGE: Final = "project, id, url, dated_at_ms, score, summary, run_number"
_SITE_PAGES: Final = (
    "SELECT newest.project, newest.id, newest.url, newest.dated_at_ms, newest.score, newest.summary, "  # noqa: S608 - ours
    "recent.finished_at_ms, earlier.score, EXISTS (SELECT 1 FROM runs AS old WHERE old.report_id = newest.id "
    "AND old.number < recent.number AND old.score IS NOT NULL AND old.finished_at_ms < :since) "
    "FROM (newest) AS newest "
    "LEFT JOIN runs AS recent ON recent.report_id = newest.id AND recent.number = newest.run_number "
    "LEFT JOIN runs AS earlier ON earlier.report_id = recent.report_id AND earlier.number = "
    f"CASE WHEN recent.score IS NOT NULL AND recent.finished_at_ms >= :since THEN {_EARLIER} END "
    "ORDER BY newest.dated_at_ms DESC, newest.id DESC"
)


_SCORES_OF_PROJECT: Final = Prepared(
    text(
        "SELECT runs.report_id, runs.finished_at_ms, runs.score, runs.ruleset FROM "  # noqa: S608 - ours
        "(SELECT id, run_number FROM reports WHERE account_id = :account AND project = :project "
        "ORDER BY dated_at_ms DESC LIMIT :pages) AS newest "
        "JOIN runs AS shown ON shown.report_id = newest.id AND shown.number = newest.run_number "
        "JOIN runs ON runs.report_id = newest.id AND runs.number > newest.run_number - :runs "
        f"AND runs.number <= newest.run_number AND {same_basis('runs', 'shown')} "
        "WHERE runs.score IS NOT NULL AND runs.finished_at_ms IS NOT NULL "
        "ORDER BY runs.finished_at_ms, runs.id"
    )
)


class PageScore(NamedTuple):
    """The score of a page at a point in time."""

    report_id: int
    at_ms: int
    score: int
    ruleset: str


class WorsePage(NamedTuple):
    """A page whose newest score is lower than the one of a week ago, on the same basis."""

    report_id: int
    url: str
    before_number: int
    after_number: int
    before: int
    after: int


class SitePage(NamedTuple):
    """A page of a project, with what a list of projects shows of it."""

    report_id: int
    url: str
    dated_at_ms: int
    score: int | None
    summary: bytes | None
    """``PackedReport.summary``."""
    is_recent: bool
    """It was analyzed since the time that was asked about."""
    before: int | None
    """Score at that time, or the first one since, of the runs that compare; ``None``: there is none, or it is not
    recent."""
    was_scored: bool
    """It had a score at that time, on whatever basis."""


def pages_of_projects(
    tx: Transaction, account_id: int, names: Sequence[str], *, since_ms: int, count: int
) -> dict[str, tuple[SitePage, ...]]:
    """Return the newest ``count`` pages of each of these projects, by its name, in one statement.

    Args:
        names: At most ``MAX_SITES``.
        since_ms: Scores are compared with those of this time.
    """
    found: dict[str, list[SitePage]] = {name: [] for name in names}
    if not found:
        return {}
    sent = {f"project_{at}": name for at, name in enumerate(found)}
    newest = " UNION ALL ".join(
        f"SELECT * FROM (SELECT {_SITE_PAGE} FROM reports WHERE account_id = :account AND project = :{name} "  # noqa: S608
        f"ORDER BY dated_at_ms DESC, id DESC LIMIT :pages) AS {name}"
        for name in sent
    )
    rows = tx.execute(
        text(_SITE_PAGES.replace("(newest)", f"({newest})")),
        {**sent, "account": account_id, "since": since_ms, "pages": count},
    )
    for project, report_id, url, dated_at_ms, score, summary, finished_at_ms, before, was_scored in rows:
        is_recent = finished_at_ms is not None and finished_at_ms >= since_ms
        page = SitePage(report_id, url, dated_at_ms, score, summary, is_recent, before, bool(was_scored))
        found[project].append(page)
    return {name: tuple(pages) for name, pages in found.items()}


def average_score(tx: Transaction, account_id: int, project: str = "") -> float | None:
    """Return the mean score of the ``NEWEST`` reports of an account, or of one project; ``None`` without a score."""
    if project:
        row = _AVERAGE_OF_PROJECT.first(tx, {"account": account_id, "project": project})
    else:
        row = _AVERAGE.first(tx, {"account": account_id})
    return None if row is None or row[0] is None else float(row[0])


def changes_since(tx: Transaction, reports: Iterable[StoredReport], since_ms: int) -> dict[int, int]:
    """Return report id -> points gained since a time, for the reports that were analyzed since.

    The score at that time counts, or the first one after it, of the runs that compare with the shown one.
    """
    shown = [report.id for report in reports if report.run_number is not None and report.score is not None]
    rows = tx.execute(_CHANGES, {"reports": shown, "since": since_ms}) if shown else ()
    return {report_id: points for report_id, points in rows}  # noqa: C416 - rows are no pairs


def pages_that_got_worse(
    tx: Transaction, account_id: int, *, since_ms: int, project: str = ""
) -> tuple[WorsePage, ...]:
    """Return the pages with fewer points now than at a time, compared as ``changes_since`` does, the worst first."""
    sent = {"account": account_id, "since": since_ms, "count": MAX_PAGES}
    rows = _WORSE_OF_PROJECT.rows(tx, {**sent, "project": project}) if project else _WORSE.rows(tx, sent)
    return tuple(WorsePage(*row) for row in rows)


def scores_of_project(tx: Transaction, account_id: int, project: str) -> tuple[PageScore, ...]:
    """Return the scores of the pages of a project in order of time, within ``TREND_PAGES`` and ``TREND_RUNS``."""
    sent = {"account": account_id, "project": project, "pages": TREND_PAGES, "runs": TREND_RUNS}
    return tuple(PageScore(*row) for row in _SCORES_OF_PROJECT.rows(tx, sent))
