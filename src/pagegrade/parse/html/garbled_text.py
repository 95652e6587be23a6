"""Text in the wrong encoding that visitors see, and not where a page shows it as an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.mojibake import MAX_FOUND, Garbled, find_misread, find_mojibake, misread_as

MAX_NODES: Final = 200_000
_SKIPPED: Final = frozenset(
    "blockquote code head kbd listing noscript plaintext pre samp script style svg template textarea xmp".split()
)
"""Elements whose text is not seen, or shown as an example."""
_LOST: Final = re.compile(r"(?<!\S)[\"'(\[]?\?{2,}[.,;:!)\]\"']{0,3}(?!\S)")
"""A word of which a question mark is left for each letter: a database or a file could not hold them."""
_MAX_CONTEXT: Final = 80
_MIN_LOST: Final = 10
_MIN_LOST_SHARE: Final = 0.1
"""Share of the words of a text."""
_WORD: Final = 12
"""Characters around one place that it makes unreadable, in scripts that put no blanks between words."""


class GarbledText(msgspec.Struct, frozen=True, gc=False):
    """Text of a page that is in the wrong encoding."""

    places: tuple[tuple[Node, Garbled], ...]
    """With their elements: titles and descriptions, then the body; at most ``MAX_FOUND``."""
    share: float
    """Share of the visible text that stands in words with such a place, 0 to 1."""


def find_garbled_text(document: Document) -> GarbledText:
    """Find it in the title, the description and the visible text; linear in them."""
    if _is_lost(document.text):
        return GarbledText(places=tuple(islice(_lost(document), MAX_FOUND)), share=_lost_share(document.text))
    encoding = misread_as(document.text)
    places = tuple(islice(_found(document, encoding), MAX_FOUND))
    is_in_body = any(node.tag not in {"title", "meta"} for node, _ in places)
    return GarbledText(places=places, share=_share(document.text, encoding) if is_in_body else 0.0)


def _is_lost(text: str) -> bool:
    """Return whether question marks stand in the place of many words."""
    if text.count("??") < _MIN_LOST:
        return False
    lost = len(_LOST.findall(text))
    return lost >= _MIN_LOST and lost >= _MIN_LOST_SHARE * len(text.split())


def _lost(document: Document) -> Iterator[tuple[Node, Garbled]]:
    """Places of such words, with their elements."""
    for node, text in _texts(document.body.node) if document.body is not None else ():
        if _LOST.search(text) is not None:
            context = " ".join(text.split())[:_MAX_CONTEXT]
            yield node, Garbled(text="??", context=context, meant="")


def _lost_share(text: str) -> float:
    words = text.split()
    return sum(len(one) for one in words if _LOST.fullmatch(one)) / max(1, sum(map(len, words)))


def _found(document: Document, encoding: str | None) -> Iterator[tuple[Node, Garbled]]:
    named = [(title.node, title.text) for title in document.titles]
    named += [(meta.node, meta.content) for meta in document.metas if meta.name == "description"]
    for node, text in named:
        for garbled in _places(text, encoding or misread_as(text)):
            yield node, garbled
    # Most pages end here: the text of an element is part of the page's.
    if document.body is not None and next(_places(document.text, encoding), None) is not None:
        for node, text in _texts(document.body.node):
            for garbled in _places(text, encoding):
                yield node, garbled


def _places(text: str, encoding: str | None) -> Iterator[Garbled]:
    return find_mojibake(text) if encoding is None else find_misread(text, encoding)


def _share(text: str, encoding: str | None) -> float:
    """Share of a text that stands in words with a garbled place."""
    hit = size = 0
    for word in text.split():
        size += len(word)
        if word.isascii():
            continue
        # Where the text as a whole was misread, so were the few characters in it that look like others.
        hit += len(word) if encoding is not None else min(len(word), _WORD * sum(1 for _ in find_mojibake(word)))
    return hit / size if size else 0.0


def _texts(root: Node) -> Iterator[tuple[Node, str]]:
    """Each element with each of its texts, in document order."""
    if not isinstance(root, Element):
        return
    stack: list[tuple[Element, Iterator[object]]] = [(root, iter(root))]
    left = MAX_NODES
    while stack:
        element, children = stack[-1]
        child = next(children, None)
        if child is None:
            stack.pop()
            continue
        left -= 1
        if not left:
            return
        if isinstance(child, Text):
            yield element, child.data
        elif isinstance(child, Element) and child.tag not in _SKIPPED:
            stack.append((child, iter(child)))
