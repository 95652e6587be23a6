from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pagegrade.service import rate_limit as module
from pagegrade.service.rate_limit import (
    HOUR_S,
    MINUTE_S,
    Bucket,
    Buckets,
    DatabaseBuckets,
    MemoryBuckets,
    Standing,
    buckets_of,
)
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database, make_file, on

NO_TRANSACTION: Any = None
"""Memory needs none."""


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


class Gate:
    """Limits, and the time they go by."""

    def __init__(self, limits: Buckets, database: Database, clock: Clock) -> None:
        self.limits = limits
        self.database = database
        self.clock = clock

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.now_s += seconds
        show(self.database, NOW_MS + round((self.clock.now_s - 1000) * 1000))

    def take(self, kind: str, who: str, limit: int, window_s: int = MINUTE_S) -> Standing:
        """Ask."""
        return self.database.write_here(lambda tx: self.limits.take(tx, Bucket((kind, who), limit, window_s)))

    def look(self, kind: str, who: str, limit: int) -> Standing:
        """Ask without asking."""
        return self.database.write_here(lambda tx: self.limits.look(tx, Bucket((kind, who), limit)))

    def give_back(self, kind: str, who: str, limit: int) -> Standing:
        """Be as if one had not asked."""
        return self.database.write_here(lambda tx: self.limits.give_back(tx, Bucket((kind, who), limit)))

    def note(self, seconds: int) -> None:
        """Remember something for so long."""
        self.database.write_here(lambda tx: self.limits.note(tx, ("known", "alice"), seconds))

    def is_noted(self, who: str) -> bool:
        """Ask for it."""
        return self.database.write_here(lambda tx: self.limits.is_noted(tx, ("known", who)))


@pytest.fixture(params=["memory", "database"])
def gate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Gate]:
    """Each way of counting keeps the same promises."""
    clock = Clock()
    if request.param == "memory":
        database: Database = make_file(tmp_path)
        limits: Buckets = MemoryBuckets(clock)
    else:
        with on("postgresql"):
            database = make_database(tmp_path)
        limits = DatabaseBuckets(database)
    make_clock(database)
    show(database, NOW_MS)
    yield Gate(limits, database, clock)
    database.close()


def test_a_limit_is_kept_to_the_last_request(gate: Gate) -> None:
    """So many are allowed at once, the next is not, and each says how many are left."""
    standings = [gate.take("requests", "alice", 3) for _ in range(5)]

    assert [each.allowed for each in standings] == [True, True, True, False, False]
    assert [each.remaining for each in standings] == [2, 1, 0, 0, 0]
    assert {(each.limit, each.reset_s) for each in standings} == {(3, 20)}


@pytest.mark.parametrize(("limit", "window_s"), [(1, 60), (7, 60), (120, 60), (100, 3600), (40, 86_400)])
def test_a_full_bucket_holds_the_limit_and_not_one_more(gate: Gate, limit: int, window_s: int) -> None:
    """At a moment, whatever is left over when the window is divided by the limit; and after a window again."""
    for _ in range(2):
        allowed = [gate.take("requests", "alice", limit, window_s).allowed for _ in range(limit + 1)]
        gate.go_on(window_s)

        assert allowed == [True] * limit + [False]


def test_room_comes_back_evenly(gate: Gate) -> None:
    """A client that asks all the time gets what the bucket held, and then the limit in each window."""
    taken: list[float] = []
    for _ in range(300):
        if gate.take("requests", "alice", 7).allowed:
            taken.append(gate.clock.now_s)
        gate.go_on(1.7)
    later = [at for at in taken if at > 1000]
    in_a_minute = [sum(at <= other < at + MINUTE_S for other in later[7:]) for at in later[7:]]

    assert len(taken) == 7 + int(299 * 1.7 * 7 / MINUTE_S)
    assert max(in_a_minute) <= 8


def test_waiting_as_long_as_announced_is_enough(gate: Gate) -> None:
    """Retry-After is exact: a second less is not enough."""
    gate.take("requests", "alice", 2)
    gate.go_on(10)
    gate.take("requests", "alice", 2)
    refused = gate.take("requests", "alice", 2)
    gate.go_on(refused.reset_s - 1)
    before = gate.take("requests", "alice", 2)
    gate.go_on(1)
    after = gate.take("requests", "alice", 2)

    assert (refused.allowed, refused.reset_s) == (False, 20)
    assert (before.allowed, before.reset_s) == (False, 1)
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
    bucket = Bucket(("requests", "alice"), 2)

    async def script() -> list[Standing]:
        return [
            await gate.limits.take_now(bucket),
            await gate.limits.take_now(bucket),
            await gate.limits.take_now(bucket),
            await gate.limits.give_back_now(bucket),
        ]

    standings = asyncio.run(script())

    assert [(each.allowed, each.remaining) for each in standings] == [(True, 1), (True, 0), (False, 0), (True, 1)]
    assert gate.take("requests", "alice", 2).allowed
    assert not gate.take("requests", "alice", 2).allowed


def test_limits_have_no_upper_bound(gate: Gate) -> None:
    """They are returned as they were set."""
    standing = gate.take("requests", "alice", 10**11)

    assert (standing.allowed, standing.limit) == (True, 10**11)


def test_a_note_lasts_as_long_as_it_was_asked_for(gate: Gate) -> None:
    """From the last time on, and for this name only."""
    gate.note(10)
    gate.go_on(9)
    gate.note(10)
    gate.go_on(9)
    before = gate.is_noted("alice"), gate.is_noted("bob")
    gate.go_on(1)

    assert before == (True, False)
    assert not gate.is_noted("alice")


def test_silent_clients_are_forgotten() -> None:
    """Two of them whenever something is counted."""
    clock = Clock()
    buckets = MemoryBuckets(clock)
    for number in range(1000):
        buckets.take(NO_TRANSACTION, Bucket(("wrong keys", number), 30))
    clock.now_s += MINUTE_S
    for _ in range(600):
        buckets.take(NO_TRANSACTION, Bucket(("wrong keys", "alice"), 10_000))

    assert len(buckets._full_at) == 1


@pytest.mark.parametrize(("known", "kept"), [(100, 100), (101, 100)])
def test_many_clients_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch, known: int, kept: int) -> None:
    """At the limit and one past it: the client that was silent the longest is forgotten, a busy one is not."""
    monkeypatch.setattr(module, "REMEMBERED", 100)
    buckets = MemoryBuckets(Clock())
    busy = Bucket(("requests", "alice"), 1, HOUR_S)
    for number in range(known - 2):
        buckets.take(NO_TRANSACTION, Bucket(("wrong keys", number), 1))
        buckets.take(NO_TRANSACTION, busy)
    buckets.take(NO_TRANSACTION, Bucket(("wrong keys", "last"), 1))
    oldest = buckets.look(NO_TRANSACTION, Bucket(("wrong keys", 0), 1)).allowed

    assert len(buckets._full_at) == kept
    assert not buckets.look(NO_TRANSACTION, busy).allowed
    assert oldest is (known > 100)


def test_without_a_clock_of_its_own_it_has_one() -> None:
    """As the server makes it."""
    assert MemoryBuckets().take(NO_TRANSACTION, Bucket(("requests", "alice"), 1)).allowed


def test_one_process_counts_by_itself_and_several_together(tmp_path: Path) -> None:
    """It depends on the database alone."""
    with on("postgresql"):
        shared = make_database(tmp_path)
    own = make_file(tmp_path)
    found = [type(buckets_of(database)) for database in (own, shared)]
    shared.close()
    own.close()

    assert found == [MemoryBuckets, DatabaseBuckets]


def test_requests_of_many_threads_get_the_limit_and_not_one_more() -> None:
    """In the memory of one process."""
    buckets = MemoryBuckets(Clock())
    with ThreadPoolExecutor(16) as threads:
        standings = list(
            threads.map(lambda _: buckets.take(NO_TRANSACTION, Bucket(("requests", "alice"), 120)), range(400))
        )

    assert sum(each.allowed for each in standings) == 120


def test_a_limit_holds_for_all_processes_together(tmp_path: Path) -> None:
    """Four of them get many requests at once: exactly so many are accepted; the answers count down without a gap."""
    with on("postgresql"):
        pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(3)]
    make_clock(pools[0])
    show(pools[0], NOW_MS)
    processes = [DatabaseBuckets(pool) for pool in pools]

    def ask(number: int) -> Standing:
        limits = processes[number % 4]
        return pools[number % 4].write_here(lambda tx: limits.take(tx, Bucket(("requests", "alice"), 120)))

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
    limits = DatabaseBuckets(database)

    async def script() -> int:
        refused = 0
        for _ in range(5):
            try:
                await database.read(_fail, first=lambda tx: limits.take(tx, Bucket(("requests", "alice"), 3)).allowed)
            except LookupError as error:
                refused += error.args == (False,)
        return refused

    refused = asyncio.run(script())
    database.close()

    assert refused == 2


def _fail(_tx: Transaction, allowed: bool) -> None:  # noqa: FBT001 - as ``read`` calls it
    raise LookupError(allowed)
