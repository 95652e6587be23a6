"""Regions of a page: navigation, header, footer, or the main part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from turbohtml import Element

from pagegrade.model.audit import Place

_REGIONS: Final[Mapping[str, Place]] = {
    "nav": "nav",
    "navigation": "nav",
    "header": "header",
    "banner": "header",
    "footer": "footer",
    "contentinfo": "footer",
    "main": "main",
}
_SECTIONS: Final = frozenset({"article", "section", "main", "aside"})
"""A header or footer in one of them is that of the section, and no region of the page."""


class Regions:
    """Regions of the page in which its elements lie; each element on the way up is looked at once."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[Place, bool]] = {}

    def of(self, node: object) -> Place:
        """The region of an element."""
        way = []
        while isinstance(node, Element) and node not in self._known:
            way.append(node)
            node = node.parent
        place, is_section = self._known.get(node, ("main", False))
        for element in reversed(way):
            role = element.attr("role")
            region = _REGIONS.get(role if role is not None and role in _REGIONS else element.tag)
            if region is not None and not (is_section and region in {"header", "footer"}):
                place = region
            is_section = is_section or element.tag in _SECTIONS
            self._known[element] = place, is_section
        return place
