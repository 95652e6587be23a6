from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.rate_windows import (
    LONGEST_S,
    PIECE_PAGES,
    Count,
    Counter,
    counter_name,
    give_counts_back,
    is_noted,
    look_at_counts,
    note,
    silence_to_forget,
    sweep_counters,
    take_counts,
)
from pagegrade.store.schema.migrate import migrate
from tests.database_clock import make_clock, show
from tests.postgres import Databases, Postgres
from tests.store_builders import NOW_MS, make_database

pytestmark = pytest.mark.backend("postgresql", reason="one process counts in memory")
KEPT = "SELECT total, cardinality(moments) FROM counters WHERE name = %s"


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

    def take(self, *counters: Counter) -> bool:
        """Return whether one more is counted."""
        return self.database.write_here(lambda tx: take_counts(tx, counters))[0]

    def ask(self, *counters: Counter) -> tuple[bool, tuple[Count, ...]]:
        """The same, and how each stands."""
        return self.database.write_here(lambda tx: take_counts(tx, counters))

    def give_back(self, *counters: Counter) -> bool:
        """Return whether one is taken back."""
        return self.database.write_here(lambda tx: give_counts_back(tx, counters))[0]

    def counted(self, counter: Counter) -> int:
        """In the window that ends now."""
        return self.database.write_here(lambda tx: look_at_counts(tx, (counter,)))[1][0].counted

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a statement finds."""
        return self.database.read_here(lambda tx: [tuple(row) for row in tx.exec_driver_sql(statement, values)])

    def sweep(self, silent_s: float | None = None) -> list[tuple[int, int] | None]:
        """The first piece of the table, and what is behind it."""
        sweep = partial(sweep_counters, silent_s=silent_s)
        return [self.database.write_here(partial(sweep, page=page)) for page in (0, PIECE_PAGES)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """One on a database of its own."""
    database = make_database(tmp_path)
    yield Desk(database)
    database.close()


def counter(name: str, limit: int = 3, window_s: int = 60) -> Counter:
    """So many of something."""
    return Counter(counter_name(name), limit, window_s)


def test_so_many_are_counted_and_not_one_more(desk: Desk) -> None:
    """Refused requests are not counted; what each says fits."""
    alice = counter("alice")
    answers: list[tuple[bool, tuple[Count, ...]]] = []
    for _ in range(5):
        answers.append(desk.ask(alice))
        desk.go_on(1.5)

    assert [(done, count.counted, count.left_s) for done, (count,) in answers] == [
        (True, 1, 60.0),
        (True, 2, 58.5),
        (True, 3, 57.0),
        (False, 3, 55.5),
        (False, 3, 54.0),
    ]


def test_several_are_counted_together_or_not_at_all(desk: Desk) -> None:
    """Each in its own window, and returned in the order of the call."""
    small, large = counter("small", 1, 900), counter("large", 5, 60)
    orders = [desk.ask(large, small) for _ in range(2)]

    assert [done for done, _ in orders] == [True, False]
    assert [[(one.counted, one.left_s) for one in counts] for _, counts in orders] == [[(1, 60.0), (1, 900.0)]] * 2
    assert desk.counted(large) == 1


def test_what_is_given_back_was_never_counted(desk: Desk) -> None:
    """The latest, by all of them or by none; also where several became one."""
    one, other, many = counter("one"), counter("other"), counter("many", 1_000)
    desk.take(one)
    for _ in range(150):
        desk.take(many)
    given = [desk.give_back(*asked) for asked in ((one, other), (one,), (one,), (many,), (many,), (many,))]

    assert given == [False, True, False, True, True, True]
    assert [desk.counted(each) for each in (one, other, many)] == [0, 0, 147]


def test_looking_changes_nothing(desk: Desk) -> None:
    """Not even for a name without a count."""
    for _ in range(5):
        desk.counted(counter("alice"))

    assert desk.rows("SELECT * FROM counters") == []


@pytest.mark.parametrize(("limit", "window_s"), [(7, 60), (60, 60), (100, 3600), (150, 60)])
def test_no_window_ever_holds_more(desk: Desk, limit: int, window_s: int) -> None:
    """Compared with an exact count over a random history; no client waits a sixtieth of the window longer than that."""
    chance = random.Random(limit)  # noqa: S311 - a history, no secret
    alice = counter("alice", limit, window_s)
    taken: list[int] = []
    refused_ms: list[int] = []
    for _ in range(400):
        desk.go_on(chance.choice((0.0, 0.05, window_s / 400, window_s / 30)) * chance.random())
        room = limit - sum(at > desk.now_ms - window_s * 1000 for at in taken)
        if desk.take(alice):
            taken.append(desk.now_ms)
            assert room > 0
        elif room > 0:
            refused_ms.append(desk.now_ms - window_s * 1000 - taken[-limit])

    assert len(taken) > 100 if limit > 60 else len(taken) > limit
    assert max(refused_ms, default=0) <= (window_s * 1000 / 60 if limit > 60 else 0)
    assert desk.rows("SELECT max(cardinality(moments)) <= 61 FROM counters") == [(True,)]


def test_a_row_stays_small_however_large_the_limit(desk: Desk) -> None:
    """Sixty times of day and one, and all that was counted."""
    alice = counter("alice", 10**9)
    for _ in range(140):
        for _ in range(3):
            desk.take(alice)
        desk.go_on(0.4)
    ((total, moments),) = desk.rows(KEPT, alice.name)

    assert total == 420
    assert moments <= 61
    assert desk.counted(alice) == 420


def test_what_was_put_together_ends_with_its_latest(desk: Desk) -> None:
    """Nothing leaves the window too early; the rest of it as soon as it may."""
    alice = counter("alice", 1_000)
    for _ in range(60):
        desk.take(alice)
    for _ in range(2):
        desk.go_on(0.4)
        desk.take(alice)
    desk.go_on(0.4)
    for _ in range(3):
        desk.take(alice)
    counted = []
    for seconds in (58.75, 0.05, 0.8, 0.399, 0.001):
        desk.go_on(seconds)
        counted.append(desk.counted(alice))

    assert counted == [65, 65, 3, 3, 0]


def test_a_clock_that_was_set_back_locks_no_client_out(desk: Desk) -> None:
    """Earlier requests count for one more window."""
    alice = counter("alice")
    for _ in range(3):
        desk.take(alice)
    desk.go_on(-3600)
    just_after = desk.take(alice)
    desk.go_on(59.9)
    soon = desk.take(alice)
    desk.go_on(0.1)

    assert (just_after, soon) == (False, False)
    assert desk.take(alice)


def test_requests_at_the_same_moment_get_the_limit_and_not_one_more(tmp_path: Path) -> None:
    """From as many connections as several pools have: at an empty counter, and at one that is almost full."""
    pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(3)]
    alice = counter("alice", 50)

    def take(number: int) -> bool:
        return pools[number % 4].write_here(lambda tx: take_counts(tx, (alice,)))[0]

    with ThreadPoolExecutor(24) as threads:
        first = sum(threads.map(take, range(49)))
        last = sum(threads.map(take, range(200)))
    counted = Desk(pools[0]).counted(alice)
    for pool in pools:
        pool.close()

    assert (first, last) == (49, 1)
    assert counted == 50


def test_those_who_count_by_the_same_in_another_order_do_not_wait_in_a_circle(tmp_path: Path) -> None:
    """The server gives up none of them, and all are counted."""
    database = make_database(tmp_path)
    asked = [counter(name, 10_000) for name in ("a", "b", "c")]

    def take(number: int) -> bool:
        turned = asked[number % 3 :] + asked[: number % 3]
        return database.write_here(lambda tx: take_counts(tx, turned[:: -1 if number % 2 else 1]))[0]

    with ThreadPoolExecutor(8) as threads:
        taken = sum(threads.map(take, range(400)))
    _, counts = database.write_here(lambda tx: look_at_counts(tx, asked))
    given_up = database.read_here(
        lambda tx: tx.exec_driver_sql(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
        ).scalar_one()
    )
    database.close()

    assert taken == 400
    assert [count.counted for count in counts] == [400] * 3
    assert given_up == 0


def test_what_happened_is_remembered_for_so_long(desk: Desk) -> None:
    """From the last time on."""
    name = counter_name("known", "alice")
    before = desk.database.read_here(lambda tx: is_noted(tx, name))
    for _ in range(2):
        desk.database.write_here(lambda tx: note(tx, name, 100))
        desk.go_on(60)
    during = desk.database.read_here(lambda tx: is_noted(tx, name))
    desk.go_on(40)

    assert (before, during) == (False, True)
    assert not desk.database.read_here(lambda tx: is_noted(tx, name))


def test_what_no_longer_counts_is_swept(desk: Desk) -> None:
    """Counters whose window has passed, and such as a wrong clock has written; what counts stays."""
    for name, window_s in (("minute", 60), ("hour", 3600)):
        desk.take(counter(name, 1, window_s))
    desk.database.write_here(lambda tx: note(tx, counter_name("known"), LONGEST_S))
    desk.go_on(59)
    early = desk.sweep()
    desk.go_on(1)
    swept = desk.sweep()
    desk.go_on(-60 * 24 * 3600)

    assert early == [(0, 3), None]
    assert swept == [(1, 2), None]
    assert desk.sweep() == [(2, 0), None]


def test_sweeping_waits_for_no_lock(desk: Desk) -> None:
    """A locked row is left for the next time."""
    desk.take(counter("held"))
    desk.take(counter("free"))
    desk.go_on(60)
    held = counter("held").name
    with ThreadPoolExecutor(1) as threads:

        def sweep_meanwhile(tx: Transaction) -> list[tuple[int, int] | None]:
            tx.exec_driver_sql("SELECT 1 FROM counters WHERE name = %s FOR UPDATE", (held,))
            return threads.submit(desk.sweep).result(30)

        meanwhile = desk.database.write_here(sweep_meanwhile)

    assert meanwhile == [(1, 1), None]
    assert desk.sweep() == [(1, 0), None]


def test_of_too_many_those_left_alone_the_longest_go(desk: Desk) -> None:
    """As many as are to go, about: a few of them are looked at, and a table of this size is looked at whole."""
    for number in range(100):
        desk.take(counter(str(number), 3, 3600))
        desk.go_on(1)
    silent_s = desk.database.read_here(lambda tx: silence_to_forget(tx, 0.3, percent=100))
    gone = desk.sweep(silent_s)
    left = [number for number in range(100) if desk.counted(counter(str(number), 3, 3600))]

    assert gone == [(30, 70), None]
    assert left == list(range(30, 100))


def test_an_empty_table_loses_nothing(desk: Desk) -> None:
    """There is nothing to sweep either."""
    assert desk.database.read_here(lambda tx: silence_to_forget(tx, 0.5)) is None
    assert desk.sweep() == [None, None]


def test_names_of_different_things_differ() -> None:
    """However their parts are cut; any text is a name, and none can be read in the table."""
    names = {counter_name(*parts) for parts in (("a", "bc"), ("ab", "c"), ("abc",), ("a", "b", "c"), (1, "1"), ("11",))}

    assert len(names) == 6
    assert len(counter_name("x" * 10_000, "\0\ud800")) == 16


def test_after_a_crash_of_the_server_all_counts_begin_anew() -> None:
    """The table is empty then, and works."""
    server = Postgres()
    try:
        server.start()
        database = open_database(Databases(server.url("postgres")).make_empty())
        migrate(database)
        alice = counter("alice", 1)
        before = [database.write_here(lambda tx: take_counts(tx, (alice,)))[0] for _ in range(2)]
        database.close()
        server.stop("immediate")
        server.start()
        again = open_database(database.url)
        after = [again.write_here(lambda tx: take_counts(tx, (alice,)))[0] for _ in range(2)]
        again.close()
    finally:
        server.close()

    assert before == after == [True, False]
