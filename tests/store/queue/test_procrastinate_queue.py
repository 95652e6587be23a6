"""The queue where many processes share it: delivered one by one, and nothing is forgotten on the way."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.stored import ClaimedRun, Priority
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.locks import hold_account, hold_place
from pagegrade.store.queue.admission import move_due
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.store.queue.runs import finish_run, release_run
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LEASE_MS, LOTS, Queue, completed
from tests.store_builders import NOW_MS, add_owner, make_database

pytestmark = pytest.mark.backend("postgresql", reason="claims among many")


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def jobs(queue: Queue) -> list[tuple[str, str, int]]:
    """(queue, state, run) of every job there is, the most urgent first."""
    found = queue.rows(
        "SELECT queue_name, CAST(status AS text), CAST(args ->> 'run_id' AS int) FROM procrastinate_jobs "
        "ORDER BY priority DESC, id"
    )
    return [(str(name), str(status), int(run)) for name, status, run in found]


@contextlib.contextmanager
def held_elsewhere(database: Database, hold: Callable[[Transaction], None]) -> Iterator[None]:
    """Another transaction holds something for the length of a block."""
    has, end = threading.Event(), threading.Event()

    def work(tx: Transaction) -> None:
        hold(tx)
        has.set()
        end.wait(30)

    with ThreadPoolExecutor(1) as threads:
        done = threads.submit(database.write_here, work)
        has.wait(30)
        try:
            yield
        finally:
            end.set()
            done.result()


def take(
    queue: Queue, count: int = 1, *, database: Database | None = None, worker: str = "w1"
) -> tuple[ClaimedRun, ...]:
    """Claim without offering first, as between two beats of the clock."""
    return (database or queue.database).write_here(
        lambda tx: claim_runs(
            tx, worker=worker, count=count, now_ms=NOW_MS, lease_ms=LEASE_MS, target_runs=LOTS,
            target_runs_per_minute=LOTS,
        )
    )  # fmt: skip


def test_asking_and_delivering_are_one_thing(queue: Queue) -> None:
    """An undone transaction leaves no job, and a job is gone in the moment in which its run is started."""

    def fail(tx: Transaction) -> None:
        from tests.queue_builders import add_queued

        add_queued(tx, queue.account_id)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        queue.database.write_here(fail)

    assert jobs(queue) == []

    run = queue.add()

    assert jobs(queue) == [("runs", "todo", run.id)]
    assert queue.database.read_here(has_jobs)
    assert [each.id for each in take(queue)] == [run.id]
    assert jobs(queue) == []
    assert not queue.database.read_here(has_jobs)


def test_a_claim_that_is_undone_leaves_the_job(queue: Queue) -> None:
    """A worker that dies in the middle of it has taken nothing."""
    run = queue.add()

    def die(tx: Transaction) -> None:
        claimed = claim_runs(
            tx, worker="w", count=5, now_ms=NOW_MS, lease_ms=LEASE_MS, target_runs=2, target_runs_per_minute=20
        )
        assert len(claimed) == 1
        raise RuntimeError

    with pytest.raises(RuntimeError):
        queue.database.write_here(die)

    assert jobs(queue) == [("runs", "todo", run.id)]
    assert queue.report(run.report_id).state == "queued"
    assert [each.attempt for each in take(queue)] == [1]


def test_a_flood_of_one_account_delays_no_other(queue: Queue) -> None:
    """Two hundred of Alice's wait; each of Bob's goes next but one, and Charlie's too."""
    others = [add_owner(queue.database, name)[0].id for name in ("Bob", "Charlie")]
    for number in range(200):
        queue.add(f"https://a{number}.example/", target="")
    take(queue, 20)
    for account_id in others:
        for number in range(5):
            queue.add(f"https://b{number}.example/", account_id=account_id, target="")

    order = [run.account_id for run in take(queue, 20)]

    assert Counter(order)[others[0]] == Counter(order)[others[1]] == 5


def test_an_account_that_comes_late_has_not_saved_up_turns(queue: Queue) -> None:
    """Bob asked for nothing all day; now he takes turns with Alice, and does not go before all of hers."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(60):
        queue.add(f"https://a{number}.example/", target="")
    take(queue, 30)
    for number in range(30):
        queue.add(f"https://b{number}.example/", account_id=bob, target="")

    order = [run.account_id for run in take(queue, 20)]

    assert 8 <= Counter(order)[bob] <= 12


def test_the_more_urgent_goes_first_whatever_its_turn(queue: Queue) -> None:
    """A run that a person waits for, then re-runs, then bulk imports; joined runs become as urgent."""
    bulk = [queue.add(f"https://a{n}.example/", priority=Priority.BULK) for n in range(3)]
    rerun = queue.add("https://b.example/", priority=Priority.RERUN)
    urgent = queue.add("https://c.example/", priority=Priority.INTERACTIVE)
    queue.again(bulk[2].report_id, priority=Priority.INTERACTIVE)

    order = [take(queue)[0].id for _ in range(5)]

    assert order == [urgent.id, bulk[2].id, rerun.id, bulk[0].id, bulk[1].id]


def test_a_job_of_what_is_over_starts_nothing(queue: Queue) -> None:
    """Of a deleted report, and of a run that was put back and is offered twice: the row decides."""
    gone, kept = queue.add("https://a.example/"), queue.add("https://b.example/")
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, gone.report_id))
    queue.change("UPDATE runs SET offered = 0 WHERE id = :id", id=kept.id)
    queue.change(
        "UPDATE procrastinate_jobs SET queueing_lock = 'x' WHERE queueing_lock LIKE :name", name=f"%-{kept.id}"
    )
    queue.write(lambda tx: move_due(tx, NOW_MS, target_runs=LOTS, target_runs_per_minute=LOTS))

    assert len(jobs(queue)) == 3
    assert [run.id for run in take(queue, 5)] == [kept.id]
    assert jobs(queue) == []


def test_the_last_attempt_has_a_queue_of_its_own(queue: Queue) -> None:
    """A request for ordinary runs never gets it."""
    run = queue.add()
    for _ in range(2):
        (claimed,) = queue.claim()
        queue.change("UPDATE runs SET attempt = attempt WHERE id = :id", id=claimed.id)
        queue.database.write_here(partial(release_run, run=claimed, now_ms=NOW_MS))
        queue.change("UPDATE runs SET attempt = attempt + 1 WHERE id = :id", id=run.id)

    assert queue.claim(5) == ()
    assert queue.database.read_here(lambda tx: has_jobs(tx, suspects=True))
    assert [each.attempt for each in queue.claim(5, suspects=True)] == [3]


def test_claims_do_not_wait_for_each_other_in_a_circle(queue: Queue) -> None:
    """Workers that take several runs each, of several accounts at the same few sites: no deadlock, and all get done."""
    accounts = [queue.account_id, *(add_owner(queue.database, f"Owner{number}")[0].id for number in range(4))]
    for number in range(100):
        account_id = accounts[number % 5]
        queue.add(f"https://site-{(number * 7) % 4}.example/{number}", account_id=account_id)
    databases = [open_database(queue.database.url) for _ in range(4)]
    before = queue.rows("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")

    def work(number: int) -> int:
        database, done = databases[number], 0
        until_s = time.monotonic() + 60
        while time.monotonic() < until_s:
            claimed = take(queue, 5, database=database, worker=f"w{number}")
            for run in claimed:
                done += bool(database.write_here(partial(finish_run, run=run, packed=completed(), now_ms=NOW_MS)))
            if not claimed and not database.read_here(has_jobs):
                return done
        return done

    with ThreadPoolExecutor(4) as threads:
        done = sum(threads.map(work, range(4)))
    for each in databases:
        each.close()
    queue.change("SELECT pg_stat_force_next_flush()")

    assert done == 100
    assert queue.rows("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") == before


def test_a_claim_reads_the_same_however_long_the_queue(queue: Queue) -> None:
    """Rows of every table that are looked at for one run, with a hundred that wait and with thousands."""
    short = rows_of_a_claim(queue, 100)
    long = rows_of_a_claim(queue, 5_000)

    assert long <= short + 20


def rows_of_a_claim(queue: Queue, count: int) -> int:
    """Add so many that wait, and claim one."""
    queue.change(
        "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
        "updated_at_ms) SELECT :account_id, 'https://example.com/' || n, 'example.com', 0, :count || 's' || n, "
        "'queued', 0, 0, 0 FROM generate_series(1, CAST(:count AS int)) AS numbers (n)",
        count=str(count),
        account_id=queue.account_id,
    )
    queue.change(
        "INSERT INTO runs (report_id, account_id, number, url, target, priority, state, available_at_ms, "
        "created_at_ms, turn, offered) SELECT id, account_id, 1, url, '', 0, 'queued', 0, 0, id, 1 FROM reports "
        "WHERE id NOT IN (SELECT report_id FROM runs)"
    )
    queue.change(
        "SELECT procrastinate_defer_jobs_v1(ARRAY(SELECT ROW('runs', 'run', 2000000000 - turn, NULL, 'run-' || id, "
        "jsonb_build_object('run_id', id, 'account_id', account_id), NULL)\\:\\:procrastinate_job_to_defer_v1 "
        "FROM runs WHERE NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE queueing_lock = 'run-' || runs.id)))"
    )
    for table in ("reports", "runs", "procrastinate_jobs", "procrastinate_events"):
        queue.change(f"ANALYZE {table}")
    looked_at = "SELECT SUM(seq_tup_read + COALESCE(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables"

    def work(tx: Transaction) -> int:
        before = tx.exec_driver_sql(looked_at).scalar_one()
        claimed = claim_runs(
            tx, worker="w", count=1, now_ms=NOW_MS, lease_ms=LEASE_MS, target_runs=2, target_runs_per_minute=20
        )
        assert len(claimed) == 1
        return int(tx.exec_driver_sql(looked_at).scalar_one() - before)

    return queue.database.write_here(work)


def test_a_busy_account_delays_no_other(queue: Queue) -> None:
    """One claim waits for it; those after it pass its jobs over and leave them where they were."""
    busy, other = queue.add("https://a.example/"), add_owner(queue.database, "Bob")[0]
    free = queue.add("https://b.example/", account_id=other.id)
    with contextlib.ExitStack() as stack:
        stack.enter_context(held_elsewhere(queue.database, lambda tx: hold_account(tx, queue.account_id)))
        stack.enter_context(held_elsewhere(queue.database, lambda tx: hold_place(tx, f"claiming {queue.account_id}")))
        taken = take(queue, 5)

    assert [run.id for run in taken] == [free.id]
    assert [run.id for run in take(queue, 5)] == [busy.id]


def test_an_account_that_is_soon_free_is_waited_for(queue: Queue) -> None:
    """By the first claim that finds it busy, so that an account that is never still for long is served, too."""
    run = queue.add("https://a.example/")
    holding = held_elsewhere(queue.database, lambda tx: hold_account(tx, queue.account_id))
    with ThreadPoolExecutor(1) as threads, holding:
        claim = threads.submit(take, queue, 5)
        waits = not wait([claim], timeout=0.3).done

    assert waits
    assert [each.id for each in claim.result()] == [run.id]
