from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.store.queue.length import count_unfinished, queue_state
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database)[0].id)
    database.close()


def test_the_queue_says_how_long_it_is(queue: Queue) -> None:
    """Depth, running and the age of the oldest, for those who watch over it."""
    bob = add_owner(queue.database, "Bob")[0].id
    queue.add(now_ms=NOW_MS)
    queue.add("https://b.example/", account_id=bob, now_ms=NOW_MS + 100)
    queue.claim()

    state = queue.database.read_here(lambda tx: queue_state(tx, NOW_MS + 1_100))
    counts = queue.database.read_here(lambda tx: [count_unfinished(tx, each) for each in (None, bob, bob + 1)])

    assert (state.depth, state.running, state.oldest_ms) == (1, 1, 1_000)
    assert counts == [2, 1, 0]


def test_an_empty_queue_has_no_age(queue: Queue) -> None:
    """Nothing waits, so nothing waits for long."""
    state = queue.database.read_here(lambda tx: queue_state(tx, NOW_MS))

    assert (state.depth, state.running, state.oldest_ms) == (0, 0, 0)
