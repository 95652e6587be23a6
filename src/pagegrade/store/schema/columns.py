"""Metadata, names, types and options that tables share."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Integer, MetaData, String

ID: Final = BigInteger().with_variant(Integer, "sqlite")
"""Type of a number that the database gives; SQLite does so only in a column of this very type."""

NAMES: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of indexes and constraints."""

METADATA: Final = MetaData(naming_convention=NAMES)
"""Of all tables; complete once ``store.schema.tables`` is loaded."""


def text(characters: int) -> String:
    """Text of at most so many characters, which is compared and sorted by its bytes on every database."""
    return String(characters).with_variant(String(characters, collation="C"), "postgresql")


def where(condition: ColumnElement[bool]) -> dict[str, Any]:
    """Options of an index that has the rows for which a condition holds, on every database."""
    return {"sqlite_where": condition, "postgresql_where": condition}
