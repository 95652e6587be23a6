from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.rate_limit import (
    LONGEST_S,
    bucket_name,
    forget_buckets,
    give_token_back,
    look_at_bucket,
    note,
    take_token,
)
from pagegrade.store.schema.migrate import migrate
from tests.database_clock import make_clock, show
from tests.postgres import Databases, Postgres
from tests.store_builders import NOW_MS, make_database

pytestmark = pytest.mark.backend("postgresql", reason="one process counts in memory")
ALICE = bucket_name("requests", "alice")


class Desk:
    """A database with a clock that stands still until it is set."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now_ms = NOW_MS
        make_clock(database)
        show(database, NOW_MS)

    def go_on(self, seconds: float) -> None:
        """Let so much time pass; negative: the clock is set back."""
        self.now_ms += round(seconds * 1000)
        show(self.database, self.now_ms)

    def take(self, name: bytes = ALICE, *, limit: int = 3, window_s: int = 60) -> tuple[bool, float]:
        """Count one more: if that was possible, and how long the bucket takes to be full."""
        return self.database.write_here(lambda tx: take_token(tx, name, step_s=window_s / limit, window_s=window_s))

    def forget(self, *, most: int = 100, limit: int = 100) -> int:
        """Number of rows that were deleted."""
        return self.database.write_here(partial(forget_buckets, most=most, limit=limit))

    def left(self) -> set[bytes]:
        """Names of all rows."""
        return self.database.read_here(
            lambda tx: {bytes(row[0]) for row in tx.exec_driver_sql("SELECT name FROM buckets")}
        )


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """One on a database of its own."""
    database = make_database(tmp_path)
    yield Desk(database)
    database.close()


def test_so_many_are_counted_and_not_one_more(desk: Desk) -> None:
    """A refusal says the time as well, and changes nothing."""
    answers = []
    for _ in range(5):
        answers.append(desk.take())
        desk.go_on(1.5)

    assert answers == [(True, 20.0), (True, 38.5), (True, 57.0), (False, 55.5), (False, 54.0)]


def test_what_is_given_back_was_never_counted(desk: Desk) -> None:
    """A bucket that is full already stays so."""
    desk.take()
    left = [desk.database.write_here(lambda tx: give_token_back(tx, ALICE, step_s=20.0)) for _ in range(2)]
    answers = [desk.take()[0] for _ in range(4)]

    assert left == [0.0, -20.0]
    assert answers == [True, True, True, False]


def test_looking_changes_nothing(desk: Desk) -> None:
    """Not even for a name without a row."""
    fresh = desk.database.read_here(lambda tx: look_at_bucket(tx, ALICE))

    assert fresh == 0.0
    assert desk.left() == set()


@pytest.mark.parametrize(("back_s", "wait_s"), [(3600, 0), (61, 0), (59, 59 + 20), (1, 21)])
def test_a_clock_that_was_set_back_locks_no_client_out(desk: Desk, back_s: int, wait_s: int) -> None:
    """By more than a window: the bucket is full again. By less: the client waits for as long besides."""
    for _ in range(3):
        desk.take()
    desk.go_on(-back_s)
    if wait_s:
        desk.go_on(wait_s - 1)
        early = desk.take()[0]
        desk.go_on(1)
        assert not early

    assert desk.take()[0]


def test_requests_at_the_same_moment_get_the_limit_and_not_one_more(tmp_path: Path) -> None:
    """From as many connections as several pools have: at a name without a row, and at a bucket that is almost empty."""
    pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(3)]
    make_clock(pools[0])
    show(pools[0], NOW_MS)

    def take(number: int) -> bool:
        return pools[number % 4].write_here(lambda tx: take_token(tx, ALICE, step_s=60 / 50, window_s=60))[0]

    with ThreadPoolExecutor(24) as threads:
        first = sum(threads.map(take, range(49)))
        last = sum(threads.map(take, range(200)))
    for pool in pools:
        pool.close()

    assert (first, last) == (49, 1)


def test_the_only_token_is_taken_once(tmp_path: Path) -> None:
    """By clients that all find no row; each answer says how long the bucket takes to be full."""
    database = make_database(tmp_path)
    make_clock(database)
    show(database, NOW_MS)

    def take(number: int) -> tuple[bool, float]:
        name = bucket_name("requests", number // 8)
        return database.write_here(lambda tx: take_token(tx, name, step_s=60, window_s=60))

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(take, range(400)))
    database.close()

    assert [sum(taken for taken, _ in answers[at : at + 8]) for at in range(0, 400, 8)] == [1] * 50
    assert {full_in_s for _, full_in_s in answers} == {60.0}


def test_what_happened_is_remembered_for_so_long(desk: Desk) -> None:
    """From the last time on."""
    name = bucket_name("known", "alice")
    seconds = []
    for _ in range(2):
        desk.database.write_here(lambda tx: note(tx, name, 100))
        desk.go_on(60)
        seconds.append(desk.database.read_here(lambda tx: look_at_bucket(tx, name)))
    desk.go_on(40)

    assert seconds == [40.0, 40.0]
    assert desk.database.read_here(lambda tx: look_at_bucket(tx, name)) == 0.0


def test_full_buckets_are_forgotten(desk: Desk) -> None:
    """And such as a wrong clock has written; the others stay."""
    minute, hour, known = bucket_name("minute"), bucket_name("hour"), bucket_name("known")
    desk.take(minute, limit=1)
    desk.take(hour, limit=1, window_s=3600)
    desk.database.write_here(lambda tx: note(tx, known, LONGEST_S))
    desk.go_on(59)
    early = desk.forget()
    desk.go_on(1)
    forgotten = desk.forget()
    left = desk.left()
    desk.go_on(-3700)

    assert (early, forgotten, left) == (0, 1, {hour, known})
    assert desk.forget() == 1
    assert desk.left() == {hour}


def test_forgetting_waits_for_no_lock(desk: Desk) -> None:
    """A locked row is left for the next time."""
    held, free = bucket_name("held"), bucket_name("free")
    desk.take(held)
    desk.take(free)
    desk.go_on(60)
    with ThreadPoolExecutor(1) as threads:

        def forget_meanwhile(tx: Transaction) -> int:
            tx.exec_driver_sql("SELECT 1 FROM buckets WHERE name = %s FOR UPDATE", (held,))
            return threads.submit(desk.forget).result(30)

        meanwhile = desk.database.write_here(forget_meanwhile)

    assert meanwhile == 1
    assert desk.left() == {held}


@pytest.mark.parametrize(("most", "forgotten"), [(100, 0), (99, 1), (70, 30), (50, 40)])
def test_of_too_many_those_that_are_full_the_soonest_go(desk: Desk, most: int, forgotten: int) -> None:
    """At the limit and past it; no more at a time than was asked for."""
    for number in range(100):
        desk.take(bucket_name(number), window_s=3600)
        desk.go_on(1)
    gone = desk.forget(most=most, limit=40)

    assert gone == forgotten
    assert desk.left() == {bucket_name(number) for number in range(forgotten, 100)}


def test_names_of_different_things_differ() -> None:
    """However their parts are cut; any text is a name, and none can be read in the table."""
    names = {bucket_name(*parts) for parts in (("a", "bc"), ("ab", "c"), ("abc",), ("a", "b", "c"), (1, "1"), ("11",))}

    assert len(names) == 6
    assert len(bucket_name("x" * 10_000, "\0\ud800")) == 16


def test_after_a_crash_of_the_server_all_buckets_are_full() -> None:
    """The table is empty then, and works."""
    server = Postgres()
    try:
        server.start()
        database = open_database(Databases(server.url("postgres")).make_empty())
        migrate(database)
        take = partial(take_token, name=ALICE, step_s=3600, window_s=3600)
        before = [database.write_here(take)[0] for _ in range(2)]
        database.close()
        server.stop("immediate")
        server.start()
        again = open_database(database.url)
        after = [again.write_here(take)[0] for _ in range(2)]
        again.close()
    finally:
        server.close()

    assert before == after == [True, False]
