"""URLs of a crawl: what waits comes in order, and is moved, settled and found again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.audit import AuditSettings, NewURL, Pattern, SettledURL, URLState
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_urls import (
    AT_ONCE,
    SAMPLE,
    SAMPLED_LANE,
    add_urls,
    count_states,
    each_url,
    find_contents,
    find_urls,
    found_nearer,
    hashes_of,
    list_patterns,
    move_pattern,
    save_patterns,
    settle_urls,
    statuses_of,
    urls_of,
    waiting_urls,
)
from pagegrade.store.repositories.crawls import add_crawl
from tests.store_builders import NOW_MS, make_database

WAITING, FETCHED = URLState.WAITING, URLState.FETCHED


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """One with a crawl, of id 1."""
    made = make_database(tmp_path)
    made.write_here(lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=NOW_MS))
    yield made
    made.close()


def new(url_id: int, *, depth: int = 1, lane: int = 0, pattern: int = 1, state: URLState = WAITING) -> NewURL:
    """A URL whose hash is 7 times its id, below zero for the even ones."""
    key = 7 * url_id * (-1 if url_id % 2 == 0 else 1)
    return NewURL(url_id, key, 0, pattern, depth, lane, state, f"https://example.com/{url_id}")


def order(database: Database, limit: int = 100) -> list[int]:
    """Ids in the order in which they are to be fetched."""
    return [row.url_id for row in database.read_here(lambda tx: waiting_urls(tx, 1, limit))]


def test_near_pages_come_before_far_ones_and_late_lanes_last(database: Database) -> None:
    """Within that, the oldest first."""
    rows = [new(1, depth=2), new(2), new(3, lane=1, depth=0), new(4), new(5, state=FETCHED)]
    database.write_here(lambda tx: add_urls(tx, 1, rows))

    assert order(database) == [2, 4, 1, 3]
    assert order(database, 2) == [2, 4]


def test_known_urls_are_found_by_their_hashes(database: Database) -> None:
    """More than fit into one statement."""
    count = 2 * AT_ONCE + 1
    database.write_here(lambda tx: add_urls(tx, 1, [new(number) for number in range(1, count + 1)]))
    hashes = [new(number).hash for number in range(1, count + 3)]
    found = database.read_here(lambda tx: find_urls(tx, 1, hashes))

    assert len(found) == count
    assert found[new(2).hash] == (2, 1, WAITING)
    assert len(list(database.read_here(lambda tx: list(each_url(tx, 1))))) == count
    assert len(database.read_here(lambda tx: urls_of(tx, 1, range(count + 5)))) == count
    assert len(known := database.read_here(lambda tx: hashes_of(tx, 1, range(count + 5)))) == count
    assert known[2] == (new(2).url, new(2).hash)


def test_what_became_of_urls_is_stored(database: Database) -> None:
    """With a shorter way and with another chance."""
    database.write_here(lambda tx: add_urls(tx, 1, [new(1), new(2, depth=9), new(3, state=URLState.NOFOLLOW)]))

    def store(tx: object) -> None:
        found_nearer(tx, 1, {2: 4}, {3: WAITING})  # type: ignore[arg-type]
        settle_urls(tx, 1, [SettledURL(1, FETCHED, 0, 0, 200, None, -5)])  # type: ignore[arg-type]

    database.write_here(store)
    rows = database.read_here(lambda tx: list(each_url(tx, 1)))

    assert [(row[0], row[2], row[3], row[4]) for row in rows] == [
        (1, 1, FETCHED, 200),
        (2, 4, WAITING, None),
        (3, 1, WAITING, None),
    ]
    assert database.read_here(lambda tx: find_contents(tx, 1, [(1, -5), (2, -5), (1, 6)])) == {(1, -5)}
    assert database.read_here(lambda tx: find_contents(tx, 1, [])) == set()
    assert database.read_here(lambda tx: list(statuses_of(tx, 1, [1]))) == [(1, 200, 1)]
    assert database.read_here(lambda tx: count_states(tx, 1)) == {FETCHED: 1, WAITING: 2}


def test_a_pattern_that_is_sampled_keeps_one_of_fifty(database: Database) -> None:
    """Other patterns, and what was fetched, stay as they are."""
    rows = [new(number) for number in range(1, 3 * SAMPLE + 1)]
    database.write_here(lambda tx: add_urls(tx, 1, [*rows, new(900, pattern=2), new(901, state=FETCHED)]))
    database.write_here(lambda tx: move_pattern(tx, 1, 1, SAMPLED_LANE))

    assert order(database) == [900, 50, 100, 150]
    assert database.read_here(lambda tx: count_states(tx, 1)) == {
        WAITING: 4,
        FETCHED: 1,
        URLState.SAMPLED_OUT: 3 * SAMPLE - 3,
    }


def test_a_pattern_that_waits_moves_behind_the_others(database: Database) -> None:
    """Never back."""
    database.write_here(lambda tx: add_urls(tx, 1, [new(1), new(2, pattern=2), new(3, lane=3)]))
    database.write_here(lambda tx: move_pattern(tx, 1, 1, 1))

    assert order(database) == [2, 1, 3]


def test_patterns_are_stored_as_they_are_now(database: Database) -> None:
    """New ones and known ones."""
    patterns = [Pattern(pattern_no=1, text="a", found=1), Pattern(pattern_no=2, text="b")]
    database.write_here(lambda tx: save_patterns(tx, 1, patterns))
    patterns[1].fetched, patterns[1].distinct, patterns[1].lane = 5, 4, 1
    database.write_here(lambda tx: save_patterns(tx, 1, patterns[1:]))

    assert database.read_here(lambda tx: list_patterns(tx, 1)) == patterns
