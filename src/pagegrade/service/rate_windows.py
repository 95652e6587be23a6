"""Counters in moving windows, for rate limits and for login attempts.

One process counts in memory; a restart forgets. Where several share a database they count there, so that a limit holds
for all of them together, whichever of them is asked.

Instead of a library: the maintained one (``limits`` 5) reads the wall clock, so that a clock set back locks busy
callers out for as long, and under load starts a thread every 10 ms that iterates over all known clients.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.rate_windows import (
    Count,
    Counter,
    counter_name,
    give_counts_back,
    is_noted,
    look_at_counts,
    note,
    take_counts,
)

T = TypeVar("T")
Name = tuple[str | int, ...]
"""Subject of a counter: an event, and the client it is counted for."""
REMEMBERED: Final = 50_000
"""Counters that one process keeps at a time; of more, those left alone the longest are forgotten. With 30 counts each
they take 80 MB."""
NOTED: Final = 10_000
"""Notes that one process keeps at a time; of more, the oldest are forgotten. About 5 MB at worst."""
MOST: Final = 2**31 - 1
"""Upper bound of a counter in the database."""


class Window(NamedTuple):
    """So many in a moving window."""

    name: Name
    limit: int
    window_s: int


Counts = tuple[bool, tuple[Count, ...]]
"""True if it was done, and the state of each window now, in the order in which they were given."""


class Windows(ABC):
    """Counts by several windows at once.

    A transaction is one whose statements stand for themselves (``Database.read(first=...)``, ``run``); memory needs
    none.
    """

    @abstractmethod
    def take(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """Count one more in each window, or in none if one of them is full: being refused costs nothing."""

    @abstractmethod
    def look(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """The same as ``take`` without counting."""

    @abstractmethod
    def give_back(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """Take back the latest count of each window, or of none if one of them is empty."""

    @abstractmethod
    def note(self, tx: Transaction, name: Name, seconds: int, /) -> None:
        """Remember for so long from now that something happened."""

    @abstractmethod
    def is_noted(self, tx: Transaction, name: Name, /) -> bool:
        """Return true while ``note`` remembers it."""

    @abstractmethod
    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Return what ``work`` returns; for the event loop, which has no transaction."""


class MemoryWindows(Windows):
    """Counts in memory; for any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[Name, tuple[int, deque[float]]] = OrderedDict()
        """Name -> length of the window and times of its counts in seconds, oldest first; the latest name last."""
        self._noted: OrderedDict[Name, float] = OrderedDict()
        """Name -> until when it is remembered; the latest note last."""

    def take(self, _tx: object, windows: Sequence[Window], /) -> Counts:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            found = [self._alive(window, now) for window in windows]
            fits = all(len(times) < window.limit for window, times in zip(windows, found, strict=True))
            if fits:
                for window, times in zip(windows, found, strict=True):
                    times.append(now)
                    self._times[window.name] = window.window_s, times
                    self._times.move_to_end(window.name)
            self._forget(now)
            return fits, _counts(windows, found, now)

    def look(self, _tx: object, windows: Sequence[Window], /) -> Counts:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            found = [self._alive(window, now) for window in windows]
            fits = all(len(times) < window.limit for window, times in zip(windows, found, strict=True))
            return fits, _counts(windows, found, now)

    def give_back(self, _tx: object, windows: Sequence[Window], /) -> Counts:
        """No transaction is needed."""
        now = self._clock()
        with self._lock:
            found = [self._alive(window, now) for window in windows]
            counted = all(found)
            if counted:
                for times in found:
                    times.pop()
            return counted, _counts(windows, found, now)

    def note(self, _tx: object, name: Name, seconds: int, /) -> None:
        """No transaction is needed."""
        with self._lock:
            self._noted[name] = self._clock() + seconds
            self._noted.move_to_end(name)
            while len(self._noted) > NOTED:
                self._noted.popitem(last=False)

    def is_noted(self, _tx: object, name: Name, /) -> bool:
        """No transaction is needed."""
        with self._lock:
            return self._noted.get(name, 0.0) > self._clock()

    async def run(self, work: Callable[[Any], T]) -> T:
        """Without leaving the event loop."""
        return work(None)

    def _alive(self, window: Window, now: float) -> deque[float]:
        """Return the counts that are still in the window; a new deque for a name that is not known."""
        kept = self._times.get(window.name)
        if kept is None:
            return deque()
        self._times.move_to_end(window.name)
        times = kept[1]
        while times and times[0] <= now - window.window_s:
            times.popleft()
        return times

    def _forget(self, now: float) -> None:
        """Drop a few counters whose window is empty, and those left alone the longest where there are too many."""
        for _ in range(2):
            if self._times:
                name, (window_s, times) = next(iter(self._times.items()))
                if not times or times[-1] <= now - window_s:
                    del self._times[name]
        while len(self._times) > REMEMBERED:
            self._times.popitem(last=False)


class DatabaseWindows(Windows):
    """Counts in a shared database, together with every other process that uses it; each method is one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """By all windows or by none, whatever other processes count meanwhile."""
        return take_counts(tx, _counters(windows))

    def look(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """Locks nothing for longer than the statement."""
        return look_at_counts(tx, _counters(windows))

    def give_back(self, tx: Transaction, windows: Sequence[Window], /) -> Counts:
        """By all windows or by none."""
        return give_counts_back(tx, _counters(windows))

    def note(self, tx: Transaction, name: Name, seconds: int, /) -> None:
        """For every process."""
        note(tx, counter_name(*name), seconds)

    def is_noted(self, tx: Transaction, name: Name, /) -> bool:
        """By any process."""
        return is_noted(tx, counter_name(*name))

    async def run(self, work: Callable[[Transaction], T]) -> T:
        """From a thread of the database."""
        return await self._database.at_once(work)


def windows_of(database: Database) -> Windows:
    """Return counters of this process alone, or those that all processes of a shared database have in common."""
    return DatabaseWindows(database) if database.shared else MemoryWindows()


def _counts(windows: Sequence[Window], found: Sequence[deque[float]], now: float) -> tuple[Count, ...]:
    return tuple([
        Count(len(times), (times[0] if times else now) + window.window_s - now)
        for window, times in zip(windows, found, strict=True)
    ])  # fmt: skip


def _counters(windows: Sequence[Window]) -> tuple[Counter, ...]:
    return tuple(Counter(counter_name(*each.name), min(each.limit, MOST), each.window_s) for each in windows)
