"""Throttle of password attempts: at share pages and at the sign-in of accounts.

Each client has its own limits at what it attempts at, and waits longer the more often it was wrong. Clients that were
wrong there before share a limit besides. Those that were not do not count by it, so that others cannot lock a right
password out; they have a limit of their own, which is wide and never closes for long, so that the total stays bounded.

An attempt counts from the moment it begins, or attempts made at the same moment would all be let through. It is counted
by all its rules or by none.
"""

from __future__ import annotations

import contextlib
import math
from typing import Final

import msgspec

from pagegrade.model.errors import Unavailable
from pagegrade.service.rate_windows import Name, Window, Windows
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.rate_windows import LONGEST_S

KNOWN_S: Final = LONGEST_S
"""Time for which a client that has signed in is known, after it did so last."""


class Rule(msgspec.Struct, frozen=True):
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
"""Limit for all unknown clients together; one of the two limits must have capacity."""
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


class Attempt(msgspec.Struct, frozen=True):
    """One attempt, and the rules for it."""

    own: tuple[Counted, ...]
    """Rules of the client for this password; the last one has the longest window, which shows earlier failures."""
    more: tuple[Counted, ...] = ()
    """Of the client, from anywhere."""
    failed: tuple[Counted, ...] = ()
    """Count as well if the client was wrong there before."""
    new: tuple[Counted, ...] = ()
    """Rule sets for unknown clients: the first with capacity counts as well."""
    place: tuple[str, ...] = ()
    """Known once an attempt was right; then only the client's own rules count."""

    def choices(self, *, known: bool, wrong: int) -> tuple[tuple[Counted, ...], ...]:
        """Rule sets, of which one must have capacity.

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


class Taken(msgspec.Struct, frozen=True):
    """An attempt that was counted, or refused."""

    attempt: Attempt
    wait_s: int | None = None
    """Whole seconds to wait where it was refused; ``None``: it may be made."""
    counted: tuple[Counted, ...] = ()
    """By what it was counted; nothing where it was refused."""


class PasswordAttempts:
    """Attempts at passwords of share pages: ``take`` before the password is verified, ``give_back`` if it was right."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, page: str, client: str) -> Taken:
        """Count an attempt at a share page, or refuse it."""
        attempt = _at_page(page, client)
        return await self._windows.run(lambda tx: take_attempt(tx, self._windows, attempt))

    async def give_back(self, taken: Taken) -> None:
        """The attempt was right: a client that knows the password is not counted against, and is known from now on."""
        await _give_back(self._windows, taken)


class SignInAttempts:
    """Attempts at passwords of accounts, by the e-mail address that was typed, be there an account or not."""

    def __init__(self, windows: Windows) -> None:
        self._windows = windows

    async def take(self, email: str, client: str) -> Taken:
        """As ``PasswordAttempts.take``."""
        attempt = _at_address(email, client)
        return await self._windows.run(lambda tx: take_attempt(tx, self._windows, attempt))

    async def give_back(self, taken: Taken) -> None:
        """As ``PasswordAttempts.give_back``."""
        await _give_back(self._windows, taken)


def _at_page(page: str, client: str) -> Attempt:
    return Attempt(
        own=tuple((rule, (page, client)) for rule in CLIENT_AT_REPORT_STEPS),
        failed=((REPORT, (page,)),),
        new=tuple((rule, (page,)) for rule in NEW_AT_REPORT),
        place=("report", page, client),
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


def take_attempt(tx: Transaction, windows: Windows, attempt: Attempt) -> Taken:
    """Count an attempt by every rule, or refuse it and count nothing.

    Args:
        tx: As for ``Windows``.
        windows: Counts the attempts.
        attempt: With its rules.
    """
    _, (before,) = windows.look(tx, _windows(attempt.own[-1:]))
    known = bool(attempt.place) and windows.is_noted(tx, _known(attempt))
    waits: list[int] = []
    for counted in attempt.choices(known=known, wrong=before.counted):
        wanted = _windows(counted)
        done, counts = windows.take(tx, wanted)
        if done:
            return Taken(attempt, counted=counted)
        full = [count for window, count in zip(wanted, counts, strict=True) if count.counted >= window.limit]
        waits.append(max(max(1, math.ceil(count.left_s)) for count in full))
    return Taken(attempt, wait_s=min(waits))


async def _give_back(windows: Windows, taken: Taken) -> None:
    """Take a right attempt back, and remember its place; it stays counted where that is not possible now."""

    def work(tx: Transaction) -> None:
        if taken.counted:
            windows.give_back(tx, _windows(taken.counted))
        if taken.attempt.place:
            windows.note(tx, _known(taken.attempt), KNOWN_S)

    with contextlib.suppress(Unavailable):
        await windows.run(work)


def _windows(counted: tuple[Counted, ...]) -> tuple[Window, ...]:
    return tuple(Window(("guess", rule.name, *whom), rule.count, rule.window_s) for rule, whom in counted)


def _known(attempt: Attempt) -> Name:
    return ("known", *attempt.place)
