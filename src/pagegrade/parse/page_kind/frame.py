"""Recognizes pages of which only the frame of their site is left: the main part holds a few sentences instead."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.parse.page_kind.sketch import fold, path_of
from pagegrade.parse.page_kind.structure import Structure, is_around
from pagegrade.parse.url import is_http

_MAX_LINKS: Final = 4
"""Links in the main part: to begin again, to the front page, to ask for a password or an account."""
_MAX_HEADINGS: Final = 3
_MAX_WORDS: Final = 120
_MAX_LOOKED_AT: Final = 100
_CONTENT: Final = (
    "article, time, table, dl, pre, blockquote, figure, picture, img, svg[role=img], video, audio, iframe, object, "
    "canvas, math, textarea, select, details, li, [itemscope]"
)
"""Elements with which a page shows or offers something; a notice beside the frame has none of them."""
CLEAR_CONTENT: Final = (
    "time, table, pre, blockquote, figure, video, audio, iframe, object, canvas, math, textarea, select, details, "
    "[itemscope]"
)
"""The same without what a notice has at times: an article around it, a symbol, a list of browsers or of numbers."""

_SUBJECTS: Final = re.compile(r"article|posting|product|offer|event|recipe|question|faq|course|profile|place|business")
"""In the types of structured data: what a page of its own is about."""


def holds_little(page: Structure, *, content: str = _CONTENT) -> bool:
    """A certain page was asked for, and between the header and the footer of the site are only a few sentences.

    No link of the frame leads to the page by the name that it has: a short page is named in the navigation. The main
    part has at most three headings, and none of the elements that ``content`` selects.
    """
    words = page.document.main_word_count
    if not page.is_deep or words == page.words or not 0 < words <= _MAX_WORDS:
        return False
    root = page.document.body.node if page.document.body is not None else None
    if not isinstance(root, Element) or _has_subject(page):
        return False
    shown = islice(root.select(content), _MAX_LOOKED_AT)
    named = [one for one in islice(root.select("h1, h2, h3, h4"), _MAX_LOOKED_AT) if not is_around(one)]
    if len(named) > _MAX_HEADINGS:
        return False
    links = sum(1 for one in page.anchors if not is_around(one.node) and not (one.href or "").startswith("#"))
    return links <= _MAX_LINKS and all(is_around(one) for one in shown) and not _is_in_menu(page)


def _has_subject(page: Structure) -> bool:
    """The page says to programs what it is about: an article, a product, an event and the like."""
    kinds = (one.content.strip().lower() for one in page.document.metas[:50] if one.property == "og:type")
    types = (kind.lower() for one in page.document.structured_items[:20] for kind in one.types[:20])
    return any(one not in {"", "website"} for one in kinds) or any(map(_SUBJECTS.search, types))


def _is_in_menu(page: Structure) -> bool:
    """A link of the frame leads to the address that was asked for, by the name that the page has."""
    names = {*page.title_parts, page.first_heading}
    asked = page.requested_path.partition("?")[0].rstrip("/")
    return any(
        is_http(one.url or "")
        and path_of(one.url or "").partition("?")[0].rstrip("/").lower() == asked
        and fold(one.text[:200]).strip(" .!") in names
        for one in page.anchors
        if is_around(one.node)
    )
