"""Lists of reports: filtered, searched, sorted and paged, at a cost that does not grow with the account.

Three things make that so. Every filter has an index in every order (``store.schema.tables``). Totals come from
``store.repositories.counts``. And a page beyond the middle is read from the other end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import Integer, Select, bindparam, func, select

from pagegrade.model.stored import UNFINISHED, State, StoredReport
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import Kind, count_matching, load_counts
from pagegrade.store.repositories.reports import REPORT_COLUMNS, is_expired, is_live, report_of
from pagegrade.store.repositories.search import (
    as_parameters,
    find_few,
    find_few_of_account,
    plan_anew,
    search_patterns,
    url_holds,
)
from pagegrade.store.schema.tables import reports

SortBy = Literal["id", "generated_at", "url", "result"]
Filter = Literal["project", "rating", "state"]
_ORDERS: Final[dict[SortBy, tuple[str, ...]]] = {
    "id": ("id",),
    "generated_at": ("dated_at_ms", "id"),
    "url": ("url", "id"),
    "result": ("rating", "score", "id"),
}
FAR: Final = 100
"""A page beyond so many others is read in two steps on PostgreSQL."""
_FOUND: Final = ("id", "account_id", "project", "state", "rating", "score", "dated_at_ms", "url")
_FEW_COLUMNS: Final = tuple(reports.c[name] for name in _FOUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Which reports, in which order, and which page of them."""

    account_id: int
    search: str | None = None
    """Substring of the URL, as typed; ``None`` or empty: any."""
    project: str | None = None
    """As ``parse.url.project_of`` gives it; ``None``: any. An empty one finds nothing."""
    rating: int | None = None
    """One of ``RATINGS``; ``None``: any, and none."""
    state: State | None = None
    sort_by: SortBy = "id"
    descending: bool = True
    page: int = 1
    """From 1; past the last one there is nothing."""
    per_page: int = 10
    expired_before_ms: int | None = None
    """Finished reports dated before are as good as deleted; ``None``: none expires."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What decides how a statement reads; statements are made once for each."""

    filters: tuple[Filter, ...]
    """The first one chooses the index."""
    sort_by: SortBy
    descending: bool
    rated: bool | None
    """Only reports with a result, or only those without; ``None``: both."""
    patterns: int
    expiring: bool


def list_reports(tx: Transaction, query: ListQuery) -> tuple[tuple[StoredReport, ...], int]:
    """(the reports of the page, how many there are on all pages)."""
    counts = load_counts(tx, query.account_id, query.project) if query.project != "" else {}
    if not count_matching(counts, state=query.state, rating=query.rating):
        return (), 0
    patterns = search_patterns(query.search) if query.search else ()
    if query.search:
        if not patterns:
            return (), 0
        plan_anew(tx)
        few = find_few(tx, patterns)
        if few is None:
            few = find_few_of_account(tx, patterns, query.account_id)
        if few is not None:
            return _list_few(tx, query, few)
    return _list_by_index(tx, query, counts, patterns)


def _list_few(tx: Transaction, query: ListQuery, ids: Iterable[int]) -> tuple[tuple[StoredReport, ...], int]:
    """The list out of a few candidates, which are put in order here."""
    # Chosen by id alone: the database would otherwise take the account's index, and read the whole account.
    candidates = tx.execute(select(*_FEW_COLUMNS).where(reports.c.id.in_(tuple(ids)))).all()
    found = [
        row
        for row in candidates
        if row.account_id == query.account_id
        and query.project in {None, row.project}
        and query.state in {None, row.state}
        and query.rating in {None, row.rating}
        and (row.state in UNFINISHED or row.dated_at_ms >= (query.expired_before_ms or 0))
    ]
    found.sort(key=_sort_key(query.sort_by), reverse=query.descending)
    if query.sort_by == "result":
        found.sort(key=lambda row: row.rating is None)
    start = (query.page - 1) * query.per_page
    page = [row.id for row in found[start : start + query.per_page]]
    if not page:
        return (), len(found)
    rows = tx.execute(select(*REPORT_COLUMNS).where(reports.c.account_id == query.account_id, reports.c.id.in_(page)))
    by_id = {row[0]: report_of(row) for row in rows}
    return tuple(by_id[number] for number in page), len(found)


def _sort_key(sort_by: SortBy) -> Callable[[Any], tuple[Any, ...]]:
    names = _ORDERS[sort_by]
    # A missing number counts below every other, as it does in the index.
    return lambda row: tuple(-1 if row._mapping[name] is None else row._mapping[name] for name in names)  # noqa: SLF001


def _list_by_index(
    tx: Transaction, query: ListQuery, counts: dict[Kind, int], patterns: tuple[str, ...]
) -> tuple[tuple[StoredReport, ...], int]:
    """The list in the order in which an index gives it."""
    shape = _Shape(
        _filters(tx, query, counts),
        query.sort_by,
        query.descending,
        None,
        len(patterns),
        query.expired_before_ms is not None,
    )
    parameters: dict[str, Any] = {
        "the_account": query.account_id,
        "the_project": query.project,
        "the_rating": query.rating,
        "the_state": query.state,
        "expired_before": query.expired_before_ms,
        **as_parameters(patterns),
    }
    total, rated = _totals(tx, query, shape, parameters, counts)
    first = (query.page - 1) * query.per_page
    last = min(first + query.per_page, total)
    if first >= last:
        return (), total
    if query.sort_by != "result" or query.rating is not None:
        return _window(tx, shape, parameters, first=first, last=last, total=total), total
    # Reports without a result come last in both directions, so they are a list of their own after the others.
    with_result, without = replace(shape, rated=True), replace(shape, rated=False)
    return (
        *_window(tx, with_result, parameters, first=first, last=min(last, rated), total=rated),
        *_window(tx, without, parameters, first=max(first - rated, 0), last=last - rated, total=total - rated),
    ), total


def _filters(tx: Transaction, query: ListQuery, counts: dict[Kind, int]) -> tuple[Filter, ...]:
    """The filters in use, the one first whose index has the least to skip.

    That is the one that leaves the fewest reports, except that a state's index knows the result too, which saves a look
    at every row.
    """
    used: dict[Filter, int] = {}
    if query.project is not None:
        used["project"] = count_matching(counts)
        if query.rating is not None or query.state is not None:
            counts = load_counts(tx, query.account_id)
    if query.rating is not None:
        used["rating"] = count_matching(counts, rating=query.rating)
    if query.state is not None:
        used["state"] = count_matching(counts, state=query.state)
        if query.rating is not None:
            used["state"] = min(used["state"], used["rating"])
            del used["rating"]
            return (*sorted(used, key=lambda name: used[name]), "rating")
    return tuple(sorted(used, key=lambda name: used[name]))


def _totals(
    tx: Transaction, query: ListQuery, shape: _Shape, parameters: dict[str, Any], counts: dict[Kind, int]
) -> tuple[int, int]:
    """(how many reports there are, how many of them have a result)."""
    if shape.patterns:
        total = tx.execute(_count_statement(shape, expired=False), parameters).scalar_one()
        if query.sort_by != "result" or query.rating is not None:
            return total, total
        with_result = _count_statement(replace(shape, rated=True), expired=False)
        return total, tx.execute(with_result, parameters).scalar_one()
    total = count_matching(counts, state=query.state, rating=query.rating)
    rated = total - sum(
        count for (state, rating), count in counts.items() if rating is None and query.state in {None, state}
    )
    if query.rating is not None:
        rated = total
    if shape.expiring:
        # Those that wait to be pruned are few: they are counted.
        expired = _count_statement(shape, expired=True)
        total -= tx.execute(expired, parameters).scalar_one()
        rated -= tx.execute(_count_statement(replace(shape, rated=True), expired=True), parameters).scalar_one()
    return total, rated


def _window(
    tx: Transaction, shape: _Shape, parameters: dict[str, Any], *, first: int, last: int, total: int
) -> tuple[StoredReport, ...]:
    """The reports from place ``first`` (from 0) up to but not including ``last``, of ``total`` in that order."""
    if first >= last:
        return ()
    backwards = first > total - last
    statement = _page_statement(shape, backwards=backwards)
    skipped = total - last if backwards else first
    given = {**parameters, "the_limit": last - first, "the_offset": skipped}
    if is_shared(tx) and skipped > FAR:
        # PostgreSQL reads every row it steps over, unless all that is asked of it is in the index.
        ids = [number for (number,) in _page_statement(shape, backwards=backwards, ids=True).rows(tx, given)]
        chosen = tx.execute(select(*REPORT_COLUMNS).where(reports.c.id.in_(ids))).all()
        by_id = {row[0]: report_of(row) for row in chosen}
        found = tuple(by_id[number] for number in ids)
        return found[::-1] if backwards else found
    rows = statement.rows(tx, given)
    found = tuple(report_of(row) for row in rows)
    return found[::-1] if backwards else found


@cache
def _page_statement(shape: _Shape, *, backwards: bool, ids: bool = False) -> Prepared:
    down = shape.descending != backwards
    order = [reports.c[name].desc() if down else reports.c[name].asc() for name in _ORDERS[shape.sort_by]]
    statement = _by(shape, _ORDERS[shape.sort_by][0], select(*((reports.c.id,) if ids else REPORT_COLUMNS)))
    if shape.expiring:
        statement = statement.where(is_live)
    return Prepared(
        statement.order_by(*order)
        .limit(bindparam("the_limit", type_=Integer))
        .offset(bindparam("the_offset", type_=Integer))
    )


@cache
def _count_statement(shape: _Shape, *, expired: bool) -> Select[Any]:
    """Counts what is listed, or what is not listed any more."""
    counted: Any = func.count()
    if expired:
        statement = _by(shape, "dated_at_ms", select(counted))
        return statement.where(is_expired)
    statement = _by(shape, "url", select(counted))
    if shape.expiring:
        return statement.where(is_live)
    return statement


def _by(shape: _Shape, order: str, statement: Select[Any]) -> Select[Any]:
    """The statement with its conditions, read from the index of its first filter that has this order.

    Left to itself SQLite may sort, or read all accounts for one, depending on what it happens to know of the data.
    """
    leading = [name for name in shape.filters[:1] if name != order]
    statement = statement.where(reports.c.account_id == bindparam("the_account"))
    for name in shape.filters:
        statement = statement.where(reports.c[name] == bindparam(f"the_{name}"))
    if shape.rated is not None:
        statement = statement.where(reports.c.rating.is_not(None) if shape.rated else reports.c.rating.is_(None))
    if shape.patterns:
        statement = statement.where(url_holds(shape.patterns))
    return statement.with_hint(reports, f"INDEXED BY {'_'.join(('ix_reports', *leading, 'by', order))}", "sqlite")
