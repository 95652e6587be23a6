from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.installation import (
    CATCH_UP,
    KEPT_MS,
    SECRET_BYTES,
    STEP_MS,
    DeletionClock,
    LiveProcess,
    Process,
    beat,
    follow_clock,
    forget,
    forget_silent,
    list_live,
    load_or_make_secret,
    load_secret,
    note_origin,
    noted_origin,
    read_clock,
    trust_clock,
)
from tests.database_clock import make_clock, show
from tests.queue_builders import Queue
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

MINUTE_MS = 60_000
DAY_MS = 86_400_000
SILENT_MS = 30_000
ONE = Process(name="one", kind="serve", version="1.0", host="ant.example", pid=12)
TWO = Process(name="two", kind="worker", version="1.1", host="bee.example", pid=34)


def test_a_secret_is_made_once(tmp_path: Path) -> None:
    """It is the same after a restart, and another one for another purpose."""
    database = make_database(tmp_path)
    before = database.read_here(lambda tx: load_secret(tx, "cookies"))
    made = database.write_here(lambda tx: load_or_make_secret(tx, "cookies"))
    other = database.write_here(lambda tx: load_or_make_secret(tx, "others", size_bytes=16))
    database.close()
    again = open_database(database.url)

    assert before is None
    assert len(made) == SECRET_BYTES
    assert len(other) == 16
    assert again.write_here(lambda tx: load_or_make_secret(tx, "cookies")) == made
    assert again.read_here(lambda tx: load_secret(tx, "cookies")) == made
    again.close()


def test_processes_that_start_together_have_one_secret(tmp_path: Path) -> None:
    """A cookie that one signs must be good for the other."""
    database = make_database(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: database.write_here(lambda tx: load_or_make_secret(tx, "cookies")), range(8)))

    assert len(set(made)) == 1
    database.close()


def test_where_the_server_was_reached_last_is_remembered(tmp_path: Path) -> None:
    """For the next process that opens the database."""
    database = make_database(tmp_path)
    never = database.read_here(noted_origin)
    for origin in ("http://127.0.0.1:8080", "https://reports.example.org"):
        database.write_here(partial(note_origin, origin=origin))

    assert never is None
    assert database.read_here(noted_origin) == "https://reports.example.org"
    database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """One whose clock shows what is wanted."""
    made = make_database(tmp_path)
    make_clock(made)
    yield made
    made.close()


def look(database: Database, now_ms: int) -> DeletionClock:
    """Look as a running process does about once a minute."""
    show(database, now_ms)
    return database.write_here(partial(follow_clock, now_ms=now_ms))


def test_an_even_clock_is_followed(database: Database) -> None:
    """From the first look on an empty database, which has nothing to lose."""
    seen = [look(database, NOW_MS + minute * MINUTE_MS) for minute in range(5)]

    assert [each.age_ms for each in seen] == [each.clock_ms for each in seen]
    assert not any(each.jumped for each in seen)


def test_a_jump_moves_nothing(database: Database) -> None:
    """However often the service starts; and the right clock counts again at once."""
    look(database, NOW_MS)
    ahead_ms = NOW_MS + 400 * DAY_MS
    seen = [look(database, ahead_ms + number * 400 * DAY_MS) for number in range(5)]
    back = [look(database, NOW_MS + minute * MINUTE_MS) for minute in (1, 2)]

    assert {each.age_ms for each in seen} == {NOW_MS}
    assert all(each.jumped for each in seen)
    assert [each.behind_ms for each in back] == [MINUTE_MS, 0]


def test_time_that_passes_is_believed(database: Database) -> None:
    """A service that was stopped for ten days deletes as before after some hours."""
    look(database, NOW_MS)
    started_ms = NOW_MS + 10 * DAY_MS
    seen = [look(database, started_ms + minute * MINUTE_MS) for minute in range(10 * 24 * 60 // (CATCH_UP - 1) + 2)]

    assert (seen[0].behind_ms, seen[-1].behind_ms) == (10 * DAY_MS, 0)
    assert all(after.age_ms - before.age_ms <= CATCH_UP * MINUTE_MS for before, after in pairwise(seen))


def test_a_person_may_say_that_the_clock_is_right(database: Database) -> None:
    """At once, and only once."""
    look(database, NOW_MS)
    ahead_ms = NOW_MS + 400 * DAY_MS
    show(database, ahead_ms)
    database.write_here(partial(trust_clock, now_ms=ahead_ms))
    trusted = look(database, ahead_ms + MINUTE_MS)
    again = look(database, ahead_ms + 400 * DAY_MS)

    assert trusted.behind_ms == 0
    assert again.age_ms == ahead_ms + MINUTE_MS


def test_the_newest_row_counts_where_no_clock_was_kept(tmp_path: Path) -> None:
    """A database of an earlier version, with the clock of its first start with this one wrong."""
    database = make_database(tmp_path)
    Queue(database, add_owner(database)[0].id).add("https://example.com/")
    seen = look(database, NOW_MS + 400 * DAY_MS)

    assert (seen.age_ms, seen.jumped) == (NOW_MS, True)
    database.close()


@given(steps=st.lists(st.integers(-500 * DAY_MS, 500 * DAY_MS) | st.integers(0, 2 * STEP_MS), max_size=20))
def test_age_never_outruns_the_time_that_passed(tmp_path_factory: pytest.TempPathFactory, steps: list[int]) -> None:
    """Over any history of a clock: never ahead of it, and never faster than what was seen to pass allows."""
    database = make_file(tmp_path_factory.mktemp("clock"))
    clock_ms = NOW_MS + 1_000 * DAY_MS
    before = look(database, clock_ms)
    for step_ms in steps:
        clock_ms = max(0, clock_ms + step_ms)
        read = database.read_here(partial(read_clock, now_ms=clock_ms))
        after = look(database, clock_ms)
        passed_ms = clock_ms - before.clock_ms
        allowed_ms = CATCH_UP * passed_ms if 0 <= passed_ms <= STEP_MS else 0

        assert read == after
        assert after.age_ms <= min(after.clock_ms, before.age_ms + allowed_ms)
        before = after
    database.close()


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
