"""Rate limits of keys and client addresses: a moving window of a minute.

One process counts in memory. Where several share a database they count there, so that a limit holds for all of them
together, whichever of them is asked.

Instead of a library: the kept one (``limits`` 5) reads the wall clock, so that a clock set back locks busy callers out
for as long, and under load starts a thread every 10 ms that iterates over all known clients.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.rate_windows import (
    Count,
    Counter,
    counter_name,
    give_counts_back,
    look_at_counts,
    take_counts,
)

WINDOW_S: Final = 60.0
REMEMBERED: Final = 50_000
"""Callers known to one process at a time; more than that evict those inactive for longest. With 30
requests each they take 80 MB."""
MOST: Final = 2**31 - 1
"""Upper bound of a counter in the database."""


@dataclass(frozen=True, slots=True)
class Standing:
    """State of a limit for one client after a request."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int
    """Whole seconds until the oldest counted request leaves the window, which makes room for one; a whole window where
    none is counted."""


class Limits(ABC):
    """``take`` and the others need a transaction; ``take_now`` is for the event loop, which has none.

    The transaction is one whose statements stand for themselves (``Database.read(first=...)``, ``Database.at_once``).
    """

    @abstractmethod
    def take(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Count one more of ``kind`` for ``who``, unless that would be too many: being refused costs nothing."""

    @abstractmethod
    def look(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Return the state of ``who`` without counting a request."""

    @abstractmethod
    def give_back(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Take back the latest count of ``kind`` for ``who``: what it stood for was not used."""

    @abstractmethod
    async def take_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """The same as ``take``."""

    @abstractmethod
    async def give_back_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """The same as ``give_back``."""


class MemoryLimits(Limits):
    """Counts in memory; a restart forgets, which is harmless for windows of a minute. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        """Clients -> times of their requests in seconds, oldest first; the most recent client last."""

    def take(self, _tx: object, kind: str, who: str, per_minute: int, /) -> Standing:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            times = self._times.setdefault((kind, who), deque())
            self._times.move_to_end((kind, who))
            _forget(times, now)
            allowed = len(times) < per_minute
            if allowed:
                times.append(now)
            self._forget_silent(now)
            return _standing(times, per_minute, now, allowed=allowed)

    def look(self, _tx: object, kind: str, who: str, per_minute: int, /) -> Standing:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            times = self._times.get((kind, who), deque())
            _forget(times, now)
            return _standing(times, per_minute, now, allowed=len(times) < per_minute)

    def give_back(self, _tx: object, kind: str, who: str, per_minute: int, /) -> Standing:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            times = self._times.get((kind, who), deque())
            _forget(times, now)
            if times:
                times.pop()
            return _standing(times, per_minute, now, allowed=True)

    async def take_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """Without leaving the event loop."""
        return self.take(None, kind, who, per_minute)

    async def give_back_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """Without leaving the event loop."""
        return self.give_back(None, kind, who, per_minute)

    def _forget_silent(self, now: float) -> None:
        """Drop a few of those who have not asked for a window, or the most silent where there are too many."""
        for _ in range(2):
            who, times = next(iter(self._times.items()))
            if len(self._times) <= REMEMBERED and times and times[-1] > now - WINDOW_S:
                return
            if len(self._times) > 1:
                del self._times[who]


class DatabaseLimits(Limits):
    """Counts in a shared database, together with every other process that uses it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """One statement."""
        allowed, (count,) = take_counts(tx, (_counter(kind, who, per_minute),))
        return _standing_of(count, per_minute, allowed=allowed)

    def look(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """One statement."""
        allowed, (count,) = look_at_counts(tx, (_counter(kind, who, per_minute),))
        return _standing_of(count, per_minute, allowed=allowed)

    def give_back(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """One statement."""
        _, (count,) = give_counts_back(tx, (_counter(kind, who, per_minute),))
        return _standing_of(count, per_minute, allowed=True)

    async def take_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """From a thread of the database."""
        return await self._database.at_once(lambda tx: self.take(tx, kind, who, per_minute))

    async def give_back_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """From a thread of the database."""
        return await self._database.at_once(lambda tx: self.give_back(tx, kind, who, per_minute))


def limits_of(database: Database) -> Limits:
    """Limits counted in the database, for several processes."""
    return DatabaseLimits(database) if database.shared else MemoryLimits()


def _forget(times: deque[float], now: float) -> None:
    while times and times[0] <= now - WINDOW_S:
        times.popleft()


def _standing(times: deque[float], per_minute: int, now: float, *, allowed: bool) -> Standing:
    oldest = times[0] if times else now
    return Standing(allowed, per_minute, max(0, per_minute - len(times)), max(1, math.ceil(oldest + WINDOW_S - now)))


def _counter(kind: str, who: str, per_minute: int) -> Counter:
    return Counter(counter_name(kind, who), min(per_minute, MOST), int(WINDOW_S))


def _standing_of(count: Count, per_minute: int, *, allowed: bool) -> Standing:
    return Standing(allowed, per_minute, max(0, per_minute - count.counted), max(1, math.ceil(count.left_s)))
