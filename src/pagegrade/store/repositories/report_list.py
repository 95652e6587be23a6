"""Lists of reports: filtered, searched, sorted and paged, at a cost that does not grow with the account.

Three things make that so. Every filter has an index in every order (``store.schema.tables``). Totals come from
``store.repositories.counts``. And a page beyond the middle is read from the other end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from sqlalchemy import BindParameter, ColumnElement, Integer, Select, bindparam, func, or_, select, tuple_

from pagegrade.model.report_list import ORDERS, Filter, Further, ListQuery, Part, Position, SortBy, parts_of
from pagegrade.model.stored import UNFINISHED, StoredReport
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import Kind, count_matching, load_counts
from pagegrade.store.repositories.reports import REPORT_COLUMNS, is_expired, is_live, report_of
from pagegrade.store.repositories.search import (
    FEW,
    as_parameters,
    bounded_search,
    find_few,
    find_few_of_account,
    plan_anew,
    search_patterns,
    url_holds,
)
from pagegrade.store.schema.tables import reports

_FURTHER_INDEX: Final[dict[Further, str]] = {"url": "url", "privacy": "privacy", "updated_since_ms": "updated_at_ms"}
FAR: Final = 100
"""A page beyond so many others is read in two steps on PostgreSQL."""
_FOUND: Final = (
    "id",
    "account_id",
    "project",
    "state",
    "rating",
    "score",
    "dated_at_ms",
    "updated_at_ms",
    "url",
    "privacy",
)
_FEW_COLUMNS: Final = tuple(reports.c[name] for name in _FOUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Some reports of a list, read from a position."""

    reports: tuple[StoredReport, ...]
    before: Position | None
    """Where the reports just before these are; ``None``: there are none."""
    after: Position | None
    """Where the reports just after these are; ``None``: there are none."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What decides how a statement reads; statements are made once for each."""

    filters: tuple[Filter, ...]
    """The first one chooses the index."""
    sort_by: SortBy
    descending: bool
    part: Part
    patterns: int
    expiring: bool
    further: tuple[Further, ...] = ()
    seeking: bool = False
    """Begin at a position instead of at a number of reports to step over."""


def list_reports(tx: Transaction, query: ListQuery) -> tuple[tuple[StoredReport, ...], int]:
    """(the reports of the page, how many there are on all pages).

    Raises:
        ValidationFailed: The text to search for takes too long to find.
    """
    with bounded_search(tx) if query.search else contextlib.nullcontext():
        return _list_reports(tx, query)


def _list_reports(tx: Transaction, query: ListQuery) -> tuple[tuple[StoredReport, ...], int]:
    counts = load_counts(tx, query.account_id, query.project) if query.project != "" else {}
    if not count_matching(counts, state=query.state, rating=query.rating):
        return (), 0
    found = _find_few(tx, query)
    if isinstance(found, list):
        start = (query.page - 1) * query.per_page
        return _load_few(tx, query, found[start : start + query.per_page]), len(found)
    return _list_by_index(tx, query, counts, found)


def list_window(
    tx: Transaction, query: ListQuery, position: Position | None, *, count: bool
) -> tuple[Window, int | None]:
    """(up to ``per_page`` reports from a position, how many there are in all).

    Whatever is created or deleted meanwhile, walking from window to window meets every report that is there all the
    time, and whose sorted value stays, exactly once.

    Args:
        tx: Any transaction.
        query: ``page`` has no meaning here.
        position: One of ``parts_of`` this query; ``None``: the beginning.
        count: Whether to count; else there is ``None`` for the number.

    Raises:
        ValidationFailed: The text to search for takes too long to find.
    """
    with bounded_search(tx) if query.search else contextlib.nullcontext():
        return _list_window(tx, query, position, count=count)


def _list_window(
    tx: Transaction, query: ListQuery, position: Position | None, *, count: bool
) -> tuple[Window, int | None]:
    counts = load_counts(tx, query.account_id, query.project) if query.project != "" else {}
    if not count_matching(counts, state=query.state, rating=query.rating):
        return Window(reports=(), before=None, after=None), 0 if count else None
    found = _find_few(tx, query)
    if isinstance(found, list):
        return _window_of_few(tx, query, found, position), len(found) if count else None
    filters = _filters(tx, query, counts)
    window = _window_by_index(tx, query, filters, found, position)
    if not count:
        return window, None
    shape = _shape(query, filters, found, Part())
    return window, _total(tx, query, shape, _parameters(query, found), counts)


def _find_few(tx: Transaction, query: ListQuery) -> list[Any] | tuple[str, ...]:
    """The rows of the whole list in its order, where they are few; else the patterns that URLs must hold."""
    patterns = search_patterns(query.search) if query.search else ()
    if query.search and not patterns:
        return []
    few: tuple[int, ...] | None = None
    if patterns:
        plan_anew(tx)
        few = find_few(tx, patterns)
        if few is None:
            few = find_few_of_account(tx, patterns, query.account_id)
    if few is None and query.further:
        few = _find_few_further(tx, query)
    if few is None:
        return patterns
    # Chosen by id alone: the database would otherwise take the account's index, and read the whole account.
    candidates = tx.execute(select(*_FEW_COLUMNS).where(reports.c.id.in_(few))).all()
    found = [row for row in candidates if _is_listed(row, query, patterns)]
    parts = parts_of(query)
    ordered: list[Any] = []
    for part in parts:
        mine = [row for row in found if _is_in(row, part)]
        mine.sort(key=lambda row, part=part: _values(row, part), reverse=query.descending)  # type: ignore[misc]
        ordered += mine
    return ordered


def _is_listed(row: Any, query: ListQuery, patterns: tuple[str, ...]) -> bool:
    return (
        row.account_id == query.account_id
        and query.project in {None, row.project}
        and query.state in {None, row.state}
        and query.rating in {None, row.rating}
        and query.url in {None, row.url}
        and query.privacy in {None, row.privacy}
        and row.updated_at_ms >= (query.updated_since_ms or 0)
        and (not patterns or any(pattern in row.url.lower() for pattern in patterns))
        and (row.state in UNFINISHED or row.dated_at_ms >= (query.expired_before_ms or 0))
    )


def _is_in(row: Any, part: Part) -> bool:
    return part.rated in {None, row.rating is not None} and part.scored in {None, row.score is not None}


def _values(row: Any, part: Part) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in part.compared)


def _find_few_further(tx: Transaction, query: ListQuery) -> tuple[int, ...] | None:
    """The ids of reports that one of the further filters leaves, read from its index, where they are few."""
    for name in query.further:
        statement = _few_statement(name)
        given = {"the_account": query.account_id, f"the_{name}": getattr(query, name), "few": FEW + 1}
        ids = [number for (number,) in statement.rows(tx, given)]
        if len(ids) <= FEW:
            return tuple(ids)
    return None


@cache
def _few_statement(name: Further) -> Prepared:
    statement = select(reports.c.id).where(reports.c.account_id == bindparam("the_account"), _further(name))
    hint = f"INDEXED BY ix_reports_by_{_FURTHER_INDEX[name]}"
    return Prepared(statement.with_hint(reports, hint, "sqlite").limit(bindparam("few", type_=Integer)))


def _further(name: Further) -> ColumnElement[bool]:
    given: BindParameter[Any] = bindparam(f"the_{name}")
    if name == "updated_since_ms":
        return reports.c.updated_at_ms >= given
    return reports.c[name] == given


def _load_few(tx: Transaction, query: ListQuery, rows: Sequence[Any]) -> tuple[StoredReport, ...]:
    ids = [row.id for row in rows]
    if not ids:
        return ()
    found = tx.execute(select(*REPORT_COLUMNS).where(reports.c.account_id == query.account_id, reports.c.id.in_(ids)))
    by_id = {row[0]: report_of(row) for row in found}
    return tuple(by_id[number] for number in ids)


def _window_of_few(tx: Transaction, query: ListQuery, found: list[Any], position: Position | None) -> Window:
    parts = parts_of(query)
    placed = [
        next((number, _values(row, part)) for number, part in enumerate(parts) if _is_in(row, part)) for row in found
    ]
    first, last = 0, min(query.per_page, len(found))
    if position is not None:
        # How many reports come before the position; the one beside it belongs to neither side.
        before = sum(_comes_before(place, position, query) for place in placed)
        beside = (position.part, position.values) in placed
        if position.backward:
            first, last = max(0, before - query.per_page), before
        else:
            first = before + beside
            last = min(first + query.per_page, len(found))
    positions = [Position(part=part, values=values) for part, values in placed[first:last]]
    return Window(
        reports=_load_few(tx, query, found[first:last]),
        before=_back(positions, position) if first > 0 else None,
        after=_forth(positions, position) if last < len(found) else None,
    )


def _comes_before(place: tuple[int, tuple[Any, ...]], position: Position, query: ListQuery) -> bool:
    part, values = place
    if part != position.part:
        return part < position.part
    return values > position.values if query.descending else values < position.values


def _back(positions: Sequence[Position], asked: Position | None) -> Position | None:
    """Where to go back from: the first report shown, or the position itself where nothing is left to show."""
    start = positions[0] if positions else asked
    return None if start is None else replace(start, backward=True)


def _forth(positions: Sequence[Position], asked: Position | None) -> Position | None:
    start = positions[-1] if positions else asked
    return None if start is None else replace(start, backward=False)


def _window_by_index(
    tx: Transaction, query: ListQuery, filters: tuple[Filter, ...], patterns: tuple[str, ...], position: Position | None
) -> Window:
    """One more than is shown is read, to know whether there is more; and on the other side, whether there is any."""
    backward = position is not None and position.backward
    found = _read_from(tx, query, filters, patterns, position, limit=query.per_page + 1, backward=backward)
    more = len(found) > query.per_page
    del found[query.per_page :]
    if backward:
        found.reverse()
    positions = [place for place, _ in found]
    there = False
    if position is not None:
        edge = (positions[-1] if backward else positions[0]) if positions else position
        touching = not positions  # what was beside the position when it was made may still be there
        there = bool(_read_from(tx, query, filters, patterns, edge, limit=1, backward=not backward, touching=touching))
    before, after = (more, there) if backward else (there, more)
    return Window(
        reports=tuple(report for _, report in found),
        before=_back(positions, position) if before else None,
        after=_forth(positions, position) if after else None,
    )


def _read_from(
    tx: Transaction,
    query: ListQuery,
    filters: tuple[Filter, ...],
    patterns: tuple[str, ...],
    position: Position | None,
    *,
    limit: int,
    backward: bool,
    touching: bool = False,
) -> list[tuple[Position, StoredReport]]:
    """Up to ``limit`` reports beyond a position, nearest first, each with where it is.

    Args:
        tx: Any transaction.
        query: What is asked.
        filters: In the order that chooses the index.
        patterns: That URLs must hold one of.
        position: ``None``: the beginning, or the end where it is read backward.
        limit: Most reports.
        backward: Towards the beginning of the list.
        touching: Take the report at the position, too, should it be there.
    """
    parts = list(enumerate(parts_of(query)))
    if backward:
        parts.reverse()
    found: list[tuple[Position, StoredReport]] = []
    for number, part in parts:
        seeking = position is not None and number == position.part
        if position is not None and not seeking and (number < position.part) != backward:
            continue
        shape = _shape(query, filters, patterns, part, seeking=seeking)
        given = _parameters(query, patterns)
        if seeking and position is not None:
            given |= {f"from_{name}": value for name, value in zip(part.compared, position.values, strict=True)}
        given["the_limit"] = limit - len(found)
        for row in _seek_statement(shape, backwards=backward, touching=touching).rows(tx, given):
            report = report_of(row[: len(REPORT_COLUMNS)])
            found.append((Position(part=number, values=tuple(row[len(REPORT_COLUMNS) :])), report))
        if len(found) >= limit:
            break
    return found


@cache
def _seek_statement(shape: _Shape, *, backwards: bool, touching: bool) -> Prepared:
    down = shape.descending != backwards
    compared = [reports.c[name] for name in shape.part.compared]
    statement = _by(shape, ORDERS[shape.sort_by][0], select(*REPORT_COLUMNS, *compared))
    if shape.expiring:
        statement = statement.where(is_live)
    if shape.seeking:
        here = tuple_(*compared)
        there = tuple_(*(bindparam(f"from_{column.name}", type_=column.type) for column in compared))
        beyond = here < there if down else here > there
        statement = statement.where(or_(beyond, here == there) if touching else beyond)
    order = [reports.c[name].desc() if down else reports.c[name].asc() for name in ORDERS[shape.sort_by]]
    return Prepared(statement.order_by(*order).limit(bindparam("the_limit", type_=Integer)))


def _shape(
    query: ListQuery, filters: tuple[Filter, ...], patterns: tuple[str, ...], part: Part, *, seeking: bool = False
) -> _Shape:
    return _Shape(
        filters,
        query.sort_by,
        query.descending,
        part,
        len(patterns),
        query.expired_before_ms is not None,
        query.further,
        seeking,
    )


def _parameters(query: ListQuery, patterns: tuple[str, ...]) -> dict[str, Any]:
    return {
        "the_account": query.account_id,
        "the_project": query.project,
        "the_rating": query.rating,
        "the_state": query.state,
        **{f"the_{name}": getattr(query, name) for name in query.further},
        "expired_before": query.expired_before_ms,
        **as_parameters(patterns),
    }


def _list_by_index(
    tx: Transaction, query: ListQuery, counts: dict[Kind, int], patterns: tuple[str, ...]
) -> tuple[tuple[StoredReport, ...], int]:
    """The list in the order in which an index gives it."""
    filters = _filters(tx, query, counts)
    parameters = _parameters(query, patterns)
    parts = parts_of(query)
    shapes = [_shape(query, filters, patterns, part) for part in parts]
    total = _total(tx, query, _shape(query, filters, patterns, Part()), parameters, counts)
    first = (query.page - 1) * query.per_page
    last = min(first + query.per_page, total)
    if first >= last:
        return (), total
    found: list[StoredReport] = []
    start = 0
    sizes = _sizes(tx, query, shapes, parameters, rated=_rated(counts, query), total=total)
    for shape, size in zip(shapes, sizes, strict=True):
        # Where the page lies within this part.
        found += _window(tx, shape, parameters, first=max(first - start, 0), last=min(last - start, size), total=size)
        start += size
    return tuple(found), total


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


def _total(
    tx: Transaction, query: ListQuery, shape: _Shape, parameters: dict[str, Any], counts: dict[Kind, int]
) -> int:
    """How many reports there are."""
    if shape.patterns or shape.further:
        return int(tx.execute(_count_statement(shape, expired=False), parameters).scalar_one())
    total = count_matching(counts, state=query.state, rating=query.rating)
    if shape.expiring:
        # Those that wait to be pruned are few: they are counted.
        total -= tx.execute(_count_statement(shape, expired=True), parameters).scalar_one()
    return total


def _sizes(
    tx: Transaction, query: ListQuery, shapes: Sequence[_Shape], parameters: dict[str, Any], *, rated: int, total: int
) -> tuple[int, ...]:
    """How many reports each part of the order has; ``rated`` is of ``_rated``."""
    if len(shapes) == 1:
        return (total,)

    def counted(part: Part, *, expired: bool) -> int:
        statement = _count_statement(replace(shapes[0], part=part), expired=expired)
        return int(tx.execute(statement, parameters).scalar_one())

    partial = Part(rated=False, scored=True)
    if shapes[0].patterns or shapes[0].further:
        rated = counted(Part(rated=True), expired=False)
    elif shapes[0].expiring:
        rated -= counted(Part(rated=True), expired=True)
    # Pages of which too little was seen for a result are few: they are counted.
    unrated = counted(partial, expired=False)
    if query.sort_by == "score":
        return rated + unrated, total - rated - unrated
    return rated, unrated, total - rated - unrated


def _rated(counts: dict[Kind, int], query: ListQuery) -> int:
    """How many reports with a result there are in the state that is asked for, expired ones included."""
    return sum(
        count for (state, rating), count in counts.items() if rating is not None and query.state in {None, state}
    )


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
    order = [reports.c[name].desc() if down else reports.c[name].asc() for name in ORDERS[shape.sort_by]]
    statement = _by(shape, ORDERS[shape.sort_by][0], select(*((reports.c.id,) if ids else REPORT_COLUMNS)))
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
        return _by(shape, "dated_at_ms", select(counted)).where(is_expired)
    statement = _by(shape, _counting_order(shape), select(counted))
    return statement.where(is_live) if shape.expiring else statement


def _counting_order(shape: _Shape) -> str:
    """The order whose index has the least to count."""
    if shape.patterns or "url" in shape.further:
        return "url"
    if "updated_since_ms" in shape.further:
        return "updated_at_ms"
    return "rating" if shape.part.rated is not None else "url"


def _by(shape: _Shape, order: str, statement: Select[Any]) -> Select[Any]:
    """The statement with its conditions, read from the index of its first filter that has this order.

    Left to itself SQLite may sort, or read all accounts for one, depending on what it happens to know of the data.
    """
    statement = statement.where(reports.c.account_id == bindparam("the_account"))
    for name in shape.filters:
        statement = statement.where(reports.c[name] == bindparam(f"the_{name}"))
    for further in shape.further:
        statement = statement.where(_further(further))
    for column, there in ((reports.c.rating, shape.part.rated), (reports.c.score, shape.part.scored)):
        if there is not None:
            statement = statement.where(column.is_not(None) if there else column.is_(None))
    if shape.patterns:
        statement = statement.where(url_holds(shape.patterns))
    return statement.with_hint(reports, f"INDEXED BY {index_of(shape.filters, order)}", "sqlite")


def index_of(filters: tuple[Filter, ...], order: str) -> str:
    """Name of the index that the first filter has in the order that begins with this column."""
    leading = [name for name in filters[:1] if name != order]
    if leading == ["rating"] and order == "score":
        return "ix_reports_by_rating"  # which goes on with the score
    return "_".join(("ix_reports", *leading, "by", order))
