"""Finds text that was decoded with the wrong encoding: UTF-8 read as Windows-1252, once or twice, and lost characters.

Windows-1252 turns every character of UTF-8 into two to four of its own, and the first is one that hardly any language
puts before the second. Only such pairs are searched for, so text in which the single characters occur is not mistaken.

Source: https://encoding.spec.whatwg.org/#windows-1252
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

MAX_FOUND: Final = 1_000
NEAR_CHARS: Final = 30
"""Shown on either side."""
_CONTINUATIONS: Final = re.escape(
    "".join(bytes([octet]).decode("cp1252", "ignore") or chr(octet) for octet in range(0x80, 0xC0))
)
"""The bytes 80 to BF as browsers decode them: those without a character of their own stay control characters."""
_MARKS: Final = "ÂÃâð\N{REPLACEMENT CHARACTER}"
_SYMBOLS: Final = "¡-ª¬®-º¼-¿"
"""The bytes A1 to BF without the quotation marks, which may follow a word in capitals."""
_QUOTES: Final = "€‚ƒ„…†‡ˆ‰Š‹Œ\u008d\u008eŽ\u008f\u0090‘’“”•–—˜™š›œ\u009dž\u009eŸ\u00a0«»"  # noqa: RUF001 - bytes of Windows-1252
_LOWER: Final = "a-zß-öø-ÿ"
_GARBLED: Final = re.compile(
    # Every alternative begins with its mark, what stands before it is looked at behind it: so the search can skip to
    # the next mark.
    # Both at once: encoded twice.
    rf"Ãƒ[ÂÅ][{_CONTINUATIONS}]|Ã¢â‚¬[{_CONTINUATIONS}]{{0,2}}"  # noqa: RUF001 - as above
    # Two bytes: letters with accents (C3). Languages with words that end in this letter write them in capitals.
    rf"|Ã[{_SYMBOLS}]|Ã(?<=[{_LOWER}]Ã)[{_QUOTES}]|Ã(?<![A-ZÀ-Þ]Ã)[{_QUOTES}](?=[{_LOWER}])"
    # Two bytes: the signs of Latin-1 (C2).
    rf"|Â(?<![A-ZÀ-Þ]Â)[{_SYMBOLS}«»]"
    # Three bytes: quotation marks, dashes, the trade mark, signs (E2).
    rf"|â(?:€[{_CONTINUATIONS}]|‚¬|„¢|[†œ][{_CONTINUATIONS}])"  # noqa: RUF001 - as above
    # Four bytes: emoji (F0 9F).
    rf"|ðŸ[{_CONTINUATIONS}]{{1,2}}"
    # Characters that were lost: at least two together, or one inside a word.
    "|\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}+"
    r"|\N{REPLACEMENT CHARACTER}(?<=[^\W\d_]\N{REPLACEMENT CHARACTER})(?=[^\W\d_])"
)


class Garbled(msgspec.Struct, frozen=True, gc=False):
    """One place."""

    text: str
    """The characters as they stand there."""
    context: str
    """The same with what stands around them."""
    meant: str
    """Text that was probably meant; "" where characters are lost."""


def find_mojibake(text: str) -> Iterator[Garbled]:
    """The places in a text, in order, at most ``MAX_FOUND``. Never raises; linear in the text."""
    if not any(mark in text for mark in _MARKS):
        return
    for number, match in enumerate(_GARBLED.finditer(text)):
        if number >= MAX_FOUND:
            return
        start, end = match.span()
        context = text[max(0, start - NEAR_CHARS) : end + NEAR_CHARS]
        yield Garbled(text=match[0], context=context.strip(), meant=_undo(match[0]))


def _undo(text: str) -> str:
    """The text whose UTF-8 was read as Windows-1252; "" when there is none."""
    octets = bytearray()
    for character in text:
        try:
            octets += character.encode("cp1252")
        except UnicodeEncodeError:
            point = ord(character)
            if point > 0xFF:
                return ""
            octets.append(point)
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return ""
