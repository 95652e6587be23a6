from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.stored import MAX_ATTEMPTS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue import lease_reaper
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.queue.runs import extend_leases, requeue_attempt
from pagegrade.store.repositories.host_slots import GONE_MS
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LEASE_MS, Queue
from tests.store_builders import NOW_MS, add_owner, make_database

HOUR_MS = 3_600_000


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def reap(queue: Queue, *, live: Collection[tuple[int, int]] = (), now_ms: int = NOW_MS) -> tuple[int, ...]:
    """Sweep once."""
    return queue.write(lambda tx: reap_runs(tx, live=live, now_ms=now_ms), now_ms=now_ms)


def reap_the_dead(queue: Queue, *, after_ms: int = LEASE_MS) -> tuple[int, ...]:
    """Sweep when the holder of the runs is dead: known at the start of the one process there is, else by the lease."""
    return reap(queue, now_ms=NOW_MS + after_ms + 1 if queue.database.shared else NOW_MS)


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_a_silent_worker_loses_its_run(queue: Queue) -> None:
    """Once the lease is over the run is queued again, and its next start is the second attempt."""
    run = queue.add()
    (claimed,) = queue.claim()

    assert reap(queue, now_ms=NOW_MS + LEASE_MS) == ()
    assert reap(queue, now_ms=NOW_MS + LEASE_MS + 1) == (run.report_id,)
    assert queue.report(run.report_id).state == "queued"
    (again,) = queue.claim(now_ms=NOW_MS + LEASE_MS + 1)

    assert again.attempt == 2
    assert queue.finish(claimed) == ()
    assert queue.finish(again) == (run.report_id,)


@pytest.mark.backend("sqlite", reason="there is one process")
@pytest.mark.parametrize("now_ms", [NOW_MS - HOUR_MS, NOW_MS, NOW_MS + HOUR_MS])
def test_one_process_takes_back_what_it_does_not_execute(queue: Queue, now_ms: int) -> None:
    """Whatever the clock says: at its start, that is everything."""
    left, kept = queue.add(), queue.add("https://b.example/")
    claims = {claimed.id: claimed for claimed in queue.claim(2)}

    assert reap(queue, live={(kept.id, claims[kept.id].attempt)}, now_ms=now_ms) == (left.report_id,)
    assert queue.finish(claims[left.id]) == ()
    assert queue.finish(claims[kept.id]) == (kept.report_id,)
    assert [(again.id, again.attempt) for again in queue.claim(2, now_ms=now_ms)] == [(left.id, 2)]


@pytest.mark.backend("postgresql", reason="there are others")
def test_at_the_start_nothing_is_taken_from_others(queue: Queue) -> None:
    """A process that begins to work knows nothing of those that are at work."""
    run = queue.add()
    queue.claim()

    assert reap(queue) == ()
    assert queue.report(run.report_id).state == "running"


def test_reaping_twice_requeues_once(queue: Queue) -> None:
    """A sweep that another one has completed finds nothing to do."""
    queue.add()
    queue.claim()

    assert len(reap_the_dead(queue)) == 1
    assert reap_the_dead(queue) == ()
    assert queue.claim()[0].attempt == 2


def test_a_run_that_takes_every_worker_down_fails(queue: Queue) -> None:
    """After the last attempt it ends with a reason, and is not tried again."""
    run = queue.add()
    follower = queue.add()
    attempts = []
    for number in range(MAX_ATTEMPTS):
        attempts += [claimed.attempt for claimed in queue.claim(suspects=number == 2)]
        reap_the_dead(queue)

    report = queue.report(run.report_id)

    assert attempts == [1, 2, 3]
    assert report.state == "failed"
    assert json.loads(report.error or b"{}")["reason"] == "retries_exhausted"
    assert queue.report(follower.report_id).state == "failed"
    assert queue.claim() == ()


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_a_clock_that_is_set_forward_takes_no_live_run(queue: Queue) -> None:
    """An hour's jump makes every lease look over; those that this process works on stay its own."""
    queue.add()
    (claimed,) = queue.claim()

    assert reap(queue, live={(claimed.id, claimed.attempt)}, now_ms=NOW_MS + HOUR_MS) == ()
    lost = queue.database.write_here(lambda tx: extend_leases(tx, "w1", (claimed,), NOW_MS + HOUR_MS, LEASE_MS))

    assert lost == set()


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_a_clock_that_is_set_back_keeps_no_dead_run_for_long(queue: Queue) -> None:
    """A lease that seems to last for hours was taken before the jump."""
    queue.add()
    queue.claim()

    assert reap(queue, now_ms=NOW_MS - HOUR_MS) == ()
    assert len(reap(queue, now_ms=NOW_MS - 3 * HOUR_MS)) == 1


def test_a_row_that_cannot_be_taken_back_keeps_no_other(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of one run is logged and undone; the others are queued again."""
    broken, fine = queue.add("https://a.example/"), queue.add("https://b.example/")
    queue.claim(2)

    def moody(tx: Transaction, run_id: int, *rest: Any, **more: Any) -> int | None:
        report_id = requeue_attempt(tx, run_id, *rest, **more)
        if run_id == broken.id:
            raise RuntimeError
        return report_id

    monkeypatch.setattr(lease_reaper, "requeue_attempt", moody)

    assert reap_the_dead(queue) == (fine.report_id,)
    assert queue.rows("SELECT state FROM runs ORDER BY id") == [("running",), ("queued",)]
    assert "run_not_reaped" in caplog.text


def test_the_dead_leave_their_targets(queue: Queue) -> None:
    """Visits of a dead process do not count any more, deleted reports included."""
    kept, gone = queue.add(), queue.add("https://example.org/")
    queue.claim(2, target_runs=1)
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, gone.report_id))

    # Where others work too, a run whose report is gone may be on its way home for a while.
    reap_the_dead(queue, after_ms=max(LEASE_MS, GONE_MS))

    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]
    assert [run.id for run in queue.claim(5, target_runs=1)] == [kept.id]
