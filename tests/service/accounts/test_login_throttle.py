from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pagegrade.service.accounts import login_throttle as module
from pagegrade.service.accounts.login_throttle import (
    ADDRESS,
    CLIENT,
    CLIENT_AT_ADDRESS,
    CLIENT_AT_REPORT,
    KNOWN_S,
    DatabaseWindows,
    Guess,
    Guesses,
    MemoryWindows,
    SignInGuesses,
    Windows,
    windows_of,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database, make_file, on

T = TypeVar("T")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Door:
    """Where passwords are guessed, and the time it is there."""

    def __init__(self, windows: Windows, database: Database, clock: Clock) -> None:
        self.windows = windows
        self.guesses = Guesses(windows)
        self.sign_in = SignInGuesses(windows)
        self._database = database
        self._clock = clock

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self._clock.now += seconds
        show(self._database, NOW_MS + round((self._clock.now - 1000) * 1000))

    def guess(self, report_id: int, client: str) -> int | None:
        """At a share page."""
        return run(self.guesses.take(report_id, client))

    def was_right(self, report_id: int, client: str) -> None:
        """It opened."""
        run(self.guesses.give_back(report_id, client))

    def try_to_sign_in(self, email: str, client: str) -> int | None:
        """With some password."""
        return run(self.sign_in.take(email, client))

    def signed_in(self, email: str, client: str) -> None:
        """It was the one."""
        run(self.sign_in.give_back(email, client))


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it gives."""
    return asyncio.run(work)


@pytest.fixture(params=["memory", "database"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
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
    yield Door(windows, database, clock)
    database.close()


def test_a_client_may_guess_ten_times_in_a_quarter_of_an_hour(door: Door) -> None:
    """The eleventh waits until the first is a quarter of an hour old; others, and other reports, are not touched."""
    answers = []
    for _ in range(11):
        answers.append(door.guess(1, "192.0.2.1"))
        door.go_on(10)

    assert answers == [None] * 10 + [800]
    assert door.guess(1, "192.0.2.2") is None
    assert door.guess(2, "192.0.2.1") is None

    door.go_on(790.5)

    assert door.guess(1, "192.0.2.1") is None
    assert door.guess(1, "192.0.2.1") == 10


def test_a_report_may_be_guessed_at_a_hundred_times_an_hour(door: Door) -> None:
    """However many clients share the work."""
    answers = [door.guess(1, f"192.0.2.{number}") for number in range(101)]

    assert answers == [None] * 100 + [3600]

    door.go_on(3600)

    assert door.guess(1, "192.0.2.200") is None


def test_a_right_guess_is_not_counted(door: Door) -> None:
    """An office behind one address opens a report as often as it likes."""
    for _ in range(50):
        assert door.guess(1, "192.0.2.1") is None
        door.was_right(1, "192.0.2.1")
    for _ in range(10):
        assert door.guess(1, "192.0.2.1") is None
    door.was_right(1, "192.0.2.9")
    door.was_right(7, "192.0.2.1")

    assert door.guess(1, "192.0.2.1") is not None


def test_guesses_at_the_same_moment_are_counted_one_by_one() -> None:
    """From many threads, ten and no more."""
    windows = MemoryWindows(Clock())
    guess = Guess(((CLIENT_AT_REPORT, (1, "192.0.2.1")),))
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: windows.take_here(guess), range(200)))

    assert answers.count(None) == 10


def test_guesses_at_the_same_moment_at_several_processes_are_counted_together(tmp_path: Path) -> None:
    """Ten and no more, whichever of them is asked."""
    with on("postgresql"):
        pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(2)]
    doors = [Guesses(windows_of(pool)) for pool in pools]

    async def crowd() -> list[int | None]:
        return list(await asyncio.gather(*(doors[number % 3].take(1, "192.0.2.1") for number in range(150))))

    answers = run(crowd())
    for pool in pools:
        pool.close()

    assert answers.count(None) == 10


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reports left alone the longest are forgotten."""
    monkeypatch.setattr(module, "REMEMBERED", 3)
    windows = MemoryWindows(Clock())
    guesses = Guesses(windows)
    for _ in range(10):
        run(guesses.take(1, "192.0.2.1"))
    for report in (2, 3, 4):
        run(guesses.take(report, "192.0.2.1"))

    assert len(windows._times) == 3
    assert run(guesses.take(1, "192.0.2.1")) is None


def test_a_client_may_try_so_often_whatever_it_types(door: Door) -> None:
    """One password on every account is stopped as many passwords on one are; another client is not."""
    one = [door.try_to_sign_in("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]
    many = [door.try_to_sign_in(f"{number}@example.org", "192.0.2.2") for number in range(CLIENT.count + 1)]

    assert one == [None] * CLIENT_AT_ADDRESS.count + [900]
    assert many == [None] * CLIENT.count + [900]
    assert door.try_to_sign_in("alice@example.org", "192.0.2.3") is None


def test_an_account_may_be_guessed_at_so_often_by_all_together(door: Door) -> None:
    """However its address is written; a refused guess is not counted."""
    spellings = ("alice@example.org", "Alice@Example.ORG")
    answers = [door.try_to_sign_in(spellings[each % 2], f"192.0.2.{each}") for each in range(ADDRESS.count + 50)]

    assert answers == [None] * ADDRESS.count + [3600] * 50

    door.go_on(3600)

    assert door.try_to_sign_in("alice@example.org", "192.0.2.1") is None


def test_strangers_do_not_keep_an_owner_out(door: Door) -> None:
    """From where somebody signed in to the account before, only their own guesses count."""
    door.try_to_sign_in("Alice@example.org", "192.0.2.1")
    door.signed_in("alice@example.org", "192.0.2.1")
    for each in range(ADDRESS.count):
        door.try_to_sign_in("alice@example.org", f"198.51.100.{each}")
    stranger = door.try_to_sign_in("alice@example.org", "203.0.113.1")
    own = [door.try_to_sign_in("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]

    assert stranger == 3600
    assert own == [None] * CLIENT_AT_ADDRESS.count + [900]


def test_so_many_places_are_known_to_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The latest; who was forgotten is a stranger again."""
    monkeypatch.setattr(module, "KNOWN", 2)
    windows = MemoryWindows(Clock())
    guesses = SignInGuesses(windows)
    for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
        run(guesses.give_back("alice@example.org", client))
    for each in range(ADDRESS.count):
        run(guesses.take("alice@example.org", f"198.51.100.{each}"))
    answers = [run(guesses.take("alice@example.org", f"192.0.2.{number}")) for number in (1, 2, 3)]

    assert answers == [3600, None, None]
    assert len(windows._known) == module.KNOWN


def test_a_shared_database_knows_a_place_for_so_long(tmp_path: Path) -> None:
    """After the last time; then it is a stranger's."""
    with on("postgresql"):
        database = make_database(tmp_path)
    make_clock(database)
    door = Door(DatabaseWindows(database), database, Clock())
    door.go_on(0)
    door.signed_in("alice@example.org", "192.0.2.1")
    door.go_on(KNOWN_S - 1)
    for each in range(ADDRESS.count):
        door.try_to_sign_in("alice@example.org", f"198.51.100.{each}")
    answers = [door.try_to_sign_in("alice@example.org", "192.0.2.1")]
    door.go_on(1)
    answers.append(door.try_to_sign_in("alice@example.org", "192.0.2.1"))
    database.close()

    assert answers == [None, 3599]


def test_a_right_guess_is_right_while_the_database_is_away(tmp_path: Path) -> None:
    """It stays counted, which is no reason to keep its owner out."""
    with on("postgresql"):
        database = make_database(tmp_path)
    door = Door(DatabaseWindows(database), database, Clock())
    taken = door.guess(1, "192.0.2.1")
    database.close()
    door.was_right(1, "192.0.2.1")

    assert taken is None


def test_who_signs_in_is_not_counted(door: Door) -> None:
    """An office behind one address signs in as often as it likes."""
    for number in range(100):
        assert door.try_to_sign_in(f"{number}@example.org", "192.0.2.1") is None
        door.signed_in(f"{number}@example.org", "192.0.2.1")


def test_one_process_counts_by_itself_and_several_together(tmp_path: Path) -> None:
    """It depends on the database alone."""
    with on("postgresql"):
        shared = make_database(tmp_path)
    own = make_file(tmp_path)
    found = [type(windows_of(database)) for database in (own, shared)]
    shared.close()
    own.close()

    assert found == [MemoryWindows, DatabaseWindows]
