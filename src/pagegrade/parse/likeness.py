"""Compares what pages say: a page and what answers where nothing can be, or any two by small numbers kept of them."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from turbohtml import Element

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.parse.words import fold_for_search

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

MIN_NAMED: Final = 6
"""Different words of title, main heading and description from which on a text has to have one of them."""
MIN_ABOUT: Final = 600
"""Characters of a text that is more than a notice or a list of names."""
_MIN_ABOUT_HAN: Final = 300
"""The same where one character is a word or half of one."""
MAX_ABOUT: Final = 40_000
_BEGINNING: Final = 4_000
"""Characters in which most texts have one of the words."""
_JAMO: Final = re.compile("[\u1100-\u11ff]")
"""Parts of syllables, which are composed before a text is folded, together with all that is beside them."""
_RUN_OF_HAN: Final = re.compile("[\u3005\u3400-\u9fff\uf900-\ufaff]{2,}|[\u30a1-\u30ff]{2,}")
_UNSPACED: Final = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3005-\u9fff\uf900-\ufaff\\d_]")
_LETTERS: Final = re.compile("[\\w\u0900-\u0dff]+")
_SYLLABLES: Final = re.compile("[\u1200-\u139f\uac00-\ud7a3]")
_PREFIXING: Final = re.compile("[\u0590-\u08ff]")
_MAX_NAMES: Final = 500
_STEM: Final = 5
"""Letters of a word that its forms have in common; words with fewer are those of every text."""

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


def is_about_another(document: Document) -> bool:
    """Return whether a text has not one word of its title, its main heading and its description.

    Words are compared by their beginnings, Chinese and Japanese ones by each two characters. Unknown, and so false, for
    pages with code, short texts, and names of few words or in a script such as Thai.
    """
    body = document.body.node if document.body is not None else None
    title = next((one.text for one in document.titles if one.text), "")
    heading = next((one.text for one in document.headings if one.level == 1 and one.text and not one.hidden), "")
    if not (title and heading and isinstance(body, Element)) or len(document.main_text) < _MIN_ABOUT_HAN:
        return False
    language = document.html.attrs.get("lang") if document.html is not None else None
    description = next((one.content for one in document.metas if one.name == "description"), "")
    names = [fold_for_search(one[:_MAX_NAMES], language) for one in (title, heading, description)]
    named = frozenset().union(*map(_stems, names))
    if len(named) < MIN_NAMED:
        return False
    text = document.main_text[:MAX_ABOUT]
    beginning = text[:_BEGINNING]
    if beginning.isascii() or _JAMO.search(text) is None:
        # Most texts end here. A name may go on behind the beginning, so its end says nothing.
        folded = _without(names, fold_for_search(beginning, language))[: -sum(map(len, names))]
        if any(stem in folded for stem in named):
            return False
    text = _without(names, fold_for_search(text, language))
    if len(text) < (MIN_ABOUT if _RUN_OF_HAN.search(text, 0, MIN_ABOUT) is None else _MIN_ABOUT_HAN):
        return False
    if any(stem in text for stem in named):
        return False
    return next(iter(body.select("pre, code")), None) is None


def _without(names: Iterable[str], text: str) -> str:
    """The text without the first place of each name, the longer ones first."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        text = text.replace(name, " ", 1)
    return text


def _stems(text: str) -> frozenset[str]:
    """The beginnings of the longer words of a folded text, without what is written together with them."""
    runs = _RUN_OF_HAN.findall(text)
    found = {run[at : at + 2] for run in runs for at in range(len(run) - 1)}
    for word in _LETTERS.findall(text):
        if _UNSPACED.search(word) is not None:
            continue
        if _SYLLABLES.search(word) is not None:
            found.update({word[:2]} if len(word) > 1 else ())
        elif len(word) >= _STEM:
            # Articles and conjunctions of Arabic and Hebrew are no part of the word.
            found.add(word[2:_STEM] if _PREFIXING.search(word) is not None else word[:_STEM])
    return frozenset(found)


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
