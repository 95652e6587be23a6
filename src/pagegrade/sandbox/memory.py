"""Memory given back to the system, where the C library keeps what is free (glibc); elsewhere nothing is done."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final

MMAP_THRESHOLD_BYTES: Final = 131_072
"""Blocks from this size on are mapped by themselves and unmapped when they are freed.

glibc starts with the same value but raises it to the size of the largest block that was freed, up to 32 MB; from then
on bodies of pages live between small blocks that outlast them.
"""
CHILD_THRESHOLD_BYTES: Final = 4 << 20
"""The same in a child process, which frees nearly all of its memory between two tasks: every block that is mapped anew
costs it a page fault per 4 kB, a twentieth to a quarter of the time of an evaluation."""
_M_TRIM_THRESHOLD: Final = -1
_M_MMAP_THRESHOLD: Final = -3


@cache
def _libc() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
    except OSError:
        return None
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None


def map_large_blocks(threshold_bytes: int = MMAP_THRESHOLD_BYTES) -> None:
    """Make the C library return large blocks as soon as they are freed, for the rest of the process's life.

    Args:
        threshold_bytes: Size of a large block, and of the free memory at the end of the heap that is kept.
    """
    library = _libc()
    if library is not None:
        library.mallopt(_M_MMAP_THRESHOLD, threshold_bytes)
        library.mallopt(_M_TRIM_THRESHOLD, threshold_bytes)


def trim_memory() -> None:
    """Hand free memory back to the system; takes milliseconds."""
    library = _libc()
    if library is not None:
        library.malloc_trim(0)
