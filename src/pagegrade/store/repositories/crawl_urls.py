"""URLs of a crawl, with their patterns: what is known, what waits, what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import Row, Select, and_, bindparam, case, delete, func, insert, or_, select, update

from pagegrade.model.audit import NewURL, Pattern, SettledURL, URLFilter, URLState, WaitingURL
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import crawl_patterns, crawl_urls

AT_ONCE: Final = 500
"""Values in one statement; SQLite allows some thousands of them."""
SAMPLED_LANE: Final = 2
SAMPLE: Final = 50
"""Of the URLs of a pattern in the sampled lane, one of so many is fetched."""
GONE: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
ASSET_LANE: Final = 20
"""Lane of the files that pages load, behind those of pages."""
URLOrder = Literal["id", "depth", "url"]
_ORDERS: Final[Mapping[URLOrder, tuple[Any, ...]]] = {
    "id": (),
    "depth": (crawl_urls.c.depth,),
    "url": (crawl_urls.c.url,),
}
"""Order -> columns that come before the id."""
_WAITING: Final = tuple(crawl_urls.c[name] for name in WaitingURL.__struct_fields__)


def find_urls(tx: Transaction, crawl_id: int, hashes: Sequence[int]) -> dict[int, tuple[int, int, URLState]]:
    """Return (id, depth, state) of those that are known, by hash."""
    found = {}
    for some in _in_pieces(hashes):
        query = select(crawl_urls.c.hash, crawl_urls.c.url_id, crawl_urls.c.depth, crawl_urls.c.state).where(
            crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.hash.in_(some)
        )
        found.update({row[0]: (row[1], row[2], URLState(row[3])) for row in tx.execute(query)})
    return found


def find_contents(tx: Transaction, crawl_id: int, contents: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return those (number of a pattern, digest of the main content) that a page had before."""
    wanted = set(contents)
    if not wanted:
        return set()
    query = select(crawl_urls.c.pattern_no, crawl_urls.c.digest).where(
        crawl_urls.c.crawl_id == crawl_id,
        crawl_urls.c.pattern_no.in_({pattern for pattern, _ in wanted}),
        crawl_urls.c.digest.in_({digest for _, digest in wanted}),
    )
    return {(row[0], row[1]) for row in tx.execute(query.distinct())} & wanted


class ShownPage(NamedTuple):
    """Answer to a request for a page."""

    host_no: int
    digest: int | None
    """Of its main content; ``None``: there is no page."""


def find_shown(tx: Transaction, crawl_id: int, hashes: Iterable[int]) -> dict[int, ShownPage]:
    """Return what the site showed at URLs, by hash: those with content, and those that do not exist."""
    found = {}
    for some in _in_pieces(hashes):
        query = select(crawl_urls.c.hash, crawl_urls.c.host_no, crawl_urls.c.digest).where(
            crawl_urls.c.crawl_id == crawl_id,
            crawl_urls.c.hash.in_(some),
            crawl_urls.c.state == URLState.FETCHED,
            or_(
                and_(crawl_urls.c.status == HTTPStatus.OK, crawl_urls.c.digest.is_not(None)),
                crawl_urls.c.status.in_(GONE),
            ),
        )
        found.update({row[0]: ShownPage(row[1], row[2]) for row in tx.execute(query)})
    return found


def waiting_urls(tx: Transaction, crawl_id: int, limit: int, *, assets: bool = False) -> list[WaitingURL]:
    """Return the first pages that wait, or the first files: by lane, then the nearest, then the oldest."""
    query = (
        select(*_WAITING)
        .where(
            crawl_urls.c.crawl_id == crawl_id,
            crawl_urls.c.state == URLState.WAITING,
            crawl_urls.c.lane >= ASSET_LANE if assets else crawl_urls.c.lane < ASSET_LANE,
        )
        .order_by(crawl_urls.c.lane, crawl_urls.c.depth, crawl_urls.c.url_id)
        .limit(limit)
    )
    return [WaitingURL(*row) for row in tx.execute(query)]


def add_urls(tx: Transaction, crawl_id: int, new: Sequence[NewURL]) -> None:
    """Add URLs in the order of their hashes, so that two transactions cannot wait for each other."""
    if new:
        rows = sorted(new, key=lambda one: one.hash)
        names = NewURL.__struct_fields__
        tx.execute(
            insert(crawl_urls),
            [{"crawl_id": crawl_id, "tries": 0, **{name: getattr(one, name) for name in names}} for one in rows],
        )


def settle_urls(tx: Transaction, crawl_id: int, settled: Sequence[SettledURL]) -> None:
    """Store what became of URLs."""
    if settled:
        names = [name for name in SettledURL.__struct_fields__ if name != "url_id"]
        change = (
            update(crawl_urls)
            .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id == bindparam("of"))
            .values({name: bindparam(f"to_{name}") for name in names})
        )
        tx.execute(
            change, [{"of": one.url_id, **{f"to_{name}": getattr(one, name) for name in names}} for one in settled]
        )


def found_nearer(tx: Transaction, crawl_id: int, depths: Mapping[int, int], reopened: Mapping[int, URLState]) -> None:
    """Store what a link says of known URLs.

    Args:
        depths: URL -> clicks from the start, where a shorter way was found.
        reopened: URL that was not to be fetched -> its state now.
    """
    for name, found in (("depth", depths), ("state", reopened)):
        if found:
            change = (
                update(crawl_urls)
                .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id == bindparam("of"))
                .values({name: bindparam("to")})
            )
            tx.execute(change, [{"of": url_id, "to": value} for url_id, value in found.items()])


def move_pattern(tx: Transaction, crawl_id: int, pattern_no: int, lane: int) -> None:
    """Let the waiting URLs of a pattern wait in a later lane; of the sampled one, most are left out."""
    values: dict[str, object] = {"lane": lane}
    if lane == SAMPLED_LANE:
        left_out = (crawl_urls.c.hash % SAMPLE != 0, int(URLState.SAMPLED_OUT))
        values["state"] = case(left_out, else_=crawl_urls.c.state)
    tx.execute(
        update(crawl_urls)
        .where(
            crawl_urls.c.crawl_id == crawl_id,
            crawl_urls.c.state == URLState.WAITING,
            crawl_urls.c.pattern_no == pattern_no,
            crawl_urls.c.lane < lane,
        )
        .values(values)
    )


def reopen_variants(tx: Transaction, crawl_id: int, host_no: int) -> None:
    """Let the URLs of a host wait again that were taken for other spellings of pages."""
    tx.execute(
        update(crawl_urls)
        .where(
            crawl_urls.c.crawl_id == crawl_id,
            crawl_urls.c.state == URLState.VARIANT,
            crawl_urls.c.host_no == host_no,
        )
        .values(state=URLState.WAITING)
    )


def list_patterns(tx: Transaction, crawl_id: int) -> list[Pattern]:
    """Return the patterns of a crawl by their numbers."""
    columns = (
        crawl_patterns.c.pattern_no,
        crawl_patterns.c.text,
        crawl_patterns.c.found,
        crawl_patterns.c.fetched,
        crawl_patterns.c.distinct_pages.label("distinct"),
        crawl_patterns.c.lane,
    )
    query = select(*columns).where(crawl_patterns.c.crawl_id == crawl_id).order_by(crawl_patterns.c.pattern_no)
    return [Pattern(**row) for row in tx.execute(query).mappings()]


def save_patterns(tx: Transaction, crawl_id: int, patterns: Sequence[Pattern]) -> None:
    """Store patterns, new ones and those that are known."""
    if patterns:
        same = (crawl_patterns.c.crawl_id == crawl_id, crawl_patterns.c.pattern_no == bindparam("of"))
        tx.execute(delete(crawl_patterns).where(*same), [{"of": one.pattern_no} for one in patterns])
        rows = [
            {
                "crawl_id": crawl_id,
                "pattern_no": one.pattern_no,
                "text": one.text,
                "found": one.found,
                "fetched": one.fetched,
                "distinct_pages": one.distinct,
                "lane": one.lane,
            }
            for one in patterns
        ]
        tx.execute(insert(crawl_patterns), rows)


def count_states(tx: Transaction, crawl_id: int) -> dict[URLState, int]:
    """Return how many URLs are in each state, without the files that pages load."""
    query = (
        select(crawl_urls.c.state, func.count())
        .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.lane < ASSET_LANE)
        .group_by(crawl_urls.c.state)
    )
    return {URLState(state): count for state, count in tx.execute(query)}


def count_assets(tx: Transaction, crawl_id: int, limit: int) -> int:
    """Return how many files of pages are known, ``limit`` at most."""
    known = (
        select(crawl_urls.c.url_id)
        .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.lane >= ASSET_LANE)
        .limit(limit)
        .subquery()
    )
    return int(tx.execute(select(func.count()).select_from(known)).scalar_one())


def each_url(tx: Transaction, crawl_id: int) -> Iterator[tuple[int, str, int, URLState, int | None, str | None]]:
    """Yield (id, URL, depth, state, status, error) of all, by id, a few thousand at a time."""
    last = 0
    while True:
        query = (
            select(
                crawl_urls.c.url_id,
                crawl_urls.c.url,
                crawl_urls.c.depth,
                crawl_urls.c.state,
                crawl_urls.c.status,
                crawl_urls.c.error,
            )
            .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id > last)
            .order_by(crawl_urls.c.url_id)
            .limit(10 * AT_ONCE)
        )
        rows = tx.execute(query).all()
        if not rows:
            return
        for url_id, url, depth, state, status, error in rows:
            yield url_id, url, depth, URLState(state), status, error
        last = rows[-1][0]


class StoredURL(NamedTuple):
    """State of a URL, and where its page is kept."""

    url_id: int
    url: str
    depth: int
    state: URLState
    status: int | None
    error: str | None
    segment: int | None


class LinkedURL(NamedTuple):
    """A URL that a link leads to, in scope or not."""

    url: str
    state: URLState
    status: int | None
    is_page: bool
    """It is in scope, and no file that pages load."""


def _listed(crawl_id: int, which: URLFilter) -> Select[Any]:
    query = select(*(crawl_urls.c[name] for name in StoredURL._fields)).where(
        crawl_urls.c.crawl_id == crawl_id,
        crawl_urls.c.state != URLState.OUTSIDE,
        crawl_urls.c.lane < ASSET_LANE,
    )
    if which.status is not None:
        query = query.where(crawl_urls.c.status == which.status)
    if which.states is not None:
        query = query.where(crawl_urls.c.state.in_(which.states))
    if which.depth is not None:
        query = query.where(crawl_urls.c.depth == which.depth)
    if which.ids is not None:
        query = query.where(crawl_urls.c.url_id.in_(which.ids))
    if which.search is not None:
        query = query.where(func.lower(crawl_urls.c.url).contains(which.search.lower(), autoescape=True))
    return query


class OutsideURL(NamedTuple):
    """A URL out of scope, and what is known of it."""

    url_id: int
    url: str
    tries: int
    status: int | None
    error: str | None
    """It was asked for where this or the status is there."""


def outside_urls(tx: Transaction, crawl_id: int, limit: int) -> list[OutsideURL]:
    """Return the first URLs out of scope, by id."""
    query = (
        select(*(crawl_urls.c[name] for name in OutsideURL._fields))
        .where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.state == URLState.OUTSIDE)
        .order_by(crawl_urls.c.url_id)
        .limit(limit)
    )
    return [OutsideURL(*row) for row in tx.execute(query)]


def urls_beside(
    tx: Transaction, crawl_id: int, which: URLFilter, count: int, *, beside: int | None, backward: bool
) -> tuple[StoredURL, ...]:
    """Return up to ``count`` URLs in scope after an id, or before it, by id."""
    query, column = _listed(crawl_id, which), crawl_urls.c.url_id
    if beside is not None:
        query = query.where(column < beside if backward else column > beside)
    rows = tx.execute(query.order_by(column.desc() if backward else column.asc()).limit(count))
    found = tuple(_stored(row) for row in rows)
    return found[::-1] if backward else found


def urls_page(tx: Transaction, crawl_id: int, which: URLFilter, *, first: int, count: int) -> tuple[StoredURL, ...]:
    """Return the URLs in scope from one on, counted from 0, by id."""
    query = _listed(crawl_id, which).order_by(crawl_urls.c.url_id).offset(first).limit(count)
    return tuple(_stored(row) for row in tx.execute(query))


def ids_of(tx: Transaction, crawl_id: int, which: URLFilter, order: URLOrder = "id") -> list[int]:
    """Return the ids of the URLs in scope that fit a filter, in an order."""
    query = _listed(crawl_id, which).with_only_columns(crawl_urls.c.url_id)
    return list(tx.execute(query.order_by(*_ORDERS[order], crawl_urls.c.url_id)).scalars())


def count_depths(tx: Transaction, crawl_id: int, which: URLFilter) -> dict[int, int]:
    """Return how many URLs in scope that fit a filter are so many clicks from the start."""
    query = _listed(crawl_id, which).with_only_columns(crawl_urls.c.depth, func.count()).group_by(crawl_urls.c.depth)
    return {row[0]: row[1] for row in tx.execute(query.order_by(crawl_urls.c.depth))}


def targets_of(
    tx: Transaction, crawl_id: int, *, states: Sequence[URLState] | None, status: int | None
) -> frozenset[int]:
    """Return the ids of all URLs, in scope or not, in one of some states and with a status; ``None``: any."""
    query = select(crawl_urls.c.url_id).where(crawl_urls.c.crawl_id == crawl_id)
    if states is not None:
        query = query.where(crawl_urls.c.state.in_(states))
    if status is not None:
        query = query.where(crawl_urls.c.status == status)
    return frozenset(tx.execute(query).scalars())


def count_urls(tx: Transaction, crawl_id: int, which: URLFilter) -> int:
    """Return how many URLs in scope there are."""
    return int(tx.execute(select(func.count()).select_from(_listed(crawl_id, which).subquery())).scalar_one())


def load_url(tx: Transaction, crawl_id: int, url_id: int) -> StoredURL | None:
    """Return one URL in scope; ``None`` if there is none with this id."""
    row = tx.execute(_listed(crawl_id, URLFilter()).where(crawl_urls.c.url_id == url_id)).first()
    return None if row is None else _stored(row)


def _stored(row: Row[Any]) -> StoredURL:
    found = row._mapping  # noqa: SLF001 - SQLAlchemy's own name for it
    return StoredURL(**{**found, "state": URLState(found["state"])})


def statuses_of(tx: Transaction, crawl_id: int, ids: Iterable[int]) -> Iterator[tuple[int, int | None, int]]:
    """Yield (id, status, number of the pattern) of URLs."""
    for some in _in_pieces(sorted(set(ids))):
        query = select(crawl_urls.c.url_id, crawl_urls.c.status, crawl_urls.c.pattern_no).where(
            crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id.in_(some)
        )
        yield from ((row[0], row[1], row[2]) for row in tx.execute(query))


def urls_of(tx: Transaction, crawl_id: int, ids: Iterable[int]) -> dict[int, str]:
    """Return URLs by their ids."""
    found: dict[int, str] = {}
    for some in _in_pieces(sorted(set(ids))):
        query = select(crawl_urls.c.url_id, crawl_urls.c.url).where(
            crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id.in_(some)
        )
        found.update((row[0], row[1]) for row in tx.execute(query))
    return found


def linked_urls(tx: Transaction, crawl_id: int, ids: Iterable[int]) -> dict[int, LinkedURL]:
    """Return URLs that links lead to by their ids."""
    found: dict[int, LinkedURL] = {}
    for some in _in_pieces(sorted(set(ids))):
        columns = (crawl_urls.c[name] for name in ("url_id", "url", "state", "status", "lane"))
        query = select(*columns).where(crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id.in_(some))
        for number, url, state, status, lane in tx.execute(query):
            is_page = state != URLState.OUTSIDE and lane < ASSET_LANE
            found[number] = LinkedURL(url, URLState(state), status, is_page)
    return found


def hashes_of(tx: Transaction, crawl_id: int, ids: Iterable[int]) -> dict[int, tuple[str, int]]:
    """Return (URL, its hash) by id."""
    found: dict[int, tuple[str, int]] = {}
    for some in _in_pieces(sorted(set(ids))):
        query = select(crawl_urls.c.url_id, crawl_urls.c.url, crawl_urls.c.hash).where(
            crawl_urls.c.crawl_id == crawl_id, crawl_urls.c.url_id.in_(some)
        )
        found.update((row[0], (row[1], row[2])) for row in tx.execute(query))
    return found


def _in_pieces(values: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(values)
    while some := list(islice(rest, AT_ONCE)):
        yield some
