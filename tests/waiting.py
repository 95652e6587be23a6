"""Waiting for what another thread, task or process does: as long as it takes, and ended only where it hangs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")

HANG_S: Final = 120.0
"""Time after which something hangs: hundreds of times what it takes, for a machine that is busy with other things."""
PAUSE_S: Final = 0.01
"""Pause before a question is asked again."""


def wait_until(holds: Callable[[], T | None], what: str = "", *, within_s: float = HANG_S) -> T:
    """Return the first true value of ``holds()``.

    Raises:
        AssertionError: There was none for ``within_s`` seconds; the message has ``what`` and the last value.
    """
    until_s = time.monotonic() + within_s
    while not (value := holds()):
        if time.monotonic() > until_s:
            raise AssertionError(f"{what or 'it'} did not happen within {within_s:g} s: {value!r}")
        time.sleep(PAUSE_S)
    return value


async def wait_for(holds: Callable[[], T | None], what: str = "", *, within_s: float = HANG_S) -> T:
    """Return the first true value of ``holds()``, while other tasks of the loop go on.

    Raises:
        AssertionError: As ``wait_until``.
    """
    until_s = time.monotonic() + within_s
    while not (value := holds()):
        if time.monotonic() > until_s:
            raise AssertionError(f"{what or 'it'} did not happen within {within_s:g} s: {value!r}")
        await asyncio.sleep(PAUSE_S)
    return value


async def turns() -> None:
    """Let the tasks of the loop run until they wait for something outside of it."""
    for _ in range(20):
        await asyncio.sleep(0)


def pause(seconds: float, reason: str) -> None:
    """Let time pass where time itself is what a test is about; ``reason`` says what is over afterwards."""
    del reason
    time.sleep(seconds)


async def pause_for(seconds: float, reason: str) -> None:
    """As ``pause``, while other tasks of the loop go on."""
    del reason
    await asyncio.sleep(seconds)
