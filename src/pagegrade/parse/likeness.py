"""Compares what pages say: a page and what answers where nothing can be, or any two by small numbers kept of them."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from hashlib import blake2b
from typing import Final

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document

ALIKE: Final = 0.9
"""Share from which two pages are the same one; names of pages, times and numbers of requests differ."""
MAX_TEXT: Final = 12_000
"""Characters of each page that are compared."""
_MAX_SIZE_RATIO: Final = 1.6
"""Two answers of the same page differ by names, numbers and tokens, and not by more of their bytes than this."""
_WORD: Final = re.compile(
    "[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\\W\\d_]+"
)
"""A word without digits, or a character where nothing separates words."""

_MAX_FINGERPRINTED: Final = 60_000
"""Characters of a page that go into its fingerprints."""
_ALL_BITS: Final = (1 << 64) - 1
_FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers without a pattern, by which the hashes of three words in a row become one that knows their order."""
_HAS_BIT: Final = tuple(bytes(byte >> bit & 1 for byte in range(256)) for bit in range(8))
"""Bit -> a table that turns each byte into whether it has that bit."""


def likeness(one: Document, other: Document) -> float:
    """Share, 0 to 1, of the words of two pages that both have, outside headers, menus and footers.

    Two pages that both say nothing are 0 alike: nothing was compared.
    """
    if not one.main_text and not other.main_text:
        return _share(one.text, other.text)
    return _share(one.main_text, other.main_text)


def own_share(page: Document, other: Document) -> float:
    """Share, 0 to 1, of the words of a page, header and footer included, that another one does not have."""
    first, second = (Counter(_WORD.findall(one.text[:MAX_TEXT].casefold())) for one in (page, other))
    total = first.total()
    return (first - second).total() / total if total else 0.0


def may_be_alike(page: Response, other: Response) -> bool:
    """Return whether the bodies are near enough in size to be worth a comparison of what they say."""
    sizes = sorted((len(page.body), len(other.body)))
    return 0 < sizes[1] <= _MAX_SIZE_RATIO * sizes[0]


def _share(one: str, other: str) -> float:
    first, second = (Counter(_WORD.findall(text[:MAX_TEXT].casefold())) for text in (one, other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def hash64(text: str) -> int:
    """64 bits of a text, the same everywhere."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def digest_of(page: Document) -> int:
    """64 bits of what a page says outside headers, menus and footers; of all its text where it says nothing there."""
    return hash64(_said(page))


def simhash_of(page: Document) -> int:
    """64 bits of which those of two pages differ in few places if their words do; 0 for a page without words.

    Each three words in a row vote for the bits of their hash. Counted by columns of bytes, because a vote by each of
    them would cost as much as the evaluation of the page.

    Source: Moses S. Charikar, Similarity Estimation Techniques from Rounding Algorithms, 2002
    """
    words = _WORD.findall(_said(page)[:_MAX_FINGERPRINTED].casefold())
    if not words:
        return 0
    known = {word: hash64(word) for word in set(words)}
    row = [known[word] for word in words]
    if len(row) > 2:
        one, two, three = _FACTORS
        row = [(a * one ^ b * two ^ c * three) & _ALL_BITS for a, b, c in zip(row, row[1:], row[2:], strict=False)]
    columns = array("Q", row).tobytes()
    found = 0
    for byte in range(8):
        column = columns[byte::8]
        for bit in range(8):
            if 2 * column.translate(_HAS_BIT[bit]).count(1) > len(row):
                found |= 1 << (8 * byte + bit)
    return found


def _said(page: Document) -> str:
    return page.main_text or page.text
