from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.stored import ClaimedRun
from pagegrade.store.queue.runs import release_run
from pagegrade.store.repositories.host_slots import (
    GONE_MS,
    HIDDEN,
    MAX_DELAY_MS,
    admit_addresses,
    end_dead_visits,
    exempt_run,
    forget_visits,
    full_targets,
)
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LOTS, Queue
from tests.store_builders import NOW_MS, add_owner, make_database

ADDRESS = "192.0.2.7"


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def admit(
    queue: Queue,
    run: ClaimedRun,
    *addresses: str,
    now_ms: int = NOW_MS,
    target_runs: int = 2,
    per_minute: int = LOTS,
) -> int | None:
    """Ask whether a run may go to addresses."""
    return queue.write(
        lambda tx: admit_addresses(
            tx, run, addresses, now_ms, target_runs=target_runs, target_runs_per_minute=per_minute
        ),
        now_ms=now_ms,
    )


def claim_sites(queue: Queue, count: int) -> tuple[ClaimedRun, ...]:
    """As many runs, each on a site of its own."""
    for number in range(count):
        queue.add(f"https://site-{number}.example/")
    return queue.claim(count)


def test_sites_on_one_address_share_its_limit(queue: Queue) -> None:
    """Two of three sites of a shared host are visited, the third waits."""
    first, second, third = claim_sites(queue, 3)

    assert admit(queue, first, ADDRESS) is None
    assert admit(queue, second, ADDRESS) is None
    assert admit(queue, third, ADDRESS) == 1_000


def test_what_a_run_waits_for_is_remembered(queue: Queue) -> None:
    """It is not claimed again before there is room at the address that was full, and no attempt is counted."""
    first, second, third = claim_sites(queue, 3)
    for run in (first, second, third):
        wait_ms = admit(queue, run, ADDRESS)
    queue.database.write_here(lambda tx: release_run(tx, third, NOW_MS, wait_ms or 0))

    assert queue.claim(now_ms=NOW_MS + 5_000, target_runs=2) == ()
    queue.finish(first, now_ms=NOW_MS + 5_000, target_runs=2)
    (again,) = queue.claim(now_ms=NOW_MS + 5_000, target_runs=2)

    assert (again.id, again.attempt) == (third.id, 1)


def test_a_full_minute_says_when_there_is_room(queue: Queue) -> None:
    """The wait lasts until the oldest of the starts is a minute old."""
    first, second, third = claim_sites(queue, 3)
    admit(queue, first, ADDRESS, now_ms=NOW_MS, target_runs=LOTS, per_minute=2)
    admit(queue, second, ADDRESS, now_ms=NOW_MS + 10_000, target_runs=LOTS, per_minute=2)

    assert admit(queue, third, ADDRESS, now_ms=NOW_MS + 20_000, target_runs=LOTS, per_minute=2) == 40_001
    assert admit(queue, third, ADDRESS, now_ms=NOW_MS + 60_001, target_runs=LOTS, per_minute=2) is None


def test_no_wait_is_longer_than_the_longest(queue: Queue) -> None:
    """The longest value of the database stays below what a claim takes for a clock set back."""
    first, second = claim_sites(queue, 2)
    admit(queue, first, ADDRESS, now_ms=NOW_MS + 5_000, target_runs=LOTS, per_minute=1)

    assert admit(queue, second, ADDRESS, now_ms=NOW_MS, target_runs=LOTS, per_minute=1) == MAX_DELAY_MS


def test_a_run_does_not_wait_for_itself(queue: Queue) -> None:
    """Its domain was counted when it was claimed, and is its own."""
    (run,) = claim_sites(queue, 1)

    assert admit(queue, run, "site-0.example", ADDRESS, target_runs=1, per_minute=1) is None
    assert queue.rows("SELECT COUNT(*) FROM visits") == [(2,)]


def test_own_hosts_are_not_counted(queue: Queue) -> None:
    """A name that leads into the operator's own networks is as if it had no target."""
    (run,) = claim_sites(queue, 1)
    queue.database.write_here(lambda tx: exempt_run(tx, run))

    assert queue.rows("SELECT COUNT(*) FROM visits") == [(0,)]
    assert queue.rows("SELECT target FROM runs") == [("",)]


def test_visits_are_forgotten_after_a_minute(queue: Queue) -> None:
    """Only what is under way or counts is kept."""
    ended, open_run = claim_sites(queue, 2)
    queue.finish(ended)

    assert queue.write(lambda tx: forget_visits(tx, NOW_MS + 60_000), now_ms=NOW_MS + 60_000) == 0
    assert queue.write(lambda tx: forget_visits(tx, NOW_MS + 60_001), now_ms=NOW_MS + 60_001) == 1
    assert queue.rows("SELECT run_id FROM visits") == [(open_run.id,)]


def test_only_visits_of_dead_workers_are_ended(queue: Queue) -> None:
    """Runs that are running, and those that this process still works on, keep their place."""
    running, finished, orphan = claim_sites(queue, 3)
    for gone in (finished, orphan):
        queue.change("UPDATE runs SET state = 'queued' WHERE id = :id", id=gone.id)
    # With other workers, a run that one of them has just begun is not evaluated by its row alone.
    later_ms = NOW_MS + (GONE_MS + 1 if queue.database.shared else 0)
    queue.write(lambda tx: end_dead_visits(tx, {finished.id}, later_ms), now_ms=later_ms)

    left = queue.rows("SELECT run_id FROM visits WHERE ended_at_ms IS NULL ORDER BY run_id")

    assert left == [(running.id,), (finished.id,)]


def test_full_targets_are_those_at_a_limit(queue: Queue) -> None:
    """One under way of one allowed is full; an ended one counts for its minute only."""
    (run,) = claim_sites(queue, 1)

    def full(now_ms: int, target_runs: int, per_minute: int) -> set[str]:
        return queue.database.read_here(
            lambda tx: full_targets(tx, now_ms, target_runs=target_runs, per_minute=per_minute)
        )

    assert full(NOW_MS, 1, LOTS) == {"site-0.example"}
    assert full(NOW_MS, 2, LOTS) == set()
    queue.finish(run)

    assert full(NOW_MS, 1, LOTS) == set()
    assert full(NOW_MS + 60_000, 1, 1) == {"site-0.example"}
    assert full(NOW_MS + 60_001, 1, 1) == set()


def test_a_target_stays_counted_when_its_name_is_gone(queue: Queue) -> None:
    """A report that is deleted and made again does not get to contact a target more often than others."""
    first, second = queue.add("https://site.example/a"), queue.add("https://site.example/b")
    (run,) = queue.claim(1)
    allowed = admit(queue, run, ADDRESS)
    queue.finish(run)
    queue.write(lambda tx: delete_report(tx, queue.account_id, first.report_id))
    names = [target for (target,) in queue.rows("SELECT target FROM visits")]
    (other,) = queue.claim(1)
    waits = [admit(queue, other, name, per_minute=1) for name in (ADDRESS, "192.0.2.8")]

    assert (allowed, other.report_id) == (None, second.report_id)
    assert len(names) == 2
    assert all(name.startswith(HIDDEN) and "site" not in name and ADDRESS not in name for name in names)
    assert waits == [60_000, None]
