"""Visible content of a page as served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document

MAX_NODES: Final = 2_000
"""Elements of the body that are searched for a drawing; a page with more of them shows something."""
_DRAWN: Final = frozenset(
    {"svg", "canvas", "video", "audio", "object", "embed", "math", "picture", "img", "hr", "frame"}
)
_UNSEEN: Final = frozenset({"script", "style", "template", "noscript"})
_SHOWN_REFERENCES: Final = frozenset({"image", "media", "object", "frame"})


def shows_nothing(document: Document) -> bool:
    """Return whether the body holds neither text nor anything else that a visitor sees."""
    if document.text:
        return False
    seen = (*document.frames, *document.anchors, *document.images, *document.controls, *document.named)
    if any(not one.hidden for one in seen):
        return False
    if any(one.kind in _SHOWN_REFERENCES and not one.hidden for one in document.references):
        return False
    return not any(
        isinstance(one, Element) and one.tag in _DRAWN for one in _nodes(document, hides=document.visibility.hides)
    )


def holds_something(document: Document) -> bool:
    """Return whether the body holds text or a drawing, whether or not it is shown."""
    return any(
        one.tag in _DRAWN if isinstance(one, Element) else bool(one.data.strip())
        for one in _nodes(document, hides=lambda _: False)
    )


def _nodes(document: Document, *, hides: Callable[[Element], bool]) -> Iterator[Element | Text]:
    """The first elements and texts of the body, without those that are hidden; a rule stands for too many."""
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element) or hides(body):
        return
    left = MAX_NODES
    stack: list[Iterator[object]] = [iter(body)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif isinstance(child, Text):
            yield child
        elif isinstance(child, Element) and child.tag not in _UNSEEN and not hides(child):
            left -= 1
            if not left:
                yield Element("hr")
                return
            yield child
            stack.append(iter(child))
