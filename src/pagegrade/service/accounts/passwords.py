"""Passwords of share pages and of accounts: hashed with argon2id, a few at a time, and the throttle of attempts.

One hash takes 19 MiB and tens of milliseconds on purpose (OWASP: m=19 MiB, t=2, p=1), so many concurrent login attempts
queue instead of exhausting the memory of the machine.

The throttle is against brute force. Each client has its own limits at what it attempts at, and waits longer the more
often it was wrong. Clients that were wrong there before share a limit besides. Those that were not do not count by it,
so that others cannot lock a right password out; they have a limit of their own, which is wide and never closes for
long, so that the total stays bounded. An attempt counts from the moment it begins, or attempts made at the same moment
would all be let through. It is counted by all its rules or by none.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from pagegrade.model.errors import Unavailable
from pagegrade.service.rate_limit import Bucket, Buckets, Name
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.rate_limit import LONGEST_S

CONCURRENT: Final = 4
MAX_WAITING: Final = 256
"""Comparisons under way or waiting, which are done within seconds; further clients get a 503 with
Retry-After. Untrusted clients can request them from many addresses, and would otherwise delay owners for hours."""
RETRY_AFTER_S: Final = 5
MAX_CHARACTERS: Final = 128
"""Of a password; never trimmed, never cut."""
MIN_ACCOUNT_CHARACTERS: Final = 8
"""Of the password of an account."""
MAX_TYPED: Final = 256
"""Characters of what is sent as a password; more is no slip of the hand."""
_MEMORY_KIB: Final = 19 * 1024
_PASSES: Final = 2
_LANES: Final = 1


def _zeros(count: int) -> str:
    return base64.b64encode(bytes(count)).rstrip(b"=").decode("ascii")


NOBODYS: Final = f"$argon2id$v=19$m={_MEMORY_KIB},t={_PASSES},p={_LANES}${_zeros(16)}${_zeros(32)}"
"""A hash of no known password; comparing with it takes as long as with any other hash."""


class Passwords:
    """Hashes and verifies in threads of its own."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=_PASSES, memory_cost=_MEMORY_KIB, parallelism=_LANES)
        self._threads = ThreadPoolExecutor(CONCURRENT, thread_name_prefix="pagegrade-argon2")
        self._asked = 0

    async def hash(self, password: str) -> str:
        """PHC string of the password."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._hash, password)

    async def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether the hash is of this password; a hash that cannot be read is of none.

        Args:
            hashed: PHC string; ``None``: there is none, which takes as long to find out as that it is of another.
            password: As it was typed.

        Raises:
            Unavailable: Too many wait for theirs already.
        """
        if self._asked >= MAX_WAITING:
            raise Unavailable(
                "Too many passwords are being looked at right now; try again soon.", retry_after_s=RETRY_AFTER_S
            )
        stored = NOBODYS if hashed is None else hashed
        self._asked += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._matches, stored, password)
        finally:
            self._asked -= 1

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _hash(self, password: str) -> str:
        return self._hasher.hash(_bytes(password))

    def _matches(self, hashed: str, password: str) -> bool:
        try:
            return self._hasher.verify(hashed, _bytes(password))
        except (Argon2Error, InvalidHashError):
            return False


def _bytes(password: str) -> bytes:
    """Return the input of the hash: the password exactly as it was sent.

    A lone surrogate, which JSON can spell, has no UTF-8 form; it counts as itself.
    """
    return password.encode("utf-8", "surrogatepass")


KNOWN_S: Final = LONGEST_S
"""Time for which a client that has signed in is known, after it did so last."""


class Rule(msgspec.Struct, frozen=True):
    """So many at once, and as many in each window."""

    name: str
    count: int
    window_s: int


CLIENT_AT_REPORT: Final = Rule("client at report", 10, 900)
CLIENT_AT_REPORT_STEPS: Final = (
    CLIENT_AT_REPORT,
    Rule("client at report, 2 h", 20, 7_200),
    Rule("client at report, 24 h", 40, 86_400),
)
"""Delays that grow: a minute and a half after ten, six minutes after twenty, 36 minutes after forty."""
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
    """Of the client, from anywhere; not where it is known, so that others behind its address hold nobody up."""
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
        if known:
            return (self.own,)
        own = (*self.own, *self.more)
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

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    async def take(self, page: str, client: str) -> Taken:
        """Count an attempt at a share page, or refuse it."""
        attempt = _at_page(page, client)
        return await self._buckets.run(lambda tx: take_attempt(tx, self._buckets, attempt))

    async def give_back(self, taken: Taken) -> None:
        """The attempt was right: a client that knows the password is not counted against, and is known from now on."""
        await _give_back(self._buckets, taken)


class SignInAttempts:
    """Attempts at passwords of accounts, by the e-mail address that was typed, be there an account or not."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets

    async def take(self, email: str, client: str) -> Taken:
        """As ``PasswordAttempts.take``."""
        attempt = _at_address(email, client)
        return await self._buckets.run(lambda tx: take_attempt(tx, self._buckets, attempt))

    async def give_back(self, taken: Taken) -> None:
        """As ``PasswordAttempts.give_back``."""
        await _give_back(self._buckets, taken)


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


def take_attempt(tx: Transaction, buckets: Buckets, attempt: Attempt) -> Taken:
    """Count an attempt by every rule, or refuse it and count nothing.

    Args:
        tx: As for ``Buckets``.
        buckets: Count the attempts.
        attempt: With its rules.
    """
    longest = _buckets(attempt.own)[-1]
    wrong = longest.limit - buckets.look(tx, longest).remaining
    known = bool(attempt.place) and buckets.is_noted(tx, _known(attempt))
    waits: list[int] = []
    for counted in attempt.choices(known=known, wrong=wrong):
        wait_s = _take_all(tx, buckets, _buckets(counted))
        if wait_s is None:
            return Taken(attempt, counted=counted)
        waits.append(wait_s)
    return Taken(attempt, wait_s=min(waits))


def _take_all(tx: Transaction, buckets: Buckets, wanted: tuple[Bucket, ...]) -> int | None:
    """Take a token of each bucket, or of none if one is empty; return the seconds to wait then.

    The smallest buckets come first, so that attempts at the same moment do not take the last tokens of the others.
    """
    for place, bucket in enumerate(wanted):
        if not buckets.take(tx, bucket).allowed:
            _give_all_back(tx, buckets, wanted[:place])
            standings = [buckets.look(tx, each) for each in wanted[place:]]
            return max((each.reset_s for each in standings if not each.allowed), default=1)
    return None


def _give_all_back(tx: Transaction, buckets: Buckets, taken: tuple[Bucket, ...]) -> None:
    for bucket in taken:
        buckets.give_back(tx, bucket)


async def _give_back(buckets: Buckets, taken: Taken) -> None:
    """Take a right attempt back, and remember its place; it stays counted where that is not possible now."""

    def work(tx: Transaction) -> None:
        if taken.counted:
            _give_all_back(tx, buckets, _buckets(taken.counted))
        if taken.attempt.place:
            buckets.note(tx, _known(taken.attempt), KNOWN_S)

    with contextlib.suppress(Unavailable):
        await buckets.run(work)


def _buckets(counted: tuple[Counted, ...]) -> tuple[Bucket, ...]:
    return tuple(Bucket(("guess", rule.name, *whom), rule.count, rule.window_s) for rule, whom in counted)


def _known(attempt: Attempt) -> Name:
    return ("known", *attempt.place)
