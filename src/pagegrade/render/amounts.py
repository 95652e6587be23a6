"""Sizes and times for people."""

from __future__ import annotations

from typing import Final

from pagegrade.render.english import ENGLISH, Words

_BYTES_PER_KB: Final = 1000
_MS_PER_S: Final = 1000


def format_bytes(number: int, words: Words = ENGLISH) -> str:
    """``512 bytes``, ``48.2 kB``, ``3.1 MB`` (powers of 1000)."""
    if number < _BYTES_PER_KB:
        return words.ngettext("%(num)s byte", "%(num)s bytes", number)
    if number < _BYTES_PER_KB**2:
        return f"{words.number(number / _BYTES_PER_KB, digits=1)} kB"
    return f"{words.number(number / _BYTES_PER_KB**2, digits=1)} MB"


def format_ms(milliseconds: float, words: Words = ENGLISH) -> str:
    """``0.4 ms``, ``41 ms``, ``1.8 s``."""
    if milliseconds >= _MS_PER_S:
        return f"{words.number(milliseconds / _MS_PER_S, digits=1)} s"
    return f"{words.number(milliseconds, digits=0 if milliseconds >= 1 else 1)} ms"
