"""Monitors of an account, on both kinds of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import NotFound, PreconditionFailed, QuotaExceeded, ValidationFailed
from pagegrade.model.monitors import MIN_INTERVAL_MS, Budget, Monitor
from pagegrade.model.stored import ListPart
from pagegrade.service.monitors.operations import (
    MonitorChange,
    create_monitor,
    delete_monitor,
    list_crossings,
    list_monitors,
    show_monitor,
    update_monitor,
)
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.monitors import save_monitor
from tests.queue_builders import Queue, add_queued, completed
from tests.store_builders import BACKENDS, NOW_MS, Backend, add_owner, make_database, on

OPTIONS = ServiceOptions(max_monitors=3)


@pytest.fixture(params=BACKENDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of each kind."""
    kind: Backend = request.param
    with on(kind):
        made = make_database(tmp_path)
    yield made
    made.close()


@pytest.fixture
def alice(database: Database) -> Account:
    """An account with one report."""
    account = replace(add_owner(database, "Alice")[0], timezone="Europe/Prague")
    database.write_here(lambda tx: add_queued(tx, account.id))
    return account


def create(database: Database, account: Account, report_id: int = 1, **change: object) -> Monitor:
    """A monitor of an account."""
    caller, members = Caller(account=account), MonitorChange(**change)  # type: ignore[arg-type]
    return database.write_here(lambda tx: create_monitor(tx, caller, members, OPTIONS, NOW_MS, report_id=report_id))


def update(database: Database, account: Account, now_ms: int = NOW_MS, **change: object) -> Monitor:
    """The first monitor after a change."""
    caller, members = Caller(account=account), MonitorChange(**change)  # type: ignore[arg-type]
    return database.write_here(lambda tx: update_monitor(tx, caller, 1, members, now_ms))


def test_the_zone_is_that_of_the_account(database: Database, alice: Account) -> None:
    """Unless another one is given; the first run is due in the future."""
    own, other = create(database, alice, schedule="hourly"), create(database, alice, timezone="UTC")

    assert (own.timezone, other.timezone, other.schedule) == ("Europe/Prague", "UTC", "daily")
    assert NOW_MS < own.due_at_ms <= NOW_MS + 3_600_000


def test_an_account_has_so_many_monitors(database: Database, alice: Account) -> None:
    """One more is refused, and so is one for a report that is not there."""
    with pytest.raises(ValidationFailed):
        create(database, alice, report_id=2)
    with pytest.raises(ValidationFailed):
        create(database, add_owner(database, "Bob")[0])
    for _ in range(3):
        create(database, alice)
    with pytest.raises(QuotaExceeded):
        create(database, alice)


def test_a_change_leaves_all_else(database: Database, alice: Account) -> None:
    """Budgets that stay keep their state, and a change to nothing changes nothing."""
    made = create(database, alice, schedule="hourly", budgets=("score<80", "high>0"))
    breached = Budget(condition="high>0", state="breached", since_ms=5)
    database.write_here(lambda tx: save_monitor(tx, replace(made, budgets=(made.budgets[0], breached))))
    after = update(database, alice, budgets=("high>0", "coverage<1"))

    assert after.budgets == (breached, Budget(condition="coverage<1"))
    assert (after.schedule, after.due_at_ms, after.paused) == (made.schedule, made.due_at_ms, False)
    assert update(database, alice, budgets=("high>0", "coverage<1"), schedule="hourly", paused=False) == after
    assert update(database, alice, budgets=()).budgets == ()


def test_a_new_schedule_begins_now(database: Database, alice: Account) -> None:
    """But no sooner than ten minutes after the last due time, however often it is changed."""
    made = create(database, alice)
    database.write_here(lambda tx: save_monitor(tx, replace(made, last_due_at_ms=NOW_MS)))
    due_ms = update(database, alice, NOW_MS + 1_000, schedule="*/10 * * * *").due_at_ms

    assert NOW_MS + MIN_INTERVAL_MS <= due_ms < NOW_MS + 2 * MIN_INTERVAL_MS
    assert update(database, alice, NOW_MS + 2_000, timezone="Asia/Kathmandu").due_at_ms >= NOW_MS + MIN_INTERVAL_MS


def test_a_monitor_is_of_its_account(database: Database, alice: Account) -> None:
    """For others it is not there."""
    create(database, alice)
    bob = Caller(account=add_owner(database, "Bob")[0])

    with pytest.raises(NotFound):
        database.read_here(lambda tx: show_monitor(tx, bob, 1))
    with pytest.raises(NotFound):
        update(database, bob.account, paused=True)
    with pytest.raises(NotFound):
        database.write_here(lambda tx: delete_monitor(tx, bob, 1))
    with pytest.raises(NotFound):
        database.read_here(lambda tx: list_crossings(tx, bob, 1, OPTIONS, NOW_MS, from_run=1))

    assert database.read_here(lambda tx: list_monitors(tx, bob, ListPart(page=1, per_page=10))).total == 0


def test_a_condition_on_the_state_is_asked_in_the_transaction(database: Database, alice: Account) -> None:
    """A monitor that is not the one the client knows is neither changed nor deleted."""
    create(database, alice)
    caller = Caller(account=alice)

    with pytest.raises(PreconditionFailed):
        database.write_here(
            lambda tx: update_monitor(tx, caller, 1, MonitorChange(), NOW_MS, changed_tag=lambda _: '"x"')
        )
    with pytest.raises(PreconditionFailed):
        database.write_here(lambda tx: delete_monitor(tx, caller, 1, changed_tag=lambda _: '"x"'))
    database.write_here(lambda tx: delete_monitor(tx, caller, 1, changed_tag=lambda _: None))
    with pytest.raises(NotFound):
        database.read_here(lambda tx: show_monitor(tx, caller, 1))


def test_a_list_is_walked_in_both_directions(database: Database, alice: Account) -> None:
    """From cursor to cursor."""
    for _ in range(3):
        create(database, alice)
    caller = Caller(account=alice)

    def walk(beside: int | None, *, backward: bool = False) -> tuple[list[int], int | None, int | None, int | None]:
        walked = database.read_here(
            lambda tx: list_monitors(tx, caller, ListPart(per_page=2, beside=beside, backward=backward, count=True))
        )
        return [monitor.id for monitor in walked.items], walked.before, walked.after, walked.total

    assert walk(None) == ([3, 2], None, 2, 3)
    assert walk(2) == ([1], 1, None, 3)
    assert walk(1, backward=True) == ([3, 2], None, 2, 3)
    assert walk(1) == ([], None, None, 3)


def test_crossings_are_those_of_the_report(database: Database, alice: Account) -> None:
    """From a run on."""
    create(database, alice, budgets=("score<80",))
    queue = Queue(database, alice.id)
    queue.finish(queue.claim()[0], completed(60))
    found = database.read_here(
        lambda tx: [
            len(list_crossings(tx, Caller(account=alice), 1, OPTIONS, NOW_MS, from_run=number)) for number in (1, 2)
        ]
    )

    assert found == [1, 0]
