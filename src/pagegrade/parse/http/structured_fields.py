"""Structured header fields: dictionaries and single items, read as strictly as browsers read them.

A mistake anywhere makes browsers ignore the whole field, so that is what ``None`` says here.

Source: https://www.rfc-editor.org/rfc/rfc9651#section-4.2
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_to_bytes

MAX_CHARS: Final = 100_000
"""Of one field over all its lines; longer ones are not read."""
_KEY: Final = re.compile(r"[a-z*][a-z0-9_.*-]*")
_TOKEN: Final = re.compile(r"[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*")
_STRING: Final = re.compile(r'"(?:[ !#-\[\]-~]|\\["\\])*"')
_OTHER: Final = re.compile(
    r"-?[0-9]{1,12}\.[0-9]{1,3}(?![0-9.])|-?[0-9]{1,15}(?![0-9.])|\?[01]|:[A-Za-z0-9+/=]*:|@-?[0-9]{1,15}(?![0-9])"
)
_DISPLAY: Final = re.compile(r'%"((?:[ !#$&-~]|%[0-9a-f]{2})*)"')
"""A string beyond ASCII: its bytes are UTF-8, written with percent signs."""
_SPACES: Final = re.compile(r" *")
_OPTIONAL_SPACE: Final = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Item:
    """One value without its parameters."""

    kind: str
    """``token``, ``string`` or ``other`` (numbers, booleans, bytes, dates, strings beyond ASCII)."""
    text: str
    """As written; a string without its quotes and escapes."""


class _Malformed(Exception):
    """The field breaks the grammar."""


def parse_dictionary(values: Iterable[str]) -> dict[str, tuple[Item, ...]] | None:
    """Read a dictionary; of a repeated key the last one counts.

    Args:
        values: The lines of the field in order.

    Returns:
        Key -> its items (one, or those of its inner list; none for a bare key); ``None`` when browsers ignore it.
    """
    text = ", ".join(values)
    if len(text) > MAX_CHARS:
        return None
    try:
        return _dictionary(text.strip(" "))
    except _Malformed:
        return None


def parse_item(values: Iterable[str]) -> Item | None:
    """Read a field that holds one item; ``None`` when there is another number of them, or a mistake."""
    text = ", ".join(values).strip(" ")
    if not text or len(text) > MAX_CHARS:
        return None
    try:
        item, at = _item(text, 0)
        at = _parameters(text, at)
    except _Malformed:
        return None
    return item if at == len(text) else None


def _dictionary(text: str) -> dict[str, tuple[Item, ...]]:
    found: dict[str, tuple[Item, ...]] = {}
    at = 0
    while at < len(text):
        key, at = _key(text, at)
        items: tuple[Item, ...] = ()
        if text.startswith("=", at):
            items, at = _member(text, at + 1)
        at = _parameters(text, at)
        found.pop(key, None)
        found[key] = items
        at = _skip(_OPTIONAL_SPACE, text, at)
        if at == len(text):
            break
        if text[at] != ",":
            raise _Malformed
        at = _skip(_OPTIONAL_SPACE, text, at + 1)
        if at == len(text):
            raise _Malformed
    return found


def _member(text: str, at: int) -> tuple[tuple[Item, ...], int]:
    if not text.startswith("(", at):
        item, at = _item(text, at)
        return (item,), at
    items: list[Item] = []
    at += 1
    while True:
        at = _skip(_SPACES, text, at)
        if text.startswith(")", at):
            return tuple(items), at + 1
        item, at = _item(text, at)
        items.append(item)
        at = _parameters(text, at)
        if not text.startswith((" ", ")"), at):
            raise _Malformed


def _item(text: str, at: int) -> tuple[Item, int]:
    for kind, pattern in (("token", _TOKEN), ("string", _STRING), ("other", _OTHER)):
        match = pattern.match(text, at)
        if match is not None:
            written = match[0]
            if kind == "string":
                written = re.sub(r"\\(.)", r"\1", written[1:-1])
            return Item(kind, written), match.end()
    display = _DISPLAY.match(text, at)
    if display is None or not _is_utf8(unquote_to_bytes(display[1])):
        raise _Malformed
    return Item("other", display[0]), display.end()


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _parameters(text: str, at: int) -> int:
    """After the parameters, which are not used here."""
    while text.startswith(";", at):
        _, at = _key(text, _skip(_SPACES, text, at + 1))
        if text.startswith("=", at):
            _, at = _item(text, at + 1)
    return at


def _key(text: str, at: int) -> tuple[str, int]:
    match = _KEY.match(text, at)
    if match is None:
        raise _Malformed
    return match[0], match.end()


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
