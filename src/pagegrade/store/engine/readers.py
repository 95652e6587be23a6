"""Reader threads: one thread executes all reads, and others help while it is blocked.

Most reads take SQLite some microseconds, and at each of them the GIL may go to another thread. Several threads with a
hundred small reads spend more time on switching than on reading: one thread that takes all queued reads, and delivers
their results in batches, serves twice as many requests a second. A search through many rows can take long, however, and
must not block other reads: if the first thread is blocked for longer than ``STALLED_S``, another thread takes over the
queue.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")
STALLED_S: Final = 0.02
BATCH: Final = 16
"""Maximum number of results delivered together, so that a result does not wait long for later ones."""


class _Read(msgspec.Struct):
    """A queued read with its future, and then its result."""

    function: Callable[[], Any]
    promise: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None


class Readers:
    """Executes functions in threads: ``await readers.run(function)``."""

    def __init__(self, threads: int) -> None:
        """Prepare the threads; they are started at first use.

        Args:
            threads: Maximum number of threads, at least 1.
        """
        self._waiting: queue.SimpleQueue[_Read | None] = queue.SimpleQueue()
        self._ended: list[_Read] = []
        """Finished reads whose results are not delivered yet."""
        self._lock = threading.Lock()
        self._asked = 0
        self._done = 0
        self._closed = False
        self._first: threading.Thread | None = None
        self._helpers = ThreadPoolExecutor(threads - 1, thread_name_prefix="pagegrade-read") if threads > 1 else None
        self._watched_by: asyncio.AbstractEventLoop | None = None

    async def run(self, function: Callable[[], T]) -> T:
        """Execute ``function`` in one of the threads and return its result.

        Raises:
            RuntimeError: The readers are closed.
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
        """Finish queued reads and end the threads."""
        with self._lock:
            self._closed = True
            self._waiting.put(None)
        if self._first is not None:
            self._first.join()
        if self._helpers is not None:
            self._helpers.shutdown()
        # A helper may have left its result to the first thread, which had already ended.
        self._deliver()

    def _serve(self) -> None:
        """Execute queued reads in the first thread."""
        while (read := self._waiting.get()) is not None:
            self._do(read)
        self._deliver()

    def _help(self) -> None:
        """Execute queued reads in another thread while the first one is blocked."""
        with contextlib.suppress(queue.Empty):
            while (read := self._waiting.get_nowait()) is not None:
                self._do(read)
            self._waiting.put(None)  # the end marker is for the first thread

    def _do(self, read: _Read) -> None:
        try:
            read.result = read.function()
        except BaseException as error:  # noqa: BLE001 - passed to the caller
            read.error = error
        with self._lock:
            self._done += 1
            self._ended.append(read)
            if len(self._ended) < BATCH and not self._waiting.empty():
                return
        self._deliver()

    def _deliver(self) -> None:
        """Deliver results to their event loops, from any thread."""
        with self._lock:
            ended, self._ended = self._ended, []
        loops = {read.promise.get_loop() for read in ended}
        for loop in loops:
            mine = [read for read in ended if read.promise.get_loop() is loop]
            # The loop may have been closed since: then no caller is waiting.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(_settle, mine)

    def _watch(self, loop: asyncio.AbstractEventLoop, before: int) -> None:
        """Check in the event loop, while reads are pending, whether the first thread makes progress."""
        if self._done == before:
            # The first thread is blocked. Deliver its finished reads, and let a helper take over the queue.
            self._deliver()
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
            continue  # the caller was canceled
        if read.error is None:
            read.promise.set_result(read.result)
        else:
            read.promise.set_exception(read.error)
