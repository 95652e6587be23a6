"""Segments give back the rows they were made of."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import delete

from pagegrade.model.audit import AuditSettings, FoundSignature
from pagegrade.store.repositories.crawl_segments import (
    BLOCK_ROWS,
    FindingPage,
    FoundRow,
    LinkRow,
    PageRow,
    SitemapRow,
    StandingRow,
    add_blocks,
    add_segments,
    each_finding_page,
    each_segment,
    each_standing,
    has_standings,
    pack_findings,
    pack_segment,
    pack_standings,
    rows_from,
    standings_of,
    unpack_finding,
)
from pagegrade.store.repositories.crawls import add_crawl
from pagegrade.store.schema.tables import crawl_segments
from tests.store_builders import NOW_MS, make_database

PAGE = PageRow(page_id=1, digest=(1 << 64) - 1, template=(1, 65535), types=("Product",), headers={"server": "x"})
LINK = LinkRow(1, 2, "a", nofollow=True, place="nav", anchor="Ünï", hreflang="")
FOUND = FoundRow(1, (FoundSignature("title", "missing", 8.0, 1, (1 << 64) - 1, ("<head>",)),))
LISTED = SitemapRow(1, "2026-01-01", "https://example.com/sitemap.xml")


def test_rows_come_back_in_the_order_of_the_batches(tmp_path: Path) -> None:
    """A batch without rows of a kind has no segment of it."""
    database = make_database(tmp_path)
    database.write_here(
        lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=NOW_MS)
    )
    first = {"pages": pack_segment([PAGE]), "links": pack_segment([LINK, LINK]), "found": pack_segment([FOUND])}
    database.write_here(lambda tx: add_segments(tx, 1, 0, first))  # type: ignore[arg-type]
    database.write_here(lambda tx: add_segments(tx, 1, 1, {}))
    database.write_here(
        lambda tx: add_segments(tx, 1, 2, {"pages": pack_segment([PAGE, PAGE]), "sitemap": pack_segment([LISTED])})
    )
    pages = database.read_here(lambda tx: list(each_segment(tx, 1, PageRow, 3)))
    links = database.read_here(lambda tx: list(each_segment(tx, 1, LinkRow, 3)))
    found = database.read_here(lambda tx: list(each_segment(tx, 1, FoundRow, 3)))
    listed = database.read_here(lambda tx: list(each_segment(tx, 1, SitemapRow, 3)))
    database.close()

    assert pages == [[PAGE], [PAGE, PAGE]]
    assert links == [[LINK, LINK]]
    assert found == [[FOUND]]
    assert listed == [[LISTED]]


def test_standings_are_read_by_the_ids_of_pages(tmp_path: Path) -> None:
    """Each from its block, and all of them; pages without one are left out."""
    database = make_database(tmp_path)
    database.write_here(
        lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=NOW_MS)
    )
    ids = (1, BLOCK_ROWS - 1, BLOCK_ROWS, 3 * BLOCK_ROWS)
    rows = [StandingRow(at, None if at == 1 else at % 7, 1 / at, at, indexable=at > 1) for at in ids]
    packed = pack_standings(rows)
    database.write_here(lambda tx: add_blocks(tx, 1, "standing", packed))
    every = database.read_here(lambda tx: list(each_standing(tx, 1, 3 * BLOCK_ROWS)))
    but_last = database.read_here(lambda tx: list(each_standing(tx, 1, 3 * BLOCK_ROWS - 1)))
    some = database.read_here(lambda tx: standings_of(tx, 1, [2, BLOCK_ROWS, 3 * BLOCK_ROWS, 9 * BLOCK_ROWS]))
    kept = database.read_here(lambda tx: has_standings(tx, 1))
    database.write_here(lambda tx: tx.execute(delete(crawl_segments)))
    gone = database.read_here(lambda tx: has_standings(tx, 1))
    database.write_here(lambda tx: add_blocks(tx, 1, "standing", pack_standings(())))
    of_none = database.read_here(lambda tx: (has_standings(tx, 1), list(each_standing(tx, 1, 9))))
    database.close()

    assert (kept, gone, of_none) == (True, False, (True, []))
    assert sorted(packed) == [0, 1, 3]
    assert (every, but_last) == (rows, rows[:3])
    assert some == {BLOCK_ROWS: rows[2], 3 * BLOCK_ROWS: rows[3]}


def test_pages_of_findings_are_read_a_block_at_a_time(tmp_path: Path) -> None:
    """From any one on; the numbers of blocks are apart from those of other findings."""
    database = make_database(tmp_path)
    database.write_here(
        lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=NOW_MS)
    )
    sizes = {1: 2 * BLOCK_ROWS + 1, 2: BLOCK_ROWS, 3: 1}
    rows = {number: [FindingPage(at, None, f"{number}") for at in range(size)] for number, size in sizes.items()}
    packed = pack_findings((number, row) for number, some in rows.items() for row in some)
    database.write_here(lambda tx: add_blocks(tx, 1, "finding", packed))
    # As a crawl has stored it before there were blocks.
    database.write_here(lambda tx: add_segments(tx, 1, 4, {"finding": pack_segment(rows[1])}))

    def read(number: int, first: int, count: int) -> tuple[list[FindingPage], int]:
        return database.read_here(lambda tx: rows_from(tx, 1, number, first, count))

    for number, some in {**rows, 4: rows[1], 5: []}.items():
        assert list(database.read_here(lambda tx, at=number: list(each_finding_page(tx, 1, at)))) == some  # type: ignore[misc]
        for first in (0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, 2 * BLOCK_ROWS, 3 * BLOCK_ROWS):
            assert read(number, first, 3) == (some[first : first + 3], len(some))
    database.close()

    assert len(packed) == 5
    assert [list(unpack_finding(packed, number)) for number in (1, 2, 3, 4)] == [*rows.values(), []]
    assert not list(unpack_finding({}, 1))
