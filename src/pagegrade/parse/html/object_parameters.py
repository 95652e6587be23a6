"""Values of the ``param`` elements of an embedded object; read for few elements, so the walk does not collect them."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Node

MAX_CHILDREN: Final = 200


def parameters(node: Node) -> dict[str, str]:
    """Name in lower case -> value of the parameters directly inside; the first of a name counts."""
    found: dict[str, str] = {}
    if isinstance(node, Element):
        for number, child in enumerate(node):
            if number >= MAX_CHILDREN:
                break
            if isinstance(child, Element) and child.tag == "param":
                found.setdefault((child.attr("name") or "").strip().lower(), (child.attr("value") or "").strip())
    return found
