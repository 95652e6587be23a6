"""Structured header fields: dictionaries, lists and single items, read as strictly as browsers read them.

One mistake makes browsers ignore the whole field; that is ``None`` here.

Source: https://www.rfc-editor.org/rfc/rfc9651#section-4.2
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import http_sf
import msgspec

MAX_CHARS: Final = 100_000
"""Of one field over all its lines; longer ones are not read."""


class Item(msgspec.Struct, frozen=True):
    """One value without its parameters."""

    kind: str
    """``token``, ``string`` or ``other`` (numbers, booleans, bytes, dates, strings beyond ASCII)."""
    text: str
    """Of a token or a string: its characters; of anything else: the value as Python shows it."""


def parse_dictionary(values: Iterable[str]) -> dict[str, tuple[Item, ...]] | None:
    """Read a dictionary; of a repeated key the last one counts.

    Args:
        values: The lines of the field in order.

    Returns:
        Key -> its items (one, or those of its inner list; none for a bare key, which means true); ``None`` when
        browsers ignore it.
    """
    members = _parse(values, "dictionary")
    return None if members is None else {key: _items(value) for key, (value, _) in members.items()}


def parse_list(values: Iterable[str]) -> tuple[Item, ...] | None:
    """Read a list; the items of inner lists stand in it like others. ``None`` when browsers ignore it."""
    members = _parse(values, "list")
    return None if members is None else tuple(item for value, _ in members for item in _items(value))


def parse_item(values: Iterable[str]) -> Item | None:
    """Read a field that holds one item; ``None`` when there is another number of them, or a mistake."""
    found = _parse(values, "item")
    return None if found is None else _item(found[0])


def _parse(values: Iterable[str], kind: str) -> Any:
    text = ", ".join(values)
    if len(text) > MAX_CHARS:
        return None
    try:
        return http_sf.parse(text.encode("ascii"), tltype=kind)
    except (http_sf.StructuredFieldError, UnicodeEncodeError, OverflowError):
        return None


def _items(value: Any) -> tuple[Item, ...]:
    if value is True:
        return ()
    return tuple(_item(inner) for inner, _ in value) if isinstance(value, list) else (_item(value),)


def _item(value: Any) -> Item:
    if isinstance(value, http_sf.Token):
        return Item("token", str(value))
    if isinstance(value, str):
        return Item("string", value)
    return Item("other", str(value))
