"""A disk that takes nothing more, for the length of a block: in this process only, and without a disk of its own."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def no_room() -> Iterator[None]:
    """No file grows beyond ``limit_bytes``; a write beyond it gets an error, as on a full disk.

    Source: https://pubs.opengroup.org/onlinepubs/9699919799/functions/getrlimit.html, RLIMIT_FSIZE
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores the signal that would come with it.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
