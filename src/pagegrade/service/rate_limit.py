"""Rate limits of keys and client addresses: so many in a moving window of a minute."""

from __future__ import annotations

import math
from typing import Final

import msgspec

from pagegrade.service.rate_windows import Window, Windows
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.rate_windows import Count

WINDOW_S: Final = 60
HOUR_S: Final = 3_600


class Standing(msgspec.Struct, frozen=True):
    """State of a limit for one client after a request."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int
    """Whole seconds until the oldest counted request leaves the window, after which one more is allowed; a whole window
    if none is counted."""


class Limits:
    """``take`` and the others need a transaction; ``take_now`` is for the event loop, which has none.

    The transaction is one whose statements stand for themselves (``Database.read(first=...)``).
    """

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    def take(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Count one more of ``kind`` for ``who``, unless that would be too many: being refused costs nothing."""
        allowed, (count,) = self._windows.take(tx, (Window((kind, who), per_minute, WINDOW_S),))
        return _standing(count, per_minute, allowed=allowed)

    def look(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Return the state of ``who`` without counting a request."""
        allowed, (count,) = self._windows.look(tx, (Window((kind, who), per_minute, WINDOW_S),))
        return _standing(count, per_minute, allowed=allowed)

    def give_back(self, tx: Transaction, kind: str, who: str, per_minute: int, /) -> Standing:
        """Take back the latest count of ``kind`` for ``who``, which was not used."""
        _, (count,) = self._windows.give_back(tx, (Window((kind, who), per_minute, WINDOW_S),))
        return _standing(count, per_minute, allowed=True)

    async def take_in_hour(self, kind: str, who: str, per_hour: int) -> Standing:
        """The same as ``take_now``, in a moving window of an hour."""
        window = Window((kind, who), per_hour, HOUR_S)
        allowed, (count,) = await self._windows.run(lambda tx: self._windows.take(tx, (window,)))
        return _standing(count, per_hour, allowed=allowed)

    async def take_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """The same as ``take``."""
        return await self._windows.run(lambda tx: self.take(tx, kind, who, per_minute))

    async def give_back_now(self, kind: str, who: str, per_minute: int) -> Standing:
        """The same as ``give_back``."""
        return await self._windows.run(lambda tx: self.give_back(tx, kind, who, per_minute))


def _standing(count: Count, per_minute: int, *, allowed: bool) -> Standing:
    return Standing(allowed, per_minute, max(0, per_minute - count.counted), max(1, math.ceil(count.left_s)))
