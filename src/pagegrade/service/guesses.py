"""How often a share password may be guessed: by one client, and by everybody together."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

CLIENT_GUESSES: Final = 10
CLIENT_WINDOW_S: Final = 900.0
REPORT_GUESSES: Final = 100
REPORT_WINDOW_S: Final = 3600.0
REMEMBERED: Final = 10_000
"""Reports guessed at, at a time; of more, those left alone the longest are forgotten. About 200 MB at worst."""


class Guesses:
    """Counts in memory, for any thread: ``take`` before the password is looked at, ``give_back`` if it was right.

    A guess counts from the moment it begins, or a crowd that guesses at the same moment would all be let through.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._guesses: OrderedDict[int, deque[tuple[float, str]]] = OrderedDict()
        """Report -> (when, in seconds; by whom), oldest first; the report guessed at last stands last."""

    def take(self, report_id: int, client: str) -> int | None:
        """Count a guess; ``None`` if it may be made, else the whole seconds to wait. A refused one is not counted."""
        now = self._clock()
        with self._lock:
            guesses = self._guesses.setdefault(report_id, deque())
            self._guesses.move_to_end(report_id)
            while len(self._guesses) > REMEMBERED:
                self._guesses.popitem(last=False)
            while guesses and guesses[0][0] <= now - REPORT_WINDOW_S:
                guesses.popleft()
            own = [when for when, who in guesses if who == client and when > now - CLIENT_WINDOW_S]
            if len(own) >= CLIENT_GUESSES:
                return max(1, math.ceil(own[0] + CLIENT_WINDOW_S - now))
            if len(guesses) >= REPORT_GUESSES:
                return max(1, math.ceil(guesses[0][0] + REPORT_WINDOW_S - now))
            guesses.append((now, client))
            return None

    def give_back(self, report_id: int, client: str) -> None:
        """The guess was right: who knows the password is not counted against."""
        with self._lock:
            guesses = self._guesses.get(report_id, deque())
            for place in range(len(guesses) - 1, -1, -1):
                if guesses[place][1] == client:
                    del guesses[place]
                    return
