"""Conversion of rows from SQLite to PostgreSQL: validation, cleaning, and a digest.

SQLite accepts any value for any column: text with NUL, numbers of any size, text of any length. Values written by this
program always fit; manual changes, or those of an early version, may not.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from sqlalchemy import BigInteger, Integer, LargeBinary, SmallInteger, String, Table, Text

from pagegrade.model.errors import InvalidInput
from pagegrade.report.sanitize import clean_text

Row = tuple[Any, ...]
NAMED: Final = 10
"""Maximum number of cleaned rows that are named."""
_DIGEST_BYTES: Final = 32
_ALL: Final = 1 << (8 * _DIGEST_BYTES)
_NUL: Final = "\x00"


def read_text(raw: bytes) -> str:
    """Decode text of SQLite, which does not check its UTF-8; invalid bytes become lone surrogates."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("utf-8", "surrogateescape")


class Digest(msgspec.Struct):
    """Digest of the rows of a table, independent of their order."""

    rows: int = 0
    _sum: int = 0

    def add(self, row: Row) -> None:
        """Add a row.

        Raises:
            UnicodeEncodeError: A text has no UTF-8 form; nothing was added.
        """
        digest = hashlib.blake2b(_ENCODER.encode(row), digest_size=_DIGEST_BYTES).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % _ALL
        self.rows += 1

    @property
    def text(self) -> str:
        """Return the digest in hexadecimal."""
        return f"{self._sum:0{2 * _DIGEST_BYTES}x}"


_ENCODER: Final = msgspec.msgpack.Encoder()


class _Column(msgspec.Struct, frozen=True):
    name: str
    kind: type[Any]
    place: int
    least: int = 0
    most: int = 0
    """Range of numbers, or length of text; 0 without limit."""


@dataclass(slots=True)
class Rows:
    """Rules for the rows of one table, and statistics about them."""

    table: Table
    digest: Digest = field(default_factory=Digest)
    cleaned: int = 0
    """Number of rows with text that was cleaned."""
    named: list[str] = field(default_factory=list)
    """Names of the first of them."""
    _columns: tuple[_Column, ...] = field(init=False)
    _keys: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._columns = tuple(_column(column, place) for place, column in enumerate(self.table.columns))
        names = [column.name for column in self.table.columns]
        self._keys = tuple(names.index(column.name) for column in self.table.primary_key)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the values."""
        return tuple(column.name for column in self._columns)

    @property
    def types(self) -> list[str]:
        """PostgreSQL types of the columns."""
        return [_TYPES[type(column.type)] for column in self.table.columns]

    def take(self, row: Row) -> Row:
        """Return the row as it is to be stored, and count it.

        Raises:
            InvalidInput: PostgreSQL cannot store it; the message names it.
        """
        dirty = False
        for column in self._columns:
            value = row[column.place]
            if value is None:
                continue
            if not isinstance(value, column.kind):
                raise self._refuse(row, column, f"{_KINDS.get(type(value), 'something else')} instead of ")
            if column.kind is str:
                if column.most and len(value) > column.most:
                    raise self._refuse(row, column, f"more than {column.most} characters of ")
                dirty = dirty or _NUL in value
            elif column.kind is int and not column.least <= value <= column.most:
                raise self._refuse(row, column, "a number that is out of the range of ")
        if not dirty:
            try:
                self.digest.add(row)
            except UnicodeEncodeError:
                dirty = True
            else:
                return row
        plain = tuple(clean_text(value) if isinstance(value, str) else value for value in row)
        self.digest.add(plain)
        self.cleaned += 1
        if len(self.named) < NAMED:
            self.named.append(self._name(row))
        return plain

    def _name(self, row: Row) -> str:
        values = ", ".join(clean_text(str(row[place])) for place in self._keys if not isinstance(row[place], bytes))
        return f"{self.table.name} {values}".rstrip()

    def _refuse(self, row: Row, column: _Column, what: str) -> InvalidInput:
        return InvalidInput(
            f"PostgreSQL cannot keep a row of the table {self.table.name} ({self._name(row)}): its column "
            f"{column.name} holds {what}{_KINDS[column.kind]}. Fix or delete that row with sqlite3, then begin again. "
            "Nothing was transferred.",
            reason="row_unfit",
        )


_TYPES: Final[dict[type, str]] = {
    BigInteger: "int8",
    Integer: "int4",
    SmallInteger: "int2",
    LargeBinary: "bytea",
    String: "varchar",
    Text: "text",
}
_BITS: Final[dict[type, int]] = {BigInteger: 63, Integer: 31, SmallInteger: 15}
_KINDS: Final[dict[type, str]] = {int: "a number", float: "a fraction", str: "text", bytes: "bytes"}


def _column(column: Any, place: int) -> _Column:
    kind = column.type
    if isinstance(kind, Integer):
        bits = _BITS[type(kind)]
        return _Column(column.name, int, place, -(1 << bits), (1 << bits) - 1)
    if isinstance(kind, String):
        return _Column(column.name, str, place, most=kind.length or 0)
    return _Column(column.name, bytes, place)
