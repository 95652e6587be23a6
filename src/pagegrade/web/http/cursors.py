"""Cursors of a list: a position between two reports, encoded as opaque text that clients send back unchanged.

A cursor holds no secret and gives no access: it says where to begin in the caller's own list. So it is not signed, and
a forged one is either a valid position or rejected.
"""

from __future__ import annotations

import base64
import re
from typing import Any, Final

import msgspec

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.stored import ORDERS, ListQuery, Position, SortBy, parts_of
from pagegrade.web.http.fields import UnreadableError

VERSION: Final = 1
MAX_CHARACTERS: Final = 12_288
"""A URL of 2,048 characters that JSON writes as six bytes each needs about as many."""
_TEXT: Final = re.compile(r"[A-Za-z0-9_-]+")
_MAX_INTEGER: Final = 2**63 - 1
_INVALID: Final = "Take the cursor from links.next or links.prev of an answer, or leave it empty to begin."


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a list with one sort order."""

    sort_by: SortBy
    descending: bool
    position: Position


def write_cursor(query: ListQuery, position: Position) -> str:
    """Encode a position in a list as a cursor."""
    members = [VERSION, query.sort_by, query.descending, position.backward, position.part, *position.values]
    return base64.urlsafe_b64encode(msgspec.json.encode(members)).decode("ascii").rstrip("=")


def read_cursor(text: str) -> Cursor:
    """Decode a cursor.

    Raises:
        UnreadableError: The text is not a cursor.
    """
    if len(text) > MAX_CHARACTERS or not _TEXT.fullmatch(text):
        raise UnreadableError("invalid", _INVALID)
    try:
        members = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=list[Any])
    except (ValueError, RecursionError):
        raise UnreadableError("invalid", _INVALID) from None
    match members:
        case [version, str(sort_by), bool(descending), bool(backward), int(part), *values] if (
            version == VERSION and sort_by in ORDERS and type(part) is int
        ):
            position = Position(part=part, values=tuple(values), backward=backward)
            return Cursor(sort_by=sort_by, descending=descending, position=position)
    raise UnreadableError("invalid", _INVALID)


def position_in(cursor: Cursor, query: ListQuery) -> Position:
    """Return the position of a cursor in the list of a query.

    Raises:
        ValidationFailed: The cursor belongs to a list in another order, or is not a valid position.
    """
    if (cursor.sort_by, cursor.descending) != (query.sort_by, query.descending):
        raise _refused("other_order", "The cursor belongs to a list that is sorted in another way.")
    parts = parts_of(query)
    position = cursor.position
    if not 0 <= position.part < len(parts):
        raise _refused("invalid", _INVALID)
    compared = parts[position.part].compared
    if len(compared) != len(position.values) or not all(map(_fits, compared, position.values)):
        raise _refused("invalid", _INVALID)
    return position


def _fits(column: str, value: object) -> bool:
    if column == "url":
        return isinstance(value, str) and value.isascii() and value.isprintable()
    return type(value) is int and -_MAX_INTEGER <= value <= _MAX_INTEGER


def _refused(code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field="cursor", place="query", code=code, message=message)])
