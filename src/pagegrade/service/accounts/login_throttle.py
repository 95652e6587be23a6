"""How often passwords may be guessed: by one client, and by everybody together; those of share pages and of accounts.

A guess counts from the moment it begins, or a crowd that guesses at the same moment would all be let through. One
process counts in memory; where several share a database they count there, by all rules of a guess or by none.
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
REPORT: Final = Rule("report", 100, 3600)
CLIENT_AT_ADDRESS: Final = Rule("client at address", 10, 900)
CLIENT: Final = Rule("client", 30, 900)
"""At whichever accounts: who tries one password on all of them is stopped, too."""
ADDRESS: Final = Rule("address", 100, 3600)
Counted = tuple[Rule, tuple[str | int, ...]]
"""A rule, and whom it counts."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One guess, and by what it counts."""

    always: tuple[Counted, ...]
    of_strangers: tuple[Counted, ...] = ()
    """These count as well, unless ``place`` is known."""
    place: tuple[str, ...] = ()
    """What is known once the guess was right; empty: nothing is."""

    def counted(self, *, known: bool) -> tuple[Counted, ...]:
        """All that count, if the place is known, or is not."""
        return self.always if known else (*self.always, *self.of_strangers)


class Windows(ABC):
    """Counts guesses, and knows where they were right."""

    @abstractmethod
    async def take(self, guess: Guess) -> int | None:
        """Count it by every rule; ``None`` if it may be made, else seconds to wait, and it is not counted."""

    @abstractmethod
    async def give_back(self, guess: Guess) -> None:
        """It was right: take the latest back by every rule, nothing where none was made, and know the place."""


class MemoryWindows(Windows):
    """Counts in memory; a restart forgets. For any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: OrderedDict[Counted, deque[float]] = OrderedDict()
        """Who guessed -> when, in seconds, oldest first; those who guessed last stand last."""
        self._known: OrderedDict[tuple[str, ...], None] = OrderedDict()
        """Places of those that were right; the latest stand last."""

    async def take(self, guess: Guess) -> int | None:
        """Without leaving the event loop."""
        return self.take_here(guess)

    async def give_back(self, guess: Guess) -> None:
        """Without leaving the event loop."""
        with self._lock:
            found = [times for each in self._counted(guess) if (times := self._times.get(each))]
            if len(found) == len(self._counted(guess)):
                for times in found:
                    times.pop()
            if guess.place:
                self._known[guess.place] = None
                self._known.move_to_end(guess.place)
                while len(self._known) > KNOWN:
                    self._known.popitem(last=False)

    def take_here(self, guess: Guess) -> int | None:
        """The same as ``take`` for a thread."""
        now = self._clock()
        with self._lock:
            counted = self._counted(guess)
            waits = [self._wait(each, now) for each in counted]
            if max(waits) > 0:
                return max(waits)
            for each in counted:
                self._times.setdefault(each, deque()).append(now)
                self._times.move_to_end(each)
            while len(self._times) > REMEMBERED:
                self._times.popitem(last=False)
            return None

    def _counted(self, guess: Guess) -> tuple[Counted, ...]:
        return guess.counted(known=guess.place in self._known)

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

    async def take(self, guess: Guess) -> int | None:
        """From a thread of the database."""
        return await self._database.at_once(lambda tx: _take(tx, guess))

    async def give_back(self, guess: Guess) -> None:
        """From a thread of the database; where that is not possible now, a right guess stays counted."""
        with contextlib.suppress(Unavailable):
            await self._database.at_once(lambda tx: _give_back(tx, guess))


class Guesses:
    """At passwords of share pages: ``take`` before the password is looked at, ``give_back`` if it was right."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, report_id: int, client: str) -> int | None:
        """Count a guess; ``None`` if it may be made, else the whole seconds to wait. A refused one is not counted."""
        return await self._windows.take(_at_report(report_id, client))

    async def give_back(self, report_id: int, client: str) -> None:
        """The guess was right: who knows the password is not counted against."""
        await self._windows.give_back(_at_report(report_id, client))


class SignInGuesses:
    """At passwords of accounts, by the e-mail address that was typed, be there an account or not.

    What everybody together may try does not bind a client that has known the password before: strangers cannot keep
    owners out of their accounts.
    """

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, email: str, client: str) -> int | None:
        """As ``Guesses.take``."""
        return await self._windows.take(_at_address(email, client))

    async def give_back(self, email: str, client: str) -> None:
        """As ``Guesses.give_back``; the client is known from now on."""
        await self._windows.give_back(_at_address(email, client))


def windows_of(database: Database) -> Windows:
    """Where the processes that use this database count."""
    return DatabaseWindows(database) if database.shared else MemoryWindows()


def _at_report(report_id: int, client: str) -> Guess:
    return Guess(((CLIENT_AT_REPORT, (report_id, client)), (REPORT, (report_id,))))


def _at_address(email: str, client: str) -> Guess:
    folded = email.casefold()
    return Guess(
        ((CLIENT_AT_ADDRESS, (folded, client)), (CLIENT, (client,))),
        of_strangers=((ADDRESS, (folded,)),),
        place=(folded, client),
    )


def _take(tx: Transaction, guess: Guess) -> int | None:
    counters = _counters(tx, guess)
    done, counts = take_counts(tx, counters)
    if done:
        return None
    full = [count for counter, count in zip(counters, counts, strict=True) if count.counted >= counter.limit]
    return max(max(1, math.ceil(count.left_s)) for count in full)


def _give_back(tx: Transaction, guess: Guess) -> None:
    give_counts_back(tx, _counters(tx, guess))
    if guess.place:
        note(tx, _known(guess), KNOWN_S)


def _counters(tx: Transaction, guess: Guess) -> tuple[Counter, ...]:
    known = bool(guess.place) and is_noted(tx, _known(guess))
    return tuple(
        Counter(counter_name("guess", rule.name, *whom), rule.count, rule.window_s)
        for rule, whom in guess.counted(known=known)
    )


def _known(guess: Guess) -> bytes:
    return counter_name("known", *guess.place)
