"""Compares what two pages say: a page, and what answers where nothing can be."""

from __future__ import annotations

import re
from collections import Counter
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
