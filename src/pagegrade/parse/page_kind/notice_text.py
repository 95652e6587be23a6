"""Tells by its words whether a short text is a notice in place of a page: closed, refused, gone, for members only.

A linear model over words and parts of words; ``devtools/train_notice_text.py`` makes its weights from the examples in
``devtools/notice_texts``, which are written for it in some forty languages. It knows wordings that no list of phrases
has, and is sometimes wrong: it counts only beside what the structure of a page says.
"""

from __future__ import annotations

import math
import re
from array import array
from pathlib import Path
from typing import Final
from unicodedata import category, normalize
from zlib import crc32

from pagegrade.parse.page_kind.sketch import fold

BUCKETS: Final = 1 << 18
SCALE: Final = 64
"""A weight of 1 in the file."""
MAX_CHARACTERS: Final = 1_000
"""Of the beginning of a text, which is looked at; notices are short."""
WEIGHTS: Final = Path(__file__).with_name("notice_text.bin")
_PART: Final = 4
_STEM: Final = 5
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
_MIN_KNOWN: Final = 0.52
"""Share of the parts of a text that have a weight: nothing is said about texts in languages without examples."""
_WEIGHTS: Final = array("b", WEIGHTS.read_bytes()[:BUCKETS])


def parts_of(text: str) -> frozenset[int]:
    """Numbers of the words of a text, of their parts of four letters, and of neighboring beginnings of words.

    Of scripts that put no spaces between words, each letter, and each two neighboring ones.
    """
    found: list[str] = []
    before = ""
    plain = normalize("NFC", fold(text[:MAX_CHARACTERS]))
    for word in "".join(one if one.isalpha() or category(one)[0] == "M" else " " for one in plain).split():
        if _UNSPACED.match(word):
            found += (word[at : at + size] for size in (1, 2) for at in range(len(word) - size + 1))
            before = ""
            continue
        whole = f"<{word}>"
        found += (word, f"{before} {word[:_STEM]}", *(whole[at : at + _PART] for at in range(len(whole) - _PART + 1)))
        before = word[:_STEM]
    return frozenset(crc32(one.encode()) % BUCKETS for one in found)


def notice_margin(text: str) -> float:
    """Margin by which the beginning of a text reads more like a notice than like a page that was asked for.

    Below 0 it reads more like such a page; 0 where most of the text is in a language without examples.
    """
    parts = parts_of(text)
    weights = [weight for one in parts if (weight := _WEIGHTS[one])]
    if len(weights) <= _MIN_KNOWN * len(parts):
        return 0.0
    return sum(weights) / SCALE / math.sqrt(len(parts))
