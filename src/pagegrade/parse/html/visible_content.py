"""Visible content of a page as served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Document

MAX_NODES: Final = 2_000
"""Elements of the body that are searched for a drawing; a page with more of them shows something."""
_DRAWN: Final = frozenset(
    {"svg", "canvas", "video", "audio", "object", "embed", "math", "picture", "img", "hr", "frame"}
)
_SHOWN_REFERENCES: Final = frozenset({"image", "media", "object", "frame"})


def shows_nothing(document: Document) -> bool:
    """Return whether the body holds neither text nor anything else that a visitor sees."""
    if document.text:
        return False
    shown = (*document.images, *document.controls, *document.named, *document.frames, *document.anchors)
    if any(not one.hidden for one in shown):
        return False
    if any(one.kind in _SHOWN_REFERENCES and not one.hidden for one in document.references):
        return False
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element):
        return True
    left = MAX_NODES
    stack: list[Iterator[object]] = [iter(body)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        if isinstance(child, Element):
            left -= 1
            if document.visibility.hides(child):
                continue
            if child.tag in _DRAWN or not left:
                return False
            stack.append(iter(child))
    return True
