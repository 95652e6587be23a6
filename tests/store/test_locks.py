from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.locks import hold_account, hold_place, hold_targets, try_account, try_place
from tests.store_builders import make_database

PATIENCE_S = 30.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database to hold things in."""
    made = make_database(tmp_path)
    yield made
    made.close()


class Holder:
    """A transaction in a thread of its own that holds something until it is ended."""

    def __init__(self, database: Database, hold: Callable[[Transaction], object]) -> None:
        self._database = database
        self._hold = hold
        self.has = threading.Event()
        self.end = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        def work(tx: Transaction) -> None:
            self._hold(tx)
            self.has.set()
            self.end.wait(PATIENCE_S)

        self._database.write_here(work)

    def ready(self) -> Holder:
        """Itself, once it holds what it wants.

        Raises:
            TimeoutError: Another transaction does.
        """
        if not self.has.wait(PATIENCE_S):
            raise TimeoutError
        return self

    def close(self) -> None:
        """End the transaction."""
        self.end.set()
        self._thread.join(PATIENCE_S)


@pytest.mark.backend("postgresql", reason="only there several write at the same time")
@pytest.mark.parametrize(
    "hold",
    [
        lambda tx: hold_account(tx, 7),
        lambda tx: hold_targets(tx, ("example.com", "example.org")),
        lambda tx: hold_place(tx, "sweeping"),
    ],
    ids=["account", "targets", "place"],
)
def test_what_is_held_others_wait_for(database: Database, hold: Callable[[Transaction], None]) -> None:
    """Until the transaction of the first one has ended."""
    first = Holder(database, hold).ready()
    second = Holder(database, hold)
    waited = not second.has.wait(0.2)
    first.close()

    second.ready().close()

    assert waited


@pytest.mark.backend("postgresql", reason="only there several write at the same time")
def test_a_lock_without_waiting_fails_at_once(database: Database) -> None:
    """Another account or another place is free meanwhile."""

    def hold(tx: Transaction) -> None:
        hold_account(tx, 7)
        hold_place(tx, "sweeping")

    holder = Holder(database, hold).ready()
    taken = database.write_here(lambda tx: (try_account(tx, 7), try_place(tx, "sweeping")))
    free = database.write_here(lambda tx: (try_account(tx, 8), try_place(tx, "counting")))
    holder.close()
    afterwards = database.write_here(lambda tx: (try_account(tx, 7), try_place(tx, "sweeping")))

    assert taken == (False, False)
    assert free == (True, True)
    assert afterwards == (True, True)


@pytest.mark.backend("postgresql", reason="only there several write at the same time")
def test_the_same_number_of_another_kind_is_another_thing(database: Database) -> None:
    """An account does not keep a place."""
    holder = Holder(database, lambda tx: hold_account(tx, 1)).ready()

    assert database.write_here(lambda tx: try_place(tx, "1"))
    holder.close()


@pytest.mark.backend("postgresql", reason="only there several write at the same time")
@pytest.mark.parametrize("account_id", [1, (1 << 31) - 1, 1 << 31, (1 << 63) - 1])
def test_every_account_can_be_held(database: Database, account_id: int) -> None:
    """Also one whose number is larger than the lock's."""
    database.write_here(lambda tx: hold_account(tx, account_id))

    assert database.write_here(lambda tx: try_account(tx, account_id))


@pytest.mark.backend("postgresql", reason="only there several write at the same time")
def test_targets_are_held_in_one_order(database: Database) -> None:
    """However they are given, and with the same one twice, so that no transactions wait in a circle."""
    kinds = "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY 1"

    def held(*targets: str) -> list[int]:
        def work(tx: Transaction) -> list[int]:
            hold_targets(tx, targets)
            return list(tx.exec_driver_sql(kinds).scalars())

        return database.write_here(work)

    assert held("b.example", "a.example", "b.example") == held("a.example", "b.example")


@pytest.mark.backend("sqlite", reason="there one process writes, one change after the other")
def test_with_one_writer_there_is_nothing_to_hold(database: Database) -> None:
    """Everything is had at once."""

    def work(tx: Transaction) -> tuple[bool, bool]:
        hold_account(tx, 7)
        hold_targets(tx, ("example.com",))
        hold_place(tx, "sweeping")
        return try_account(tx, 7), try_place(tx, "sweeping")

    assert database.write_here(work) == (True, True)
