from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
    SECRET_BYTES,
    STEP_MS,
    DeletionClock,
    follow_clock,
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
