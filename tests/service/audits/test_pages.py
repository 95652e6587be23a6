"""Pages of a crawl: in several orders, from cursor to cursor, by their clicks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import UNKNOWN_DEPTH, NewURL, SettledURL, URLFilter, URLState
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.pages import PageOrder, count_clicks, list_pages
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.crawl_segments import PageRow, add_segments, pack_segment
from pagegrade.store.repositories.crawl_urls import add_urls, settle_urls
from pagegrade.store.repositories.crawls import advance_crawl
from tests.audit_builders import claim, fill, make_audit
from tests.store_builders import add_owner, make_database

PAGES = (
    ("https://example.com/", 0, 90, 200),
    ("https://example.com/z", 2, 40, 200),
    ("https://example.com/a", 1, None, 200),
    ("https://example.com/gone", 1, None, 404),
    ("https://example.com/b", UNKNOWN_DEPTH, 40, 200),
)
"""URL, clicks, score, status."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def alice(database: Database) -> Caller:
    """The owner of a crawl of ``PAGES``, in two batches."""
    caller = Caller(account=add_owner(database)[0])
    make_audit(database, caller)
    crawl = claim(database)
    assert crawl is not None

    def work(tx: Transaction) -> None:
        advance_crawl(tx, replace(crawl, urls=len(PAGES), fetched=len(PAGES), segments=2), now_ms())
        new = [NewURL(at, at, 0, 0, one[1], 0, URLState.WAITING, one[0]) for at, one in enumerate(PAGES, 1)]
        add_urls(tx, crawl.id, new)
        settled = [SettledURL(at, URLState.FETCHED, 0, 0, one[3], None, at, at > 2) for at, one in enumerate(PAGES, 1)]
        settle_urls(tx, crawl.id, settled)
        rows = [PageRow(page_id=at, read=one[2] is not None, score=one[2]) for at, one in enumerate(PAGES, 1)]
        for number, some in enumerate((rows[:2], rows[2:])):
            add_segments(tx, crawl.id, number, {"pages": pack_segment(some)})

    database.write_here(work)
    return caller


@pytest.mark.parametrize(
    ("order", "ids"),
    [("found", [1, 2, 3, 4, 5]), ("score", [2, 5, 1, 3, 4]), ("depth", [1, 3, 4, 2, 5]), ("url", [1, 3, 5, 4, 2])],
)
def test_pages_come_in_an_order(database: Database, alice: Caller, order: PageOrder, ids: list[int]) -> None:
    """Whatever the page of the list; those without a score come last, and equal ones by discovery."""

    def seen(page: int, per_page: int, which: URLFilter = URLFilter()) -> tuple[list[tuple[int, int | None]], int]:  # noqa: B008 - frozen
        found = database.read_here(
            partial(
                list_pages,
                caller=alice,
                audit_id=1,
                which=which,
                order=order,
                part=ListPart(page=page, per_page=per_page),
            )
        )
        return [(one.stored.url_id, one.row.score if one.row else None) for one in found.items], found.total

    whole, total = seen(1, 10)
    pairs = [seen(page, 2)[0] for page in (1, 2, 3, 4)]

    assert ([number for number, _ in whole], total) == (ids, 5)
    assert all(score == PAGES[number - 1][2] for number, score in whole)
    assert [one for pair in pairs for one in pair] == whole
    assert seen(1, 10, URLFilter(status=404)) == ([(4, None)], 1)
    assert [number for number, _ in seen(1, 10, URLFilter(depth=1))[0]] == [
        number for number in ids if number in {3, 4}
    ]


def test_clicks_are_those_of_pages_that_links_reach(database: Database, alice: Caller) -> None:
    """Of no other account."""
    bob = Caller(account=add_owner(database, "Bob")[0])

    assert database.read_here(partial(count_clicks, caller=alice, audit_id=1)) == {0: 1, 1: 1, 2: 1}
    with pytest.raises(NotFound):
        database.read_here(partial(count_clicks, caller=bob, audit_id=1))


def test_lists_of_pages_are_walked_both_ways(database: Database) -> None:
    """In the order of their discovery, and filtered."""
    alice = Caller(account=add_owner(database, "Alice")[0])
    audit = make_audit(database, alice)
    crawl = claim(database)
    fill(database, crawl)

    def walked(part: ListPart, which: URLFilter = URLFilter()) -> tuple[list[int], int | None, int | None]:  # noqa: B008 - frozen
        found = database.read_here(lambda tx: list_pages(tx, alice, audit.id, which, part))
        return [page.stored.url_id for page in found.items], found.before, found.after

    assert walked(ListPart(per_page=1)) == ([1], None, 1)
    assert walked(ListPart(per_page=1, beside=1)) == ([2], 2, None)
    assert walked(ListPart(per_page=1, beside=2, backward=True)) == ([1], None, 1)
    assert walked(ListPart(per_page=9), URLFilter(search="other", status=200)) == ([2], None, None)
    assert walked(ListPart(per_page=9), URLFilter(status=404)) == ([], None, None)
