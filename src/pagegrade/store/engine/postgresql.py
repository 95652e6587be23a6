"""Connections to PostgreSQL: parameters, timeouts, and classification of errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Any, Final

import psycopg
from psycopg import pq
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.url import parse_database_url

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
        error: An error of the database itself.
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
