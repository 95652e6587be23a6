"""PostgreSQL: connections and their timeouts, and transactions in any number of threads and processes.

Writes are READ COMMITTED. Data of an account is written under a lock of the account (``store.locks``), so these writes
are serialized as on SQLite. A transaction that still loses a race, or whose connection was dead before the commit, is
retried.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

import psycopg
from psycopg import pq
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.store.engine.database import (
    RETRY_AFTER_S,
    UNAVAILABLE,
    Database,
    T,
    Transaction,
    parse_database_url,
    unavailable,
)

DRIVER: Final = "postgresql+psycopg"
CONNECT_S: Final = 4
"""Timeout for connecting to one host; libpq accepts whole seconds from 2."""
LOCK_S: Final = 6.0
"""Timeout for locks: the request that waits for the result would time out anyway."""
STATEMENT_S: Final = 8.0
"""Statement timeout of the server."""
PATIENCE_S: Final = 10.0
"""Timeout of the client for a server that does not respond, e.g. because the network drops all packets."""
IDLE_S: Final = 10.0
"""Timeout for an idle transaction: its process hangs and must not keep its locks."""
LONG_IDLE_S: Final = 600.0
"""Timeout for idle transactions of maintenance, which may take any time."""
_INTERVAL_S: Final = 0.1
_PARAMETERS: Final = frozenset(each.keyword.decode() for each in pq.Conninfo.get_defaults())
"""Of libpq, as this version of it knows them."""
_MAX_DETAIL: Final = 300

_TROUBLES: Final = {
    "08": "database_unreachable",
    "25006": "database_readonly",
    "40001": "database_locked",
    "40P01": "database_locked",
    "53100": "database_full",
    "53200": "out_of_memory",
    "53300": "too_many_connections",
    "53": "database_full",
    "55P03": "database_locked",
    "57014": "database_slow",
    "57": "database_unreachable",
    "25P03": "database_slow",
    "25P04": "database_slow",
    "28": "database_unreachable",
    "3D": "database_unreachable",
    "58": "disk_error",
    "F0": "database_damaged",
    "XX001": "database_damaged",
    "XX002": "database_damaged",
}
"""Errors of the database itself, independent of the statement: codes or their class
(https://www.postgresql.org/docs/current/errcodes-appendix.html)."""
_READ_ONLY: Final = "25006"
_TOO_MANY: Final = re.compile("too many (clients|connections)|connection slots")
_SECRET: Final = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
_AGAIN: Final = frozenset({"25P02", "40001", "40P01"})
"""Races that were lost; and a transaction that was aborted before, which did nothing."""
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


class Silence(psycopg.OperationalError):
    """The server did not respond in time."""


class Patient(psycopg.Connection[Any]):
    """A connection with a timeout for a server that does not respond."""

    patience_s: float | None = PATIENCE_S
    """Timeout of each exchange; ``None`` for no timeout."""

    def wait(self, gen: Generator[Any, Any, Any], interval: float = _INTERVAL_S, timeout: float | None = None) -> Any:
        """Wait for one exchange with the server.

        Raises:
            Silence: The server did not respond in time. The connection is closed; the statement may have been executed.
        """
        try:
            return super().wait(gen, interval, self.patience_s if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - psycopg reports a timeout only so
            if timeout is not None:
                raise
            # Without a termination message, which could block, too.
            self.pgconn.finish()
            raise Silence("the server has gone silent") from None
        except psycopg.Error as error:
            # Errors are logged, and their details contain stored values.
            if error.diag.message_primary:
                error.args = (error.diag.message_primary,)
            raise


def postgres_url(url: str) -> URL:
    """Parse a database URL.

    Raises:
        InvalidInput: It is not a PostgreSQL URL, names no database, or has a parameter that is none of libpq's.
    """
    parsed = parse_database_url(url)
    if parsed.get_backend_name() != "postgresql":
        raise InvalidInput("Write the database URL like postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE.")
    for name, value in parsed.query.items():
        if name not in _PARAMETERS:
            raise InvalidInput(
                f"The database URL has the parameter {name}, which PostgreSQL's library does not know. Tables of a "
                "schema are found by options=-csearch_path%3DNAME.",
                reason="database_url",
            )
        if not isinstance(value, str):
            raise InvalidInput(f"The database URL has the parameter {name} more than once.", reason="database_url")
    return parsed


def connector(
    url: str, *, name: str, patience_s: float | None = PATIENCE_S, is_durable: bool = True
) -> Callable[[], Patient]:
    """Return a function that opens a connection; transactions are started explicitly.

    Args:
        url: PostgreSQL URL.
        name: Application name of the connections.
        patience_s: Timeout of each exchange; ``None`` for no timeout, for schema changes.
        is_durable: A commit waits until it is on the disk.

    Raises:
        InvalidInput: The URL is not valid.
    """
    parsed = postgres_url(url)
    settings = {
        "synchronous_commit": "on" if is_durable else "off",  # a 201 is a promise
        "timezone": "UTC",
        "jit": "off",  # compiling takes longer than any statement of ours
        "idle_in_transaction_session_timeout": f"{LONG_IDLE_S if patience_s is None else IDLE_S:.0f}s",
        "statement_timeout": "0" if patience_s is None else f"{STATEMENT_S:.0f}s",
        "lock_timeout": "0" if patience_s is None else f"{LOCK_S:.0f}s",
    }
    given: dict[str, Any] = {
        "connect_timeout": CONNECT_S,
        "application_name": name,
        "client_encoding": "utf8",
        # Keepalives detect a lost peer also while the connection is idle.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        **parsed.query,
    }
    given["options"] = " ".join(
        [*(f"-c {key}={value}" for key, value in settings.items()), str(given.get("options", ""))]
    ).strip()
    parts = {
        "host": parsed.host,
        "port": parsed.port,
        "user": parsed.username,
        "password": parsed.password,
        "dbname": parsed.database,
    }
    given.update({part: value for part, value in parts.items() if value is not None})

    def connect() -> Patient:
        try:
            connection = Patient.connect(autocommit=True, **given)
        except (OSError, ValueError) as error:
            # Such as a host name that cannot be encoded; SQLAlchemy knows only errors of the driver.
            raise psycopg.OperationalError(f"the address of the server cannot be used: {error}") from None
        except psycopg.ProgrammingError as error:
            # A value that libpq does not understand: no statement was sent yet.
            raise psycopg.OperationalError(str(error)) from None
        connection.patience_s = patience_s
        return connection

    return connect


def make_engine(url: str, *, name: str, patience_s: float | None = PATIENCE_S) -> Engine:
    """Create the connection pool; the arguments are those of ``connector``."""
    return create_engine(
        f"{DRIVER}://",
        creator=connector(url, name=name, patience_s=patience_s),
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        pool_reset_on_return=None,  # transactions are ended by hand; one that is lost cannot be
        hide_parameters=True,  # errors are logged, and what was to be stored may be secret
    )


def driver_of(connection: Connection) -> Patient:
    """Return the driver's connection."""
    raw: Patient = connection.connection.driver_connection  # type: ignore[assignment]
    return raw


def is_lost(connection: Connection) -> bool:
    """Return whether the connection can no longer be used."""
    return connection.invalidated or connection.closed or driver_of(connection).closed


def is_idle(connection: Connection) -> bool:
    """Return whether no transaction is left on the connection, whole or aborted."""
    return driver_of(connection).info.transaction_status == pq.TransactionStatus.IDLE


def was_silent(error: DBAPIError) -> bool:
    """Return whether the connection was closed because the server did not respond."""
    return isinstance(error.orig, Silence)


def trouble_of(error: DBAPIError) -> str | None:
    """Return the code of an error of the database itself; ``None`` for an error of the statement."""
    code = getattr(error.orig, "sqlstate", None)
    if code is None:
        # An interface error is one of a connection that was closed.
        if not isinstance(error.orig, (psycopg.OperationalError, psycopg.InterfaceError)):
            return None
        # The connection failed before the server sent a code, or it sent only a message (while connecting).
        return "too_many_connections" if _TOO_MANY.search(str(error.orig)) else "database_unreachable"
    return _TROUBLES.get(code) or _TROUBLES.get(code[:2])


def detail_of(error: DBAPIError, url: URL) -> str:
    """Return the driver's reason in one line, without passwords.

    Args:
        url: Of the database, checked; so host, user and name are what they should be.
    """
    text = " ".join(str(error.orig).split())
    # libpq repeats its parameters in no message, and this keeps it true.
    secrets = [parsed for parsed in (url.password, *(url.query.get(name) for name in _SECRET)) if parsed]
    for secret in secrets:
        text = text.replace(str(secret), "***")
    return text[:_MAX_DETAIL]


def wrote_as_reader(error: DBAPIError) -> bool:
    """Return whether a read-only transaction tried to write."""
    return getattr(error.orig, "sqlstate", None) == _READ_ONLY


def is_worth_again(error: DBAPIError) -> bool:
    """Return whether the transaction lost a race, so that a retry may succeed."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN


class PostgresDatabase(Database):
    """A database on a PostgreSQL server, shared with other processes."""

    shared = True

    def __init__(self, url: str, *, readers: int = READERS, writers: int = WRITERS, name: str = "pagegrade") -> None:
        """Prepare the database; connections are opened at first use.

        Args:
            url: ``postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE``; its query may hold parameters of libpq.
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
