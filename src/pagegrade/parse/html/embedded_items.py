"""Reads an item of microdata or RDFa as the object that a JSON-LD block would hold for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from turbohtml import CData, Element, Text

from pagegrade.parse.html.controls import text_attributes
from pagegrade.parse.structured_data import local_type

MAX_ELEMENTS: Final = 5_000
"""Elements of one item; what has more of them is a page, and is left alone."""
MAX_PROPERTIES: Final = 1_000
MAX_TEXT: Final = 300
MAX_TEXT_NODES: Final = 100
_ADDRESSES: Final = ("href", "src", "data", "resource")
_VALUE_OF: Final = {"data": "value", "meter": "value", "time": "datetime"}
_LATER: Final = "data-src"
"""The attribute in which scripts that load images late keep the address."""
_ELSEWHERE: Final[dict[str, object]] = {"@id": ""}
"""A value that is not looked into, and is there."""


def item_data(
    node: Element, types: list[str], resolve: Callable[[str | None], str | None], *, rdfa: bool
) -> dict[str, object] | None:
    """The properties of a top-level item, nested items among them; ``None`` for one that cannot be read as a tree.

    Each element belongs to one item, so all items of a page together cost linear time.

    Args:
        node: The element with ``itemscope`` or ``typeof``.
        types: The names of its types, as written.
        resolve: Makes absolute URLs.
        rdfa: Its properties are named by ``property`` instead of ``itemprop``.

    Source: https://html.spec.whatwg.org/multipage/microdata.html#associating-names-with-items,
    https://www.w3.org/TR/rdfa-lite/
    """
    naming, scoping = ("property", "typeof") if rdfa else ("itemprop", "itemscope")
    found: dict[str, object] = {"@type": list(types)}
    stack: list[tuple[list[Any], dict[str, object]]] = [(list(node)[::-1], found)]
    elements = properties = 0
    while stack:
        left, item = stack[-1]
        if not left:
            stack.pop()
            continue
        child = left.pop()
        if not isinstance(child, Element):
            continue
        elements += 1
        if elements > MAX_ELEMENTS or properties > MAX_PROPERTIES:
            return None
        names, is_item = child.attrs.get(naming) or "", scoping in child.attrs
        if not names and not (rdfa and "rel" in child.attrs):
            if not is_item:
                stack.append((list(child)[::-1], item))
            continue
        attrs = text_attributes(child)
        if "itemref" in attrs:
            return None
        value: object
        if is_item:
            inner: dict[str, object] = {"@type": attrs.get("typeof" if rdfa else "itemtype", "").split()}
            stack.append((list(child)[::-1], inner))
            value = inner
        elif not names:
            # The items below are values of this relation.
            value, names = _ELSEWHERE, attrs["rel"]
        else:
            value = _value(child, attrs, resolve)
            stack.append((list(child)[::-1], item))
        for name in (names if isinstance(names, str) else " ".join(names)).split():
            properties += 1
            values = item.setdefault(local_type(name), [])
            if isinstance(values, list):
                values.append(value)
    return found


def _value(node: Element, attrs: dict[str, str], resolve: Callable[[str | None], str | None]) -> str:
    """The value of a property: one meant for programs first, which search engines read on any element."""
    if "content" in attrs:
        return attrs["content"]
    if node.tag in _VALUE_OF and _VALUE_OF[node.tag] in attrs:
        return attrs[_VALUE_OF[node.tag]]
    for name in _ADDRESSES:
        if name in attrs:
            return resolve(attrs[name].strip()) or resolve(attrs.get(_LATER)) or attrs[name]
    return attrs.get(_LATER) or _text(node)


def _text(node: Element) -> str:
    parts: list[str] = []
    stack: list[Any] = [node]
    for _ in range(MAX_TEXT_NODES):
        if not stack:
            break
        one = stack.pop()
        if isinstance(one, (Text, CData)):
            parts.append(one.data[:MAX_TEXT])
        elif isinstance(one, Element):
            stack += list(one)[::-1]
    return " ".join("".join(parts).split())[:MAX_TEXT]
