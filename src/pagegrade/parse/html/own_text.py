"""The text that stands directly in an element; looked at for few elements, so the walk does not collect it."""

from __future__ import annotations

from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Node

MAX_CHILDREN: Final = 1_000


def own_text(node: Node) -> str:
    """Text nodes that are children of the element, white space collapsed; "" for a node that is no element."""
    if not isinstance(node, Element):
        return ""
    parts: list[str] = []
    for number, child in enumerate(node):
        if number >= MAX_CHILDREN:
            break
        parts.append(child.data if isinstance(child, Text) else " ")
    return " ".join("".join(parts).split())
