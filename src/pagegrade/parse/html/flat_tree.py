"""The flat tree of a document: declarative shadow trees in place of what browsers do not show, and streamed parts.

A server streams parts in hidden elements, and a line of script then puts them in their place.

Source: https://dom.spec.whatwg.org/#shadow-trees and https://drafts.csswg.org/css-scoping/#flattening
"""

from __future__ import annotations

import re
from typing import Final

import turbohtml
from turbohtml import Document, DocumentFragment, Element, Node, Text

MAX_SHADOW_TREES: Final = 10_000
"""Further ones stay aside, and with them what they would show."""
MAX_NESTED: Final = 32
"""Shadow trees inside one another; content of deeper ones would be moved as often."""
_HOSTS: Final = frozenset(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split()
)
"""Elements that may have a shadow tree, besides those with a hyphen in their name."""
_SCOPE: Final = "\ue000"
"""Begins the number of the tree behind an id: ids of different trees do not meet."""
_SCOPED: Final = re.compile(_SCOPE + r"\d+")
_REFERRING: Final = (
    "id for form list headers popovertarget commandfor aria-activedescendant aria-controls aria-describedby "
    "aria-details aria-errormessage aria-flowto aria-labelledby aria-owns"
).split()
"""Attributes with ids of the own tree."""


def has_shadow_trees(tree: turbohtml.Document) -> bool:
    """Return whether a document declares shadow trees; false for nearly all."""
    return tree.root is not None and next(iter(tree.root.select("template[shadowrootmode]")), None) is not None


def flatten_shadow_trees(tree: turbohtml.Document) -> None:
    """Give every host the children that browsers show: its shadow tree, in whose slots its own children stand.

    Children without a slot are left out. Ids and references to them are marked with the number of their tree
    (``without_scope`` takes the mark off again).
    """
    if tree.root is None:
        return
    count = 0
    stack: list[tuple[Element, int]] = [(tree.root, 0)]
    while stack:
        element, nested = stack.pop()
        shadow = _shadow_tree(element) if nested < MAX_NESTED and count < MAX_SHADOW_TREES else None
        if shadow is not None:
            count += 1
            nested += 1
            _flatten(element, shadow, count)
        if element.tag != "template":
            stack += [(child, nested) for child in reversed(element.children) if isinstance(child, Element)]


def without_scope(text: str) -> str:
    """Return ``text`` without the marks that ``flatten_shadow_trees`` leaves at ids."""
    return _SCOPED.sub("", text) if _SCOPE in text else text


def _shadow_tree(host: Element) -> Element | None:
    """The template that declares the shadow tree of an element: the first one that does, on an element that may."""
    if host.tag not in _HOSTS and "-" not in host.tag:
        return None
    for child in host.children:
        if isinstance(child, Element) and child.tag == "template":
            mode = child.attrs.get("shadowrootmode")
            if isinstance(mode, str) and mode.lower() in {"open", "closed"}:
                return child
    return None


def _flatten(host: Element, template: Element, number: int) -> None:
    """Move the shadow tree of one host into it, and the children of the host into the slots."""
    light = [child for child in host.children if child != template]
    content = [node for fragment in template.children if isinstance(fragment, DocumentFragment) for node in fragment]
    slots: dict[str, Element] = {}
    stack = [node for node in reversed(content) if isinstance(node, Element)]
    while stack:
        element = stack.pop()
        _mark(element, number)
        if element.tag == "slot":
            slots.setdefault(_name(element, "name"), element)
        if element.tag != "template":
            stack += [child for child in reversed(element.children) if isinstance(child, Element)]
    assigned: dict[str, list[Node]] = {}
    for child in light:
        name = _name(child, "slot") if isinstance(child, Element) else ""
        if name in slots and isinstance(child, (Element, Text)):
            assigned.setdefault(name, []).append(child)
    for name, nodes in assigned.items():
        slots[name].clear()
        slots[name].extend(nodes)
    host.clear()
    host.extend(content)


def _name(element: Element, attribute: str) -> str:
    """The value of an attribute that names a slot; empty for the slot of everything else."""
    value = element.attrs.get(attribute)
    return value if isinstance(value, str) else " ".join(value or ())


def _mark(element: Element, number: int) -> None:
    """Mark the ids in the attributes of an element."""
    attrs = element.attrs
    for name in _REFERRING:
        value = attrs.get(name)
        if value:
            ids = value.split() if isinstance(value, str) else value
            attrs[name] = " ".join(f"{each}{_SCOPE}{number}" for each in ids)


_MOVES: Final = re.compile(
    r"\b(?:replaceChild|replaceWith|replaceChildren|insertBefore|insertAdjacentElement|appendChild|append|before|after)\("
)
_CALL: Final = re.compile(r"[\w$.]{1,40}\(\s?[\"'][^\"']{1,80}[\"']\s?,\s?[\"'][^\"']{1,80}[\"']")
"""A call that names a place and a part."""
_CHEAP: Final = (b"replace", b"insert", b"append", b"before", b"after")
_WAITS: Final = re.compile(r"addEventListener|\bon[a-z]{3,20}\s?=|setTimeout|IntersectionObserver")
"""Code that runs later: what it moves is hidden until a visitor does something."""
_MAX_PARTS: Final = 200
_MAX_SCRIPT: Final = 20_000
_MAX_SCRIPTS: Final = 400


def show_streamed_parts(tree: Document, body: bytes) -> None:
    """Take ``hidden`` from elements that inline scripts name and move as soon as they run.

    Server rendering sends a page in the order in which its parts are ready: a place for each first, then its content
    in ``<div hidden id="S:1">``, then a script that names both. Browsers and search engines show the content.
    """
    if b" hidden" not in body or not any(one in body for one in _CHEAP):
        return
    parts = {}
    for node in tree.iter_elements("div"):
        if "hidden" in node.attrs and isinstance(name := node.attrs.get("id"), str) and name:
            parts[name] = node
            if len(parts) >= _MAX_PARTS:
                break
    if not parts:
        return
    for count, script in enumerate(tree.iter_elements("script")):
        if not parts or count >= _MAX_SCRIPTS:
            return
        if "src" in script.attrs:
            continue
        source = script.text[:_MAX_SCRIPT]
        if (_MOVES.search(source) or _CALL.search(source)) and not _WAITS.search(source):
            for name in {one for one in re.findall(r"[\"']([^\"'\s]{1,80})[\"']", source) if one in parts}:
                del parts.pop(name).attrs["hidden"]
