"""Links of a crawl, from cursor to cursor and in pages, with filters."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import LinkKind, NewURL, SettledURL, URLState
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import ListPart
from pagegrade.service.audits.links import LinkFilter, ShownLink, list_links
from pagegrade.service.id_lists import Listed
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.crawl_segments import LinkRow, add_segments, pack_segment
from pagegrade.store.repositories.crawl_urls import add_urls, settle_urls
from pagegrade.store.repositories.crawls import advance_crawl
from tests.audit_builders import claim, make_audit
from tests.store_builders import add_owner, make_database

ALL = LinkFilter()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated one."""
    made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def alice(database: Database) -> Caller:
    """The owner of a crawl of three pages, whose links are in the first and the last of three batches."""
    caller = Caller(account=add_owner(database)[0])
    make_audit(database, caller)
    crawl = claim(database)
    assert crawl is not None
    states = (URLState.FETCHED, URLState.FETCHED, URLState.BLOCKED, URLState.OUTSIDE)
    ends: tuple[tuple[int, int, LinkKind], ...] = (
        (1, 2, "a"),
        (1, 3, "a"),
        (1, 4, "a"),
        (2, 1, "canonical"),
        (2, 3, "a"),
    )
    links = [
        LinkRow(source, target, kind, nofollow=False, place="main", anchor=f"{source}-{target}", hreflang="")
        for source, target, kind in ends
    ]

    def work(tx: Transaction) -> None:
        advance_crawl(tx, replace(crawl, urls=4, fetched=2, segments=3), now_ms())
        add_urls(
            tx,
            crawl.id,
            [
                NewURL(at, 10 + at, 0, 0, 0, 0, URLState.WAITING if at < 3 else state, f"https://example.com/{at}")
                for at, state in enumerate(states, 1)
            ],
        )
        settle_urls(
            tx, crawl.id, [SettledURL(at, URLState.FETCHED, 0, 0, 100 + at * 100, None, at, 0) for at in (1, 2)]
        )
        add_segments(tx, crawl.id, 0, {"links": pack_segment(links[:3])})
        add_segments(tx, crawl.id, 2, {"links": pack_segment(links[3:])})

    database.write_here(work)
    return caller


def seen(found: tuple[ShownLink, ...]) -> list[str]:
    """The texts of links."""
    return [link.row.anchor for link in found]


def test_a_walk_meets_each_link_once_in_both_directions(database: Database, alice: Caller) -> None:
    """Whatever the batches that they are in, also empty ones."""

    def step(part: ListPart) -> Listed[ShownLink]:
        return database.read_here(partial(list_links, caller=alice, audit_id=1, which=ALL, part=part))

    forth: list[str] = []
    walked = step(ListPart(per_page=2, count=True))

    assert (walked.total, walked.before) == (5, None)
    forth += seen(walked.items)
    while walked.after is not None:
        walked = step(ListPart(per_page=2, beside=walked.after))
        forth += seen(walked.items)
    back = seen(walked.items)
    while walked.before is not None:
        walked = step(ListPart(per_page=2, beside=walked.before, backward=True))
        back = [*seen(walked.items), *back]

    assert forth == ["1-2", "1-3", "1-4", "2-1", "2-3"]
    assert back == forth
    assert seen(step(ListPart(per_page=9, beside=1 << 50)).items) == []
    assert seen(step(ListPart(per_page=2, beside=1 << 50, backward=True)).items) == ["2-1", "2-3"]


@pytest.mark.parametrize(
    ("which", "found"),
    [
        (LinkFilter(from_=2), ["2-1", "2-3"]),
        (LinkFilter(to=3), ["1-3", "2-3"]),
        (LinkFilter(from_=1, to=3), ["1-3"]),
        (LinkFilter(kind="canonical"), ["2-1"]),
        (LinkFilter(state="blocked"), ["1-3", "2-3"]),
        (LinkFilter(state="outside"), ["1-4"]),
        (LinkFilter(status=300), ["1-2"]),
        (LinkFilter(status=404), []),
    ],
)
def test_filters_combine(database: Database, alice: Caller, which: LinkFilter, found: list[str]) -> None:
    """And count what they let through, in pages as well."""
    whole = database.read_here(
        partial(list_links, caller=alice, audit_id=1, which=which, part=ListPart(page=1, per_page=10))
    )
    second = database.read_here(
        partial(list_links, caller=alice, audit_id=1, which=which, part=ListPart(page=2, per_page=1))
    )
    walked = database.read_here(
        partial(list_links, caller=alice, audit_id=1, which=which, part=ListPart(per_page=10, count=True))
    )

    assert (seen(whole.items), whole.total, walked.total) == (found, len(found), len(found))
    assert seen(walked.items) == found
    assert seen(second.items) == found[1:2]


def test_links_are_sorted_by_their_targets(database: Database, alice: Caller) -> None:
    """On every page of the list, whose links are the same whatever their number."""

    def part(page: int, per_page: int, which: LinkFilter = ALL) -> tuple[list[str], int]:
        found = database.read_here(
            partial(
                list_links,
                caller=alice,
                audit_id=1,
                which=which,
                order="target",
                part=ListPart(page=page, per_page=per_page),
            )
        )
        return seen(found.items), found.total

    whole = ["2-1", "1-2", "1-3", "2-3", "1-4"]

    assert part(1, 10) == (whole, 5)
    for per_page in (1, 2, 3):
        assert [one for page in range(1, 7) for one in part(page, per_page)[0]] == whole

    assert part(1, 10, LinkFilter(to=3)) == (["1-3", "2-3"], 2)
    assert part(9, 10) == ([], 5)
    assert part(1, 10, LinkFilter(status=404)) == ([], 0)


def test_links_by_target_hold_one_page_of_them(database: Database) -> None:
    """However many links a target has: those of one batch at a time, and those that are listed."""
    caller = Caller(account=add_owner(database, "Bob")[0])
    audit = make_audit(database, caller)
    crawl = claim(database)

    assert crawl is not None
    count, of_each = 40, 1_000

    def work(tx: Transaction) -> None:
        advance_crawl(tx, replace(crawl, urls=2, fetched=2, segments=count), now_ms())
        add_urls(tx, crawl.id, [NewURL(1, 11, 0, 0, 0, 0, URLState.OUTSIDE, "https://example.com/")])
        for number in range(count):
            rows = [
                LinkRow(at, 1, "a", nofollow=False, place="main", anchor=f"{number}-{at}", hreflang="")
                for at in range(of_each)
            ]
            add_segments(tx, crawl.id, number, {"links": pack_segment(rows)})

    def page(number: int) -> Listed[ShownLink]:
        part = ListPart(page=number, per_page=25)
        return database.read_here(
            partial(list_links, caller=caller, audit_id=audit.id, which=ALL, part=part, order="target")
        )

    database.write_here(work)
    page(1)
    tracemalloc.start()
    found = page(count * of_each // 25)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert seen(found.items) == [f"{count - 1}-{at}" for at in range(of_each - 25, of_each)]
    assert found.total == count * of_each
    assert peak < 3_000_000


def test_links_are_those_of_a_crawl_of_the_caller(database: Database, alice: Caller) -> None:
    """Ends that are no pages of the site are named as such; other accounts and crawls have none."""
    bob = Caller(account=add_owner(database, "Bob")[0])
    listed = database.read_here(
        partial(list_links, caller=alice, audit_id=1, which=ALL, part=ListPart(page=1, per_page=10))
    )

    assert [(link.source[-1], link.target.url[-1], link.target.is_page) for link in listed.items[:3]] == [
        ("1", "2", True),
        ("1", "3", True),
        ("1", "4", False),
    ]
    with pytest.raises(NotFound):
        database.read_here(partial(list_links, caller=bob, audit_id=1, which=ALL, part=ListPart(page=1, per_page=10)))
    with pytest.raises(NotFound):
        database.read_here(partial(list_links, caller=alice, audit_id=1, which=ALL, part=ListPart(per_page=1), crawl=2))
