"""Text in the wrong encoding that visitors see, and not where a page shows it as an example."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.mojibake import MAX_FOUND, Garbled, find_mojibake

MAX_NODES: Final = 200_000
_SKIPPED: Final = frozenset(
    "blockquote code head kbd listing noscript plaintext pre samp script style svg template textarea xmp".split()
)
"""Elements whose text is not seen, or shown as an example."""


def find_garbled_text(document: Document) -> tuple[tuple[Node, Garbled], ...]:
    """The places with their elements: titles and descriptions, then the body; at most ``MAX_FOUND``."""
    return tuple(islice(_found(document), MAX_FOUND))


def _found(document: Document) -> Iterator[tuple[Node, Garbled]]:
    named = [(title.node, title.text) for title in document.titles]
    named += [(meta.node, meta.content) for meta in document.metas if meta.name == "description"]
    for node, text in named:
        for garbled in find_mojibake(text):
            yield node, garbled
    # Most pages end here: the text of an element is part of the page's.
    if document.body is not None and next(find_mojibake(document.text), None) is not None:
        for node, text in _texts(document.body.node):
            for garbled in find_mojibake(text):
                yield node, garbled


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
