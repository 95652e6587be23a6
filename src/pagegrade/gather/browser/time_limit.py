"""The time of a visit: loads are left out or cut, so that a look at the page always fits."""

from __future__ import annotations

import asyncio
from typing import Final

LOOK_S: Final = 20.0
"""Kept back for the look at the page after its last load; a third of a short visit."""


class TimeLimit:
    """The end of a visit, ``time_s`` seconds after it is made in a running event loop."""

    def __init__(self, time_s: float) -> None:
        self._clock = asyncio.get_running_loop().time
        self._end_s = self._clock() + time_s
        self._look_s = min(LOOK_S, time_s / 3)

    def left_s(self) -> float:
        """Return the seconds that are left; negative after the end."""
        return self._end_s - self._clock()

    def bounded(self, time_s: float) -> float:
        """Return at most ``time_s`` seconds and at most those that are left, but enough to fail in order."""
        return max(0.1, min(time_s, self.left_s()))

    def for_load_s(self, load_s: float) -> float:
        """Return the seconds of one load: at most ``load_s``, and never those of the look."""
        return max(0.1, min(load_s, self.left_s() - self._look_s))

    def has_time(self, slowest_s: float, *, loads: int) -> bool:
        """Return whether so many loads of ``slowest_s`` seconds, and the look, fit into the time that is left."""
        return self.left_s() >= loads * slowest_s + self._look_s
