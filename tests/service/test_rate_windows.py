from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.service import rate_windows as module
from pagegrade.service.rate_windows import DatabaseWindows, MemoryWindows, Window, Windows, windows_of
from pagegrade.store.engine.database import Database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database, make_file, on

NO_TRANSACTION: Any = None
"""Memory needs none."""
MINUTE = Window(("a minute", "alice"), 2, 60)
HOUR = Window(("an hour", "alice"), 3, 3_600)


class Clock:
    """Moves by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Counting:
    """One way of counting, and the time it goes by."""

    def __init__(self, windows: Windows, database: Database, clock: Clock) -> None:
        self.windows = windows
        self._database = database
        self._clock = clock

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self._clock.now_s += seconds
        show(self._database, NOW_MS + round((self._clock.now_s - 1000) * 1000))

    def take(self, *windows: Window) -> tuple[bool, list[int]]:
        """Count by all of them: whether that was possible, and the counts."""
        done, counts = self._database.write_here(lambda tx: self.windows.take(tx, windows))
        return done, [count.counted for count in counts]

    def give_back(self, *windows: Window) -> tuple[bool, list[int]]:
        """Take the latest counts back."""
        done, counts = self._database.write_here(lambda tx: self.windows.give_back(tx, windows))
        return done, [count.counted for count in counts]

    def note(self, seconds: int) -> None:
        """Remember something for so long."""
        self._database.write_here(lambda tx: self.windows.note(tx, ("known", "alice"), seconds))

    def is_noted(self, who: str) -> bool:
        """Ask for it."""
        return self._database.write_here(lambda tx: self.windows.is_noted(tx, ("known", who)))


@pytest.fixture(params=["memory", "database"])
def counting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Counting]:
    """Each way of counting keeps the same promises."""
    clock = Clock()
    if request.param == "memory":
        database: Database = make_file(tmp_path)
        windows: Windows = MemoryWindows(clock)
    else:
        with on("postgresql"):
            database = make_database(tmp_path)
        windows = DatabaseWindows(database)
    make_clock(database)
    show(database, NOW_MS)
    yield Counting(windows, database, clock)
    database.close()


def test_it_is_counted_by_all_windows_or_by_none(counting: Counting) -> None:
    """One that is full keeps the others from counting."""
    answers = [counting.take(MINUTE, HOUR) for _ in range(3)]
    counting.go_on(60)
    later = [counting.take(MINUTE, HOUR) for _ in range(2)]

    assert answers == [(True, [1, 1]), (True, [2, 2]), (False, [2, 2])]
    assert later == [(True, [1, 3]), (False, [1, 3])]


def test_counts_are_given_back_to_all_windows_or_to_none(counting: Counting) -> None:
    """One that has no count left keeps the others."""
    counting.take(MINUTE, HOUR)
    counting.take(HOUR)

    assert counting.give_back(MINUTE, HOUR) == (True, [0, 1])
    assert counting.give_back(MINUTE, HOUR) == (False, [0, 1])
    assert counting.give_back(HOUR) == (True, [0])


def test_a_note_lasts_as_long_as_it_was_asked_for(counting: Counting) -> None:
    """From the last time on, and for this name only."""
    counting.note(10)
    counting.go_on(9)
    counting.note(10)
    counting.go_on(9)
    before = counting.is_noted("alice"), counting.is_noted("bob")
    counting.go_on(1)

    assert before == (True, False)
    assert not counting.is_noted("alice")


def test_silent_clients_are_forgotten() -> None:
    """Two of them whenever something is counted."""
    clock = Clock()
    windows = MemoryWindows(clock)
    for number in range(1000):
        windows.take(NO_TRANSACTION, [Window(("wrong keys", number), 30, 60)])
    clock.now_s += 60
    for _ in range(600):
        windows.take(NO_TRANSACTION, [Window(("wrong keys", "alice"), 10_000, 60)])

    assert len(windows._times) == 1


@pytest.mark.parametrize(("known", "kept"), [(100, 100), (101, 100)])
def test_many_clients_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch, known: int, kept: int) -> None:
    """At the limit and one past it: the client that was silent the longest is forgotten, a busy one is not."""
    monkeypatch.setattr(module, "REMEMBERED", 100)
    windows = MemoryWindows(Clock())
    busy = Window(("requests", "alice"), 1, 60)
    for number in range(known - 2):
        windows.take(NO_TRANSACTION, [Window(("wrong keys", number), 30, 60)])
        windows.take(NO_TRANSACTION, [busy])
    windows.take(NO_TRANSACTION, [Window(("wrong keys", "last"), 30, 60)])
    oldest = windows.look(NO_TRANSACTION, [Window(("wrong keys", 0), 1, 60)])[0]

    assert len(windows._times) == kept
    assert not windows.look(NO_TRANSACTION, [busy])[0]
    assert oldest is (known > 100)


def test_without_a_clock_of_its_own_it_has_one() -> None:
    """As the server makes it."""
    assert MemoryWindows().take(NO_TRANSACTION, [MINUTE])[0]


def test_one_process_counts_by_itself_and_several_together(tmp_path: Path) -> None:
    """It depends on the database alone."""
    with on("postgresql"):
        shared = make_database(tmp_path)
    own = make_file(tmp_path)
    found = [type(windows_of(database)) for database in (own, shared)]
    shared.close()
    own.close()

    assert found == [MemoryWindows, DatabaseWindows]
