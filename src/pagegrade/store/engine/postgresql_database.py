"""Transactions on PostgreSQL: as many readers and writers as there are threads, in as many processes as wanted.

Writing is READ COMMITTED. What belongs to an account is written under a lock of the account (``store.locks``), so
inside of it everything happens one after the other, as it does on SQLite. A transaction that loses a race all the same,
or whose connection turns out to be dead before it was committed, is run once more.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from pagegrade.model.errors import Unavailable
from pagegrade.store.engine.database import RETRY_AFTER_S, UNAVAILABLE, Database, T, Transaction
from pagegrade.store.engine.postgresql import (
    PATIENCE_S,
    driver_of,
    is_lost,
    is_worth_again,
    make_engine,
    trouble_of,
    was_silent,
    wrote_as_reader,
)

READERS: Final = 4
WRITERS: Final = 6
"""Threads, each with a connection of its own."""
MAX_WAITING: Final = 512
"""Pieces of work that wait for a thread; whoever comes then is told at once that there is no room."""
TRIES: Final = 6
"""Of a transaction that loses races."""
PAUSE_S: Final = 0.005
"""Before the second try, at most; twice as long before each further one."""
SILENT_S: Final = 0.5
"""After a connection could not be made nobody tries for so long: each try might be waited for."""
SCHEMA_LOCK: Final = 0x7061_6765
"""Name of the lock of those who change the schema."""
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"


class PostgresDatabase(Database):
    """A database on a PostgreSQL server that others may be using too."""

    shared = True

    def __init__(self, url: str, *, readers: int = READERS, writers: int = WRITERS, name: str = "pagegrade") -> None:
        """Prepare; no connection is opened before the first use.

        Args:
            url: ``postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE``; its query may hold parameters of libpq.
            readers: Threads for reading.
            writers: Threads for writing.
            name: What the server lists our connections as.

        Raises:
            InvalidInput: The URL cannot be used.
        """
        super().__init__(url)
        self._name = name
        self._engine = make_engine(url, name=name)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: list[Connection] = []
        self._waiting = 0
        self._silent_until_s = 0.0
        self._closed = False
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="pagegrade-read")
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="pagegrade-write")

    @property
    def path(self) -> None:
        """Nowhere on this machine, as far as we know."""
        return

    async def read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None = None) -> T:
        """In one of the readers' threads."""
        return await asyncio.wrap_future(self._hand_to(self._readers, lambda: self._read(work, first)))

    async def at_once(self, work: Callable[[Transaction], T]) -> T:
        """In one of the readers' threads: what needs no disk is as quick as reading."""
        return await asyncio.wrap_future(self._hand_to(self._readers, lambda: self._try(work)))

    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """To one of the writers' threads."""
        return self._hand_to(self._writers, lambda: self.write_here(work))

    def read_here(self, work: Callable[[Transaction], T]) -> T:
        """In the calling thread."""
        return self._read(work, None)

    def write_here(self, work: Callable[[Transaction], T]) -> T:
        """In the calling thread."""
        started_s = time.perf_counter()
        result = self._try(lambda tx: _in_transaction(tx, _WRITE, work))
        if self.on_commit is not None:
            self.on_commit(1, time.perf_counter() - started_s)
        return result

    def change_schema(self, work: Callable[[Transaction], T]) -> T:
        """With all the time it takes, behind a lock that every process takes for it."""

        def alone(tx: Transaction) -> T:
            tx.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
            return work(tx)

        engine = make_engine(self.url, name=f"{self._name} schema", patience_s=None)
        try:
            with engine.connect() as connection:
                return _in_transaction(connection, _WRITE, alone)
        except DBAPIError as error:
            raise _told(error) from error
        finally:
            engine.dispose()

    def close(self) -> None:
        """Finish what waits and close every connection."""
        self._closed = True
        self._readers.shutdown()
        self._writers.shutdown()
        with self._lock:
            opened, self._opened = self._opened, []
        for connection in opened:
            _discard(connection)
        self._engine.dispose()

    def _hand_to(self, threads: ThreadPoolExecutor, task: Callable[[], T]) -> Future[T]:
        """Let a thread do it, unless too much waits already or it has waited too long when its turn comes."""
        with self._lock:
            if self._closed or self._waiting >= MAX_WAITING:
                raise Unavailable(
                    UNAVAILABLE,
                    retry_after_s=RETRY_AFTER_S,
                    reason="database_closed" if self._closed else "database_busy",
                )
            self._waiting += 1
        until_s = time.monotonic() + PATIENCE_S

        def in_turn() -> T:
            with self._lock:
                self._waiting -= 1
            if time.monotonic() > until_s:
                raise Unavailable(UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason="database_busy")
            return task()

        try:
            return threads.submit(in_turn)
        except RuntimeError:
            raise Unavailable(retry_after_s=RETRY_AFTER_S, reason="database_closed") from None

    def _read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None) -> T:
        def both(tx: Transaction) -> T:
            if first is None:
                return _in_view(tx, work)
            given = first(tx)
            return _in_view(tx, lambda view: work(view, given))

        return self._try(both, reads=True)

    def _try(self, use: Callable[[Connection], T], *, reads: bool = False) -> T:
        """``use`` on the thread's connection; once more where that helps and cannot do anything twice."""
        for tries_left in reversed(range(TRIES)):
            connection = self._connection()
            try:
                return use(connection)
            except DBAPIError as error:
                lost, silent = is_lost(connection), was_silent(error)
                if silent:
                    self._silent_until_s = time.monotonic() + SILENT_S
                if lost:
                    self._drop(connection)
                again = is_worth_again(error) or (lost and not silent and not isinstance(error, _Unclear))
                if tries_left and again:
                    time.sleep(random.uniform(0, PAUSE_S * 2 ** (TRIES - tries_left - 1)))  # noqa: S311 - no secret
                    continue
                if reads and wrote_as_reader(error):
                    raise  # a mistake of ``work``
                raise _told(error) from error
            except BaseException:
                if is_lost(connection):
                    self._drop(connection)
                raise
        raise AssertionError("the last try either returns or raises")

    def _connection(self) -> Connection:
        """The calling thread's own.

        Raises:
            Unavailable: The server takes none.
        """
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            if not is_lost(connection):
                return connection
            self._drop(connection)
        if time.monotonic() < self._silent_until_s:
            raise Unavailable(UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason="database_unreachable")
        try:
            connection = self._engine.connect()
        except DBAPIError as error:
            self._silent_until_s = time.monotonic() + SILENT_S
            raise _told(error) from error
        self._local.connection = connection
        with self._lock:
            self._opened.append(connection)
        return connection

    def _drop(self, connection: Connection) -> None:
        self._local.connection = None
        with self._lock, contextlib.suppress(ValueError):
            self._opened.remove(connection)
        _discard(connection)


class _Unclear(DBAPIError):
    """The connection was lost in the moment of the commit: nobody knows whether it happened."""


def _in_transaction(connection: Connection, begin: str, work: Callable[[Transaction], T]) -> T:
    _run(connection, begin)
    try:
        result = work(connection)
    except BaseException:
        _roll_back(connection)
        raise
    try:
        _run(connection, "COMMIT")
    except DBAPIError as error:
        if is_lost(connection):
            raise _Unclear(error.statement, None, error.orig or error) from error
        raise
    return result


def _in_view(connection: Connection, work: Callable[[Transaction], T]) -> T:
    _run(connection, _READ)
    try:
        return work(connection)
    finally:
        _roll_back(connection)  # nothing was written; and it ends a transaction with an error in it, too


def _run(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)


def _roll_back(connection: Connection) -> None:
    """End what was begun; a connection that is lost has ended it."""
    with contextlib.suppress(DBAPIError):
        if not is_lost(connection):
            _run(connection, "ROLLBACK")


def _discard(connection: Connection) -> None:
    """Close without waiting for anybody: a socket that is dead is finished, not asked."""
    with contextlib.suppress(Exception):
        driver_of(connection).pgconn.finish()
    with contextlib.suppress(Exception):
        connection.close()


def _told(error: DBAPIError) -> BaseException:
    """The error as callers know it; a mistake in a statement stays what it is."""
    reason = trouble_of(error)
    if reason is None:
        return error
    return Unavailable(UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason=reason)
