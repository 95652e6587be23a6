"""Memory given back to the system, where the C library keeps what is free (glibc); elsewhere nothing is done."""

from __future__ import annotations

import asyncio
import ctypes
from functools import cache
from typing import Final

MMAP_THRESHOLD_BYTES: Final = 131_072
"""Blocks from this size on are mapped by themselves and unmapped when they are freed.

glibc starts with the same value but raises it to the size of the largest block that was freed, up to 32 MB; from then
on bodies of pages live between small blocks that outlast them.
"""
TRIM_PAUSE_S: Final = 2.0
"""From the end of a run until memory is handed back; further runs that end meanwhile share it."""
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3


@cache
def _libc() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def map_large_blocks() -> None:
    """Make the C library return large blocks as soon as they are freed, for the rest of the process's life."""
    library = _libc()
    if library is not None:
        library.mallopt(_M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES)
        library.mallopt(_M_TRIM_THRESHOLD, MMAP_THRESHOLD_BYTES)


def trim_memory() -> None:
    """Hand free memory back to the system; takes milliseconds."""
    library = _libc()
    if library is not None:
        library.malloc_trim(0)


class Trimmer:
    """Hands memory back after work, seldom and in a thread; for one event loop."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._trimming: asyncio.Future[None] | None = None

    def work_ended(self) -> None:
        """Note that something has ended that may have freed much."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TRIM_PAUSE_S, self._trim)

    def close(self) -> None:
        """Trim no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _trim(self) -> None:
        self._timer = None
        self._trimming = asyncio.get_running_loop().run_in_executor(None, trim_memory)
