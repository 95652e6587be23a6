"""Visibility in a document that a browser has drawn, from the marks that it left on the elements."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final

import turbohtml
from turbohtml import Element

from pagegrade.parse.aria.subtree_flags import (
    INVISIBLE,
    OFF_NARROW,
    OFF_WIDE,
    VEILED_NARROW,
    VEILED_WIDE,
)
from pagegrade.parse.cascade.visibility import Visibility

MARK: Final = "data-pagegrade-hidden"
"""Attribute of the marks: ``off`` (not rendered), ``veiled`` (``visibility: hidden``), ``clipped`` (rendered out
of sight)."""
_OFF: Final = OFF_NARROW | OFF_WIDE
_VEILED: Final = VEILED_NARROW | VEILED_WIDE


class DrawnVisibility(Visibility):
    """Visibility as a browser computed it; nothing of it is uncertain.

    The marks are taken off the document, so that no snippet of it shows them.

    Args:
        tree: The parsed copy of the document.
        quirks: As for ``Visibility``.
    """

    def __init__(self, tree: turbohtml.Document, *, quirks: bool) -> None:
        super().__init__(quirks=quirks)
        self._marks: dict[Element, str] = {}
        if tree.root is not None:
            for node in tree.root.select(f"[{MARK}]"):
                self._marks[node] = str(node.attrs[MARK])
                del node.attrs[MARK]

    @property
    def suspects(self) -> Collection[Element]:
        """Every element with a mark."""
        return self._marks.keys()

    def enter(self, node: Element, flags: int) -> int:
        """Return the flags of an element and its content, from those of its parent's content."""
        if flags & _OFF == _OFF:
            return flags
        mark = self._marks.get(node)
        if mark == "off":
            self.off.add(node)
            return flags | _OFF | INVISIBLE
        if mark == "veiled":
            if not flags & INVISIBLE:
                self.veiled.add(node)
            return flags | _VEILED | INVISIBLE
        if flags & _VEILED:
            self.unveiled.add(node)
            return flags & ~(_VEILED | INVISIBLE)
        return flags

    def is_uncertain(self, node: Any) -> bool:  # noqa: ARG002 - as the base class
        """Return false: the browser knows."""
        return False

    def may_clip(self, styles: Iterable[str]) -> bool:  # noqa: ARG002 - the browser has applied them
        """Return whether ``is_clipped`` holds for any element."""
        return "clipped" in self._marks.values()

    def is_clipped(self, node: Element) -> bool:
        """Return whether the element is rendered where the eye does not see it."""
        return self._marks.get(node) == "clipped"

    def is_folded(self, node: Element) -> bool:  # noqa: ARG002 - "clipped" says it
        """Return false: what has no size in the browser is clipped there."""
        return False

    def may_show(self, node: Element) -> bool:  # noqa: ARG002 - as the base class
        """Return false: scripts have run."""
        return False
