"""Jobs of the runs that may start where many processes share the queue, and lines of those that may not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from pagegrade.model.stored import MAX_ATTEMPTS, Priority
from pagegrade.store.locks import hold_targets
from pagegrade.store.queue.admission import IN_LINE_MS, LOOK_MS, find_forgotten, move_due
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.queue.runs import release_run
from pagegrade.store.repositories.host_slots import admit_addresses, exempt_run
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LEASE_MS, LOTS, Queue
from tests.store.queue.test_procrastinate_queue import held_elsewhere, jobs, take
from tests.store_builders import NOW_MS, add_owner, make_database

pytestmark = pytest.mark.backend("postgresql", reason="admission among many")

MINUTE_MS = 60_000


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def with_jobs(queue: Queue) -> list[int]:
    """The runs that have jobs, the most urgent first."""
    return [run for _, _, run in jobs(queue)]


def times(queue: Queue) -> list[int]:
    """The times of the runs that have no job, in the order of their creation."""
    return [at for (at,) in queue.rows("SELECT available_at_ms FROM runs WHERE offered = 0 ORDER BY id")]


def remove(queue: Queue, report_id: int) -> None:
    """Delete a report of Alice's."""
    queue.database.write_here(partial(delete_report, account_id=queue.account_id, report_id=report_id))


def move(queue: Queue, now_ms: int = NOW_MS, *, per_minute: int = 20) -> int:
    """Move the lines that are due, as some process does once a second; two runs at a time."""
    return queue.write(lambda tx: move_due(tx, now_ms, target_runs=2, target_runs_per_minute=per_minute), now_ms=now_ms)


def test_many_runs_of_a_site_get_one_job(queue: Queue) -> None:
    """The others are no jobs that each fetch reads; the next one is looked at by and by, and those behind it not."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(5)]
    elsewhere = queue.add("https://example.org/")

    assert with_jobs(queue) == [runs[0].id, elsewhere.id]
    assert times(queue) == [NOW_MS + LOOK_MS, IN_LINE_MS, IN_LINE_MS, IN_LINE_MS]


def test_a_run_without_a_target_never_stands_in_line(queue: Queue) -> None:
    """A network of the operator has no limits."""
    runs = [queue.add(f"https://10.0.0.1/{number}", target="") for number in range(3)]

    assert with_jobs(queue) == [run.id for run in runs]


def test_a_start_offers_the_next_one_while_there_are_places(queue: Queue) -> None:
    """Two at a time: the third gets no job, however many are asked for, and everything else goes on."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(6)]
    other = queue.add("https://example.org/")
    started = {run.id for run in queue.claim(10, target_runs=2)}

    waiting = queue.rows("SELECT available_at_ms FROM runs WHERE state = 'queued' ORDER BY id")

    assert started == {runs[0].id, runs[1].id, other.id}
    assert jobs(queue) == []
    assert waiting == [(NOW_MS + LOOK_MS,), (IN_LINE_MS,), (IN_LINE_MS,), (IN_LINE_MS,)]


def test_one_that_leaves_makes_way_for_the_next(queue: Queue) -> None:
    """It is offered at once, and only one: those behind it stay where they are."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(6)]
    first, second = queue.claim(10, target_runs=2)
    queue.finish(first, target_runs=2)

    assert with_jobs(queue) == [runs[2].id]
    assert [run.id for run in take(queue)] == [runs[2].id]
    queue.finish(second, target_runs=1, per_minute=2)

    assert runs[4].id not in with_jobs(queue)


def test_the_line_moves_when_a_minute_is_over(queue: Queue) -> None:
    """One after the other, as the target allows, and all of them in the end."""
    for number in range(10):
        queue.add(f"https://example.com/{number}")
    done = 0
    for beat in range(40):
        now_ms = NOW_MS + beat * 5_000
        for run in queue.claim(10, per_minute=4, now_ms=now_ms):
            queue.finish(run, per_minute=4, now_ms=now_ms)
            done += 1
        starts = queue.rows("SELECT COUNT(*) FROM visits WHERE started_at_ms > :since", since=now_ms - MINUTE_MS)

        assert starts[0][0] <= 4

    assert done == 10


def test_who_waits_for_a_page_passes_a_line_of_an_import(queue: Queue) -> None:
    """And an account with one run does not wait for all those of another."""
    bulk = [queue.add(f"https://example.com/{n}", priority=Priority.BULK) for n in range(30)]
    running = list(queue.claim(2, target_runs=2))
    bob = add_owner(queue.database, "Bob")[0].id
    fair = queue.add("https://example.com/fair", account_id=bob, priority=Priority.BULK)
    urgent = queue.add("https://example.com/urgent")
    order = []
    for _ in range(4):
        queue.finish(running.pop(0), target_runs=2)
        running += queue.claim(10, target_runs=2)
        order.append(running[-1].id)

    assert order[0] == urgent.id
    assert fair.id in order[1:]
    assert bulk[-1].id not in order


def test_a_more_urgent_one_does_not_wait_for_a_job_behind_it(queue: Queue) -> None:
    """The job of an import is not fetched for long where the workers are busy."""
    late = queue.add("https://example.com/1", priority=Priority.BULK)
    joined = queue.add("https://example.com/2", priority=Priority.BULK)
    urgent = queue.add("https://example.com/3")

    assert with_jobs(queue) == [urgent.id, late.id]
    queue.again(joined.report_id, priority=Priority.INTERACTIVE)
    move(queue)

    assert with_jobs(queue) == [urgent.id, joined.id, late.id]


def test_a_run_for_a_browser_keeps_no_other_in_line(queue: Queue) -> None:
    """It may wait for a browser for long."""
    drawn = [queue.add(f"https://example.com/{n}", device="mobile") for n in range(3)]
    static = queue.add("https://example.com/static")

    assert with_jobs(queue) == [drawn[0].id, static.id]


@pytest.mark.parametrize("gone", [1, 2], ids=["the job", "the job and the first in line"])
def test_a_line_goes_on_at_once_when_what_it_waits_for_is_deleted(queue: Queue, gone: int) -> None:
    """The job is still there, and starts nothing."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(4)]
    for run in runs[:gone]:
        remove(queue, run.report_id)
    move(queue)

    assert [run.id for run in queue.claim(1)] == [runs[gone].id]


def test_a_line_goes_on_without_the_first_one_that_is_deleted(queue: Queue) -> None:
    """It had the time at which the minute allows another start; nothing of the target is under way."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(3)]
    (first,) = queue.claim(10, per_minute=1)
    queue.finish(first, per_minute=1)
    _, *before = times(queue)
    remove(queue, runs[1].report_id)
    offered = [move(queue, at_ms, per_minute=1) for at_ms in (NOW_MS, before[0])]

    assert before == [NOW_MS + MINUTE_MS + 1, IN_LINE_MS]
    assert offered == [0, 1]
    assert with_jobs(queue) == [runs[2].id]


def test_a_deletion_waits_for_no_other_run_of_the_line(queue: Queue) -> None:
    """Two deletions at one target would wait for each other in a circle."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(4)]
    lock = text("SELECT id FROM runs WHERE id = :id FOR UPDATE").bindparams(id=runs[2].id)
    with held_elsewhere(queue.database, lambda tx: tx.execute(lock).close()):
        remove(queue, runs[1].report_id)

    assert times(queue) == [IN_LINE_MS, 0]
    assert move(queue) == 1
    assert with_jobs(queue) == [runs[0].id, runs[2].id]


def test_a_line_that_nobody_looks_at_is_found(queue: Queue) -> None:
    """The version before deletes the first one and leaves the others to themselves."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(3)]
    queue.claim(1, target_runs=1)
    queue.change("DELETE FROM reports WHERE id = :id", id=runs[1].report_id)
    before = move(queue, NOW_MS + 10 * LOOK_MS)
    queue.write(lambda tx: find_forgotten(tx, NOW_MS))

    assert (before, move(queue)) == (0, 1)
    assert with_jobs(queue) == [runs[2].id]


def test_a_run_that_is_put_off_makes_way_for_the_next(queue: Queue) -> None:
    """It waits for the address of its host, which another site has; those behind it may have other addresses."""
    other, *runs = [queue.add("https://example.org/"), *(queue.add(f"https://example.com/{n}") for n in range(3))]
    found = {run.id: run for run in queue.claim(2, target_runs=1)}
    waits = [
        queue.write(
            partial(
                admit_addresses,
                run=found[run.id],
                addresses=(site, "192.0.2.1"),
                now_ms=NOW_MS,
                target_runs=1,
                target_runs_per_minute=20,
            )
        )
        for run, site in ((other, "example.org"), (runs[0], "example.com"))
    ]
    before = with_jobs(queue)
    queue.write(lambda tx: release_run(tx, found[runs[0].id], NOW_MS, waits[1] or 0))
    move(queue)

    assert waits[0] is None
    assert waits[1] is not None
    assert (before, with_jobs(queue)) == ([], [runs[1].id])


def test_a_run_that_is_given_up_makes_way_for_the_next(queue: Queue) -> None:
    """Its worker is dead, and it is not tried again."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(4)]
    queue.claim(2, target_runs=1)
    later_ms = NOW_MS + LEASE_MS + 1
    move(queue, later_ms)
    offered = with_jobs(queue)
    queue.claim(1, target_runs=2, now_ms=later_ms)
    queue.change("UPDATE runs SET attempt = :attempt WHERE id = :id", attempt=MAX_ATTEMPTS, id=runs[0].id)
    queue.write(lambda tx: reap_runs(tx, live=(), now_ms=later_ms), now_ms=later_ms)
    before = with_jobs(queue)
    move(queue, later_ms)

    assert (offered, before, with_jobs(queue)) == ([runs[1].id], [], [runs[2].id])


def test_a_run_whose_job_is_lost_is_found(queue: Queue) -> None:
    """Whatever took it away, an administrator for instance: after a while it is offered again."""
    run = queue.add()
    queue.change("DELETE FROM procrastinate_jobs")
    too_early = queue.write(lambda tx: find_forgotten(tx, NOW_MS))
    later_ms = NOW_MS + MINUTE_MS + 1
    found = queue.write(lambda tx: find_forgotten(tx, later_ms), now_ms=later_ms)

    assert (too_early, found) == (0, 1)
    assert [each.id for each in queue.claim(now_ms=later_ms)] == [run.id]


def test_a_time_of_a_clock_that_was_set_back_is_not_waited_for(queue: Queue) -> None:
    """No look is farther away than the starts of a minute."""
    for number in range(2):
        queue.add(f"https://example.com/{number}")
    queue.change("UPDATE runs SET available_at_ms = :at WHERE offered = 0", at=NOW_MS + 60 * MINUTE_MS)
    found = queue.write(lambda tx: find_forgotten(tx, NOW_MS))

    assert (found, move(queue)) == (1, 1)


def test_a_target_that_is_held_is_moved_later(queue: Queue) -> None:
    """By then its holder may have offered the run."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(2)]
    later_ms = NOW_MS + LOOK_MS
    with held_elsewhere(queue.database, lambda tx: hold_targets(tx, ("example.com",))):
        held = move(queue, later_ms)

    assert (held, move(queue, later_ms)) == (0, 1)
    assert with_jobs(queue) == [run.id for run in runs]


def test_a_host_that_has_no_limits_after_all_keeps_none_in_line(queue: Queue) -> None:
    """Its visit is gone without a trace, and the next one is offered."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(4)]
    first, _ = queue.claim(10, target_runs=2)
    queue.write(lambda tx: exempt_run(tx, first))
    move(queue)

    assert with_jobs(queue) == [runs[2].id]


def test_runs_parked_by_the_version_before_stand_in_line(queue: Queue) -> None:
    """Each of them has a time; the first one keeps one."""
    runs = [queue.add(f"https://example.com/{number}") for number in range(4)]
    queue.change("UPDATE runs SET available_at_ms = :now + id WHERE offered = 0", now=NOW_MS)
    later_ms = NOW_MS + 10 * LOOK_MS

    assert move(queue, later_ms) == 1
    assert with_jobs(queue) == [runs[0].id, runs[1].id]
    assert times(queue) == [IN_LINE_MS, IN_LINE_MS]
    assert len(queue.claim(10, target_runs=LOTS, now_ms=later_ms)) == 4
