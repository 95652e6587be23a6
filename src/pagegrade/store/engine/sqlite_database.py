"""Transactions on SQLite: many readers, one writer.

SQLite allows one writing connection at a time, so all writes go through one thread, which combines queued writes into
one transaction: each commit waits for the disk, so it should cover as many changes as possible. Each unit of work runs
inside its own savepoint, so that a failure does not affect the others.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, OperationalError

from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.database import RETRY_AFTER_S, Database, T, Transaction, unavailable
from pagegrade.store.engine.readers import Readers
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
            readers: Threads for reading.
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
