"""Text and numbers that JSON, XML and PostgreSQL all accept."""

from __future__ import annotations

import math
import re
from typing import Final

import msgspec

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""NUL (PostgreSQL refuses it) and lone surrogates (no UTF-8 form exists, RFC 3629 section 3)."""


def clean_text(text: str) -> str:
    """``text`` with every character that cannot be stored replaced by U+FFFD."""
    # Nearly all text is plain, and a report has thousands of pieces: to look takes a tenth of the search.
    plain = text.isascii() and "\x00" not in text
    return text if plain else _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def clean(text: str, limit: int) -> str:
    """``text`` fit to be kept: storable, and cut to ``limit`` characters with an ellipsis."""
    return clean_text(text if len(text) <= limit else text[: limit - 1] + "…")


def clean_number(number: float | None) -> float | None:
    """``number``, or ``None`` for NaN and the infinities, which JSON cannot say (RFC 8259 section 6)."""
    return None if number is None or not math.isfinite(number) else number


def storable(value: object) -> object:
    """Plain values made storable, however deep: dicts with text keys, lists, text, numbers, booleans and ``None``."""
    match value:
        case str():
            return clean_text(value)
        case float():
            return clean_number(value)
        case dict():
            return {clean_text(str(name)): storable(item) for name, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
        case _:
            return value


def storable_json(value: object) -> object:
    """``storable`` for values that become JSON: hardly any hold something to clean, and the encoder finds it faster.

    It writes NaN and the infinities as null, refuses lone surrogates, and escapes NUL. Members may be
    ``msgspec.Struct``, too.
    """
    encoded = _encode_storable(value)
    return storable(msgspec.to_builtins(value)) if encoded is None else msgspec.json.decode(encoded)


def encode_storable(value: object) -> bytes:
    """The JSON of ``storable(value)``."""
    return _encode_storable(value) or msgspec.json.encode(storable(msgspec.to_builtins(value)))


def _encode_storable(value: object) -> bytes | None:
    """The JSON of a value if it is storable as it is, else ``None``."""
    try:
        encoded = msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError):
        return None
    return None if b"\\u0000" in encoded else encoded
