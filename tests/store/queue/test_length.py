from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import SHARE
from pagegrade.store.queue.length import (
    LAST_RUNS,
    Reason,
    count_ahead,
    count_by_reason,
    count_unfinished,
    queue_state,
    usual_duration_ms,
)
from pagegrade.store.queue.runs import release_run
from pagegrade.store.repositories.host_slots import WINDOW_MS
from pagegrade.store.repositories.reports import add_report
from pagegrade.store.schema.tables import runs
from tests.queue_builders import LOTS, Queue
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


def test_the_queue_says_what_runs_wait_for(queue: Queue) -> None:
    """The first thing that keeps each: an identical run, its target, a browser, or only a worker."""
    first = queue.add("https://busy.example/1")
    queue.claim()
    queue.add("https://busy.example/1")
    queue.add("https://busy.example/2", device="mobile")
    queue.add("https://free.example/1", device="mobile")
    queue.add("https://free.example/2")
    queue.add("https://own.example/", target="")

    def reasons(target_runs: int = LOTS, per_minute: int = LOTS, now_ms: int = NOW_MS) -> dict[Reason, int]:
        return queue.write(
            lambda tx: count_by_reason(tx, now_ms, target_runs=target_runs, per_minute=per_minute), now_ms=now_ms
        )

    later_ms = NOW_MS + WINDOW_MS + 1

    assert reasons(target_runs=1) == {"worker": 2, "browser": 1, "account": 0, "target": 1, "leader": 1}
    assert reasons(target_runs=2) == {"worker": 2, "browser": 2, "account": 0, "target": 0, "leader": 1}
    assert reasons(per_minute=1)["target"] == 1
    # A minute later only a run that is still there counts.
    assert reasons(per_minute=1, now_ms=later_ms)["target"] == 0
    assert reasons(target_runs=1, now_ms=later_ms)["target"] == 1
    assert queue.rows("SELECT state FROM runs WHERE id = :id", id=first.id) == [("running",)]


def test_a_run_that_was_put_off_waits_for_its_target(queue: Queue) -> None:
    """Its addresses were busy, which is known only once they have been looked up."""
    queue.add()
    (claimed,) = queue.claim()
    queue.write(lambda tx: release_run(tx, claimed, NOW_MS, 1_000))

    def reasons(now_ms: int) -> dict[Reason, int]:
        return queue.write(lambda tx: count_by_reason(tx, now_ms, target_runs=LOTS, per_minute=LOTS), now_ms=now_ms)

    assert (reasons(NOW_MS + 999)["target"], reasons(NOW_MS + 1_000)["target"]) == (1, 0)
    assert reasons(NOW_MS + 1_000)["worker"] == 1


@pytest.mark.backend("postgresql", reason="a single process has no lines")
def test_a_run_beyond_the_share_of_its_account_waits_for_the_earlier_ones(queue: Queue) -> None:
    """As long as its target has a place for it."""
    for number in range(SHARE + 3):
        queue.add(f"https://site{number}.example/")

    def work(tx: Transaction) -> dict[Reason, int]:
        return count_by_reason(tx, NOW_MS, target_runs=LOTS, per_minute=LOTS)

    assert queue.write(work) == {"worker": SHARE + 1, "browser": 0, "account": 2, "target": 0, "leader": 0}


_numbers = itertools.count(1)


def add_run(tx: Transaction, account_id: int, state: str, *, priority: int = 0, took_ms: int | None = None) -> int:
    """A run of a report of its own; ``took_ms``: from its start to its end."""
    slug = f"slug-{next(_numbers)}"
    report = add_report(
        tx, account_id=account_id, url="https://example.com/", project="example.com", privacy=0, password_hash=None,
        slug=slug, now_ms=NOW_MS,
    )  # fmt: skip
    ended = None if took_ms is None else NOW_MS + took_ms
    found: int = tx.execute(
        insert(runs)
        .values(
            report_id=report.id, account_id=account_id, number=1, url=report.url, target="", priority=priority,
            state=state, available_at_ms=NOW_MS, created_at_ms=NOW_MS, finished_at_ms=ended,
            started_at_ms=None if took_ms is None else NOW_MS,
        )
        .returning(runs.c.id)
    ).scalar_one()  # fmt: skip
    return found


def test_only_own_runs_that_start_before_are_ahead(tmp_path: Path) -> None:
    """The more urgent ones, and of the equally urgent ones the older; not those under way, nor those of others."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]

        def work(tx: Transaction) -> tuple[list[int], int]:
            add_run(tx, bob.id, "queued")
            add_run(tx, alice.id, "running")
            add_run(tx, alice.id, "completed", took_ms=10)
            rows = [add_run(tx, alice.id, "queued", priority=priority) for priority in (1, 0, 1, 2, 0)]
            return [count_ahead(tx, row) for row in rows], count_ahead(tx, 99_999)

        ahead, unknown = database.write_here(work)

        assert ahead == [2, 0, 3, 4, 1]
        assert unknown == 0
    finally:
        database.close()


def test_the_usual_time_is_the_median_of_the_last_results(tmp_path: Path) -> None:
    """Failures and the results of others do not count, nor what is older than the last ``LAST_RUNS``."""
    database = make_database(tmp_path)
    try:
        alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]

        def work(tx: Transaction) -> list[int | None]:
            add_run(tx, bob.id, "completed", took_ms=1)
            add_run(tx, alice.id, "failed", took_ms=90_000)
            found = [usual_duration_ms(tx, alice.id)]
            for took_ms in (2_000, 1_000, 50_000):
                add_run(tx, alice.id, "completed", took_ms=took_ms)
            found.append(usual_duration_ms(tx, alice.id))
            for _ in range(LAST_RUNS):
                add_run(tx, alice.id, "completed", took_ms=60_000)
            return [*found, usual_duration_ms(tx, alice.id)]

        assert database.write_here(work) == [None, 2_000, 60_000]
    finally:
        database.close()
