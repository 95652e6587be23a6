"""How often each key and each client address may ask: a moving window of a minute, in this process.

Instead of a library: the kept one (``limits`` 5) reads the wall clock, so that a clock set back locks busy callers out
for as long, and under load starts a thread every 10 ms that walks over everybody it knows.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

WINDOW_S: Final = 60.0
REMEMBERED: Final = 50_000
"""Callers known at a time; a crowd of more pushes out those who have been silent the longest. With 30 requests each
they take 80 MB."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How somebody stands to a limit after asking."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int
    """Whole seconds until the oldest counted request leaves the window, which makes room for one; a whole window where
    none is counted."""


class Limits:
    """Counts in memory; a restart forgets, which is harmless for windows of a minute. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        """Who asked -> when, in seconds, oldest first; those who asked last stand last."""

    def take(self, kind: str, who: str, per_minute: int) -> Standing:
        """Count one more of ``kind`` for ``who``, unless that would be too many: being refused costs nothing."""
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

    def look(self, kind: str, who: str, per_minute: int) -> Standing:
        """How ``who`` stands, without counting."""
        now = self._clock()
        with self._lock:
            times = self._times.get((kind, who), deque())
            _forget(times, now)
            return _standing(times, per_minute, now, allowed=len(times) < per_minute)

    def give_back(self, kind: str, who: str, per_minute: int) -> Standing:
        """Take back the latest count of ``kind`` for ``who``: what it stood for was not used."""
        now = self._clock()
        with self._lock:
            times = self._times.get((kind, who), deque())
            _forget(times, now)
            if times:
                times.pop()
            return _standing(times, per_minute, now, allowed=True)

    def _forget_silent(self, now: float) -> None:
        """Drop a few of those who have not asked for a window, or the most silent where there are too many."""
        for _ in range(2):
            who, times = next(iter(self._times.items()))
            if len(self._times) <= REMEMBERED and times and times[-1] > now - WINDOW_S:
                return
            if len(self._times) > 1:
                del self._times[who]


def _forget(times: deque[float], now: float) -> None:
    while times and times[0] <= now - WINDOW_S:
        times.popleft()


def _standing(times: deque[float], per_minute: int, now: float, *, allowed: bool) -> Standing:
    oldest = times[0] if times else now
    return Standing(allowed, per_minute, max(0, per_minute - len(times)), max(1, math.ceil(oldest + WINDOW_S - now)))
