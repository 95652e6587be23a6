"""Passwords of share pages and of accounts: hashed with argon2id, a few at a time.

One hash takes 19 MiB and tens of milliseconds on purpose (OWASP: m=19 MiB, t=2, p=1), so many concurrent login attempts
queue instead of exhausting the memory of the machine.
"""

from __future__ import annotations

import asyncio
import base64
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from pagegrade.model.errors import Unavailable

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
