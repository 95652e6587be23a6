"""What is special about SQLite: how a connection is set up, and which troubles it has."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from pagegrade.model.errors import InvalidInput

BUSY_MS: Final = 10_000
"""How long to wait for another process, such as ``pagegrade keys``, that is writing."""
LOG_BYTES: Final = 64 * 1024 * 1024
"""A write-ahead log that had to grow is cut back to this."""
_TROUBLES: Final = {
    sqlite3.SQLITE_BUSY: "database_locked",
    sqlite3.SQLITE_CANTOPEN: "database_unreachable",
    sqlite3.SQLITE_CORRUPT: "database_damaged",
    sqlite3.SQLITE_FULL: "database_full",
    sqlite3.SQLITE_INTERRUPT: "database_interrupted",
    sqlite3.SQLITE_IOERR: "disk_error",
    sqlite3.SQLITE_LOCKED: "database_locked",
    sqlite3.SQLITE_NOMEM: "out_of_memory",
    sqlite3.SQLITE_NOTADB: "database_damaged",
    sqlite3.SQLITE_PERM: "database_unreachable",
    sqlite3.SQLITE_PROTOCOL: "database_locked",
    sqlite3.SQLITE_READONLY: "database_readonly",
}
"""Troubles of the database itself, whatever the statement (https://www.sqlite.org/rescode.html)."""


def sqlite_path(url: str) -> Path:
    """The file behind a database URL.

    Raises:
        InvalidInput: It is no URL, or not one of SQLite with a file.
    """
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInput("The database URL cannot be read. Write it like sqlite:////var/lib/pagegrade/db.") from None
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        raise InvalidInput(
            f"The database URL names {parsed.get_backend_name()}; this version keeps reports in an SQLite file. "
            "Write it like sqlite:////var/lib/pagegrade/db, or unset it."
        )
    return Path(parsed.database)


def make_engine(url: str, *, checkpoints: bool) -> Engine:
    """Connections to the database; each is set up as it is opened.

    Args:
        url: Of an SQLite file.
        checkpoints: Whether they move the write-ahead log into the database.
    """
    # Transactions are begun by hand: the driver's own would be DEFERRED, and a reader that turns writer in the middle
    # fails at once, whatever the time it may wait (https://www.sqlite.org/lang_transaction.html).
    engine = create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        poolclass=NullPool,
        connect_args={"check_same_thread": False},
        hide_parameters=True,  # errors are logged, and what was to be stored may be secret
    )

    engine.dialect.statement_compiler = _Compiler

    @event.listens_for(engine, "connect")
    def _prepare(raw: Any, _record: object) -> None:
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(
            "PRAGMA synchronous = FULL"
        )  # NORMAL may lose the last commits with the power; a 201 is a promise
        cursor.execute("PRAGMA foreign_keys = ON")
        # What is deleted is overwritten, instead of staying in the file until the space is used again.
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.execute("PRAGMA mmap_size = 0")
        cursor.execute("PRAGMA cache_size = -4000")
        cursor.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {1000 if checkpoints else 0}")
        cursor.close()

    return engine


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection: what is asked there costs a tenth, and errors are not translated."""
    raw: sqlite3.Connection = connection.connection.dbapi_connection  # type: ignore[assignment]
    return raw


def trouble_of(error: DBAPIError) -> str | None:
    """A word for what is wrong with the database itself; ``None``: it is the statement that is wrong."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    # The low byte is the kind of trouble, the rest says where: https://www.sqlite.org/rescode.html#pve
    return _TROUBLES.get(code & 0xFF) if code is not None else None


def wrote_as_reader(error: DBAPIError) -> bool:
    """Whether a connection that may only read was told to write; a disk that is read-only has a longer code."""
    return getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY


class _Compiler(SQLiteCompiler):
    """Writes the hints of ``Select.with_hint`` into the statement, which SQLAlchemy leaves out for SQLite."""

    def get_from_hint_text(self, table: object, text: str | None) -> str | None:  # noqa: ARG002 - overridden
        """What follows the name of a table, such as ``INDEXED BY ix`` (https://www.sqlite.org/lang_indexedby.html)."""
        return text

    def visit_ilike_op_binary(self, binary: Any, operator: Any, **more: Any) -> str:
        """LIKE itself: it takes no notice of the case of ASCII here, and lower() on both sides doubles its cost."""
        written: str = self.visit_like_op_binary(binary, operator, **more)  # type: ignore[no-untyped-call]
        return written
