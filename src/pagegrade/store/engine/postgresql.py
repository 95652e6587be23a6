"""Connections to PostgreSQL: how they are made, how long they wait, and what their errors mean."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, Final

import psycopg
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from pagegrade.model.errors import InvalidInput

DRIVER: Final = "postgresql+psycopg"
CONNECT_S: Final = 4
"""For one host to take a connection; libpq knows whole seconds, and no fewer than 2."""
LOCK_S: Final = 6.0
"""A lock that is not had by then is not worth waiting for: somebody waits for the answer."""
STATEMENT_S: Final = 8.0
"""By then the server gives up a statement."""
PATIENCE_S: Final = 10.0
"""By then we give up a server that says nothing, e.g. because the network swallows everything."""
IDLE_S: Final = 10.0
"""A transaction that does nothing for so long belongs to a process that stands still; it must not keep its locks."""
LONG_IDLE_S: Final = 600.0
"""The same where somebody takes all the time that it takes."""
_INTERVAL_S: Final = 0.1

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
"""Troubles of the database itself, whatever the statement: codes or the class they begin with
(https://www.postgresql.org/docs/current/errcodes-appendix.html)."""
_READ_ONLY: Final = "25006"
_CROWDED: Final = re.compile("too many (clients|connections)|connection slots")
_AGAIN: Final = frozenset({"40001", "40P01"})


class Silence(psycopg.OperationalError):
    """Nothing came from the server for too long."""


class Patient(psycopg.Connection[Any]):
    """A connection that does not wait for ever for a server that has gone silent."""

    patience_s: float | None = PATIENCE_S
    """For each exchange; ``None``: as long as it takes."""

    def wait(self, gen: Generator[Any, Any, Any], interval: float = _INTERVAL_S, timeout: float | None = None) -> Any:
        """Wait for one exchange with the server.

        Raises:
            Silence: It took too long. The connection is closed: what the server makes of it nobody can know.
        """
        try:
            return super().wait(gen, interval, self.patience_s if timeout is None else timeout)
        except psycopg.errors._WaitTimeout:  # noqa: SLF001 - the one way in which psycopg tells that time is over
            if timeout is not None:
                raise
            # Without a word: a farewell would be waited for, too.
            self.pgconn.finish()
            raise Silence("the server has gone silent") from None
        except psycopg.Error as error:
            # Errors are logged, and the details of one repeat what was to be stored.
            if error.diag.message_primary:
                error.args = (error.diag.message_primary,)
            raise


def postgres_url(url: str) -> URL:
    """The parts of a database URL.

    Raises:
        InvalidInput: It is no URL of PostgreSQL, or names no database.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        parsed = None
    if parsed is None or parsed.get_backend_name() != "postgresql" or not parsed.database:
        raise InvalidInput(
            "The database URL cannot be read. Write it like postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE."
        )
    return parsed


def make_engine(url: str, *, name: str, patience_s: float | None = PATIENCE_S) -> Engine:
    """Connections to the database; transactions are begun by hand, as on SQLite.

    Args:
        url: Of PostgreSQL.
        name: What the server lists the connections as.
        patience_s: How long each exchange may take; ``None``: as long as it takes, for changes of the schema.
    """
    parsed = postgres_url(url)
    settings = {
        "synchronous_commit": "on",  # a 201 is a promise
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
        # A peer that vanished is noticed also while nothing is asked of it.
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
        connection = Patient.connect(autocommit=True, **given)
        connection.patience_s = patience_s
        return connection

    return create_engine(
        f"{DRIVER}://",
        creator=connect,
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        pool_reset_on_return=None,  # transactions are ended by hand; one that is lost cannot be
        hide_parameters=True,  # errors are logged, and what was to be stored may be secret
    )


def driver_of(connection: Connection) -> Patient:
    """The driver's own connection."""
    raw: Patient = connection.connection.driver_connection  # type: ignore[assignment]
    return raw


def is_lost(connection: Connection) -> bool:
    """Whether nothing can be asked of the connection any more."""
    return connection.invalidated or connection.closed or driver_of(connection).closed


def was_silent(error: DBAPIError) -> bool:
    """Whether the connection was given up because nothing came from the server any more."""
    return isinstance(error.orig, Silence)


def trouble_of(error: DBAPIError) -> str | None:
    """A word for what is wrong with the database itself; ``None``: it is the statement that is wrong."""
    code = getattr(error.orig, "sqlstate", None)
    if code is None:
        if not isinstance(error.orig, psycopg.OperationalError):
            return None
        # The connection broke before the server could say anything, or said it in words only (while connecting).
        return "too_many_connections" if _CROWDED.search(str(error.orig)) else "database_unreachable"
    return _TROUBLES.get(code) or _TROUBLES.get(code[:2])


def wrote_as_reader(error: DBAPIError) -> bool:
    """Whether a transaction that may only read was told to write."""
    return getattr(error.orig, "sqlstate", None) == _READ_ONLY


def is_worth_again(error: DBAPIError) -> bool:
    """Whether the same transaction may do better a moment later: it lost a race."""
    return getattr(error.orig, "sqlstate", None) in _AGAIN
