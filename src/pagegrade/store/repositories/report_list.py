"""Lists of reports: filtered, searched, sorted and paged, at a cost that does not grow with the account.

Three measures achieve this. Every filter has an index in every order (``store.schema.tables``). Totals come from
``store.repositories.counts``. And a page in the second half is read from the other end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import BindParameter, ColumnElement, Integer, Select, bindparam, func, or_, select, tuple_

from pagegrade.model.stored import (
    ORDERS,
    UNFINISHED,
    Filter,
    Further,
    ListQuery,
    Part,
    Position,
    SortBy,
    StoredReport,
    parts_of,
)
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
"""A page beyond this many others is read in two steps on PostgreSQL."""
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


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a list, read from a position."""

    reports: tuple[StoredReport, ...]
    before: Position | None
    """Position of the reports just before; ``None`` if there are none."""
    after: Position | None
    """Position of the reports just after; ``None`` if there are none."""


class _Shape(msgspec.Struct, frozen=True):
    """Key of a statement: everything that determines how it reads; statements are built once for each."""

    filters: tuple[Filter, ...]
    """Filters in use; the first one chooses the index."""
    sort_by: SortBy
    descending: bool
    part: Part
    patterns: int
    expiring: bool
    further: tuple[Further, ...] = ()
    seeking: bool = False
    """Begin at a position instead of skipping a number of reports."""


def list_reports(tx: Transaction, query: ListQuery) -> tuple[tuple[StoredReport, ...], int]:
    """Return (reports of the page, total number).

    Raises:
        ValidationFailed: The search takes too long.
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
    """Return (up to ``per_page`` reports from a position, total number).

    Walking from window to window returns every report that exists all the time, and whose sort value does not change,
    exactly once, whatever is created or deleted meanwhile.

    Args:
        query: The query; ``page`` is ignored.
        position: Position of ``parts_of`` this query; ``None`` for the beginning.
        count: Whether to count; otherwise the number is ``None``.

    Raises:
        ValidationFailed: The search takes too long.
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
    """Return the rows of the whole list in its order if they are few, else the search patterns."""
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
    # Selected by id alone: the database would otherwise use the account's index, and read the whole account.
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
    """Return the ids of reports that match a further filter, from its index, if they are few."""
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
        # Number of reports before the position; the report at the position belongs to neither side.
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
    """Return the position to go back from: the first report shown, or the given position without reports."""
    start = positions[0] if positions else asked
    return None if start is None else replace(start, backward=True)


def _forth(positions: Sequence[Position], asked: Position | None) -> Position | None:
    start = positions[-1] if positions else asked
    return None if start is None else replace(start, backward=False)


def _window_by_index(
    tx: Transaction, query: ListQuery, filters: tuple[Filter, ...], patterns: tuple[str, ...], position: Position | None
) -> Window:
    """Read one more report than shown, to know whether there are more, and check the other side as well."""
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
        touching = not positions  # the report at the position may still exist
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
    """Return up to ``limit`` reports beyond a position, nearest first, each with its position.

    Args:
        patterns: Patterns of which URLs must contain one.
        position: ``None`` for the beginning, or the end if read backward.
        backward: Read towards the beginning of the list.
        touching: Include the report at the position, if it exists.
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
    """Return the list in the order of an index."""
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
        # The rows of this part that are on the page.
        found += _window(tx, shape, parameters, first=max(first - start, 0), last=min(last - start, size), total=size)
        start += size
    return tuple(found), total


def _filters(tx: Transaction, query: ListQuery, counts: dict[Kind, int]) -> tuple[Filter, ...]:
    """Return the filters in use, first the one whose index skips the fewest rows.

    That is the most selective one, except that a state's index contains the result, too, which avoids reading the rows.
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
    """Return the number of listed reports."""
    if shape.patterns or shape.further:
        return int(tx.execute(_count_statement(shape, expired=False), parameters).scalar_one())
    total = count_matching(counts, state=query.state, rating=query.rating)
    if shape.expiring:
        # Expired reports that are not deleted yet are few, so they are counted.
        total -= tx.execute(_count_statement(shape, expired=True), parameters).scalar_one()
    return total


def _sizes(
    tx: Transaction, query: ListQuery, shapes: Sequence[_Shape], parameters: dict[str, Any], *, rated: int, total: int
) -> tuple[int, ...]:
    """Return the number of reports in each part of the order; ``rated`` is that of ``_rated``."""
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
    # Reports with too little coverage for a result are few, so they are counted.
    unrated = counted(partial, expired=False)
    if query.sort_by == "score":
        return rated + unrated, total - rated - unrated
    return rated, unrated, total - rated - unrated


def _rated(counts: dict[Kind, int], query: ListQuery) -> int:
    """Return the number of reports with a result in the requested state, including expired ones."""
    return sum(
        count for (state, rating), count in counts.items() if rating is not None and query.state in {None, state}
    )


def _window(
    tx: Transaction, shape: _Shape, parameters: dict[str, Any], *, first: int, last: int, total: int
) -> tuple[StoredReport, ...]:
    """Return the reports from index ``first`` (from 0) up to but not including ``last``, of ``total`` in that order."""
    if first >= last:
        return ()
    backwards = first > total - last
    statement = _page_statement(shape, backwards=backwards)
    skipped = total - last if backwards else first
    given = {**parameters, "the_limit": last - first, "the_offset": skipped}
    if is_shared(tx) and skipped > FAR:
        # PostgreSQL reads every row it skips, unless the index contains all requested columns.
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
    """Return the statement that counts listed reports, or expired ones."""
    counted: Any = func.count()
    if expired:
        return _by(shape, "dated_at_ms", select(counted)).where(is_expired)
    statement = _by(shape, _counting_order(shape), select(counted))
    return statement.where(is_live) if shape.expiring else statement


def _counting_order(shape: _Shape) -> str:
    """Return the order whose index has the fewest entries to count."""
    if shape.patterns or "url" in shape.further:
        return "url"
    if "updated_since_ms" in shape.further:
        return "updated_at_ms"
    return "rating" if shape.part.rated is not None else "url"


def _by(shape: _Shape, order: str, statement: Select[Any]) -> Select[Any]:
    """Add the conditions to a statement, and read it from the index of its first filter in this order.

    Without the hint SQLite may sort, or read all accounts for one, depending on its statistics.
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
    """Return the name of the first filter's index in the order that begins with this column."""
    if "rating" in filters and order in {"rating", "score"}:
        # One result in the order of scores: the index of another filter in the order of results has both in front.
        others = [name for name in filters if name != "rating"]
        return "_".join(("ix_reports", *others[:1], "by_rating"))
    leading = [name for name in filters[:1] if name != order]
    return "_".join(("ix_reports", *leading, "by", order))
