from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pagegrade.service.rate_limit import WINDOW_S, Limits, Standing
from pagegrade.service.rate_windows import MOST, DatabaseWindows, MemoryWindows
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database, make_file, on


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Gate:
    """Limits, and the time they go by."""

    def __init__(self, limits: Limits, database: Database, clock: Clock) -> None:
        self.limits = limits
        self.database = database
        self.clock = clock

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.now_s += seconds
        show(self.database, NOW_MS + round((self.clock.now_s - 1000) * 1000))

    def take(self, kind: str, who: str, per_minute: int) -> Standing:
        """Ask."""
        return self.database.write_here(lambda tx: self.limits.take(tx, kind, who, per_minute))

    def look(self, kind: str, who: str, per_minute: int) -> Standing:
        """Ask without asking."""
        return self.database.write_here(lambda tx: self.limits.look(tx, kind, who, per_minute))

    def give_back(self, kind: str, who: str, per_minute: int) -> Standing:
        """Be as if one had not asked."""
        return self.database.write_here(lambda tx: self.limits.give_back(tx, kind, who, per_minute))


@pytest.fixture(params=["memory", "database"])
def gate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gate]:
    """Each way of counting keeps the same promises."""
    clock = Clock()
    if request.param == "memory":
        database: Database = make_file(tmp_path)
        limits = Limits(MemoryWindows(clock))
    else:
        with on("postgresql"):
            database = make_database(tmp_path)
        limits = Limits(DatabaseWindows(database))
    make_clock(database)
    show(database, NOW_MS)
    yield Gate(limits, database, clock)
    database.close()


def test_a_limit_is_kept_to_the_last_request(gate: Gate) -> None:
    """So many are allowed, the next is not, and each says how many are left."""
    standings = [gate.take("requests", "alice", 3) for _ in range(5)]

    assert [each.allowed for each in standings] == [True, True, True, False, False]
    assert [each.remaining for each in standings] == [2, 1, 0, 0, 0]
    assert {(each.limit, each.reset_s) for each in standings} == {(3, 60)}


def test_room_comes_back_as_requests_leave_the_window(gate: Gate) -> None:
    """One by one, a minute after each; there is never more than the limit in any minute."""
    taken: list[float] = []
    for _ in range(300):
        if gate.take("requests", "alice", 7).allowed:
            taken.append(gate.clock.now_s)
        gate.go_on(1.7)
    in_a_minute = [sum(at <= other < at + WINDOW_S for other in taken) for at in taken]

    assert max(in_a_minute) == 7
    assert len(taken) > 7 * 300 * 1.7 / WINDOW_S - 7


def test_waiting_as_long_as_announced_is_enough(gate: Gate) -> None:
    """Retry-After is exact."""
    gate.take("requests", "alice", 2)
    gate.go_on(10.4)
    gate.take("requests", "alice", 2)
    refused = gate.take("requests", "alice", 2)
    gate.go_on(refused.reset_s)
    after = gate.take("requests", "alice", 2)

    assert (refused.allowed, refused.reset_s) == (False, 50)
    assert after.allowed


def test_being_refused_costs_nothing(gate: Gate) -> None:
    """A client that hammers gets its share all the same."""
    gate.take("requests", "alice", 1)
    for _ in range(59):
        gate.go_on(1)
        gate.take("requests", "alice", 1)
    gate.go_on(1)

    assert gate.take("requests", "alice", 1).allowed


def test_kinds_and_callers_do_not_share(gate: Gate) -> None:
    """Bob is not slowed by Alice, nor her reading by her writing."""
    gate.take("requests", "alice", 1)

    assert gate.take("requests", "bob", 1).allowed
    assert gate.take("analyses", "alice", 1).allowed


def test_looking_does_not_count(gate: Gate) -> None:
    """It returns the count that the next request would meet."""
    fresh = [gate.look("requests", "alice", 1) for _ in range(3)]
    gate.take("requests", "alice", 1)

    assert fresh == [Standing(allowed=True, limit=1, remaining=1, reset_s=60)] * 3
    assert gate.look("requests", "alice", 1) == Standing(allowed=False, limit=1, remaining=0, reset_s=60)


def test_a_limit_that_was_lowered_holds_at_once(gate: Gate) -> None:
    """Never less than nothing remains; a limit of nothing allows nothing."""
    for _ in range(5):
        gate.take("requests", "alice", 5)
    lowered = gate.take("requests", "alice", 2)

    assert (lowered.allowed, lowered.remaining) == (False, 0)
    assert not gate.take("requests", "bob", 0).allowed


def test_what_was_not_used_can_be_given_back(gate: Gate) -> None:
    """The count is as if the request had not been made, and never less than nothing."""
    gate.take("requests", "alice", 2)
    before = gate.give_back("requests", "alice", 2)
    again = gate.give_back("requests", "alice", 2)
    unseen = gate.give_back("requests", "bob", 2)

    assert (before.remaining, again.remaining, unseen.remaining) == (2, 2, 2)
    assert [gate.take("requests", "alice", 2).allowed for _ in range(3)] == [True, True, False]


def test_from_the_event_loop_it_is_the_same(gate: Gate) -> None:
    """There is no transaction; both ways count together."""

    async def script() -> list[Standing]:
        return [
            await gate.limits.take_now("requests", "alice", 2),
            await gate.limits.take_now("requests", "alice", 2),
            await gate.limits.take_now("requests", "alice", 2),
            await gate.limits.give_back_now("requests", "alice", 2),
        ]

    standings = asyncio.run(script())

    assert [(each.allowed, each.remaining) for each in standings] == [(True, 1), (True, 0), (False, 0), (True, 1)]
    assert gate.take("requests", "alice", 2).allowed
    assert not gate.take("requests", "alice", 2).allowed


def test_limits_have_no_upper_bound(gate: Gate) -> None:
    """They are returned as they were set."""
    standing = gate.take("requests", "alice", 10 * MOST)

    assert standing == Standing(allowed=True, limit=10 * MOST, remaining=10 * MOST - 1, reset_s=60)


def test_a_limit_holds_for_all_processes_together(tmp_path: Path) -> None:
    """Four of them get many requests at once: exactly so many are accepted; the answers count down without a gap."""
    with on("postgresql"):
        pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(3)]
    processes = [Limits(DatabaseWindows(pool)) for pool in pools]

    def ask(number: int) -> Standing:
        limits = processes[number % 4]
        return pools[number % 4].write_here(lambda tx: limits.take(tx, "requests", "alice", 120))

    with ThreadPoolExecutor(24) as threads:
        standings = list(threads.map(ask, range(400)))
    for pool in pools:
        pool.close()

    assert sum(each.allowed for each in standings) == 120
    assert sorted(each.remaining for each in standings if each.allowed) == list(range(120))
    assert {each.remaining for each in standings if not each.allowed} == {0}


def test_what_was_counted_first_is_counted_whatever_comes_after(tmp_path: Path) -> None:
    """A request whose reading fails is not free."""
    with on("postgresql"):
        database = make_database(tmp_path)
    limits = Limits(DatabaseWindows(database))

    async def script() -> int:
        refused = 0
        for _ in range(5):
            try:
                await database.read(_fail, first=lambda tx: limits.take(tx, "requests", "alice", 3).allowed)
            except LookupError as error:
                refused += error.args == (False,)
        return refused

    refused = asyncio.run(script())
    database.close()

    assert refused == 2


def _fail(_tx: Transaction, allowed: bool) -> None:  # noqa: FBT001 - as ``read`` calls it
    raise LookupError(allowed)
