"""Threads that read: one does the work, others help out when it is held up.

Most reads take SQLite some microseconds, at each of which Python's lock may go to another thread. Several threads that
share a hundred small reads hand the lock to and fro more than they read: one thread that takes what waits, and tells
the outcomes several at a time, answers twice as many requests a second. But a search through many
rows may take long, and nobody else shall wait for it: whoever waits longer than ``STALLED_S`` is served by another
thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")
STALLED_S: Final = 0.02
TOLD_AT_ONCE: Final = 16
"""Outcomes that are told together, at most: what one has must not wait long for the others."""


@dataclass(slots=True)
class _Read:
    """Something to do, and who waits for it; then also how it ended."""

    function: Callable[[], Any]
    promise: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Readers:
    """``await readers.run(function)``: its result, from a thread."""

    def __init__(self, threads: int) -> None:
        """Nothing is started before the first use.

        Args:
            threads: How many there are at most, 1 or more.
        """
        self._waiting: queue.SimpleQueue[_Read | None] = queue.SimpleQueue()
        self._ended: list[_Read] = []
        """Done, and nobody was told yet."""
        self._lock = threading.Lock()
        self._asked = 0
        self._done = 0
        self._closed = False
        self._first: threading.Thread | None = None
        self._helpers = ThreadPoolExecutor(threads - 1, thread_name_prefix="pagegrade-read") if threads > 1 else None
        self._watched_by: asyncio.AbstractEventLoop | None = None

    async def run(self, function: Callable[[], T]) -> T:
        """What ``function`` returns or raises, from one of the threads.

        Raises:
            RuntimeError: They were closed.
        """
        loop = asyncio.get_running_loop()
        read = _Read(function, loop.create_future())
        with self._lock:
            if self._closed:
                raise RuntimeError("the readers are closed")
            self._asked += 1
            if self._first is None:
                self._first = threading.Thread(target=self._serve, name="pagegrade-read", daemon=True)
                self._first.start()
            self._waiting.put(read)
        if self._watched_by is not loop:
            self._watched_by = loop
            loop.call_later(STALLED_S, self._watch, loop, self._done)
        result: T = await read.promise
        return result

    def close(self) -> None:
        """Finish what waits and end the threads."""
        with self._lock:
            self._closed = True
            self._waiting.put(None)
        if self._first is not None:
            self._first.join()
        if self._helpers is not None:
            self._helpers.shutdown()
        # A helper may have left its outcome to the first thread, which had ended.
        self._tell()

    def _serve(self) -> None:
        """The first thread: wait for work and do it."""
        while (read := self._waiting.get()) is not None:
            self._do(read)
        self._tell()

    def _help(self) -> None:
        """Another thread: do what waits while the first one cannot."""
        with contextlib.suppress(queue.Empty):
            while (read := self._waiting.get_nowait()) is not None:
                self._do(read)
            self._waiting.put(None)  # it is the first thread's to see

    def _do(self, read: _Read) -> None:
        try:
            read.result = read.function()
        except BaseException as error:  # noqa: BLE001 - whoever waits must hear of it
            read.error = error
        with self._lock:
            self._done += 1
            self._ended.append(read)
            if len(self._ended) < TOLD_AT_ONCE and not self._waiting.empty():
                return
        self._tell()

    def _tell(self) -> None:
        """Hand the outcomes to those who wait, from any thread."""
        with self._lock:
            ended, self._ended = self._ended, []
        loops = {read.promise.get_loop() for read in ended}
        for loop in loops:
            mine = [read for read in ended if read.promise.get_loop() is loop]
            # The loop may have ended since: then nobody waits any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, mine)

    def _watch(self, loop: asyncio.AbstractEventLoop, before: int) -> None:
        """Called in the loop while anything is under way: see whether it goes on."""
        if self._done == before:
            # The first thread is held up. What it has done is told for it, and what waits is done by another.
            self._tell()
            if self._helpers is not None and not self._waiting.empty() and not self._closed:
                with contextlib.suppress(RuntimeError):
                    self._helpers.submit(self._help)
        if self._done == self._asked:
            self._watched_by = None
        else:
            loop.call_later(STALLED_S, self._watch, loop, self._done)


def _settle(reads: list[_Read]) -> None:
    for read in reads:
        if read.promise.done():
            continue  # whoever waited has gone
        if read.error is None:
            read.promise.set_result(read.result)
        else:
            read.promise.set_exception(read.error)
