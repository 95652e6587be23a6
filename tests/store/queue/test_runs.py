from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.stored import Priority
from pagegrade.store.queue.lease import MAX_LEASE_MS
from pagegrade.store.queue.runs import extend_leases, release_run, set_step
from pagegrade.store.repositories.reports import delete_report
from pagegrade.store.repositories.run_history import load_detail, load_run
from tests.queue_builders import LEASE_MS, Queue, completed, failed
from tests.store_builders import NOW_MS, add_owner, make_database

HOUR_MS = 3_600_000


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def test_finishing_stores_everything_at_once(queue: Queue) -> None:
    """The run, its results, the report and the account's total change in one transaction."""
    run = queue.add()
    (claimed,) = queue.claim()

    assert queue.finish(claimed, now_ms=NOW_MS + 5) == (run.report_id,)
    report = queue.report(run.report_id)
    stored = queue.database.read_here(lambda tx: load_run(tx, run.report_id, 1))
    detail = queue.database.read_here(lambda tx: load_detail(tx, run.report_id, 1))

    assert (report.state, report.score, report.run_number) == ("completed", 81, 1)
    assert stored is not None
    assert (stored.state, stored.score, stored.attempt, stored.finished_at_ms) == ("completed", 81, 1, NOW_MS + 5)
    assert detail is not None
    assert b'"results"' in detail
    assert queue.rows("SELECT analyses_total FROM accounts") == [(1,)]
    assert queue.rows("SELECT lease_until_ms, worker FROM runs") == [(None, None)]


def test_a_late_outcome_is_dropped(queue: Queue) -> None:
    """A worker that lost its run cannot write: not with an old attempt, not twice, not after a release."""
    queue.add()
    (claimed,) = queue.claim()

    assert queue.finish(replace(claimed, attempt=2)) == ()
    assert queue.database.write_here(lambda tx: release_run(tx, claimed, NOW_MS))
    assert queue.finish(claimed) == ()
    (again,) = queue.claim()

    assert queue.finish(again, completed(81)) != ()
    assert queue.finish(again, completed(12)) == ()
    assert queue.report(again.report_id).score == 81


def test_a_late_step_is_dropped(queue: Queue) -> None:
    """A worker that lost its run does not overwrite what the run's new worker is doing, nor does it after the end."""
    queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: release_run(tx, claimed, NOW_MS))
    (again,) = queue.claim()
    queue.database.write_here(lambda tx: set_step(tx, again, "checks"))
    queue.database.write_here(lambda tx: set_step(tx, replace(again, attempt=again.attempt + 1), "page"))

    assert queue.rows("SELECT step FROM runs") == [("checks",)]

    queue.finish(again)
    ended = queue.rows("SELECT step FROM runs")
    queue.database.write_here(lambda tx: set_step(tx, again, "page"))

    assert queue.rows("SELECT step FROM runs") == ended


def test_deleting_the_report_cancels_its_run(queue: Queue) -> None:
    """The outcome of a deleted report goes nowhere, and the worker hears of it with its next heartbeat."""
    run = queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, run.report_id))

    lost = queue.database.write_here(lambda tx: extend_leases(tx, "w1", (claimed,), NOW_MS, LEASE_MS))

    assert lost == {(claimed.id, claimed.attempt)}
    assert queue.finish(claimed) == ()
    assert queue.rows("SELECT COUNT(*) FROM runs") == [(0,)]
    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]


def test_deleting_the_account_cancels_all_its_runs(queue: Queue) -> None:
    """None of a hundred runs of an erased account leaves a trace."""
    for number in range(100):
        queue.add(f"https://example.com/{number}")
    claimed = queue.claim(10)
    queue.database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM accounts"))

    assert [queue.finish(run) for run in claimed] == [()] * 10
    assert queue.claim(10) == ()
    assert queue.rows("SELECT COUNT(*) FROM runs UNION ALL SELECT COUNT(*) FROM run_details") == [(0,), (0,)]


def test_identical_runs_in_flight_share_one_outcome(queue: Queue) -> None:
    """The second of two reports on a page takes over the outcome of the first: one fetch, two reports."""
    first, second = queue.add(), queue.add()
    (claimed,) = queue.claim(5)
    third = queue.add()

    changed = queue.finish(claimed)

    assert claimed.id == first.id
    assert sorted(changed) == sorted([first.report_id, second.report_id, third.report_id])
    assert {queue.report(report_id).score for report_id in changed} == {81}
    assert queue.rows("SELECT COUNT(*), COUNT(DISTINCT body) FROM run_details") == [(3, 1)]
    assert queue.rows("SELECT analyses_total FROM accounts") == [(3,)]


def test_a_follower_becomes_free_when_its_leader_goes(queue: Queue) -> None:
    """Deleting the report that leads must not leave the others waiting for ever."""
    leader, second, third = queue.add(), queue.add(), queue.add()
    queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, leader.report_id))

    (claimed,) = queue.claim(5)

    assert claimed.id == second.id
    assert sorted(queue.finish(claimed)) == [second.report_id, third.report_id]


def test_followers_of_followers_are_served(queue: Queue) -> None:
    """Runs that lost their leader find each other, and one outcome reaches them all."""
    leader, second, third = queue.add(), queue.add(), queue.add()
    queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, leader.report_id))
    fourth = queue.add()
    queue.change("UPDATE runs SET priority = CASE WHEN id = :id THEN 0 ELSE 1 END", id=third.id)

    (claimed,) = queue.claim(5)

    assert claimed.id == third.id
    assert sorted(queue.finish(claimed)) == [second.report_id, third.report_id, fourth.report_id]
    assert queue.rows("SELECT COUNT(*) FROM runs WHERE state <> 'completed'") == [(0,)]


def test_a_rerun_joins_the_run_under_way(queue: Queue) -> None:
    """Asking twice starts one analysis, as urgent as the more urgent asking."""
    run = queue.add(priority=Priority.BULK)

    joined = queue.again(run.report_id, priority=Priority.RERUN)

    assert joined.id == run.id
    assert queue.rows("SELECT COUNT(*), MIN(priority) FROM runs") == [(1, int(Priority.RERUN))]


def test_a_rerun_is_the_next_run(queue: Queue) -> None:
    """A finished report gets a second run, and keeps its results while that waits."""
    run = queue.add()
    queue.finish(queue.claim()[0])

    again = queue.again(run.report_id)

    report = queue.report(run.report_id)

    assert (again.number, again.state) == (2, "queued")
    assert (report.state, report.score, report.run_number) == ("queued", 81, 1)


def test_a_failed_run_is_an_end_too(queue: Queue) -> None:
    """A page that cannot be analyzed is finished, with its error."""
    run = queue.add()
    (claimed,) = queue.claim()
    queue.finish(claimed, failed("dns"))

    report = queue.report(run.report_id)

    assert report.state == "failed"
    assert report.error is not None
    assert b'"dns"' in report.error


def test_a_released_run_has_not_been_started(queue: Queue) -> None:
    """Giving a run back costs no attempt, and it waits for as long as was said."""
    run = queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: release_run(tx, claimed, NOW_MS, 5_000))

    assert queue.report(run.report_id).state == "queued"
    assert queue.claim(now_ms=NOW_MS + 4_999) == ()
    assert queue.claim(now_ms=NOW_MS + 5_000)[0].attempt == 1


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_a_heartbeat_keeps_runs(queue: Queue) -> None:
    """Each beat moves the lease on; one that has just been finished is not reported as lost."""
    queue.add()
    queue.add("https://example.org/")
    kept, done = queue.claim(2)
    queue.finish(done)

    lost = queue.write(
        lambda tx: extend_leases(tx, "w1", (kept, done), NOW_MS + 1_000, 10 * MAX_LEASE_MS), now_ms=NOW_MS + 1_000
    )

    assert lost == set()
    assert queue.rows("SELECT lease_until_ms FROM runs WHERE id = :id", id=kept.id) == [
        (NOW_MS + 1_000 + MAX_LEASE_MS,)
    ]


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_another_worker_cannot_keep_my_run(queue: Queue) -> None:
    """A heartbeat of another worker changes nothing and returns that it holds nothing."""
    queue.add()
    (claimed,) = queue.claim()

    lost = queue.database.write_here(lambda tx: extend_leases(tx, "w2", (claimed,), NOW_MS + 1_000, LEASE_MS))

    assert lost == {(claimed.id, 1)}
    assert queue.rows("SELECT lease_until_ms FROM runs") == [(NOW_MS + LEASE_MS,)]
