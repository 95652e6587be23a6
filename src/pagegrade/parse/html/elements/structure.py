"""Elements whose meaning lies in what stands around and inside them: lists and tables."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.parse.html.collect import Attributes, Closer, Collector
from pagegrade.parse.html.controls import text_attributes

_LISTS: Final = frozenset({"ul", "ol", "menu"})


def collection(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A list; what is in it is looked at when the document is whole."""
    into.parts.keep(into.parts.lists, node, attrs, flags)
    return flags, None


def list_item(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """An item, noted only when something around it is unusual: there are many."""
    parent = node.parent
    if isinstance(parent, Element) and parent.tag in _LISTS and "role" not in parent.attrs:
        return flags, None
    into.parts.keep(into.parts.list_items, node, attrs or text_attributes(node), flags)
    return flags, None


def term(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A term or its description, noted only when it does not stand in a description list."""
    parent = node.parent
    if isinstance(parent, Element) and parent.tag == "dl" and "role" not in parent.attrs:
        return flags, None
    into.parts.keep(into.parts.list_items, node, attrs or text_attributes(node), flags)
    return flags, None


def table(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A table; its cells are looked at when the document is whole."""
    into.parts.keep(into.parts.tables, node, attrs, flags)
    return flags, None
