"""Content that a page offers of its own: links into its site, usable fields, pictures and frames of some size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Control, Document, Frame, Image, Node
from pagegrade.parse.url import host, is_http, registrable_domain, strip_fragment

_MAX_LOOKED_AT: Final = 400
MOST: Final = 0.8
"""Share of the text of a page in one element from which on it is the page."""
_MAX_INERT: Final = 50
_MIN_PX: Final = 33
"""Width and height from which a picture or a frame shows more than a sign."""
MAX_ELEMENTS: Final = 2_000
"""Elements of one form that are looked at; one with more counts as working."""
_SEND: Final = frozenset({"submit", "image"})
_REFUSES: Final = re.compile(r"\s{0,9}return false\s{0,9};?\s{0,9}")
"""A handler that keeps the form from being sent, and does nothing else."""
_ACTS: Final = frozenset({"command", "commandfor", "form", "popovertarget"})
"""Attributes by which a button does something without a script."""
_NO_FIELDS: Final = frozenset({"hidden", "submit", "image", "reset", "button"})


def own_links(document: Document) -> int:
    """Count the different addresses of the own site that visible links with a name lead to, without the page itself.

    What others have added is no way on: links to other sites, and those that are hidden or have no name.
    """
    own = registrable_domain(host(document.url))
    here = strip_fragment(document.url)
    shown = (one for one in document.anchors[:_MAX_LOOKED_AT] if one.url and one.name and not one.hidden)
    urls = {strip_fragment(one.url or "") for one in shown}
    return sum(1 for url in urls if url != here and is_http(url) and registrable_domain(host(url)) == own)


def usable_controls(document: Document) -> list[Control]:
    """The visible fields with a name, without those of forms that send to another site; of the first few hundred."""
    own = registrable_domain(host(document.url))
    elsewhere = {one.node for one in document.forms if registrable_domain(host(one.url)) not in {"", own}}
    return [
        one
        for one in document.controls[:_MAX_LOOKED_AT]
        if one.name and not one.hidden and not (elsewhere and form_of(one) in elsewhere)
    ]


def form_of(control: Control) -> Element | None:
    """The form around a field."""
    return control.node.closest("form") if isinstance(control.node, Element) else None


def pictures(document: Document) -> list[Image]:
    """The visible images but those that are too small to show anything."""
    return [one for one in document.images if not (one.hidden or _is_tiny(one))]


def frames(document: Document) -> list[Frame]:
    """The visible frames with an address but those that are too small to show anything."""
    return [one for one in document.frames if one.url and not (one.hidden or _is_tiny(one))]


def _is_tiny(one: Image | Frame) -> bool:
    sides = (one.attrs.get(name, "").strip().removesuffix("px") for name in ("width", "height"))
    return any(side.isdecimal() and len(side) < 6 and int(side) < _MIN_PX for side in sides)


def is_dead_form(form: object) -> bool:
    """Return whether a form has fields and nothing that sends them, for certain."""
    if not isinstance(form, Element):
        return False
    inside = list(islice(form.iter_elements(), MAX_ELEMENTS))
    if _REFUSES.fullmatch(str(form.attrs.get("onsubmit") or "")) is not None:
        return any(_type_of(one) not in _NO_FIELDS for one in form.select("input, select, textarea"))
    has_handler = any(name.startswith("on") for node in (form, *inside) for name in node.attrs)
    # What stands elsewhere may belong to a form that has an id.
    if len(inside) == MAX_ELEMENTS or has_handler or "id" in form.attrs:
        return False
    fields = [one for one in form.select("input, select, textarea") if _type_of(one) not in _NO_FIELDS]
    buttons = [one for one in form.select("input") if _type_of(one) in _SEND]
    buttons += [one for one in form.select("button") if _type_of(one) not in {"button", "reset"}]
    if not fields or (not buttons and len(fields) == 1):
        return False
    return all(map(_is_disabled, buttons)) or all(map(_is_disabled, fields))


def attributes_in(node: object) -> Iterator[tuple[Node, str]]:
    """Yield (element, text of one of its attributes) of the first ``MAX_ELEMENTS`` elements in an element."""
    for one in islice(node.iter_elements(), MAX_ELEMENTS) if isinstance(node, Element) else ():
        yield from ((one, value) for value in one.attrs.values() if isinstance(value, str))


def texts_of(document: Document, *tags: str) -> Iterator[str]:
    """Yield the text of each element of the body with one of these names."""
    body = document.body.node if document.body is not None else None
    if isinstance(body, Element):
        for tag in tags:
            yield from (str(one.text) for one in body.select(tag))


def is_idle_button(node: Node) -> bool:
    """Return whether a ``<button>`` sends no form and opens nothing, so that only a script could make it work."""
    if not isinstance(node, Element) or not _ACTS.isdisjoint(node.attrs) or any(one[:2] == "on" for one in node.attrs):
        return False
    return _type_of(node) == "button" or node.closest("form") is None


def words_in(node: object) -> int:
    """Count the words in an element."""
    return len(str(node.text).split()) if isinstance(node, Element) else 0


def _type_of(node: Element) -> str:
    return str(node.attrs.get("type") or "").strip().lower()


def _is_disabled(node: Element) -> bool:
    return "disabled" in node.attrs or node.closest("fieldset[disabled]") is not None


def closed_parts(document: Document, *, least: int) -> tuple[list[Node], list[Node]]:
    """Find what holds most of the page and is inert, or hidden from screen readers with ``least`` characters or more.

    Both are empty where a script runs, which may open it.
    """
    body = document.body.node if document.body is not None else None
    if document.running_scripts or not isinstance(body, Element):
        return [], []
    shown = (one for one in body.select("[inert], [aria-hidden=true]") if not document.visibility.hides(one))
    sizes = {one: len("".join(str(one.text).split())) for one in islice(shown, _MAX_INERT)}
    most = MOST * len("".join(document.text.split())) if sizes else 0
    closed = [one for one, size in sizes.items() if size >= most > 0]
    return [one for one in closed if "inert" in one.attrs], [one for one in closed if sizes[one] >= least]
