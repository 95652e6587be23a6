from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.processes import (
    KEPT_MS,
    LiveProcess,
    Process,
    beat,
    forget,
    forget_silent,
    list_live,
)
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database

SILENT_MS = 30_000
ONE = Process(name="one", kind="serve", version="1.0", host="ant.example", pid=12)
TWO = Process(name="two", kind="worker", version="1.1", host="bee.example", pid=34)


class Town:
    """Processes that share a database, whose clock counts and not theirs."""

    def __init__(self, database: Database) -> None:
        self.database = database
        make_clock(database)

    def beat(self, process: Process, now_ms: int) -> None:
        """It says that it lives."""
        show(self.database, now_ms)
        self.database.write_here(lambda tx: beat(tx, process, now_ms))

    def live(self, now_ms: int) -> tuple[LiveProcess, ...]:
        """The processes that live."""
        show(self.database, now_ms)
        return self.database.read_here(lambda tx: list_live(tx, now_ms, SILENT_MS))

    def is_alive(self, name: str, now_ms: int) -> bool:
        """Return whether it lives."""
        return name in {process.name for process in self.live(now_ms)}


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """An installation without processes."""
    database = make_database(tmp_path)
    yield Town(database)
    database.close()


def test_a_process_lives_as_long_as_it_says_so(town: Town) -> None:
    """It is dead to the others once it was silent for too long, and lives again when it wakes up."""
    town.beat(ONE, NOW_MS)
    answers = [town.is_alive("one", NOW_MS + after) for after in (0, SILENT_MS - 1, SILENT_MS)]
    town.beat(ONE, NOW_MS + 2 * SILENT_MS)

    assert answers == [True, True, False]
    assert town.is_alive("one", NOW_MS + 2 * SILENT_MS + 1)
    assert not town.is_alive("two", NOW_MS)


def test_those_that_live_are_listed_with_what_they_are(town: Town) -> None:
    """The oldest first; a repeated report of a process changes only its time."""
    for process, after in ((ONE, 0), (TWO, 5_000), (ONE, 9_000)):
        town.beat(process, NOW_MS + after)
    both = town.live(NOW_MS + 9_000)

    assert both == (
        LiveProcess(
            name="one",
            kind="serve",
            version="1.0",
            host="ant.example",
            pid=12,
            started_at_ms=NOW_MS,
            seen_at_ms=NOW_MS + 9_000,
        ),
        LiveProcess(
            name="two",
            kind="worker",
            version="1.1",
            host="bee.example",
            pid=34,
            started_at_ms=NOW_MS + 5_000,
            seen_at_ms=NOW_MS + 5_000,
        ),
    )
    assert [one.name for one in town.live(NOW_MS + 5_000 + SILENT_MS)] == ["one"]


def test_a_process_that_ends_is_gone_at_once(town: Town) -> None:
    """And only that one; ending twice is no mistake."""
    town.beat(ONE, NOW_MS)
    town.beat(TWO, NOW_MS)
    for _ in range(2):
        town.database.write_here(lambda tx: forget(tx, "one"))

    assert [one.name for one in town.live(NOW_MS)] == ["two"]


def test_those_that_never_said_goodbye_are_forgotten(town: Town) -> None:
    """After a while, in which they might have come back; then they are as new."""
    town.beat(ONE, NOW_MS)
    town.beat(TWO, NOW_MS + 1)
    show(town.database, NOW_MS + KEPT_MS)
    gone = town.database.write_here(lambda tx: forget_silent(tx, NOW_MS + KEPT_MS))
    town.beat(ONE, NOW_MS + KEPT_MS)

    assert gone == 1
    assert [one.started_at_ms for one in town.live(NOW_MS + KEPT_MS)] == [NOW_MS + KEPT_MS]


@pytest.mark.backend("postgresql", reason="elsewhere there is one process and one clock")
def test_a_wrong_clock_lets_no_live_worker_look_dead(town: Town) -> None:
    """Neither its own nor that of the reader: the database's counts."""
    show(town.database, NOW_MS)
    town.database.write_here(lambda tx: beat(tx, ONE, NOW_MS - 3_600_000))
    asked = [town.database.read_here(lambda tx, at=at: list_live(tx, at, SILENT_MS)) for at in (0, 2 * NOW_MS)]  # type: ignore[misc]

    assert [[process.name for process in live] for live in asked] == [["one"], ["one"]]


def test_what_a_process_says_of_itself_fits_into_the_table(town: Town) -> None:
    """At its longest."""
    town.beat(replace(ONE, name="n" * 64, version="v" * 40, host="h" * 255, pid=4_194_304), NOW_MS)

    assert town.is_alive("n" * 64, NOW_MS)
