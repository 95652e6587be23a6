from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue import lease, row_queue, runs
from pagegrade.store.queue.claim import claim_runs
from tests.queue_builders import LEASE_MS, Queue
from tests.store_builders import NOW_MS, add_owner, make_database

HOUR_MS = 3_600_000

pytestmark = pytest.mark.backend("sqlite", reason="claims of a single process")


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def test_accounts_take_turns_one_by_one(queue: Queue) -> None:
    """The account that was served longest ago is next, however much the others have asked for."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(10):
        queue.add(f"https://a{number}.example/")
    theirs = [queue.add(f"https://b{number}.example/", account_id=bob).id for number in range(3)]

    order = [queue.claim()[0] for _ in range(6)]

    assert [run.account_id for run in order] == [queue.account_id, bob] * 3
    assert [run.id for run in order if run.account_id == bob] == theirs


def test_slots_are_shared_and_not_only_starts(queue: Queue) -> None:
    """An account with slow pages gets no more slots than one with quick pages."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(10):
        queue.add(f"https://a{number}.example/")
        queue.add(f"https://b{number}.example/", account_id=bob)
    order = []
    for _ in range(6):
        (run,) = queue.claim()
        order.append(run.account_id)
        if run.account_id == bob:
            queue.finish(run)

    assert order == [queue.account_id, bob, bob, bob, bob, bob]


def fill(queue: Queue, count: int) -> None:
    """Queue runs on so many pages of one site, without politeness."""
    queue.change(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count) "
        "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
        "updated_at_ms) SELECT :account_id, 'https://example.com/' || n, 'example.com', 0, :count || 's' || n, "
        "'queued', 0, 0, 0 FROM numbers",
        count=count,
        account_id=queue.account_id,
    )
    queue.change(
        "INSERT INTO runs (report_id, account_id, number, url, target, priority, state, available_at_ms, "
        "created_at_ms) SELECT id, account_id, 1, url, '', 0, 'queued', 0, 0 FROM reports "
        "WHERE id NOT IN (SELECT report_id FROM runs)"
    )


def steps_of_a_claim(queue: Queue) -> int:
    """The number of hundreds of instructions that SQLite runs for it; unlike its time, always the same."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def work(tx: Transaction) -> None:
        raw: Any = tx.connection.driver_connection
        raw.set_progress_handler(count, 100)
        try:
            claimed = claim_runs(
                tx,
                worker="w1",
                count=1,
                now_ms=NOW_MS,
                lease_ms=LEASE_MS,
                target_runs=2,
                target_runs_per_minute=20,
            )
        finally:
            raw.set_progress_handler(None, 100)
        assert len(claimed) == 1

    queue.database.write_here(work)
    return steps


def test_a_claim_costs_the_same_however_long_the_queue(queue: Queue) -> None:
    """A hundred thousand runs that wait make it no slower."""
    fill(queue, 100)
    short = steps_of_a_claim(queue)
    fill(queue, 100_000)

    assert steps_of_a_claim(queue) <= 2 * short + 2


def test_a_claim_never_scans_the_table(queue: Queue) -> None:
    """However many runs wait or are finished, every statement of a claim goes through an index."""
    plans = []
    for statement in (
        row_queue._ACCOUNTS.statement,
        row_queue._NEXT,
        row_queue._NEXT_OF_ALL.statement,
        row_queue._ABLE,
        lease._CLAIM.statement,
        lease._FOLLOW.statement,
        runs._SAME.statement,
        runs._FOLLOWERS.statement,
    ):
        sql = str(statement.compile()).replace("(__[POSTCOMPILE_full])", "(:full)")
        plans += queue.rows(f"EXPLAIN QUERY PLAN {sql}", **dict.fromkeys(statement.compile().params, 1))
    steps = [str(plan[-1]) for plan in plans]

    assert not [step for step in steps if step.startswith("SCAN") and "waiting" not in step and "CONSTANT" not in step]
    assert any("USING COVERING INDEX ix_runs_queue (state=? AND account_id=?)" in step for step in steps)
    assert sum("ix_runs_same (account_id=? AND url=? AND state=?)" in step for step in steps) == 2
    assert sum("ix_runs_leader" in step for step in steps) == 1
