"""Data that the walk collects for accessibility checks, which need the whole document."""

from __future__ import annotations

from collections.abc import Sized
from typing import Final

from turbohtml import Element

from pagegrade.model.document import ElementFact
from pagegrade.parse.aria.implicit import has_tabindex
from pagegrade.parse.aria.subtree_flags import ARIA_HIDDEN, UNREACHABLE

TOUCHING: Final = frozenset({"dir", "lang", "tabindex", "accesskey", "contenteditable", "onclick"})
"""Attributes whose every bearer is kept."""
MAX_PARTS: Final = 20_000
"""Entries kept in one list."""
_TRIGGERS: Final = frozenset("a area audio button iframe input select summary textarea video".split())
"""Elements that are counted by their own handlers where they take the focus."""

Touched = tuple[Element, dict[str, str], int]
"""(element, its attributes, flags of its subtree), kept until the walk is over."""


class Parts:
    """The parts of one document."""

    def __init__(self) -> None:
        self.cut = False
        """A list was full."""
        self.aria: list[Touched] = []
        """Elements with a role or an attribute of ARIA."""
        self.aria_hidden: set[str] = set()
        """Values of ``aria-hidden``."""
        self.hidden_focusables: list[Touched] = []
        """Elements that take the focus inside a part that assistive technology does not see."""
        self.focusables = 0
        """Elements that take the focus so far."""
        self.hosts: list[Touched] = []
        """Elements whose content is presentation and in which something takes the focus."""
        self.lists: list[Touched] = []
        self.list_items: list[Touched] = []
        self.tables: list[Touched] = []
        self.mains: list[Touched] = []
        self.players: list[Touched] = []
        self.objects: list[Touched] = []
        self.maps_in_links: list[Touched] = []
        self.linked_images: list[tuple[int, int, int]] = []
        """(index of a link, first of its images, one after the last)."""
        self.touched: dict[str, list[Touched]] = {name: [] for name in TOUCHING}
        """Elements with one of these attributes."""
        self.doubled: dict[str, list[ElementFact]] = {}
        """Elements with an id that another one had before."""

    def fits(self, items: Sized) -> bool:
        """Return whether another entry fits."""
        if len(items) < MAX_PARTS:
            return True
        self.cut = True
        return False

    def keep(self, items: list[Touched], node: Element, attrs: dict[str, str], flags: int) -> None:
        """Set an element aside."""
        if len(items) < MAX_PARTS:
            items.append((node, attrs, flags))
        else:
            self.cut = True

    def touch(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """An element with one of the attributes that are kept."""
        for name in TOUCHING:
            if name in attrs:
                self.keep(self.touched[name], node, attrs, flags)
        if node.tag not in _TRIGGERS and (has_tabindex(attrs) or attrs.get("contenteditable", "false") != "false"):
            self.focusable(node, attrs, flags)

    def focusable(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """An element that takes the focus."""
        self.focusables += 1
        if flags & ARIA_HIDDEN and not flags & UNREACHABLE:
            self.keep(self.hidden_focusables, node, attrs, flags)

    def aria_element(self, node: Element, attrs: dict[str, str], flags: int) -> int:
        """An element with a role or an attribute of ARIA; returns the flags of its subtree."""
        hidden = attrs.get("aria-hidden", "").strip().lower()
        if hidden:
            self.aria_hidden.add(hidden)
        if hidden == "true":
            flags |= ARIA_HIDDEN
        if "role" not in attrs and hidden in {"true", "false"} and "".join(attrs).count("aria-") == 1:
            # Says nothing but this, and says it right: most of what pages hold.
            return flags
        self.keep(self.aria, node, attrs, flags)
        return flags
