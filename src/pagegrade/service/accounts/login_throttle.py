"""Throttle of password attempts: at share pages and at the sign-in of accounts.

Each client has its own limits at what it attempts at, and waits longer the more often it was wrong. Clients that were
wrong there before share a limit besides. Those that were not do not count by it, so that others cannot lock a right
password out; they have a limit of their own, which is wide and never closes for long, so that the total stays bounded.

An attempt counts from the moment it begins, or attempts made at the same moment would all be let through. One process
counts in memory; where several share a database they count there, by all rules of an attempt or by none.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.rate_windows import (
    LONGEST_S,
    Counter,
    counter_name,
    give_counts_back,
    is_noted,
    look_at_counts,
    note,
    take_counts,
)

REMEMBERED: Final = 50_000
"""Counters one process keeps at a time; of more, those left alone the longest are forgotten. About 60 MB at worst."""
KNOWN: Final = 10_000
"""Clients that have signed in, kept by one process at a time; of more, those that did so first are forgotten. About
5 MB at worst."""
KNOWN_S: Final = LONGEST_S
"""So long a shared database knows a client that has signed in, after it did so last."""


@dataclass(frozen=True, slots=True)
class Rule:
    """So many in a moving window."""

    name: str
    count: int
    window_s: int


CLIENT_AT_REPORT: Final = Rule("client at report", 10, 900)
CLIENT_AT_REPORT_STEPS: Final = (
    CLIENT_AT_REPORT,
    Rule("client at report, 2 h", 20, 7_200),
    Rule("client at report, 24 h", 40, 86_400),
)
"""Delays that grow: a quarter of an hour, then up to two hours, then up to a day."""
REPORT: Final = Rule("report", 100, 3600)
"""Of all clients that were wrong there before."""
NEW_AT_REPORT: Final = (Rule("new at report", 1_000, 3600), Rule("new at report, trickle", 30, 60))
"""Of all clients that were not: as long as one of the two has room."""
CLIENT_AT_ADDRESS: Final = Rule("client at address", 10, 900)
CLIENT_AT_ADDRESS_STEPS: Final = (
    CLIENT_AT_ADDRESS,
    Rule("client at address, 2 h", 20, 7_200),
    Rule("client at address, 24 h", 40, 86_400),
)
CLIENT: Final = Rule("client", 30, 900)
"""At any account: a client that tries one password on all of them is stopped, too."""
ADDRESS: Final = Rule("address", 100, 3600)
NEW_AT_ADDRESS: Final = (Rule("new at address", 1_000, 3600), Rule("new at address, trickle", 30, 60))
SLIPS: Final = 3
"""A client that was wrong less often than this counts as new: people mistype."""
Counted = tuple[Rule, tuple[str | int, ...]]
"""A rule, and whom it counts."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, and the rules for it."""

    own: tuple[Counted, ...]
    """Rules of the client for this password; the last one has the longest window, which shows earlier failures."""
    more: tuple[Counted, ...] = ()
    """Of the client, from anywhere."""
    failed: tuple[Counted, ...] = ()
    """Count as well if the client was wrong there before."""
    new: tuple[Counted, ...] = ()
    """One of these, the first with room, counts as well if it was not."""
    place: tuple[str, ...] = ()
    """Known once an attempt was right; then only the client's own rules count."""

    def choices(self, *, known: bool, wrong: int) -> tuple[tuple[Counted, ...], ...]:
        """Sets of rules, of which one must have room.

        Args:
            known: Whether the client was right there before.
            wrong: How often it was wrong there.
        """
        own = (*self.own, *self.more)
        if known:
            return (own,)
        if wrong >= SLIPS or not self.new:
            return ((*own, *self.failed),)
        return tuple((*own, each) for each in self.new)


@dataclass(frozen=True, slots=True)
class Taken:
    """An attempt that was counted, or refused."""

    attempt: Attempt
    wait_s: int | None = None
    """Whole seconds to wait where it was refused; ``None``: it may be made."""
    counted: tuple[Counted, ...] = ()
    """By what it was counted; nothing where it was refused."""


class Windows(ABC):
    """Counts attempts, and knows where they were right."""

    @abstractmethod
    async def take(self, attempt: Attempt) -> Taken:
        """Count an attempt by every rule, or refuse it and count nothing."""

    @abstractmethod
    async def give_back(self, taken: Taken) -> None:
        """The attempt was right: do not count it, and know the place."""


class MemoryWindows(Windows):
    """Counts in memory; a restart forgets. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[Counted, deque[float]] = OrderedDict()
        """Clients with failed attempts -> times in seconds, oldest first; the most recent client last."""
        self._known: OrderedDict[tuple[str, ...], None] = OrderedDict()
        """Places of those that were right; the latest stand last."""

    async def take(self, attempt: Attempt) -> Taken:
        """Without leaving the event loop."""
        return self.take_here(attempt)

    async def give_back(self, taken: Taken) -> None:
        """Without leaving the event loop."""
        with self._lock:
            for times in [self._times[each] for each in taken.counted if self._times.get(each)]:
                times.pop()
            place = taken.attempt.place
            if place:
                self._known[place] = None
                self._known.move_to_end(place)
                while len(self._known) > KNOWN:
                    self._known.popitem(last=False)

    def take_here(self, attempt: Attempt) -> Taken:
        """The same as ``take`` for a thread."""
        now = self._clock()
        with self._lock:
            self._wait(attempt.own[-1], now)
            wrong = len(self._times.get(attempt.own[-1], ()))
            waits: list[int] = []
            for counted in attempt.choices(known=attempt.place in self._known, wrong=wrong):
                waits.append(max(self._wait(each, now) for each in counted))
                if waits[-1] == 0:
                    self._count(counted, now)
                    return Taken(attempt, counted=counted)
            return Taken(attempt, wait_s=min(waits))

    def _count(self, counted: tuple[Counted, ...], now: float) -> None:
        for each in counted:
            self._times.setdefault(each, deque()).append(now)
            self._times.move_to_end(each)
        while len(self._times) > REMEMBERED:
            self._times.popitem(last=False)

    def _wait(self, counted: Counted, now: float) -> int:
        rule, times = counted[0], self._times.get(counted)
        if times is None:
            return 0
        self._times.move_to_end(counted)
        while times and times[0] <= now - rule.window_s:
            times.popleft()
        return 0 if len(times) < rule.count else max(1, math.ceil(times[0] + rule.window_s - now))


class DatabaseWindows(Windows):
    """Counts in a shared database, together with every other process that uses it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, attempt: Attempt) -> Taken:
        """From a thread of the database."""
        return await self._database.at_once(lambda tx: _take(tx, attempt))

    async def give_back(self, taken: Taken) -> None:
        """From a thread of the database; where that is not possible now, a right attempt stays counted."""
        with contextlib.suppress(Unavailable):
            await self._database.at_once(lambda tx: _give_back(tx, taken))


class PasswordAttempts:
    """Attempts at passwords of share pages: ``take`` before the password is verified, ``give_back`` if it was right."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, report_id: int, client: str) -> Taken:
        """Count an attempt, or refuse it."""
        return await self._windows.take(_at_report(report_id, client))

    async def give_back(self, taken: Taken) -> None:
        """The attempt was right: a client that knows the password is not counted against, and is known from now on."""
        await self._windows.give_back(taken)


class SignInAttempts:
    """Attempts at passwords of accounts, by the e-mail address that was typed, be there an account or not."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, email: str, client: str) -> Taken:
        """As ``PasswordAttempts.take``."""
        return await self._windows.take(_at_address(email, client))

    async def give_back(self, taken: Taken) -> None:
        """As ``PasswordAttempts.give_back``."""
        await self._windows.give_back(taken)


def windows_of(database: Database) -> Windows:
    """Login attempts counted in the database, for several processes."""
    return DatabaseWindows(database) if database.shared else MemoryWindows()


def _at_report(report_id: int, client: str) -> Attempt:
    return Attempt(
        own=tuple((rule, (report_id, client)) for rule in CLIENT_AT_REPORT_STEPS),
        failed=((REPORT, (report_id,)),),
        new=tuple((rule, (report_id,)) for rule in NEW_AT_REPORT),
        place=("report", str(report_id), client),
    )


def _at_address(email: str, client: str) -> Attempt:
    folded = email.casefold()
    return Attempt(
        own=tuple((rule, (folded, client)) for rule in CLIENT_AT_ADDRESS_STEPS),
        more=((CLIENT, (client,)),),
        failed=((ADDRESS, (folded,)),),
        new=tuple((rule, (folded,)) for rule in NEW_AT_ADDRESS),
        place=(folded, client),
    )


def _take(tx: Transaction, attempt: Attempt) -> Taken:
    _, (before,) = look_at_counts(tx, _counters(attempt.own[-1:]))
    known = bool(attempt.place) and is_noted(tx, _known(attempt))
    waits: list[int] = []
    for counted in attempt.choices(known=known, wrong=before.counted):
        counters = _counters(counted)
        done, counts = take_counts(tx, counters)
        if done:
            return Taken(attempt, counted=counted)
        full = [count for counter, count in zip(counters, counts, strict=True) if count.counted >= counter.limit]
        waits.append(max(max(1, math.ceil(count.left_s)) for count in full))
    return Taken(attempt, wait_s=min(waits))


def _give_back(tx: Transaction, taken: Taken) -> None:
    if taken.counted:
        give_counts_back(tx, _counters(taken.counted))
    if taken.attempt.place:
        note(tx, _known(taken.attempt), KNOWN_S)


def _counters(counted: tuple[Counted, ...]) -> tuple[Counter, ...]:
    return tuple(Counter(counter_name("guess", rule.name, *whom), rule.count, rule.window_s) for rule, whom in counted)


def _known(attempt: Attempt) -> bytes:
    return counter_name("known", *attempt.place)
