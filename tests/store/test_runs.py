from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.stored import ClaimedRun, Priority
from pagegrade.store.database import Database, Transaction
from pagegrade.store.history import load_detail, load_run
from pagegrade.store.reports import delete_report
from pagegrade.store.runs import (
    MAX_LEASE_MS,
    claim_runs,
    extend_leases,
    finish_run,
    has_suspects,
    release_run,
)
from pagegrade.store.visits import MAX_DELAY_MS
from tests.queue_builders import LEASE_MS, LOTS, Queue, completed, failed
from tests.store_builders import NOW_MS, add_owner, make_database

HOUR_MS = 3_600_000


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def finish(queue: Queue, run: ClaimedRun, *, now_ms: int = NOW_MS, score: int = 81) -> tuple[int, ...]:
    """Store an outcome."""
    return queue.database.write_here(lambda tx: finish_run(tx, run, completed(score), now_ms))


def test_a_run_is_claimed_once(queue: Queue) -> None:
    """What one worker has taken, no other gets."""
    run = queue.add()

    (claimed,) = queue.claim(5)

    assert (claimed.id, claimed.report_id, claimed.attempt) == (run.id, run.report_id, 1)
    assert claimed.lease_until_ms == NOW_MS + LEASE_MS
    assert queue.claim(5) == ()
    assert queue.report(run.report_id).state == "running"


def test_finishing_stores_everything_at_once(queue: Queue) -> None:
    """The run, its results, the report and the account's total change in one transaction."""
    run = queue.add()
    (claimed,) = queue.claim()

    assert finish(queue, claimed, now_ms=NOW_MS + 5) == (run.report_id,)
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

    assert finish(queue, replace(claimed, attempt=2)) == ()
    assert queue.database.write_here(lambda tx: release_run(tx, claimed, NOW_MS))
    assert finish(queue, claimed) == ()
    (again,) = queue.claim()

    assert finish(queue, again, score=81) != ()
    assert finish(queue, again, score=12) == ()
    assert queue.report(again.report_id).score == 81


def test_deleting_the_report_cancels_its_run(queue: Queue) -> None:
    """The outcome of a deleted report goes nowhere, and the worker hears of it with its next heartbeat."""
    run = queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, run.report_id))

    lost = queue.database.write_here(lambda tx: extend_leases(tx, "w1", (claimed,), NOW_MS, LEASE_MS))

    assert lost == {(claimed.id, claimed.attempt)}
    assert finish(queue, claimed) == ()
    assert queue.rows("SELECT COUNT(*) FROM runs") == [(0,)]
    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]


def test_deleting_the_account_cancels_all_its_runs(queue: Queue) -> None:
    """None of a hundred runs of an erased account leaves a trace."""
    for number in range(100):
        queue.add(f"https://example.com/{number}")
    claimed = queue.claim(10)
    queue.database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM accounts"))

    assert [finish(queue, run) for run in claimed] == [()] * 10
    assert queue.claim(10) == ()
    assert queue.rows("SELECT COUNT(*) FROM runs UNION ALL SELECT COUNT(*) FROM run_details") == [(0,), (0,)]


def test_urgent_runs_go_first_and_equals_by_age(queue: Queue) -> None:
    """Somebody who waits at a page goes ahead of a bulk import."""
    bulk = [queue.add(f"https://a{n}.example/", priority=Priority.BULK).id for n in range(2)]
    urgent = queue.add("https://b.example/").id

    assert [run.id for run in queue.claim(3)] == [urgent, *bulk]


def test_accounts_take_turns(queue: Queue) -> None:
    """A thousand pages of one account do not keep another one waiting."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(10):
        queue.add(f"https://a{number}.example/")
    theirs = [queue.add(f"https://b{number}.example/", account_id=bob).id for number in range(3)]

    order = [queue.claim()[0] for _ in range(6)]

    assert [run.account_id for run in order] == [queue.account_id, bob] * 3
    assert [run.id for run in order if run.account_id == bob] == theirs


def test_several_at_once_are_shared_out_too(queue: Queue) -> None:
    """One claim for many slots goes round as well."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(10):
        queue.add(f"https://a{number}.example/")
    queue.add("https://b.example/", account_id=bob)

    assert Counter(run.account_id for run in queue.claim(4)) == {queue.account_id: 3, bob: 1}


def test_turns_survive_a_clock_that_is_set_back(queue: Queue) -> None:
    """An account that was served before the jump is not starved until the clock has caught up."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(6):
        queue.add(f"https://a{number}.example/")
        queue.add(f"https://b{number}.example/", account_id=bob)
    queue.claim(2)

    order = [queue.claim(now_ms=NOW_MS - HOUR_MS)[0].account_id for _ in range(4)]

    assert order == [queue.account_id, bob] * 2


def test_a_full_target_is_passed_over(queue: Queue) -> None:
    """Two at a time at one domain; what comes later in the queue goes ahead."""
    for number in range(5):
        queue.add(f"https://www.example.com/{number}")
    other = queue.add("https://example.org/")

    first = queue.claim(5, target_runs=2)

    assert [run.url for run in first] == [
        "https://www.example.com/0",
        "https://www.example.com/1",
        "https://example.org/",
    ]
    assert first[-1].id == other.id
    finish(queue, first[0])

    assert [run.url for run in queue.claim(5, target_runs=2)] == ["https://www.example.com/2"]


def test_a_target_is_visited_so_often_a_minute(queue: Queue) -> None:
    """After twenty starts in a minute a domain rests, however quick they were."""
    for number in range(25):
        queue.add(f"https://example.com/{number}")
    for run in queue.claim(25, per_minute=20):
        finish(queue, run)

    assert queue.rows("SELECT COUNT(*) FROM runs WHERE state = 'completed'") == [(20,)]
    assert queue.claim(25, per_minute=20, now_ms=NOW_MS + 60_000) == ()
    assert len(queue.claim(25, per_minute=20, now_ms=NOW_MS + 60_001)) == 5


def test_many_accounts_that_must_wait_hide_nobody(queue: Queue) -> None:
    """Thirty accounts wait for one site; the one behind them that does not is found, and so is room for two."""
    for number in range(30):
        account = add_owner(queue.database, f"Account{number}")[0].id
        queue.add(f"https://example.com/{number}", account_id=account)
    other = queue.add("https://example.org/")
    queue.change("UPDATE accounts SET served_at_ms = 5 WHERE id = :id", id=queue.account_id)

    claimed = queue.claim(5, target_runs=2)

    assert len(claimed) == 3
    assert claimed[-1].id == other.id
    assert queue.claim(5, target_runs=2) == ()


def test_no_target_means_no_politeness(queue: Queue) -> None:
    """Hosts of the operator's own are not spared."""
    for number in range(30):
        queue.add(f"http://127.0.0.1/{number}", target="")

    assert len(queue.claim(30, target_runs=2, per_minute=20)) == 30


def test_identical_runs_in_flight_share_one_outcome(queue: Queue) -> None:
    """The second of two reports on a page takes over the outcome of the first: one fetch, two reports."""
    first, second = queue.add(), queue.add()
    (claimed,) = queue.claim(5)
    third = queue.add()

    changed = finish(queue, claimed)

    assert claimed.id == first.id
    assert sorted(changed) == sorted([first.report_id, second.report_id, third.report_id])
    assert {queue.report(report_id).score for report_id in changed} == {81}
    assert queue.rows("SELECT COUNT(*), COUNT(DISTINCT body) FROM run_details") == [(3, 1)]
    assert queue.rows("SELECT analyses_total FROM accounts") == [(3,)]


def test_other_accounts_share_nothing(queue: Queue) -> None:
    """Bob's run on the same page is his own."""
    bob = add_owner(queue.database, "Bob")[0].id
    queue.add()
    queue.add(account_id=bob)

    assert len(queue.claim(5)) == 2


def test_a_follower_becomes_free_when_its_leader_goes(queue: Queue) -> None:
    """Deleting the report that leads must not leave the others waiting for ever."""
    leader, second, third = queue.add(), queue.add(), queue.add()
    queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, leader.report_id))

    (claimed,) = queue.claim(5)

    assert claimed.id == second.id
    assert sorted(finish(queue, claimed)) == [second.report_id, third.report_id]


def test_followers_of_followers_are_served(queue: Queue) -> None:
    """Runs that lost their leader find each other, and one outcome reaches them all."""
    leader, second, third = queue.add(), queue.add(), queue.add()
    queue.claim()
    queue.database.write_here(lambda tx: delete_report(tx, queue.account_id, leader.report_id))
    fourth = queue.add()
    queue.change("UPDATE runs SET priority = CASE WHEN id = :id THEN 0 ELSE 1 END", id=third.id)

    (claimed,) = queue.claim(5)

    assert claimed.id == third.id
    assert sorted(finish(queue, claimed)) == [second.report_id, third.report_id, fourth.report_id]
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
    finish(queue, queue.claim()[0])

    again = queue.again(run.report_id)

    report = queue.report(run.report_id)

    assert (again.number, again.state) == (2, "queued")
    assert (report.state, report.score, report.run_number) == ("queued", 81, 1)


def test_a_failed_run_is_an_end_too(queue: Queue) -> None:
    """A page that cannot be analysed is finished, with its error."""
    run = queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: finish_run(tx, claimed, failed("dns"), NOW_MS))

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


def test_a_delay_does_not_outlast_a_clock_that_is_set_back(queue: Queue) -> None:
    """A run put off before the jump seems far in the future after it, and is taken all the same."""
    queue.add()
    (claimed,) = queue.claim()
    queue.database.write_here(lambda tx: release_run(tx, claimed, NOW_MS, MAX_DELAY_MS))

    assert len(queue.claim(now_ms=NOW_MS - HOUR_MS)) == 1


def test_old_starts_do_not_block_after_the_clock_is_set_back(queue: Queue) -> None:
    """Visits that seem to lie in the future do not count."""
    for number in range(21):
        queue.add(f"https://example.com/{number}")
    for run in queue.claim(20, per_minute=20):
        finish(queue, run)

    assert len(queue.claim(per_minute=20, now_ms=NOW_MS - HOUR_MS)) == 1


def test_a_heartbeat_keeps_runs(queue: Queue) -> None:
    """Each beat moves the lease on; one that has just been finished is not reported as lost."""
    queue.add()
    queue.add("https://example.org/")
    kept, done = queue.claim(2)
    finish(queue, done)

    lost = queue.database.write_here(
        lambda tx: extend_leases(tx, "w1", (kept, done), NOW_MS + 1_000, 10 * MAX_LEASE_MS)
    )

    assert lost == set()
    assert queue.rows("SELECT lease_until_ms FROM runs WHERE id = :id", id=kept.id) == [
        (NOW_MS + 1_000 + MAX_LEASE_MS,)
    ]


def test_another_worker_cannot_keep_my_run(queue: Queue) -> None:
    """A heartbeat of somebody else changes nothing and tells them that they hold nothing."""
    queue.add()
    (claimed,) = queue.claim()

    lost = queue.database.write_here(lambda tx: extend_leases(tx, "w2", (claimed,), NOW_MS + 1_000, LEASE_MS))

    assert lost == {(claimed.id, 1)}
    assert queue.rows("SELECT lease_until_ms FROM runs") == [(NOW_MS + LEASE_MS,)]


def test_suspects_are_claimed_by_themselves(queue: Queue) -> None:
    """Runs on their last attempt are not among the others, and the others not among them."""
    suspect, fresh = queue.add("https://a.example/"), queue.add("https://b.example/")
    queue.change("UPDATE runs SET attempt = 2 WHERE id = :id", id=suspect.id)

    assert queue.database.read_here(has_suspects)
    assert [run.id for run in queue.claim(5)] == [fresh.id]
    assert [(run.id, run.attempt) for run in queue.claim(5, suspects=True)] == [(suspect.id, 3)]
    assert not queue.database.read_here(has_suspects)


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
    """How many hundreds of instructions SQLite runs for it; unlike its time, always the same."""
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


def test_many_workers_claim_each_run_once(queue: Queue) -> None:
    """Two processes that claim at the same instant never get the same run, over thousands of them."""
    count = 2_000
    fill(queue, count)
    taken: list[list[tuple[int, int]]] = [[] for _ in range(4)]

    def work(number: int, database: Database) -> None:
        while True:
            claimed = database.write_here(
                lambda tx: claim_runs(
                    tx,
                    worker=f"w{number}",
                    count=7,
                    now_ms=NOW_MS,
                    lease_ms=LEASE_MS,
                    target_runs=LOTS,
                    target_runs_per_minute=LOTS,
                )
            )
            if not claimed:
                return
            taken[number] += [(run.id, run.attempt) for run in claimed]

    other = Database(queue.database.url, checkpoints=False)
    threads = [threading.Thread(target=work, args=(n, (queue.database, other)[n % 2])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()

    everything = [each for one in taken for each in one]

    assert len(everything) == len(set(everything)) == count
    assert sum(bool(one) for one in taken) >= 2


def test_a_claim_never_scans_the_table(queue: Queue) -> None:
    """However many runs wait or are finished, every statement of a claim goes through an index."""
    from pagegrade.store import runs

    plans = []
    for statement in (
        runs._ACCOUNTS.statement,
        runs._NEXT,
        runs._NEXT_OF_ALL.statement,
        runs._ABLE,
        runs._CLAIM.statement,
        runs._FOLLOW.statement,
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
