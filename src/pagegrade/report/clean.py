"""Text and numbers that JSON, XML and PostgreSQL all accept."""

from __future__ import annotations

import math
import re
from typing import Final

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""NUL (PostgreSQL refuses it) and lone surrogates (no UTF-8 form exists, RFC 3629 section 3)."""


def clean_text(text: str) -> str:
    """``text`` with every character that cannot be stored replaced by U+FFFD."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def clean_number(number: float | None) -> float | None:
    """``number``, or ``None`` for NaN and the infinities, which JSON cannot say (RFC 8259 section 6)."""
    return None if number is None or not math.isfinite(number) else number


def clean_scalar(value: str | float | None) -> str | int | float | None:
    """A value of any of the kinds a check may report, made storable."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return clean_number(value)
    return value
