"""Visible content of a page as served."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document

MAX_NODES: Final = 2_000
"""Elements of the body that are searched for a drawing; a page with more of them shows something."""
_DRAWN: Final = frozenset(
    {"svg", "canvas", "video", "audio", "object", "embed", "math", "picture", "img", "hr", "frame"}
)
_UNDRAWN: Final = (
    "dialog:not([open]), [popover], noscript, canvas, template, datalist, audio, progress, meter, details:not([open])"
)
"""Elements whose content browsers do not draw, or not until a visitor opens them."""
_OPENERS: Final = "[popovertarget], [commandfor]"
_MIN_UNDRAWN: Final = 100
"""Characters of a main part that was written to be read."""
_MIN_FALLBACK: Final = 300
"""The same of a text for browsers that cannot draw something, which otherwise is a note."""
_MAX_BESIDE: Final = 120
"""Characters beside it that are a heading or a note; what is more is a page of its own."""
_MAX_UNDRAWN: Final = 5
_TAG: Final = re.compile(r"<[^<>]{0,500}>")
_INVISIBLE: Final = (
    " \t\n\r\f\v\u00a0\u00ad\u034f\u061c\u115f\u1160\u180e\u2002\u2003\u2009\u200b\u200c\u200d\u200e\u200f\u202f\u2060"
    "\u2800\u3000\u3164\ufeff\uffa0"
)
"""Characters that draw nothing: blanks, marks of direction and of joining, fillers of Hangul, an empty braille cell."""
_UNSEEN: Final = frozenset({"script", "style", "template", "noscript"})
_SHOWN_REFERENCES: Final = frozenset({"image", "media", "object", "frame"})


def shows_nothing(document: Document) -> bool:
    """Return whether the body holds neither text nor anything else that a visitor sees."""
    if document.text.strip(_INVISIBLE):
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
        one.tag in _DRAWN if isinstance(one, Element) else bool(one.data.strip(_INVISIBLE))
        for one in _nodes(document, hides=lambda _: False)
    )


def find_undrawn(document: Document, part: Element) -> Element | None:
    """Find the element that holds nearly all of a part of the page and whose content browsers do not draw."""
    size = _length(part)
    if size < _MIN_UNDRAWN:
        return None
    for node in islice(part.select(_UNDRAWN), _MAX_UNDRAWN):
        length = _length(node)
        if 5 * length < 4 * size or size - length > _MAX_BESIDE:
            continue
        if node.tag == "details":
            summary = next((one for one in node if isinstance(one, Element) and one.tag == "summary"), None)
            return node if summary is not None and document.visibility.hides(summary) else None
        if node.tag == "dialog" or "popover" in node.attrs:
            root = part.root if hasattr(part, "root") else part
            return node if next(iter(root.select(_OPENERS)), None) is None else None
        return node if length >= _MIN_FALLBACK else None
    return None


def _length(node: Element) -> int:
    """Characters of a text without markup, which is the text of some elements."""
    return len(" ".join(_TAG.sub(" ", str(node.text)).split()))


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
