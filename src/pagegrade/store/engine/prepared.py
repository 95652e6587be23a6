"""Statements of every request: compiled once by SQLAlchemy, then passed to the driver directly.

SQLAlchemy spends some forty microseconds on a cached statement, several times what SQLite needs to execute it. A
statement with a list of variable length cannot be prepared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, Dialect, Executable
from sqlalchemy.exc import DBAPIError, OperationalError

from pagegrade.store.engine import sqlite
from pagegrade.store.engine.database import is_shared

Rows = list[tuple[Any, ...]]


class _Compiled(msgspec.Struct, frozen=True):
    text: str
    names: tuple[str, ...]
    """Names of positional parameters, in order."""
    fixed: Mapping[str, Any]
    """Parameters with fixed values."""


class Prepared:
    """A prepared statement.

    Its parameters and columns have types that the drivers support directly: numbers, text, bytes; for PostgreSQL alone
    also lists of them, cast to an array.
    """

    def __init__(self, statement: Executable) -> None:
        """Store any statement; it is compiled at its first use."""
        self.statement: Any = statement
        self._sqlite: _Compiled | None = None
        self._postgres: _Compiled | None = None

    def rows(self, tx: Connection, parameters: Mapping[str, Any]) -> Rows:
        """Execute the statement and return all rows; empty if it returns none."""
        return self._ask_postgres(tx, parameters) if is_shared(tx) else self._ask_sqlite(tx, parameters)

    def first(self, tx: Connection, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Execute the statement and return the first row; ``None`` if there is none."""
        rows = self.rows(tx, parameters)
        return rows[0] if rows else None

    def _ask_sqlite(self, tx: Connection, parameters: Mapping[str, Any]) -> Rows:
        compiled = self._sqlite = self._sqlite or self._compile(tx.dialect)
        given = {**compiled.fixed, **parameters} if compiled.fixed else parameters
        driver = sqlite.driver_of(tx)
        try:
            return driver.execute(compiled.text, [given[name] for name in compiled.names]).fetchall()
        except sqlite3.Error as error:
            # A full disk may have ended the transaction: repeated now, the statement would run outside of it.
            if not driver.in_transaction:
                raise OperationalError(compiled.text, None, error) from error
            # Repeat it with SQLAlchemy, which raises the same exceptions as for all other statements.
            result = tx.execute(self.statement, parameters)
            return [tuple(row) for row in result] if result.returns_rows else []

    def _ask_postgres(self, tx: Connection, parameters: Mapping[str, Any]) -> Rows:
        from psycopg import Error

        from pagegrade.store.engine.postgresql import driver_of

        compiled = self._postgres = self._postgres or self._compile(tx.dialect)
        try:
            cursor = driver_of(tx).execute(compiled.text, {**compiled.fixed, **parameters})
            return cursor.fetchall() if cursor.description is not None else []
        except Error as error:
            # The exception that SQLAlchemy would raise; not repeated, because the transaction has failed.
            raise DBAPIError.instance(compiled.text, None, error, Error, hide_parameters=True) from error

    def _compile(self, dialect: Dialect) -> _Compiled:
        how = {"render_postcompile": True}
        compiled: Any = self.statement.compile(dialect=dialect, compile_kwargs=how)
        return _Compiled(
            str(compiled),
            tuple(compiled.positiontup or ()),
            {name: value for name, value in compiled.params.items() if value is not None},
        )
