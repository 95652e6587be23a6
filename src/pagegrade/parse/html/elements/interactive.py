"""Interactive elements: links, forms, fields, labels and buttons."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Anchor, Control, Form
from pagegrade.parse.aria.roles import first_role, is_opaque
from pagegrade.parse.aria.subtree_flags import ARIA_HIDDEN, HIDDEN, NO_TEXT, SKIP
from pagegrade.parse.cascade.states import is_details_summary
from pagegrade.parse.html.accessible_names import NAME_ATTRIBUTES, Label
from pagegrade.parse.html.collect import MAX_ITEMS, Attributes, Closer, Collector, rel_tokens

_UNLABELED_INPUTS: Final = frozenset({"hidden", "submit", "reset", "button", "image"})
_MAX_VALUES: Final = 50
_MAX_VALUE: Final = 300


def anchor(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A link, a link target or a placeholder."""
    opened = len(into.texts), into.complications
    images = len(into.images)
    href = attrs.get("href")
    if href is not None:
        into.parts.focusable(node, attrs, flags)
    before = into.parts.focusables
    close_host = into.open_host(node, attrs, flags) if "role" in attrs and is_opaque(attrs["role"]) else None

    def close() -> None:
        text, whole = into.close_name(opened)
        anchors = into.anchors
        if close_host is not None:
            close_host()
        elif href is not None and into.parts.focusables > before:
            into.parts.keep(into.parts.hosts, node, attrs, flags)
        if len(anchors) >= MAX_ITEMS:
            into.cut("anchors")
            return
        if href is None and "role" in attrs:
            # Not a link to the platform: a placeholder, or a button by role.
            role = first_role(attrs["role"])
            if role in ("button", "link"):
                into.add_named(node, attrs, flags, role, text, whole)
        if not whole or not text or not NAME_ATTRIBUTES.isdisjoint(attrs):
            into.want_name(anchors, attrs, flags, known=False)
        if len(into.images) > images:
            into.parts.linked_images.append((len(anchors), images, len(into.images)))
        url = into.resolve(href)
        if url is None and href is not None and not href.strip():
            # An empty address means the page itself.
            url = into.base_url
        anchors.append(
            Anchor(
                node=node,
                attrs=attrs,
                hidden=flags & HIDDEN != 0,
                href=href,
                url=url,
                rel=rel_tokens(attrs) if "rel" in attrs else (),
                text=text,
                name=text if whole else "",
            ),
        )

    return flags, close


def area(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A link in an image map."""
    if "href" in attrs:
        into.parts.focusable(node, attrs, flags)
    href = attrs.get("href")
    if into.fits(into.anchors, "anchors"):
        into.want_name(into.anchors, attrs, flags, known=False)
        into.anchors.append(
            Anchor(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                href=href,
                url=into.resolve(href),
                rel=rel_tokens(attrs),
                text="",
                name="",
            ),
        )
    return flags, None


def form(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Collect a form and its target."""
    if into.fits(into.forms, "forms"):
        into.forms.append(
            Form(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                url=into.resolve(attrs.get("action")) or into.base_url,
                method=attrs.get("method", "get").strip().lower(),
            ),
        )
    into.markup.forms.append(attrs)
    other = into.open_role(node, attrs, flags) if "role" in attrs else None
    if other is None:
        return flags, into.markup.close_form

    def close() -> None:
        other()
        into.markup.close_form()

    return flags, close


def _control(into: Collector, node: Element, attrs: Attributes, flags: int, kind: str) -> None:
    if not into.fits(into.controls, "controls"):
        return
    into.complications += 1
    into.parts.focusable(node, attrs, flags)
    into.control_labels.append(into.take_labels())
    into.controls.append(
        Control(
            node=node,
            attrs=attrs,
            hidden=bool(flags & HIDDEN),
            role="control",
            type=kind,
            name="",
            name_from="",
        ),
    )


def input_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A field, a button or a graphical button."""
    kind = attrs.get("type", "text").strip().lower() or "text"
    if kind == "image":
        into.reference(node, attrs, flags, into.resolve(attrs.get("src")), "image", "src")
    if kind not in _UNLABELED_INPUTS:
        _control(into, node, attrs, flags, kind)
        if kind == "password":
            into.markup.password(node, attrs, flags)
    elif kind == "hidden":
        if len(into.form_values) < _MAX_VALUES:
            into.form_values.append(
                (attrs.get("name", "")[:_MAX_VALUE].lower(), attrs.get("value", "")[:_MAX_VALUE].lower())
            )
    else:
        into.complications += 1
        into.take_labels(node)
        into.parts.focusable(node, attrs, flags)
        if kind == "image":
            into.markup.empty_source(node, attrs, flags)
        into.add_named(node, attrs, flags, "img" if kind == "image" else "button")
    return flags | SKIP, None


def select_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A choice or a text area: its content is no text of the page and no name of anything around it."""
    _control(into, node, attrs, flags, node.tag)
    return flags | NO_TEXT, None


def label(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The name of a field: of the one it points to, or of the first one inside it.

    Source: https://html.spec.whatwg.org/multipage/forms.html#the-label-element
    """
    found = Label(node, hidden=bool(flags & HIDDEN))
    if "for" in attrs:
        if attrs["for"]:
            into.labels_for.setdefault(attrs["for"], []).append(found)
        return flags, None
    into.labels_open.append(found)

    def close() -> None:
        into.labels_open.pop()

    return flags, close


def button(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A button; its name is known when it closes."""
    into.take_labels(node)
    into.parts.focusable(node, attrs, flags)
    into.markup.button(node, attrs, flags)
    return flags, into.open_named(node, attrs, flags, "button")


def details(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A part that opens; without a summary browsers show one of their own, which takes the focus."""
    if flags & ARIA_HIDDEN and not any(isinstance(one, Element) and one.tag == "summary" for one in node):
        into.parts.focusable(node, attrs, flags)
    return flags, into.open_role(node, attrs, flags) if "role" in attrs else None


def summary(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The visible part of a details element; anywhere else, and after the first one, it is plain text."""
    if not is_details_summary(node):
        return flags, None
    into.parts.focusable(node, attrs, flags)
    return flags, into.open_named(node, attrs, flags, "summary")
