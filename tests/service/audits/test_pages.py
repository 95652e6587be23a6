"""Pages of a crawl: in several orders, from cursor to cursor, by their clicks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace
from sqlalchemy import delete

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import UNKNOWN_DEPTH, NewURL, PageFilter, SettledURL, URLState
from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.pages import PageOrder, are_pages_ranked, count_clicks, list_pages
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.audits import save_result
from pagegrade.store.repositories.crawl_segments import (
    FindingPage,
    PageRow,
    StandingRow,
    add_segments,
    pack_findings,
    pack_segment,
    pack_standings,
)
from pagegrade.store.repositories.crawl_urls import add_urls, settle_urls
from pagegrade.store.repositories.crawls import advance_crawl, end_crawl
from pagegrade.store.schema.tables import crawl_segments
from tests.audit_builders import claim, fill, make_audit, result_of
from tests.store_builders import add_owner, make_database

PAGES = (
    ("https://example.com/", 0, 90, 200),
    ("https://example.com/z", 2, 40, 200),
    ("https://example.com/a", 1, None, 200),
    ("https://example.com/gone", 1, None, 404),
    ("https://example.com/b", UNKNOWN_DEPTH, 40, 200),
)
"""URL, clicks, score, status."""


STANDINGS = (
    StandingRow(1, 0, 0.25, 1, indexable=True),
    StandingRow(2, 3, 0.125, 4, indexable=True),
    StandingRow(3, 3, 0.5, 1, indexable=False),
    StandingRow(5, None, 0.125, 0, indexable=True),
)


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
        whole = replace(crawl, urls=len(PAGES), fetched=len(PAGES), segments=2)
        advance_crawl(tx, whole, now_ms())
        new = [NewURL(at, at, 0, 0, one[1], 0, URLState.WAITING, one[0]) for at, one in enumerate(PAGES, 1)]
        add_urls(tx, crawl.id, new)
        settled = [SettledURL(at, URLState.FETCHED, 0, 0, one[3], None, at, at > 2) for at, one in enumerate(PAGES, 1)]
        settle_urls(tx, crawl.id, settled)
        rows = [PageRow(page_id=at, read=one[2] is not None, score=one[2]) for at, one in enumerate(PAGES, 1)]
        for number, some in enumerate((rows[:2], rows[2:])):
            add_segments(tx, crawl.id, number, {"pages": pack_segment(some)})
        end_crawl(tx, whole, "analyzing", reason="done", complete=True, now_ms=now_ms())

    database.write_here(work)
    evaluate(database)
    return caller


def evaluate(database: Database) -> None:
    """Let the crawl of ``PAGES`` have two findings and what is known of its pages."""
    crawl = claim(database)
    assert crawl is not None
    result = result_of(crawl.start_url)
    found = pack_findings([(1, FindingPage(1)), (1, FindingPage(4)), (2, FindingPage(5, 1))])
    result = replace(result, findings=result.findings * 2)
    standings = pack_standings(STANDINGS)
    database.write_here(lambda tx: save_result(tx, crawl, result, found, now_ms(), standings=standings))


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("inlinks", [2, 1, 3, 5, 4]),
        ("pagerank", [3, 1, 2, 5, 4]),
        ("id", [1, 2, 3, 4, 5]),
        ("score", [2, 5, 1, 3, 4]),
        ("depth", [1, 3, 4, 2, 5]),
        ("url", [1, 3, 5, 4, 2]),
    ],
)
def test_pages_come_in_an_order(database: Database, alice: Caller, order: PageOrder, ids: list[int]) -> None:
    """Whatever the page of the list; those without a score come last, and equal ones by discovery."""

    def seen(page: int, per_page: int, which: PageFilter = PageFilter()) -> tuple[list[tuple[int, int | None]], int]:  # noqa: B008 - frozen
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
    assert seen(1, 10, PageFilter(status=404)) == ([(4, None)], 1)
    assert [number for number, _ in seen(1, 10, PageFilter(depth=1))[0]] == [
        number for number in ids if number in {3, 4}
    ]


@pytest.mark.parametrize(
    ("which", "ids"),
    [
        (PageFilter(template=3), [2, 3]),
        (PageFilter(template=9), []),
        (PageFilter(indexable=True), [1, 2, 5]),
        (PageFilter(indexable=False), [3, 4]),
        (PageFilter(indexable=False, status=404), [4]),
        (PageFilter(template=3, indexable=True), [2]),
        (PageFilter(finding=1), [1, 4]),
        (PageFilter(finding=2, search="B"), [5]),
        (PageFilter(finding=1, indexable=True), [1]),
    ],
)
def test_pages_are_filtered_by_what_was_found(
    database: Database, alice: Caller, which: PageFilter, ids: list[int]
) -> None:
    """On numbered pages and from cursor to cursor, and in another order as well."""

    def seen(part: ListPart, order: PageOrder = "id") -> tuple[list[int], int, int | None, int | None]:
        found = database.read_here(lambda tx: list_pages(tx, alice, 1, which, part, order=order))
        return [one.stored.url_id for one in found.items], found.total, found.before, found.after

    walked: list[int] = []
    after: int | None = None
    while some := seen(ListPart(per_page=1, beside=after))[0]:
        walked += some
        after = some[-1]

    assert seen(ListPart(page=1, per_page=10))[:2] == (ids, len(ids))
    assert seen(ListPart(page=2, per_page=10))[:2] == ([], len(ids))
    assert walked == ids
    assert seen(ListPart(page=1, per_page=10), "url")[0] == [one for one in (1, 3, 5, 4, 2) if one in ids]


def test_a_list_in_another_order_is_walked_both_ways(database: Database, alice: Caller) -> None:
    """A cursor that names something else is refused, since it would look like the end."""

    def walked(**part: Any) -> tuple[list[int], int | None, int | None]:
        found = database.read_here(
            lambda tx: list_pages(tx, alice, 1, PageFilter(), ListPart(**part), order="pagerank")
        )
        return [one.stored.url_id for one in found.items], found.before, found.after

    assert walked(per_page=2) == ([3, 1], None, 1)
    assert walked(per_page=2, beside=1) == ([2, 5], 2, 5)
    assert walked(per_page=2, beside=5) == ([4], 4, None)
    assert walked(per_page=2, beside=2, backward=True) == ([3, 1], None, 1)
    assert walked(per_page=2, backward=True) == ([5, 4], 5, None)
    with pytest.raises(ValidationFailed) as refused:
        walked(per_page=2, beside=9)

    assert [(one.field, one.code) for one in refused.value.violations] == [("cursor", "invalid")]


@pytest.mark.parametrize("order", ["url", "depth", "score", "pagerank", "inlinks"])
def test_a_walk_goes_on_where_the_page_at_the_cursor_fits_no_more(
    database: Database, alice: Caller, order: PageOrder
) -> None:
    """A page that waited was fetched meanwhile: those after it and before it are where they were."""

    def seen(beside: int | None = None, *, backward: bool = False, which: PageFilter = PageFilter()) -> list[int]:  # noqa: B008 - frozen
        part = ListPart(per_page=5, beside=beside, backward=backward)
        found = database.read_here(lambda tx: list_pages(tx, alice, 1, which, part, order=order))
        return [one.stored.url_id for one in found.items]

    every = seen()
    for cursor in every:
        after, before = every[every.index(cursor) + 1 :], every[: every.index(cursor)]
        for gone in (PageFilter(status=200), PageFilter(status=404), PageFilter(template=3), PageFilter(finding=2)):
            fitting = seen(which=gone)
            assert seen(cursor, which=gone) == [one for one in after if one in fitting]
            assert seen(cursor, backward=True, which=gone) == [one for one in before if one in fitting]


FILTERS = (
    PageFilter(template=3),
    PageFilter(indexable=True),
    PageFilter(indexable=False),
    PageFilter(finding=1),
    PageFilter(status=200),
    PageFilter(template=3, indexable=True),
)


@pytest.mark.parametrize("which", FILTERS)
@pytest.mark.parametrize("order", get_args(PageOrder))
def test_a_filter_does_not_change_the_order(
    database: Database, alice: Caller, order: PageOrder, which: PageFilter
) -> None:
    """Of whatever value the pages are sorted by."""

    def seen(which: PageFilter, order: PageOrder) -> list[int]:
        part = ListPart(page=1, per_page=10)
        found = database.read_here(lambda tx: list_pages(tx, alice, 1, which, part, order=order))
        return [one.stored.url_id for one in found.items]

    fitting = seen(which, "id")

    assert seen(which, order) == [one for one in seen(PageFilter(), order) if one in fitting]


def test_a_crawl_that_an_earlier_version_evaluated_says_nothing_of_standings(database: Database, alice: Caller) -> None:
    """A list without its pages would say that none is indexable; its findings and scores are known."""

    def seen(which: PageFilter, order: PageOrder) -> list[int] | None:
        part = ListPart(page=1, per_page=10)
        try:
            found = database.read_here(lambda tx: list_pages(tx, alice, 1, which, part, order=order))
        except NotFound:
            return None
        return [one.stored.url_id for one in found.items]

    ranked = database.read_here(lambda tx: are_pages_ranked(tx, alice, 1))
    database.write_here(lambda tx: tx.execute(delete(crawl_segments).where(crawl_segments.c.kind == "standing")))

    assert (ranked, database.read_here(lambda tx: are_pages_ranked(tx, alice, 1))) == (True, False)
    filters = (PageFilter(template=3), PageFilter(indexable=True), PageFilter(indexable=False))

    assert [seen(which, "id") for which in filters] == [None] * 3
    assert [seen(PageFilter(), order) for order in ("inlinks", "pagerank")] == [None] * 2
    assert (seen(PageFilter(finding=1), "id"), seen(PageFilter(), "score")) == ([1, 4], [2, 5, 1, 3, 4])


def test_what_only_an_evaluation_finds_is_not_there_without_one(database: Database) -> None:
    """A list without these pages would say that there are none; nor is there a finding that the crawl has not."""
    caller = Caller(account=add_owner(database)[0])
    make_audit(database, caller)
    part = ListPart(page=1, per_page=10)

    def refused(which: PageFilter, order: PageOrder = "id") -> bool:
        try:
            database.read_here(lambda tx: list_pages(tx, caller, 1, which, part, order=order))
        except NotFound:
            return True
        return False

    wanted: tuple[tuple[PageFilter, PageOrder], ...] = (
        (PageFilter(template=0), "id"),
        (PageFilter(indexable=False), "id"),
        (PageFilter(finding=1), "id"),
        (PageFilter(), "pagerank"),
        (PageFilter(), "inlinks"),
    )
    before = [refused(*each) for each in wanted]
    also = refused(PageFilter(), "score")
    fill(database, claim(database))

    assert (before, also) == ([True] * 5, False)
    assert [refused(*each) for each in wanted] == [False] * 5
    assert refused(PageFilter(finding=2))


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

    def walked(part: ListPart, which: PageFilter = PageFilter()) -> tuple[list[int], int | None, int | None]:  # noqa: B008 - frozen
        found = database.read_here(lambda tx: list_pages(tx, alice, audit.id, which, part))
        return [page.stored.url_id for page in found.items], found.before, found.after

    assert walked(ListPart(per_page=1)) == ([1], None, 1)
    assert walked(ListPart(per_page=1, beside=1)) == ([2], 2, None)
    assert walked(ListPart(per_page=1, beside=2, backward=True)) == ([1], None, 1)
    assert walked(ListPart(per_page=9), PageFilter(search="other", status=200)) == ([2], None, None)
    assert walked(ListPart(per_page=9), PageFilter(status=404)) == ([], None, None)
