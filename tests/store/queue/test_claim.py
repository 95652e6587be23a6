from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.stored import Priority
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue import claim, lease, runs
from pagegrade.store.queue.claim import claim_runs, has_idle_account, has_suspects
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.store.queue.runs import release_run, set_patient
from pagegrade.store.repositories.host_slots import MAX_DELAY_MS
from tests.queue_builders import LEASE_MS, LOTS, Queue
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


def test_a_run_that_gave_up_its_slot_takes_no_turn(queue: Queue) -> None:
    """Two that wait for their sites delay no page of their account; once they go on, others are before it."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(4):
        queue.add(f"https://a{number}.example/")
    patient = queue.claim(2)
    for number in range(4):
        queue.add(f"https://b{number}.example/", account_id=bob)

    queue.write(partial(set_patient, patient=patient, others=[]))
    order = [run.account_id for run in queue.claim(2)]
    queue.write(partial(set_patient, patient=[], others=patient))
    order += [run.account_id for run in queue.claim(2)]

    assert order == [bob, queue.account_id, bob, bob]


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
        claim._ACCOUNTS.statement,
        claim._NEXT,
        claim._NEXT_OF_ALL.statement,
        claim._ABLE,
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


PATIENCE_S = 60.0
"""Only a hang takes so long."""


def test_a_run_is_claimed_once(queue: Queue) -> None:
    """A run of one worker goes to no other."""
    run = queue.add()

    (claimed,) = queue.claim(5)
    # A single process needs no lease.
    lease = NOW_MS + LEASE_MS if queue.database.shared else None

    assert (claimed.id, claimed.report_id, claimed.attempt) == (run.id, run.report_id, 1)
    assert queue.rows("SELECT lease_until_ms FROM runs") == [(lease,)]
    assert queue.claim(5) == ()
    assert queue.report(run.report_id).state == "running"


def test_urgent_runs_go_first_and_equals_by_age(queue: Queue) -> None:
    """A run that a person waits for goes ahead of a bulk import."""
    bulk = [queue.add(f"https://a{n}.example/", priority=Priority.BULK).id for n in range(2)]
    urgent = queue.add("https://b.example/").id

    assert [run.id for run in queue.claim(3)] == [urgent, *bulk]


def test_accounts_take_turns(queue: Queue) -> None:
    """A thousand pages of one account do not keep another one waiting."""
    bob = add_owner(queue.database, "Bob")[0].id
    for number in range(10):
        queue.add(f"https://a{number}.example/")
    theirs = [queue.add(f"https://b{number}.example/", account_id=bob).id for number in range(3)]

    order = [queue.claim()[0] for _ in range(7)]

    assert [run.id for run in order if run.account_id == bob] == theirs
    assert [run.account_id for run in order[:5]].count(bob) == 2


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
    queue.finish(first[0], target_runs=2)

    assert [run.url for run in queue.claim(5, target_runs=2)] == ["https://www.example.com/2"]


def test_a_target_is_visited_so_often_a_minute(queue: Queue) -> None:
    """After twenty starts in a minute a domain rests, however quick they were."""
    for number in range(25):
        queue.add(f"https://example.com/{number}")
    for run in queue.claim(25, per_minute=20):
        queue.finish(run)

    assert queue.rows("SELECT COUNT(*) FROM runs WHERE state = 'completed'") == [(20,)]
    assert queue.claim(25, per_minute=20, now_ms=NOW_MS + 60_000) == ()
    # Where many processes claim, those that wait are not all let go in the same instant, but every three seconds.
    spread_ms = 4 * 3_000 if queue.database.shared else 0

    assert len(queue.claim(25, per_minute=20, now_ms=NOW_MS + 60_001 + spread_ms)) == 5


def test_many_accounts_that_must_wait_hide_no_other(queue: Queue) -> None:
    """Thirty accounts wait for one site; the one behind them that does not is found, and so is room for two."""
    for number in range(30):
        account = add_owner(queue.database, f"Account{number}")[0].id
        queue.add(f"https://example.com/{number}", account_id=account)
    other = queue.add("https://example.org/")
    queue.change("UPDATE accounts SET served_at_ms = 5 WHERE id = :id", id=queue.account_id)

    claimed = queue.claim(5, target_runs=2)

    assert len(claimed) == 3
    assert other.id in {run.id for run in claimed}
    assert queue.claim(5, target_runs=2) == ()


def test_no_target_means_no_politeness(queue: Queue) -> None:
    """Hosts of the operator's own are not spared."""
    for number in range(30):
        queue.add(f"http://127.0.0.1/{number}", target="")

    assert len(queue.claim(30, target_runs=2, per_minute=20)) == 30


def test_other_accounts_share_nothing(queue: Queue) -> None:
    """Bob's run on the same page is his own."""
    bob = add_owner(queue.database, "Bob")[0].id
    queue.add()
    queue.add(account_id=bob)

    assert len(queue.claim(5)) == 2


@pytest.mark.backend("sqlite", reason="a parked run waits for the server's clock, which many trust")
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
        queue.finish(run)

    assert len(queue.claim(per_minute=20, now_ms=NOW_MS - HOUR_MS)) == 1


def test_suspects_are_claimed_by_themselves(queue: Queue) -> None:
    """Runs on their last attempt are not among the others, and the others not among them."""
    suspect, fresh = queue.add("https://a.example/"), queue.add("https://b.example/")
    queue.change("UPDATE runs SET attempt = 2 WHERE id = :id", id=suspect.id)

    assert queue.database.read_here(has_suspects)
    assert [run.id for run in queue.claim(5)] == [fresh.id]
    assert [(run.id, run.attempt) for run in queue.claim(5, suspects=True)] == [(suspect.id, 3)]
    assert not queue.database.read_here(has_suspects)


def test_many_workers_claim_each_run_once(queue: Queue) -> None:
    """Two processes that claim at the same instant never get the same run, over hundreds of them."""
    count = 600
    for number in range(count):
        queue.add(f"https://example.com/{number}", target="")
    taken: list[list[tuple[int, int]]] = [[] for _ in range(4)]
    all_have_some = threading.Barrier(len(taken))

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
            if not claimed and not (database.shared and database.read_here(has_jobs)):
                return
            is_first = bool(claimed) and not taken[number]
            taken[number] += [(run.id, run.attempt) for run in claimed]
            if is_first:
                # On a busy machine the first thread would have taken everything before the last one began.
                all_have_some.wait(PATIENCE_S)

    other = open_database(queue.database.url, checkpoints=False)
    threads = [threading.Thread(target=work, args=(n, (queue.database, other)[n % 2])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()

    everything = [each for one in taken for each in one]

    assert len(everything) == len(set(everything)) == count
    assert all(taken)


def test_a_run_of_an_account_that_has_none_under_way_can_be_taken_whatever_its_turn(queue: Queue) -> None:
    """One of each such account, however many accounts and runs wait before it."""
    bob, carol = (add_owner(queue.database, name)[0].id for name in ("Bob", "Carol"))
    for number in range(8):
        queue.add(f"https://a{number}.example/")
    queue.claim(4)
    for number in range(3):
        queue.add(f"https://b{number}.example/", account_id=bob)
        queue.add(f"https://c{number}.example/", account_id=carol)

    taken = queue.claim(5, idle_accounts=True)
    more = queue.claim(5, idle_accounts=True)

    assert {run.account_id for run in taken} == {bob, carol}
    assert {run.url for run in taken} == {"https://b0.example/", "https://c0.example/"}
    assert more == ()


def test_an_account_whose_run_has_ended_has_none_under_way(queue: Queue) -> None:
    """Its next one can be taken; and only that is what has_idle_account looks for."""
    bob = add_owner(queue.database, "Bob")[0].id
    queue.add("https://a.example/")
    queue.claim()
    seen = [queue.database.read_here(has_idle_account)]
    for number in range(2):
        queue.add(f"https://b{number}.example/", account_id=bob)
    seen.append(queue.database.read_here(has_idle_account))
    (first,) = queue.claim(idle_accounts=True)
    seen.append(queue.database.read_here(has_idle_account))
    queue.finish(first)

    (second,) = queue.claim(idle_accounts=True)

    assert seen == [False, True, False]
    assert (first.url, second.url) == ("https://b0.example/", "https://b1.example/")


def test_a_run_of_an_idle_account_waits_for_its_target_as_any_other(queue: Queue) -> None:
    """Politeness goes before fairness; another page of the account goes instead."""
    bob = add_owner(queue.database, "Bob")[0].id
    queue.add("https://a.example/1")
    queue.claim(target_runs=1)
    queue.add("https://a.example/2", account_id=bob)
    none = queue.claim(idle_accounts=True, target_runs=1)
    queue.add("https://b.example/", account_id=bob)

    (taken,) = queue.claim(idle_accounts=True, target_runs=1)

    assert none == ()
    assert taken.url == "https://b.example/"


def test_runs_for_a_browser_are_left_to_those_who_have_one(queue: Queue) -> None:
    """A worker without one takes what needs none, however urgent the others are; a worker with one takes both."""
    drawn = queue.add("https://a.example/", device="mobile")
    static = queue.add("https://b.example/", priority=Priority.BULK)

    (first,) = queue.claim(5, browsers=0)
    (second,) = queue.claim(5, browsers=1)

    assert (first.id, first.device) == (static.id, None)
    assert (second.id, second.device) == (drawn.id, "mobile")


def test_no_more_runs_are_claimed_than_browsers_are_free(queue: Queue) -> None:
    """Of three that want a browser two are started, and what needs none is not held up behind the third."""
    drawn = [queue.add(f"https://a{number}.example/", device="desktop").id for number in range(3)]
    static = queue.add("https://b.example/", priority=Priority.BULK).id

    claimed = {run.id for run in queue.claim(5, browsers=2)}

    assert claimed == {*drawn[:2], static}
    assert queue.claim(5, browsers=0) == ()
    assert [run.id for run in queue.claim(5, browsers=1)] == drawn[2:]


def test_no_browser_is_exceeded_for_the_sake_of_idle_accounts(queue: Queue) -> None:
    """Of an account without a run under way, a run that needs no browser is started while none is free."""
    bob = add_owner(queue.database, "Bob")[0].id
    drawn = queue.add("https://a.example/", account_id=bob, device="mobile").id
    static = queue.add("https://b.example/", account_id=bob, priority=Priority.BULK).id

    (first,) = queue.claim(5, idle_accounts=True, browsers=0)
    queue.finish(first)
    (second,) = queue.claim(5, idle_accounts=True, browsers=1)

    assert (first.id, second.id) == (static, drawn)


def test_the_last_attempt_at_a_browser_waits_for_one_too(queue: Queue) -> None:
    """A worker without a browser does not see it, so it holds up nothing there."""
    suspect = queue.add("https://a.example/", device="mobile")
    queue.change("UPDATE runs SET attempt = 2 WHERE id = :id", id=suspect.id)

    assert not queue.database.read_here(lambda tx: has_suspects(tx, browsers=0))
    assert queue.claim(5, suspects=True, browsers=0) == ()
    assert queue.database.read_here(lambda tx: has_suspects(tx, browsers=1))
    # A job that was offered before the run became a suspect is corrected when a worker finds it.
    assert queue.claim(5, browsers=1) == ()
    assert [run.id for run in queue.claim(5, suspects=True, browsers=1)] == [suspect.id]


def test_what_is_released_is_for_a_browser_still(queue: Queue) -> None:
    """A worker that stops gives back what another with a browser takes."""
    queue.add(device="mobile")
    (run,) = queue.claim()
    queue.write(lambda tx: release_run(tx, run, NOW_MS))

    assert queue.claim(browsers=0) == ()
    assert [again.device for again in queue.claim(browsers=1)] == ["mobile"]


def test_the_same_page_on_another_device_is_another_analysis(queue: Queue) -> None:
    """A run follows one that draws the same page on the same device, and no other."""
    for device in (None, "mobile", "desktop", "mobile", None):
        queue.add(device=device)

    assert sorted(str(run.device) for run in queue.claim(9)) == ["None", "desktop", "mobile"]
