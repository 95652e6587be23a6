"""The text that people see in an element; looked at for few elements, so the walk does not collect it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Node, Visibility

MAX_NODES: Final = 300
MAX_CELLS: Final = 2_000
_SILENT: Final = frozenset({"noscript", "script", "select", "style", "svg", "template", "textarea"})
_UNSEEN: Final = frozenset(
    (
        "a11y-hidden assistive-text cdk-visually-hidden element-invisible hidden-visually hide-visually "
        "screen-reader-only screen-reader-text screenreader-only show-for-sr sr-only u-hidden-visually "
        "u-visually-hidden visually-hidden visuallyhidden"
    ).split()
)
"""Classes that hide a text from the eye only, in the frameworks that are used most."""
_SEEN: Final = "button, canvas, i, iframe, img, input, object, select, svg, textarea, video, [class], [style]"
_PICTURED: Final = frozenset({"mat-icon", "material-icons"})
_PICTURED_BEGINNINGS: Final = ("material-icons-", "material-symbols-")
"""Classes of fonts that draw a picture for a word."""


def shown_text(node: Node, visibility: Visibility) -> str | None:
    """Text inside the element that neither style sheets nor well-known classes hide or turn into a picture.

    Returns:
        The text with white space collapsed; ``None`` when the element holds more than ``MAX_NODES`` nodes.
    """
    if not isinstance(node, Element):
        return ""
    parts: list[str] = []
    stack = [iter(node)]
    left = MAX_NODES
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
            continue
        left -= 1
        if not left:
            return None
        if isinstance(child, Text):
            parts.append(child.data)
        elif isinstance(child, Element) and child.tag not in _SILENT and not _is_picture_or_unseen(child, visibility):
            parts.append(" ")
            stack.append(iter(child))
    return " ".join("".join(parts).split())


def _is_picture_or_unseen(node: Element, visibility: Visibility) -> bool:
    if visibility.hides(node) or visibility.is_clipped(node):
        return True
    attrs = node.attrs
    if not attrs:
        return False
    classes = attrs.get("class") or ()
    return any(
        word in _UNSEEN or word in _PICTURED or word.startswith(_PICTURED_BEGINNINGS)
        for word in (classes.split() if isinstance(classes, str) else classes)
    )


def holds(node: Node, selector: str) -> bool:
    """Return whether an element that a selector names is inside of the node."""
    return isinstance(node, Element) and next(iter(node.select(selector)), None) is not None


def holds_code(node: Node) -> bool:
    """Return whether an element holds code or what it prints, so that signs in its text may be an example."""
    return isinstance(node, Element) and node.select_one("code, kbd, pre, samp, tt, var") is not None


def is_hollow(node: Node) -> bool:
    """Return whether nothing inside an element is seen without a text, nor drawn by a rule for its class."""
    return isinstance(node, Element) and node.select_one(_SEEN) is None


def text_length(node: Node) -> int:
    """Characters of the text in an element, shown or not."""
    return len(str(node.text)) if isinstance(node, Element) else 0


def short_texts(root: Node, selector: str, length: int) -> Iterator[tuple[Node, str]]:
    """Yield the elements that a selector names and that hold no code, with the beginning of their text."""
    for node in islice(root.select(selector), MAX_CELLS) if isinstance(root, Element) else ():
        if node.closest("code, kbd, pre, samp, var, blockquote") is None and not holds_code(node):
            yield node, " ".join(str(node.text)[:length].split())
