"""SQLite: connection parameters and classification of errors."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.database import parse_database_url

_SETTING: Final = threading.Lock()
BUSY_MS: Final = 10_000
"""Timeout for locks of other processes that are writing, such as ``pagegrade keys``."""
LOG_BYTES: Final = 64 * 1024 * 1024
"""Size to which the write-ahead log is truncated after it had to grow."""
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
"""Errors of the database itself, independent of the statement (https://www.sqlite.org/rescode.html)."""


def sqlite_path(url: str) -> Path:
    """Return the path in a database URL.

    Raises:
        InvalidInput: It is not a URL of an SQLite file.
    """
    parsed = parse_database_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        raise InvalidInput(
            f"The database URL names {parsed.get_backend_name()}; this version keeps reports in an SQLite file. "
            "Write it like sqlite:////var/lib/pagegrade/db, or unset it."
        )
    return Path(parsed.database)


def make_engine(url: str, *, checkpoints: bool) -> Engine:
    """Create the connection pool; each connection is configured when it is opened.

    Args:
        url: URL of an SQLite file.
        checkpoints: Whether the connections perform checkpoints of the write-ahead log.
    """
    # Transactions are started explicitly: the driver's own are DEFERRED, and a reader that begins to write fails
    # at once, whatever its timeout (https://www.sqlite.org/lang_transaction.html).
    folder = sqlite_path(url).absolute().parent
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
        _use_temporary_folder(raw, folder)
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute(
            "PRAGMA synchronous = FULL"
        )  # NORMAL may lose the last commits with the power; a 201 is a promise
        cursor.execute("PRAGMA foreign_keys = ON")
        # Overwrite deleted content, instead of leaving it in the file until the space is reused.
        cursor.execute("PRAGMA secure_delete = ON")
        cursor.execute("PRAGMA mmap_size = 0")
        cursor.execute("PRAGMA cache_size = -4000")
        cursor.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
        cursor.execute(f"PRAGMA wal_autocheckpoint = {1000 if checkpoints else 0}")
        cursor.close()

    return engine


def _use_temporary_folder(raw: sqlite3.Connection, folder: Path) -> None:
    """Have large sorts and savepoints spill into the folder of the database, and not into ``/tmp``.

    That may be full, not writable or not there, and what spills is private. The setting is that of the process, and
    must not change while another connection uses it (https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations).
    """
    with _SETTING:
        # Not in SQLite's documentation of today, because it is for one thread; builds without it spill to memory.
        kept = raw.execute("PRAGMA temp_store_directory").fetchone()
        if kept is None or not kept[0]:
            quoted = str(folder).replace("'", "''")
            with contextlib.suppress(sqlite3.Error):
                raw.execute(f"PRAGMA temp_store_directory = '{quoted}'")
            kept = raw.execute("PRAGMA temp_store_directory").fetchone()
        if kept is None or not kept[0]:
            raw.execute("PRAGMA temp_store = MEMORY")


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection: calls cost a tenth, and errors are not translated."""
    raw: sqlite3.Connection = connection.connection.dbapi_connection  # type: ignore[assignment]
    return raw


def trouble_of(error: DBAPIError) -> str | None:
    """Return the code of an error of the database itself; ``None`` for an error of the statement."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    # The low byte is the kind of the error, the rest its details: https://www.sqlite.org/rescode.html#pve
    return _TROUBLES.get(code & 0xFF) if code is not None else None


def detail_of(error: DBAPIError) -> str:
    """Return SQLite's message with the name of the error; both come from SQLite and hold no value."""
    name = getattr(error.orig, "sqlite_errorname", None)
    return f"{error.orig} ({name})" if name else str(error.orig)


def wrote_as_reader(error: DBAPIError) -> bool:
    """Return whether a read-only connection tried to write; a read-only disk has an extended code."""
    return getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY


class _Compiler(SQLiteCompiler):
    """Adds the hints of ``Select.with_hint`` to statements, which SQLAlchemy omits for SQLite."""

    def get_from_hint_text(self, table: object, text: str | None) -> str | None:  # noqa: ARG002 - overridden
        """Return the text after a table name, e.g. ``INDEXED BY ix`` (https://www.sqlite.org/lang_indexedby.html)."""
        return text

    def visit_ilike_op_binary(self, binary: Any, operator: Any, **more: Any) -> str:
        """Compile ``ilike`` to LIKE, which ignores ASCII case; lower() on both sides would cost twice as much."""
        written: str = self.visit_like_op_binary(binary, operator, **more)  # type: ignore[no-untyped-call]
        return written
