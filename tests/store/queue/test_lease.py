from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.rendering import Device
from pagegrade.store.queue.lease import MAX_LEASE_MS, start_run
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import LEASE_MS, Queue
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def test_a_run_that_is_started_is_at_its_target(queue: Queue) -> None:
    """Everything that says so changes together: the run, its report, and who is at the site."""
    run = queue.add()
    started = queue.write(partial(start_run, run_id=run.id, worker="w", now_ms=NOW_MS, lease_ms=LEASE_MS))

    assert (started.id, started.attempt) == (run.id, 1)
    assert queue.report(run.report_id).state == "running"
    assert queue.rows("SELECT target, ended_at_ms FROM visits") == [("example.com", None)]
    assert queue.rows("SELECT state, worker, offered FROM runs") == [("running", "w", 0)]


@pytest.mark.parametrize("device", ["mobile", "desktop", None])
def test_a_run_keeps_the_device_that_it_is_drawn_for(queue: Queue, device: Device | None) -> None:
    """``None`` where no browser draws its page."""
    run = queue.add(device=device)
    started = queue.write(partial(start_run, run_id=run.id, worker="w", now_ms=NOW_MS, lease_ms=LEASE_MS))

    assert started.device == device


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_no_lease_is_longer_than_the_longest(queue: Queue) -> None:
    """Whatever is asked for: one that seems longer was taken by a clock that went back."""
    run = queue.add()
    queue.write(partial(start_run, run_id=run.id, worker="w", now_ms=NOW_MS, lease_ms=10 * MAX_LEASE_MS))

    assert queue.rows("SELECT lease_until_ms FROM runs") == [(NOW_MS + MAX_LEASE_MS,)]


def test_what_lost_its_leader_follows_the_next(queue: Queue) -> None:
    """Of the same account and address; others are not concerned."""
    bob = add_owner(queue.database, "Bob")[0].id
    leader, second, third, other = queue.add(), queue.add(), queue.add(), queue.add(account_id=bob)
    queue.write(lambda tx: delete_report(tx, queue.account_id, leader.report_id))
    queue.write(partial(start_run, run_id=second.id, worker="w", now_ms=NOW_MS, lease_ms=LEASE_MS))

    assert queue.rows("SELECT id, leader_id FROM runs ORDER BY id") == [
        (second.id, None),
        (third.id, second.id),
        (other.id, None),
    ]


def test_what_does_not_wait_is_not_started(queue: Queue) -> None:
    """The caller found it waiting in the same transaction; anything else is a mistake, and changes nothing."""
    run = queue.add()
    start = partial(start_run, run_id=run.id, worker="w", now_ms=NOW_MS, lease_ms=LEASE_MS)
    queue.write(start)
    with pytest.raises(ValueError, match="not enough values"):
        queue.write(start)

    assert queue.rows("SELECT attempt FROM runs") == [(1,)]
