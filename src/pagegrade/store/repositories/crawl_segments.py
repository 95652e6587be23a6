"""Segments of a crawl: what it keeps of its pages, the rows of a batch in one compressed block for each kind."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Final, Literal, TypeVar

import msgspec
from sqlalchemy import func, insert, select

from pagegrade.model.audit import DrawnOutcome, FoundSignature, LinkKind, Place, Sheet
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import crawl_segments

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LEVEL: Final = 3
SegmentKind = Literal["pages", "links", "found", "sitemap", "sheets", "finding", "drawn", "standing"]
"""Of ``finding``, the number is that of the finding, and ``MAX_FINDINGS`` more for each block; of ``standing``, that of
its first page in ``BLOCK_ROWS``; of the others, that of the batch."""
BLOCK_ROWS: Final = 4_096
"""Rows of a finding in one segment, so that no more of them are read for a page of their list; and ids of pages whose
standings are in one."""
MAX_FINDINGS: Final = 8_192
"""Above the number of every finding of a crawl."""


class PageRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page that was fetched."""

    page_id: int
    redirect_id: int | None = None
    content_type: str = ""
    bytes: int = 0
    time_ms: float = 0.0
    read: bool = False
    """It is HTML and was read; otherwise nothing of the following is known."""
    title: str = ""
    h1: str = ""
    description: str = ""
    noindex: bool = False
    nofollow: bool = False
    canonical_id: int | None = None
    lang: str = ""
    next_id: int | None = None
    prev_id: int | None = None
    words: int = 0
    digest: int = 0
    simhash: int = 0
    template: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    score: int | None = None
    refusal: str = ""
    headers: dict[str, str] = {}
    links_cut: bool = False
    unread: bool = False
    """It was read without style sheets that it names."""
    validator: str = ""
    """As of ``Request``."""
    seen: int = 0
    """64 bits of the answer, without what changes with every answer."""
    carried_from: int | None = None
    """Number of the crawl that read it: the site has said since that it is the same, or has sent the same again."""
    kind: str = ""
    """As of ``PageRecord``; of crawls before it was kept, empty."""


class LinkRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link between two URLs."""

    from_id: int
    to_id: int
    kind: LinkKind
    nofollow: bool
    place: Place
    anchor: str
    hreflang: str
    session: bool = False
    """As of ``Link``; of crawls before it was kept, false."""
    hidden: bool = False
    """Likewise."""


class FoundRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Findings of a page."""

    page_id: int
    found: tuple[FoundSignature, ...]


class SitemapRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A URL that a sitemap lists."""

    page_id: int
    lastmod: str
    file: str


class FindingPage(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page of a finding of the site."""

    page_id: int
    target_id: int | None = None
    value: str | None = None


class StandingRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Standing of a page among the others of its site, as the analysis found it."""

    page_id: int
    template: int | None
    """Number of its template; ``None``: it has no structure."""
    pagerank: float
    """Its share of the rank of all pages, 0 to 1; each of some copies has that of all of them."""
    inlinks: int
    """Other pages that link to it or to a copy of it, copies as one, without links that are not to be followed."""
    indexable: bool
    """Search engines may show it under its own URL."""


class DrawnRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A page that was to be drawn in a browser."""

    page_id: int
    found: tuple[DrawnOutcome, ...] = ()
    error: str = ""
    """Reason why it was not drawn, a short word; empty: it was."""


Row = PageRow | LinkRow | FoundRow | SitemapRow | FindingPage | Sheet | DrawnRow | StandingRow
R = TypeVar("R", PageRow, LinkRow, FoundRow, SitemapRow, FindingPage, DrawnRow, StandingRow)
KINDS: Final[Mapping[type[Row], SegmentKind]] = {
    PageRow: "pages",
    LinkRow: "links",
    FoundRow: "found",
    SitemapRow: "sitemap",
    Sheet: "sheets",
    FindingPage: "finding",
    DrawnRow: "drawn",
    StandingRow: "standing",
}


def pack_segment(rows: Sequence[Row]) -> bytes:
    """The rows as they are stored."""
    return zstd.compress(msgspec.msgpack.encode(rows), LEVEL)


def pack_findings(rows: Iterable[tuple[int, FindingPage]]) -> dict[int, bytes]:
    """The pages of findings, in the order of their numbers, as number of a segment -> its body."""
    found: dict[int, bytes] = {}
    for finding, numbered in groupby(rows, lambda row: row[0]):
        pages = (page for _, page in numbered)
        number = finding
        while block := list(islice(pages, BLOCK_ROWS)):
            found[number] = pack_segment(block)
            number += MAX_FINDINGS
    return found


def pack_standings(rows: Iterable[StandingRow]) -> dict[int, bytes]:
    """The standings of pages, in the order of their ids, as number of a segment -> its body; of no page as well."""
    return {0: pack_segment(())} | {
        number: pack_segment(list(some)) for number, some in groupby(rows, lambda row: row.page_id // BLOCK_ROWS)
    }


def has_standings(tx: Transaction, crawl_id: int) -> bool:
    """Return whether the standings of a crawl are kept; earlier versions that evaluated it kept none."""
    kept = (crawl_segments.c.crawl_id == crawl_id, crawl_segments.c.kind == KINDS[StandingRow])
    return tx.execute(select(crawl_segments.c.number).where(*kept).limit(1)).first() is not None


def each_standing(tx: Transaction, crawl_id: int, last_id: int) -> Iterator[StandingRow]:
    """Yield the standings of all pages of a crawl up to an id."""
    for rows in each_segment(tx, crawl_id, StandingRow, last_id // BLOCK_ROWS + 1):
        yield from rows


def standings_of(tx: Transaction, crawl_id: int, ids: Iterable[int]) -> dict[int, StandingRow]:
    """Return the standings of pages by their ids; nothing of those that have none."""
    wanted = set(ids)
    numbers = sorted({each // BLOCK_ROWS for each in wanted})
    every = (row for some in each_segment(tx, crawl_id, StandingRow, numbers) for row in some)
    return {row.page_id: row for row in every if row.page_id in wanted}


def unpack_finding(segments: Mapping[int, bytes], finding: int) -> Iterator[FindingPage]:
    """Yield the pages of one of the findings that ``pack_findings`` has packed, a block at a time."""
    numbers = range(finding, max(segments, default=0) + 1, MAX_FINDINGS)
    return (row for number in numbers if number in segments for row in _finding_pages(segments[number]))


def add_blocks(
    tx: Transaction, crawl_id: int, kind: Literal["finding", "standing"], blocks: Mapping[int, bytes]
) -> None:
    """Store what the analysis of a crawl has packed of one kind."""
    rows = [{"crawl_id": crawl_id, "kind": kind, "number": number, "body": body} for number, body in blocks.items()]
    if rows:
        tx.execute(insert(crawl_segments), rows)


def each_finding_page(tx: Transaction, crawl_id: int, finding: int, first: int = 0) -> Iterator[FindingPage]:
    """Yield the pages of a finding from one on, counted from 0, a block at a time."""
    blocks = _blocks(tx, crawl_id, finding)
    # A single one may be larger than the others: it is so in crawls before there were blocks.
    start = min(first // BLOCK_ROWS, max(0, blocks - 1))
    numbers = (finding + block * MAX_FINDINGS for block in range(start, blocks))
    rows = (row for some in each_segment(tx, crawl_id, FindingPage, numbers) for row in some)
    yield from islice(rows, first - start * BLOCK_ROWS, None)


def rows_from(tx: Transaction, crawl_id: int, finding: int, first: int, count: int) -> tuple[list[FindingPage], int]:
    """Return so many of the pages of a finding from one on, counted from 0, and how many there are in all."""
    full = max(0, _blocks(tx, crawl_id, finding) - 1) * BLOCK_ROWS
    total = full + sum(1 for _ in each_finding_page(tx, crawl_id, finding, full))
    return list(islice(each_finding_page(tx, crawl_id, finding, first), count)), total


def _blocks(tx: Transaction, crawl_id: int, finding: int) -> int:
    number = crawl_segments.c.number
    query = select(func.max(number)).where(
        crawl_segments.c.crawl_id == crawl_id,
        crawl_segments.c.kind == KINDS[FindingPage],
        number % MAX_FINDINGS == finding,
    )
    last = tx.execute(query).scalar()
    return 0 if last is None else 1 + int(last) // MAX_FINDINGS


def _finding_pages(body: bytes) -> list[FindingPage]:
    return msgspec.msgpack.decode(zstd.decompress(body), type=list[FindingPage])


def add_segments(tx: Transaction, crawl_id: int, number: int, bodies: Mapping[SegmentKind, bytes]) -> None:
    """Store the segments of one batch."""
    if bodies:
        rows = [{"crawl_id": crawl_id, "kind": kind, "number": number, "body": body} for kind, body in bodies.items()]
        tx.execute(insert(crawl_segments), rows)


def list_sheets(tx: Transaction, crawl_id: int) -> list[Sheet]:
    """The style sheets that a crawl has read."""
    query = (
        select(crawl_segments.c.body)
        .where(crawl_segments.c.crawl_id == crawl_id, crawl_segments.c.kind == KINDS[Sheet])
        .order_by(crawl_segments.c.number)
    )
    decode = msgspec.msgpack.Decoder(list[Sheet]).decode
    return [sheet for (body,) in tx.execute(query) for sheet in decode(zstd.decompress(bytes(body)))]


def each_segment(tx: Transaction, crawl_id: int, kind: type[R], count: int | Iterable[int]) -> Iterator[list[R]]:
    """Yield the rows of each segment of a kind, in order.

    Args:
        count: How many batches the crawl has, or the numbers of those to read.
    """
    decode = msgspec.msgpack.Decoder(list[kind]).decode  # type: ignore[valid-type]
    for number in range(count) if isinstance(count, int) else count:
        query = select(crawl_segments.c.body).where(
            crawl_segments.c.crawl_id == crawl_id,
            crawl_segments.c.kind == KINDS[kind],
            crawl_segments.c.number == number,
        )
        body = tx.execute(query).scalar()
        if body is not None:
            yield decode(zstd.decompress(bytes(body)))
