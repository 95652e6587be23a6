"""Find the menu around an element; asked for few elements, so the walk does not collect it."""

from __future__ import annotations

from turbohtml import Element

from pagegrade.model.document import Node


def is_in_menu(node: Node) -> bool:
    """Return whether navigation is around the element; false for a node that is no element."""
    return isinstance(node, Element) and node.closest("nav,[role=navigation i]") is not None
