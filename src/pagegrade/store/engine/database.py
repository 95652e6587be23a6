"""Databases by their URLs, and transactions on any of them: ``await database.read(work)``, ``database.write(work)``.

Two classes implement the interface: ``SQLiteDatabase`` for one process with a database file, and ``PostgresDatabase``
for any number of processes and machines.

URLs are read in one place, and refused without a part of them in the message: a password that was not percent-encoded
puts parts of itself into host, port, database or parameters. So nothing of a URL is repeated before it is known that
each part is what it should be.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, overload

from sqlalchemy import Connection
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from pagegrade.model.errors import InvalidInput, Unavailable

EXAMPLES: Final = (
    "Write it like sqlite:////var/lib/pagegrade/pagegrade.db or postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE."
)
ENCODING: Final = (
    "Percent-encode what is special in the password: @ is %40, / is %2F, # is %23, ? is %3F, : is %3A, % is %25."
)
POSTGRESQL: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_PORTS: Final = (None, *range(1, 65_536))
_HOST: Final = re.compile(r"[\w.%:~/-]*")
"""A name, an address, a folder of sockets."""
T = TypeVar("T")
A = TypeVar("A")
Transaction = Connection
"""Argument of all functions of this package; callers treat it as opaque."""
StatementError = SQLAlchemyError
"""A statement failed although the database can be used: the tables are not what they should be."""

logger = logging.getLogger(__name__)

RETRY_AFTER_S: Final = 2
LOG_EVERY_S: Final = 10.0
MAX_REASON: Final = 300
SAVEPOINT_TRIES: Final = 5
_logged_at_s: dict[tuple[str, str], float] = {}
UNAVAILABLE: Final = "The database cannot be used right now; try again soon."
_MOMENT: Final = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"


def parse_database_url(url: str) -> URL:
    """Return the parts of a database URL; ``postgres://`` is understood, too.

    Raises:
        InvalidInput: It is not a URL of a database that this version uses; nothing of it is in the message.
    """
    scheme, found, rest = url.partition("://")
    if not found:
        raise InvalidInput(f"The database URL cannot be read. {EXAMPLES}")
    if scheme.split("+")[0] in {"postgres", "postgresql"} and rest.count("@") > 1:
        raise InvalidInput(f"The database URL has more than one @, so where its parts end is not known. {ENCODING}")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidInput(f"The database URL cannot be read. {EXAMPLES} {ENCODING}") from None
    if parsed.get_backend_name() == "sqlite":
        if parsed.query or parsed.host:
            raise InvalidInput(
                "The database URL of an SQLite file has a path and nothing else. "
                "Write it like sqlite:////var/lib/pagegrade/pagegrade.db."
            )
        return parsed
    if parsed.get_backend_name() not in {"postgres", "postgresql"}:
        raise InvalidInput(f"The database URL names a database that is not used here. {EXAMPLES}")
    if parsed.drivername not in POSTGRESQL:
        raise InvalidInput(
            "The database URL names a driver that is not used here. Begin it with postgresql+psycopg://."
        )
    if not _HOST.fullmatch(parsed.host or "") or parsed.port not in _PORTS:
        raise InvalidInput(f"The database URL has no usable host and port. {EXAMPLES} {ENCODING}")
    if not parsed.database:
        raise InvalidInput(f"The database URL names no database. {EXAMPLES} {ENCODING}")
    return parsed.set(drivername="postgresql+psycopg")


def name_of(database: Database) -> str:
    """Return the path of the file, or a name like ``reports on db.example:5432``."""
    if database.path is not None:
        return str(database.path)
    parsed = parse_database_url(database.url)
    host = parsed.host or "this machine"
    if ":" in host:
        host = f"[{host}]"
    return f"{parsed.database} on {host}" + (f":{parsed.port}" if parsed.port else "")


class Database(ABC):
    """One database.

    ``work`` is a function of a transaction. It may be retried after a failure, so it must have no effects outside of
    the database. Its exceptions reach the caller and roll back its changes. If the database cannot be written or
    reached, ``Unavailable`` is raised.
    """

    shared: ClassVar[bool]
    """True if other processes, also on other machines, can use the database at the same time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.on_commit: Callable[[int, float], None] | None = None
        """Called after every commit with the number of combined transactions and the duration in seconds."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """Path of the database file; ``None`` if it has none."""

    @overload
    async def read(self, work: Callable[[Transaction], T]) -> T: ...

    @overload
    async def read(self, work: Callable[[Transaction, A], T], first: Callable[[Transaction], A]) -> T: ...

    @abstractmethod
    async def read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None = None) -> T:
        """Return the result of ``work`` on a consistent snapshot of the database, executed in a thread.

        Args:
            first: Called before, in the same thread; its result is the second argument of ``work``. On a shared
                database each of its statements commits by itself, so that its counts are kept even if ``work`` raises.

        Raises:
            Unavailable: The database cannot be read.
        """

    @abstractmethod
    async def at_once(self, work: Callable[[Transaction], T]) -> T:
        """Return the result of ``work``, executed in a thread; on a shared database each statement commits by itself.

        Raises:
            Unavailable: The database cannot be used.
        """

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """Return the result of ``work`` after its changes are durable.

        Raises:
            Unavailable: The database cannot be written. Nothing was written, unless the connection was lost during the
                commit.
        """
        # If the caller is canceled, the transaction is still completed and its result dropped.
        return await asyncio.shield(asyncio.wrap_future(self.submit(work)))

    @abstractmethod
    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """Submit ``work`` like ``write``, from any thread; return the future of its result."""

    @abstractmethod
    def read_here(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in the calling thread, which keeps its own connection for the next call."""

    @abstractmethod
    def write_here(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in its own transaction in the calling thread: for commands, which have no event loop."""

    @abstractmethod
    def change_schema(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in its own transaction that may rebuild referenced tables, in one process at a time.

        Raises:
            Unavailable: The database cannot be written; nothing was changed.
        """

    @abstractmethod
    async def empty_log(self) -> None:
        """Remove what was deleted from the write-ahead log of a file; a server recycles its log by itself.

        Raises:
            Unavailable: The database cannot be written.
        """

    @abstractmethod
    def close(self) -> None:
        """Finish pending work and close all connections."""


def unavailable(reason: str, detail: str) -> Unavailable:
    """Return the error of a database that cannot be used, and log why: one line for each reason in a while.

    Args:
        reason: Code for the operator.
        detail: The driver's words, without secrets.
    """
    now_s = time.monotonic()
    if now_s - _logged_at_s.get((reason, detail), -LOG_EVERY_S) >= LOG_EVERY_S:
        _logged_at_s.clear()
        _logged_at_s[reason, detail] = now_s
        logger.warning("database_unavailable", extra={"reason": reason, "detail": detail})
    return Unavailable(UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason=reason, detail=detail)


def reason_of(error: StatementError) -> str:
    """Return the driver's words in one line, for the operator."""
    return " ".join(str(getattr(error, "orig", None) or error).split())[:MAX_REASON]


@contextlib.contextmanager
def savepoint(tx: Transaction, name: str) -> Iterator[None]:
    """Undo the changes of the block if it raises; what the transaction did before stays.

    A timeout of the server can cancel the end of the block, too. Then the end is tried again, because all that follows
    would fail in a transaction that was aborted.

    Raises:
        Unavailable: The transaction cannot go on.
    """
    tx.exec_driver_sql(f"SAVEPOINT {name}")
    try:
        yield
        tx.exec_driver_sql(f"RELEASE {name}")
    except BaseException as error:
        for tries_left in reversed(range(SAVEPOINT_TRIES)):
            try:
                tx.exec_driver_sql(f"ROLLBACK TO {name}")
                tx.exec_driver_sql(f"RELEASE {name}")
            except DBAPIError as failure:
                if not is_shared(tx):
                    raise error from failure  # a full disk has ended the whole transaction
                if not tries_left:
                    raise Unavailable(UNAVAILABLE, retry_after_s=RETRY_AFTER_S, reason="database_slow") from failure
            else:
                break
        raise


def is_shared(tx: Transaction) -> bool:
    """Return whether other processes can use this database at the same time."""
    return tx.dialect.name != "sqlite"


def moment(tx: Transaction, now_ms: int) -> int:
    """Return the time for leases and visits: on a shared database that of its clock, else ``now_ms``.

    Args:
        now_ms: Time of this machine's clock.
    """
    return int(tx.exec_driver_sql(_MOMENT).scalar_one()) if is_shared(tx) else now_ms


def is_shared_url(url: str) -> bool:
    """Return whether the URL names a database that several processes can share.

    Raises:
        InvalidInput: It is not a URL, or one of an unsupported database.
    """
    return parse_database_url(url).get_backend_name() == "postgresql"
