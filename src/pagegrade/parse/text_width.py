"""Estimates how long a text looks: graphemes, columns, and pixels in Arial.

Only the standard library is used, so grapheme clusters follow the main rules of UAX 29 (marks, joiners, emoji
modifiers, flags, Hangul) and not its rarer ones.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

MAX_CHARACTERS: Final = 10_000
"""Longer texts are measured up to here; every limit lies far below."""
TITLE_SIZE_PX: Final = 20.0
"""Font size of a result's title on Google's desktop page."""

_WIDTHS_BY_WIDTH: Final = {
    191: "'",
    222: "ijl\u2018\u2019",
    260: "|",
    278: " !,./:;I[\\]ft\u0131",
    333: "()-`r\u201c\u201d\u00b7",
    334: "{}",
    350: "\u2022",
    355: '"',
    389: "*",
    400: "\u00b0",
    469: "^",
    500: "cksvxyzJ",
    556: "#$0123456789?_abdeghnopqu\u2013\u20ac\u00a3\u00ab\u00bbL",
    584: "+<=>~\u00d7",
    611: "FTZ\u00df\u00f8",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    737: "\u00a9\u00ae",
    778: "GOQ\u00d8",
    833: "Mm",
    889: "%\u00e6",
    944: "W\u0153",
    1000: "\u2014\u2026\u2122\u00c6\u0152",
    1015: "@",
}
"""Advance widths of Arial in thousandths of the font size (its ``hmtx`` table, the same as Helvetica's metrics)."""
_WIDTHS: Final = {character: width for width, characters in _WIDTHS_BY_WIDTH.items() for character in characters}
_LOWER: Final = 556
_UPPER: Final = 700
_WIDE: Final = 1000

_MAY_JOIN: Final = re.compile(
    "[^\\x00-\u02ff\u0370-\u0482\u048a-\u0530\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u2bff"
    "\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff]"
)
"""Characters outside the ranges, common in titles, in which none becomes one with the character before it."""
_MAY_BE_WIDE: Final = re.compile("[^\\x00-\u10ff\u2010-\u2064\u20a0-\u20c0\u2100-\u218b\u2190-\u2319]")
_JOINER: Final = "\u200d"
_HANGUL_VOWELS_AND_FINALS: Final = range(0x1160, 0x1200)
_REGIONAL: Final = range(0x1F1E6, 0x1F200)
_MODIFIERS: Final = range(0x1F3FB, 0x1F400)
_TAGS: Final = range(0xE0020, 0xE0080)


def graphemes(text: str) -> Iterator[str]:
    """Yield the user-perceived characters in order; at most the first 10,000 code points are read."""
    text = text[:MAX_CHARACTERS]
    if not _MAY_JOIN.search(text):
        yield from text
        return
    cluster = ""
    joined = False
    for character in text:
        if cluster and (joined or _extends(cluster, character)):
            # Marks and joiners stack without end in hostile text; the base and a few of them say all.
            cluster = cluster + character if len(cluster) < 32 else cluster
        else:
            if cluster:
                yield cluster
            cluster = character
        joined = character == _JOINER
    if cluster:
        yield cluster


def grapheme_count(text: str) -> int:
    """Number of characters as a reader counts them: an accented letter, a flag and a family emoji are one each."""
    text = text[:MAX_CHARACTERS]
    return sum(1 for _ in graphemes(text)) if _MAY_JOIN.search(text) else len(text)


def column_count(text: str) -> int:
    """The same with East Asian wide characters counted twice, because they say and fill about twice as much."""
    if not _MAY_BE_WIDE.search(text):
        return grapheme_count(text)
    return sum(2 if _is_wide(cluster[0]) else 1 for cluster in graphemes(text))


def text_width_px(text: str, size_px: float = TITLE_SIZE_PX) -> float:
    """Estimated width in CSS pixels when set in Arial of that size. Letters outside Latin get an average width."""
    known = _WIDTHS
    return sum([known[one] if one in known else _width(one) for one in graphemes(text)]) * size_px / 1000


def _extends(cluster: str, character: str) -> bool:
    if character < "\u0300":
        return False
    code = ord(character)
    if unicodedata.category(character) in {"Mn", "Me", "Mc"} or character in {_JOINER, "\u200c"}:
        return True
    if code in _MODIFIERS or code in _TAGS or code in _HANGUL_VOWELS_AND_FINALS:
        return True
    return code in _REGIONAL and len(cluster) == 1 and ord(cluster) in _REGIONAL


def _is_wide(character: str) -> bool:
    return character >= "\u1100" and unicodedata.east_asian_width(character) in {"W", "F"}


def _width(cluster: str) -> int:
    character = cluster[0]
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if _is_wide(character) or ord(character) in _REGIONAL:
        return _WIDE
    # An accented letter is as wide as its base.
    base = unicodedata.normalize("NFD", character)[0]
    known = _WIDTHS.get(base)
    if known is not None:
        return known
    match unicodedata.category(character):
        case "Mn" | "Me" | "Cf" | "Cc":
            return 0
        case "Lu" | "Lt":
            return _UPPER
        case _:
            return _LOWER
