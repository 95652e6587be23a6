"""Transactions on PostgreSQL: one reader or writer per thread, in any number of processes.

Writes are READ COMMITTED. Data of an account is written under a lock of the account (``store.locks``), so these writes
are serialized as on SQLite. A transaction that still loses a race, or whose connection was dead before the commit, is
retried.
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
from pagegrade.store.engine.database import RETRY_AFTER_S, UNAVAILABLE, Database, T, Transaction, unavailable
from pagegrade.store.engine.postgresql import (
    PATIENCE_S,
    detail_of,
    driver_of,
    is_idle,
    is_lost,
    is_worth_again,
    make_engine,
    postgres_url,
    trouble_of,
    was_silent,
    wrote_as_reader,
)

READERS: Final = 4
WRITERS: Final = 6
"""Threads for writing, each with its own connection."""
MAX_WAITING: Final = 512
"""Maximum number of queued transactions; further ones fail at once with ``Unavailable``."""
TRIES: Final = 6
"""Attempts of a transaction that loses races."""
PAUSE_S: Final = 0.005
"""Maximum pause before the second attempt; doubled for each further one."""
SILENT_S: Final = 0.5
"""Time without connection attempts after one failed, because each attempt may take until its timeout."""
SCHEMA_LOCK: Final = 0x7061_6765
"""Key of the advisory lock for schema changes."""
_READ: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"
_ROLL_BACK: Final = "ROLLBACK"


class PostgresDatabase(Database):
    """A database on a PostgreSQL server, shared with other processes."""

    shared = True

    def __init__(self, url: str, *, readers: int = READERS, writers: int = WRITERS, name: str = "pagegrade") -> None:
        """Prepare the database; connections are opened at first use.

        Args:
            url: ``postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE``; its query may hold parameters of libpq.
            readers: Threads for reading.
            writers: Threads for writing.
            name: Application name of the connections.

        Raises:
            InvalidInput: The URL is not valid.
        """
        super().__init__(url)
        self._name = name
        self._engine = make_engine(url, name=name)
        self._local = threading.local()
        self._lock = threading.Lock()
        self._opened: list[Connection] = []
        self._waiting = 0
        self._silent_until_s = 0.0
        self._silence: str | None = None
        """The reason of the last attempt that failed."""
        self._closed = False
        self._readers = ThreadPoolExecutor(readers, thread_name_prefix="pagegrade-read")
        self._writers = ThreadPoolExecutor(writers, thread_name_prefix="pagegrade-write")

    @property
    def path(self) -> None:
        """None: the database has no file on this machine."""
        return

    async def read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None = None) -> T:
        """Read in a thread of the readers."""
        return await asyncio.wrap_future(self._hand_to(self._readers, lambda: self._read(work, first)))

    async def at_once(self, work: Callable[[Transaction], T]) -> T:
        """Run in a thread of the readers: statements without a durable commit are as fast as reads."""
        return await asyncio.wrap_future(self._hand_to(self._readers, lambda: self._try(work)))

    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Submit to the threads of the writers."""
        return self._hand_to(self._writers, lambda: self.write_here(work))

    def read_here(self, work: Callable[[Transaction], T]) -> T:
        """Read in the calling thread."""
        return self._read(work, None)

    def write_here(self, work: Callable[[Transaction], T]) -> T:
        """Write in the calling thread."""
        started_s = time.perf_counter()
        result = self._try(lambda tx: _in_transaction(tx, _WRITE, work))
        if self.on_commit is not None:
            self.on_commit(1, time.perf_counter() - started_s)
        return result

    def change_schema(self, work: Callable[[Transaction], T]) -> T:
        """Change the schema without timeouts, under an advisory lock."""

        def alone(tx: Transaction) -> T:
            tx.exec_driver_sql(f"SELECT pg_advisory_xact_lock({SCHEMA_LOCK})")
            return work(tx)

        engine = make_engine(self.url, name=f"{self._name} schema", patience_s=None)
        try:
            with engine.connect() as connection:
                return _in_transaction(connection, _WRITE, alone)
        except DBAPIError as error:
            raise self._translated(error) from error
        finally:
            engine.dispose()

    async def empty_log(self) -> None:
        """Do nothing: the log is the server's."""

    def close(self) -> None:
        """Finish pending work and close all connections."""
        self._closed = True
        self._readers.shutdown()
        self._writers.shutdown()
        with self._lock:
            opened, self._opened = self._opened, []
        for connection in opened:
            _discard(connection)
        self._engine.dispose()

    def _hand_to(self, threads: ThreadPoolExecutor, task: Callable[[], T]) -> Future[T]:
        """Submit a task to the threads; fail if too many are queued, or if it was queued for too long."""
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
        """Call ``use`` with the thread's connection; retry if that is safe and may succeed."""
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
                    raise  # an error in ``work``
                raise self._translated(error) from error
            except BaseException:
                if is_lost(connection):
                    self._drop(connection)
                raise
        raise AssertionError("the last try either returns or raises")

    def _connection(self) -> Connection:
        """Return the connection of the calling thread.

        Raises:
            Unavailable: The server accepts no connection.
        """
        connection: Connection | None = getattr(self._local, "connection", None)
        if connection is not None:
            if not is_lost(connection) and is_idle(connection):
                return connection
            # Lost, or with a transaction whose end failed, in which every statement would fail.
            self._drop(connection)
        if time.monotonic() < self._silent_until_s:
            raise Unavailable(
                UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason="database_unreachable", detail=self._silence
            )
        try:
            connection = self._engine.connect()
        except DBAPIError as error:
            self._silent_until_s = time.monotonic() + SILENT_S
            raise self._translated(error) from error
        self._local.connection = connection
        with self._lock:
            self._opened.append(connection)
        return connection

    def _translated(self, error: DBAPIError) -> BaseException:
        """Convert an error of the database to ``Unavailable``; return an error of the statement unchanged."""
        reason = trouble_of(error)
        if reason is None:
            return error
        detail = detail_of(error, postgres_url(self.url))
        if reason == "database_unreachable":
            self._silence = detail
        return unavailable(reason, detail)

    def _drop(self, connection: Connection) -> None:
        self._local.connection = None
        with self._lock, contextlib.suppress(ValueError):
            self._opened.remove(connection)
        _discard(connection)


class _Unclear(DBAPIError):
    """The connection was lost during the commit, so its outcome is unknown."""


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
        _roll_back(connection)
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
    """Roll back the transaction; a lost connection has already ended it.

    A statement timeout that the transaction set is in force until it has ended, so its end can be canceled as well.
    What is left is a transaction in which all statements fail: the connection is closed, and replaced at its next use.
    """
    if is_lost(connection):
        return
    try:
        _run(connection, _ROLL_BACK)
    except DBAPIError:
        with contextlib.suppress(Exception):
            driver_of(connection).close()


def _discard(connection: Connection) -> None:
    """Close the connection without waiting for the server."""
    with contextlib.suppress(Exception):
        driver_of(connection).pgconn.finish()
    with contextlib.suppress(Exception):
        connection.close()
