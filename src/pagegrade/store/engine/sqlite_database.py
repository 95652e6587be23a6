"""Transactions on SQLite: many readers, one writer.

SQLite allows one writing connection at a time, so all writes go through one thread, which combines queued writes into
one transaction: each commit waits for the disk, so it should cover as many changes as possible. Each unit of work runs
inside its own savepoint, so that a failure does not affect the others.

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
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.database import RETRY_AFTER_S, Database, T, Transaction, unavailable
from pagegrade.store.engine.sqlite import (
    BUSY_MS,
    detail_of,
    driver_of,
    make_engine,
    sqlite_path,
    trouble_of,
    wrote_as_reader,
)

LOG_BUSY_MS: Final = 100
"""Time for which emptying the log waits for readers; writers wait as long."""
GROUP: Final = 64
"""Maximum number of units of work per commit."""


class _Work(msgspec.Struct, Generic[T]):
    """A unit of work for the writer thread, with its future."""

    function: Callable[[Transaction], T]
    promise: Future[T]


class SQLiteDatabase(Database):
    """A database in a file of this machine."""

    shared = False

    def __init__(self, url: str, *, readers: int = 4, checkpoints: bool = True) -> None:
        """Prepare the database; connections are opened at first use.

        Args:
            url: SQLAlchemy URL; ``sqlite:///`` and a path.
            checkpoints: Whether this process performs checkpoints of the write-ahead log. Exactly one process should:
                SQLite before 3.51.3 can corrupt the database if two processes do so at the same moment.

        Raises:
            InvalidInput: The URL is not valid.
        """
        super().__init__(url)
        self._path = sqlite_path(url)
        self._engine = make_engine(url, checkpoints=checkpoints)
        self._local = threading.local()
        self._opened: list[Connection] = []
        """Connections of reader threads, closed with the database."""
        self._readers = Readers(readers)
        self._work: queue.SimpleQueue[_Work[Any] | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._starting = threading.Lock()
        self._closed = False
        self._checkpoints = checkpoints
        self._is_log_wanted_empty = False

    @property
    def path(self) -> Path:
        """Path of the database file."""
        return self._path

    async def read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None = None) -> T:
        """Read in one transaction, in a thread."""
        if self._closed:
            raise Unavailable(retry_after_s=RETRY_AFTER_S, reason="database_closed")
        both = work if first is None else lambda tx: work(tx, first(tx))
        return await self._readers.run(partial(self.read_here, both))

    async def at_once(self, work: Callable[[Transaction], T]) -> T:
        """Read in a thread: on SQLite, counters that must not be rolled back are kept in memory."""
        return await self.read(work)

    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Add to the queue of the writer thread."""
        promise: Future[T] = Future()
        with self._starting:
            if self._closed:
                raise Unavailable(retry_after_s=RETRY_AFTER_S, reason="database_closed")
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_all, name="pagegrade-write", daemon=True)
                self._writer.start()
            self._work.put(_Work(work, promise))
        return promise

    def read_here(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in the calling thread, which keeps its own connection for the next call."""
        try:
            connection = self._reader()
            _run(connection, "BEGIN")
            try:
                return work(connection)
            finally:
                _end(connection, "COMMIT")
        except DBAPIError as error:
            if wrote_as_reader(error):
                raise  # an error in ``work``
            translated = _translated(error)
            if isinstance(translated, Unavailable):
                self._drop_reader()
            raise translated from error

    def write_here(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in its own transaction in the calling thread: for commands, which have no event loop."""
        try:
            with self._engine.connect() as connection:
                return _write_alone(connection, work)
        except DBAPIError as error:
            raise _translated(error) from error

    def change_schema(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in its own transaction, with foreign keys disabled."""
        # With foreign keys enabled, replacing a table deletes all rows that reference it; and they cannot be disabled
        # inside a transaction (https://www.sqlite.org/lang_altertable.html#otheralter).
        try:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
                return _write_alone(connection, work, last=_check_references)
        except DBAPIError as error:
            raise _translated(error) from error

    async def empty_log(self) -> None:
        """Move the log into the database and cut it to nothing, if no reader needs it now; it holds deleted pages."""
        self._is_log_wanted_empty = self._checkpoints
        # The writer does it after its next group of changes; nothing else of this process checkpoints meanwhile.
        # A second group begins only when that is done.
        await self.write(lambda _: None)
        await self.write(lambda _: None)

    def close(self) -> None:
        """Finish pending work and close all connections."""
        with self._starting:
            self._closed = True
        if self._writer is not None:
            self._work.put(None)
            self._writer.join()
        self._readers.close()
        for connection in self._opened:
            connection.close()
        self._engine.dispose()

    def _reader(self) -> Connection:
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is not None and _in_transaction(connection):
            # Its end failed: whatever is left of it is not used again.
            self._drop_reader()
            connection = None
        if connection is None:
            connection = self._engine.connect()
            # Without this, an unintended write in a reader would only fail while another connection writes.
            connection.exec_driver_sql("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._starting:
                self._opened.append(connection)
        return connection

    def _drop_reader(self) -> None:
        """Close the thread's connection, because the error may be limited to it."""
        connection: Connection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            with self._starting, contextlib.suppress(ValueError):
                self._opened.remove(connection)
            with contextlib.suppress(DBAPIError):
                connection.close()

    def _write_all(self) -> None:
        """Run the writer thread: take queued work, execute it, commit, and set the results."""
        connection: Connection | None = None
        while True:
            first = self._work.get()
            if first is None:
                break
            group = [first]
            ended = False
            with contextlib.suppress(queue.Empty):
                while len(group) < GROUP:
                    more = self._work.get_nowait()
                    if more is None:
                        ended = True
                        break
                    group.append(more)
            try:
                connection = self._fresh(connection)
                self._write_group(connection, [work for work in group if work.promise.set_running_or_notify_cancel()])
                if self._is_log_wanted_empty:
                    self._is_log_wanted_empty = False
                    _empty_log(connection)
            except BaseException as error:  # noqa: BLE001 - passed to all callers
                for work in group:
                    if not work.promise.done():
                        work.promise.set_exception(_translated(error))
                if connection is not None:
                    with contextlib.suppress(DBAPIError):
                        connection.close()
                connection = None
            if ended:
                break
        if connection is not None:
            connection.close()

    def _fresh(self, connection: Connection | None) -> Connection:
        """Return the writer's connection, or another one where a transaction is left on it whose end failed."""
        if connection is not None and _in_transaction(connection):
            connection.close()
            connection = None
        return self._engine.connect() if connection is None else connection

    def _write_group(self, connection: Connection, group: list[_Work[Any]]) -> None:
        done: list[tuple[_Work[Any], Any]] = []
        started = time.perf_counter()
        _run(connection, "BEGIN IMMEDIATE")
        try:
            for work in group:
                _run(connection, "SAVEPOINT work")
                try:
                    result = work.function(connection)
                except BaseException as error:
                    if not _in_transaction(connection):
                        # A full disk ends the whole transaction; the others are retried one by one.
                        raise _Lost(work, error) from error
                    _run(connection, "ROLLBACK TO work")
                    _run(connection, "RELEASE work")
                    work.promise.set_exception(_translated(error))
                else:
                    _run(connection, "RELEASE work")
                    done.append((work, result))
            _run(connection, "COMMIT")
        except BaseException as error:  # noqa: BLE001 - as above
            _end(connection, "ROLLBACK")
            culprit = error.work if isinstance(error, _Lost) else None
            if culprit is not None:
                culprit.promise.set_exception(_translated(error.__cause__ or error))
            rest = [work for work in group if not work.promise.done()]
            if len(group) == 1 or not rest:
                for work in rest:
                    work.promise.set_exception(_translated(error))
                return
            for work in rest:
                self._write_group(connection, [work])
            return
        for work, result in done:
            work.promise.set_result(result)
        # Last: the callback must not delay the results after a commit.
        if self.on_commit is not None:
            self.on_commit(len(done), time.perf_counter() - started)


class _Lost(Exception):
    """A unit of work made the database end the transaction."""

    def __init__(self, work: _Work[Any], error: BaseException) -> None:
        super().__init__(str(error))
        self.work = work


def _write_alone(
    connection: Connection, work: Callable[[Transaction], T], *, last: Callable[[Transaction], None] | None = None
) -> T:
    """Run ``work`` in one transaction, and ``last`` before its commit."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        result = work(connection)
        if last is not None:
            last(connection)
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        _end(connection, "ROLLBACK")
        raise
    return result


def _empty_log(connection: Connection) -> None:
    """Checkpoint and truncate, or do less where readers need the log (https://www.sqlite.org/c3ref/wal_checkpoint_v2.html)."""
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {LOG_BUSY_MS}")
    try:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").all()
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_MS}")


def _check_references(connection: Connection) -> None:
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if broken is not None:
        raise RuntimeError(f"a row of {broken[0]} refers to nothing in {broken[2]}")


def _in_transaction(connection: Connection) -> bool:
    return driver_of(connection).in_transaction


def _run(connection: Connection, statement: str) -> None:
    """Execute a statement without parameters or results; several surround each unit of work."""
    try:
        driver_of(connection).execute(statement)
    except sqlite3.Error as error:
        # Not repeated with SQLAlchemy: a COMMIT that failed has ended the transaction, and would fail for that reason.
        raise OperationalError(statement, None, error) from error


def _end(connection: Connection, statement: str) -> None:
    """End a transaction that the database may have ended itself."""
    if _in_transaction(connection):
        _run(connection, statement)


def _translated(error: BaseException) -> BaseException:
    """Convert an error of a full, locked, corrupted or missing database to ``Unavailable``.

    Errors of a statement are returned unchanged.
    """
    if not isinstance(error, DBAPIError):
        return error
    reason = trouble_of(error)
    return error if reason is None else unavailable(reason, detail_of(error))


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
