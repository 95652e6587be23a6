"""Those who take runs back meet those who finish, keep or take them at the same moment.

Nothing is taken from the living; each of these has bitten a real queue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pagegrade.store import locks
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.locks import hold_account
from pagegrade.store.queue import lease_reaper
from pagegrade.store.queue.admission import SHARE
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.queue.runs import extend_leases, finish_run
from tests.database_clock import show
from tests.queue_builders import LEASE_MS, Queue, completed
from tests.store_builders import NOW_MS, add_owner, make_database

pytestmark = pytest.mark.backend("postgresql", reason="with one writer there are no races")

LATER_MS = NOW_MS + LEASE_MS + 1
PATIENCE_S = 30


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


@pytest.fixture
def other(queue: Queue) -> Iterator[Database]:
    """The same database as another process has it."""
    database = open_database(queue.database.url)
    yield database
    database.close()


def reap(database: Database) -> tuple[int, ...]:
    """Sweep once, when every lease is over by the clock."""
    show(database, LATER_MS)
    return database.write_here(lambda tx: reap_runs(tx, live=(), now_ms=LATER_MS))


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen after a sweep has found what it thinks is dead, and before it takes anything back."""
    original = locks.try_account
    acted: list[object] = []

    def try_account(tx: Transaction, account_id: int) -> bool:
        if not acted:
            acted.append(act())
        return original(tx, account_id)

    monkeypatch.setattr(lease_reaper, "try_account", try_account)


def test_a_run_that_ends_in_the_gap_stays_ended(queue: Queue, other: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Finished after it was found and before it was taken back: the result stands."""
    run = queue.add()
    (claimed,) = queue.claim()
    meanwhile(
        monkeypatch, lambda: other.write_here(partial(finish_run, run=claimed, packed=completed(), now_ms=LATER_MS))
    )

    assert reap(queue.database) == ()
    assert queue.report(run.report_id).state == "completed"
    assert queue.rows("SELECT attempt, state FROM runs") == [(1, "completed")]


def test_a_run_that_is_kept_in_the_gap_stays_with_its_worker(
    queue: Queue, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A heartbeat that came late, and not too late."""
    run = queue.add()
    (claimed,) = queue.claim()
    meanwhile(monkeypatch, lambda: other.write_here(lambda tx: extend_leases(tx, "w1", (claimed,), LATER_MS, LEASE_MS)))

    assert reap(queue.database) == ()
    assert queue.report(run.report_id).state == "running"
    assert queue.finish(claimed) == (run.report_id,)


def test_a_run_that_is_taken_by_another_in_the_gap_stays_theirs(
    queue: Queue, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken back by one sweep and claimed again while a slower sweep still thinks that it is dead."""
    run = queue.add()
    queue.claim()

    def take_over() -> None:
        monkeypatch.undo()
        queue.change("UPDATE runs SET state = 'queued', worker = NULL, offered = 0 WHERE id = :id", id=run.id)
        queue.worker = "w2"
        assert [again.attempt for again in queue.claim(now_ms=LATER_MS)] == [2]

    meanwhile(monkeypatch, take_over)

    assert reap(other) == ()
    assert queue.rows("SELECT attempt, state, worker FROM runs") == [(2, "running", "w2")]


def test_a_sweep_that_stands_still_stops_no_worker(queue: Queue, other: Database) -> None:
    """While it holds what it found: others sweep past it, and everything of other accounts goes on."""
    bob = add_owner(queue.database, "Bob")[0].id
    mine = queue.add()
    queue.claim()
    theirs = queue.add("https://b.example/", account_id=bob)
    stands, go_on = threading.Event(), threading.Event()
    show(queue.database, LATER_MS)

    def stand_still(tx: Transaction) -> tuple[int, ...]:
        changed = reap_runs(tx, live=(), now_ms=LATER_MS)
        stands.set()
        assert go_on.wait(PATIENCE_S)
        return changed

    with ThreadPoolExecutor(1) as threads:
        standing = threads.submit(other.write_here, stand_still)
        assert stands.wait(PATIENCE_S)
        started_s = time.monotonic()
        swept = reap(queue.database)
        claimed = queue.claim(5, now_ms=LATER_MS)
        ended = queue.finish(claimed[0], now_ms=LATER_MS)
        took_s = time.monotonic() - started_s
        go_on.set()
        changed = standing.result(PATIENCE_S)

    assert swept == ()
    assert ended == (theirs.report_id,)
    assert took_s < PATIENCE_S / 2
    assert changed == (mine.report_id,)


@pytest.mark.parametrize("count", [1, 40])
def test_rows_that_cannot_be_taken_back_hide_no_other(queue: Queue, count: int) -> None:
    """The database itself refuses to change some of them, however many: those behind them are taken back."""
    for number in range(count):
        queue.add(f"https://broken.example/{number}", target="")
    broken = queue.claim(count)
    fine = queue.add("https://fine.example/", target="")
    queue.claim()
    queue.change("ALTER TABLE runs ADD CONSTRAINT moody CHECK (state <> 'queued' OR url NOT LIKE '%broken%') NOT VALID")

    assert len(broken) == count
    assert reap(queue.database) == (fine.report_id,)
    assert queue.rows("SELECT state, COUNT(*) FROM runs GROUP BY state ORDER BY state") == [
        ("queued", 1),
        ("running", count),
    ]


def test_a_busy_account_hides_no_other(queue: Queue, other: Database) -> None:
    """A writer for it may be finishing the very run: it is left for the next sweep, and others are not."""
    bob = add_owner(queue.database, "Bob")[0].id
    mine = queue.add("https://a.example/")
    theirs = queue.add("https://b.example/", account_id=bob)
    queue.claim(2)
    writes, go_on = threading.Event(), threading.Event()

    def write(tx: Transaction) -> None:
        hold_account(tx, queue.account_id)
        writes.set()
        assert go_on.wait(PATIENCE_S)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(other.write_here, write)
        assert writes.wait(PATIENCE_S)
        first = reap(queue.database)
        go_on.set()
        writing.result(PATIENCE_S)
    second = reap(queue.database)

    assert first == (theirs.report_id,)
    assert second == (mine.report_id,)


def test_sweeps_of_many_processes_take_each_run_back_once(queue: Queue) -> None:
    """At the same moment, while the late ones finish: each run is taken back once or ends once."""
    for number in range(40):
        queue.add(f"https://example.com/{number}", target="")
    claimed = queue.claim(40)
    databases = [open_database(queue.database.url) for _ in range(4)]
    show(queue.database, LATER_MS)
    start = threading.Barrier(4)
    outcomes: list[tuple[str, int]] = []

    def act(number: int) -> None:
        start.wait(PATIENCE_S)
        database = databases[number]
        for run in claimed[number::4] if number % 2 else ():
            done = database.write_here(partial(finish_run, run=run, packed=completed(), now_ms=LATER_MS))
            outcomes.extend(("ended", report_id) for report_id in done)
        for _ in range(5):
            found = database.write_here(lambda tx: reap_runs(tx, live=(), now_ms=LATER_MS))
            outcomes.extend(("taken back", report_id) for report_id in found)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(act, range(4)))
    for each in databases:
        each.close()
    reports = [report_id for _, report_id in outcomes]
    ended = {report_id for what, report_id in outcomes if what == "ended"}
    with_job = queue.rows("SELECT COUNT(*) FROM runs WHERE state = 'queued' AND share IN (1, 3)")

    assert sorted(reports) == sorted(run.report_id for run in claimed)
    assert {row[0] for row in queue.rows("SELECT report_id FROM runs WHERE state = 'completed'")} == ended
    assert queue.rows("SELECT COUNT(*) FROM runs WHERE state = 'queued' AND attempt = 1") == [(40 - len(ended),)]
    assert queue.rows("SELECT COUNT(*) FROM procrastinate_jobs") == with_job
    assert with_job[0][0] >= min(SHARE, 40 - len(ended))
