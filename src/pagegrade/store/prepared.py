"""Statements that every request asks: compiled once, then handed to the driver as they are.

SQLAlchemy spends some forty microseconds on a statement whose text and columns it knows already, which is several
times what SQLite needs to answer it. A statement with a list of unknown length in it cannot be prepared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Dialect, Executable
from sqlalchemy.exc import OperationalError

from pagegrade.store.sqlite import driver_of

Rows = list[tuple[Any, ...]]


class Prepared:
    """One statement; on other databases than SQLite it is simply executed.

    Its parameters and columns are of types that the driver knows by itself: numbers, text, bytes.
    """

    def __init__(self, statement: Executable) -> None:
        """Take any statement; it is compiled at its first use."""
        self.statement: Any = statement
        self._text: str | None = None
        self._names: tuple[str, ...] = ()
        self._fixed: dict[str, Any] = {}

    def rows(self, tx: Connection, parameters: Mapping[str, Any]) -> Rows:
        """All that the statement finds, or returns of what it wrote; nothing where it does neither."""
        if tx.dialect.name == "sqlite":
            text = self._text or self._compile(tx.dialect)
            given = {**self._fixed, **parameters} if self._fixed else parameters
            try:
                return driver_of(tx).execute(text, [given[name] for name in self._names]).fetchall()
            except sqlite3.Error as error:
                # A full disk may have ended the transaction: said again now, the statement would be one of its own.
                if not driver_of(tx).in_transaction:
                    raise OperationalError(text, None, error) from error
                # Else once more the long way, which tells the error as everything else in this room does.
        result = tx.execute(self.statement, parameters)
        return [tuple(row) for row in result] if result.returns_rows else []

    def first(self, tx: Connection, parameters: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row; ``None`` when there is none."""
        rows = self.rows(tx, parameters)
        return rows[0] if rows else None

    def _compile(self, dialect: Dialect) -> str:
        how = {"render_postcompile": True}
        compiled: Any = self.statement.compile(dialect=dialect, compile_kwargs=how)
        text = str(compiled)
        self._names = tuple(compiled.positiontup)
        self._fixed = {name: value for name, value in compiled.params.items() if value is not None}
        self._text = text
        return text
