"""Dialogs, menus and other parts that declare themselves closed.

``aria-hidden="true"`` on something that opens is how scripts note that it is closed. Most are hidden by a style sheet
as well; where a script does it, or moves them away, what the element declares is all that is known.

Source: https://www.w3.org/WAI/ARIA/apg/patterns/disclosure/
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turbohtml import Element

from pagegrade.parse.aria.parts import Touched

_OPENING: Final = frozenset({"alertdialog", "dialog", "listbox", "menu", "tooltip"})
"""Roles of what is there only while it is open."""


class ClosedPopups:
    """Knows of an element whether it stands in a popup that is closed."""

    def __init__(self, aria: Iterable[Touched]) -> None:
        """Note what a switch with ``aria-expanded="false"`` opens; ``aria`` are the elements with ARIA attributes."""
        self._shut = {
            name
            for _, attrs, _ in aria
            if "aria-controls" in attrs and attrs.get("aria-expanded", "").strip().lower() == "false"
            for name in attrs["aria-controls"].split()
        }
        self._known: dict[Element, bool] = {}

    def hold(self, node: Element) -> bool:
        """Return whether an ancestor of ``node`` is closed. Results are cached per ancestor."""
        passed: list[Element] = []
        closed = False
        for element in node.ancestors:
            if not isinstance(element, Element):
                break
            known = self._known.get(element)
            if known is not None:
                closed = known
                break
            passed.append(element)
            if self._is_closed(element):
                closed = True
                break
        self._known.update(dict.fromkeys(passed, closed))
        return closed

    def _is_closed(self, element: Element) -> bool:
        if (element.attr("aria-hidden") or "").strip().lower() != "true":
            return False
        return (element.attr("role") or "").strip().lower() in _OPENING or element.attr("id") in self._shut
