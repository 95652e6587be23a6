"""The exit codes, a promise to scripts, and the signals that end a command."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from types import FrameType
from typing import Any, Final, NoReturn, TypeVar

OK: Final = 0
GATE_FAILED: Final = 1
"""A condition of ``--fail-on`` or ``--fail-on-new`` holds."""
USAGE: Final = 2
"""The command line, a file named on it, or a setting cannot be used."""
NOT_ANALYZED: Final = 3
"""At least one page could not be analyzed; it weighs more than a failed gate."""
UNAVAILABLE: Final = 4
"""The database cannot be used right now."""
UNFIT: Final = 5
"""``pagegrade doctor`` found a problem."""
INTERRUPTED: Final = 130
"""Ctrl-C: 128 + SIGINT."""
T = TypeVar("T")


def end_on_sigterm() -> None:
    """End this process at SIGTERM, and undo what it is at: an open transaction is rolled back, locks are released.

    The first process of a container would otherwise ignore the signal. Where the parent process chose a handler, it
    stays.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(OK)


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on an event loop of its own, as ``asyncio.run`` does.

    The first SIGINT cancels the work; the second raises ``KeyboardInterrupt`` wherever the thread is. ``asyncio.run``
    reports a SIGINT only when the work ends with ``CancelledError``; here a result or another exception that the
    cancellation led to is dropped.

    A process that was started with SIGINT ignored, such as a background job of a script, keeps ignoring it.

    Raises:
        KeyboardInterrupt: SIGINT arrived before the work and its event loop had ended.
    """
    import asyncio  # with TLS and sockets, which commands that do not wait for anything do without

    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None):
        return asyncio.run(work)
    interrupts = 0
    task: asyncio.Task[Any] | None = None

    async def watched() -> T:
        nonlocal task
        task = asyncio.current_task()
        return await work

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1 or task is None or task.done():
            raise KeyboardInterrupt
        task.cancel()
        # A selector that waits would not look at the cancellation before its time is over.
        task.get_loop().call_soon_threadsafe(_nothing)

    signal.signal(signal.SIGINT, interrupt)
    try:
        result = asyncio.run(watched())
    except BaseException as error:
        if interrupts:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        work.close()  # Where it was never started, Python would complain.
    if interrupts:
        raise KeyboardInterrupt
    return result


def _nothing() -> None:
    """Do nothing: being called is what wakes the loop."""
