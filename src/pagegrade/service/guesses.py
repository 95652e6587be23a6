"""How often passwords may be guessed: by one client, and by everybody together; those of share pages and of accounts.

A guess counts from the moment it begins, or a crowd that guesses at the same moment would all be let through.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

REMEMBERED: Final = 50_000
"""Counters kept at a time; of more, those left alone the longest are forgotten. About 60 MB at worst."""
KNOWN: Final = 10_000
"""Clients that have signed in, kept at a time; of more, those that did so first are forgotten. About 5 MB at worst."""


@dataclass(frozen=True, slots=True)
class Rule:
    """So many in a moving window."""

    count: int
    window_s: float


CLIENT_AT_REPORT: Final = Rule(10, 900.0)
REPORT: Final = Rule(100, 3600.0)
CLIENT_AT_ADDRESS: Final = Rule(10, 900.0)
CLIENT: Final = Rule(30, 900.0)
"""At whichever accounts: who tries one password on all of them is stopped, too."""
ADDRESS: Final = Rule(100, 3600.0)
_Counted = tuple[Rule, tuple[str | int, ...]]
"""A rule, and whom it counts."""


class _Windows:
    """Counts in memory, for any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[_Counted, deque[float]] = OrderedDict()
        """Who guessed -> when, in seconds, oldest first; those who guessed last stand last."""

    def take(self, *counted: _Counted) -> int | None:
        """Count a guess by every rule; ``None`` if it may be made, else seconds to wait, and it is not counted."""
        now = self._clock()
        with self._lock:
            waits = [self._wait(each, now) for each in counted]
            if max(waits) > 0:
                return max(waits)
            for each in counted:
                self._times.setdefault(each, deque()).append(now)
                self._times.move_to_end(each)
            while len(self._times) > REMEMBERED:
                self._times.popitem(last=False)
            return None

    def give_back(self, *counted: _Counted) -> None:
        """Take the latest guess back, by every rule; nothing where none was made."""
        with self._lock:
            found = [times for each in counted if (times := self._times.get(each))]
            if len(found) == len(counted):
                for times in found:
                    times.pop()

    def _wait(self, counted: _Counted, now: float) -> int:
        rule, times = counted[0], self._times.get(counted)
        if times is None:
            return 0
        self._times.move_to_end(counted)
        while times and times[0] <= now - rule.window_s:
            times.popleft()
        return 0 if len(times) < rule.count else max(1, math.ceil(times[0] + rule.window_s - now))


class Guesses:
    """At passwords of share pages: ``take`` before the password is looked at, ``give_back`` if it was right."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._windows = _Windows(clock)

    def take(self, report_id: int, client: str) -> int | None:
        """Count a guess; ``None`` if it may be made, else the whole seconds to wait. A refused one is not counted."""
        return self._windows.take(*_at_report(report_id, client))

    def give_back(self, report_id: int, client: str) -> None:
        """The guess was right: who knows the password is not counted against."""
        self._windows.give_back(*_at_report(report_id, client))


class SignInGuesses:
    """At passwords of accounts, by the e-mail address that was typed, be there an account or not.

    What everybody together may try does not bind a client that has known the password before: strangers cannot keep
    owners out of their accounts.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._windows = _Windows(clock)
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, str], None] = OrderedDict()
        """(e-mail address, client) of those that were right; the latest stand last."""

    def take(self, email: str, client: str) -> int | None:
        """As ``Guesses.take``."""
        return self._windows.take(*self._at_address(email.casefold(), client))

    def give_back(self, email: str, client: str) -> None:
        """As ``Guesses.give_back``; the client is known from now on."""
        known = (email.casefold(), client)
        self._windows.give_back(*self._at_address(*known))
        with self._lock:
            self._known[known] = None
            self._known.move_to_end(known)
            while len(self._known) > KNOWN:
                self._known.popitem(last=False)

    def _at_address(self, folded: str, client: str) -> tuple[_Counted, ...]:
        own: tuple[_Counted, ...] = ((CLIENT_AT_ADDRESS, (folded, client)), (CLIENT, ("", client)))
        return own if (folded, client) in self._known else (*own, (ADDRESS, (folded,)))


def _at_report(report_id: int, client: str) -> tuple[_Counted, ...]:
    return (CLIENT_AT_REPORT, (report_id, client)), (REPORT, (report_id,))
