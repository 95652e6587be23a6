"""Share passwords: hashed with argon2id, a few at a time.

One hash takes 19 MiB and tens of milliseconds on purpose (OWASP: m=19 MiB, t=2, p=1), so a crowd that guesses must
queue instead of taking the memory of the machine.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

CONCURRENT: Final = 4
MAX_CHARACTERS: Final = 128
"""Of a share password; never trimmed, never cut."""


class Passwords:
    """Hashes and verifies in threads of its own."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._threads = ThreadPoolExecutor(CONCURRENT, thread_name_prefix="pagegrade-argon2")

    async def hash(self, password: str) -> str:
        """PHC string of the password."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._hash, password)

    async def verify(self, hashed: str, password: str) -> bool:
        """Whether the hash is of this password; a hash that cannot be read is of none."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._matches, hashed, password)

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
    """What is hashed: the password exactly as it was sent.

    A lone surrogate, which JSON can spell, has no UTF-8 form; it counts as itself.
    """
    return password.encode("utf-8", "surrogatepass")
