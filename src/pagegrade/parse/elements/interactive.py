"""What people act on: links, forms, fields, labels and buttons."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.model.document import Anchor, Control, Form
from pagegrade.parse._flags import HIDDEN, NO_NAME, NO_TEXT, SKIP
from pagegrade.parse.collect import Attributes, Closer, Collector, collapse, own_name, rel_tokens

_UNLABELLED_INPUTS: Final = frozenset({"hidden", "submit", "reset", "button", "image"})


def anchor(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A link, a link target or a placeholder."""
    parts = into.open_name()

    def close() -> None:
        content, text = into.close_name(parts)
        if not into.room(into.anchors, "anchors"):
            return
        href = attrs.get("href")
        if href is None and "role" in attrs:
            # Not a link to the platform: a placeholder, or a button by role.
            role = next(iter(attrs["role"].lower().split()), "")
            if role in ("button", "link"):
                into.add_named(node, attrs, flags, role, content, "content")
        name = content if content and "aria-label" not in attrs else own_name(attrs, content, "content")[0]
        if "aria-labelledby" in attrs:
            into.labelled_by.append((into.anchors, len(into.anchors)))
        url = into.resolve(href)
        if url is None and href is not None and not href.strip():
            # An empty address means the page itself.
            url = into.base_url
        into.anchors.append(
            Anchor(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                href=href,
                url=url,
                rel=rel_tokens(attrs),
                text=text,
                name=name,
            ),
        )

    return flags, close


def area(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A link in an image map."""
    href = attrs.get("href")
    if into.room(into.anchors, "anchors"):
        if "aria-labelledby" in attrs:
            into.labelled_by.append((into.anchors, len(into.anchors)))
        into.anchors.append(
            Anchor(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                href=href,
                url=into.resolve(href),
                rel=rel_tokens(attrs),
                text="",
                name=own_name(attrs, collapse(attrs.get("alt", "")), "alt")[0],
            ),
        )
    return flags, None


def form(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """Where a form is sent."""
    if into.room(into.forms, "forms"):
        into.forms.append(
            Form(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                url=into.resolve(attrs.get("action")) or into.base_url,
                method=attrs.get("method", "get").strip().lower(),
            ),
        )
    return flags, None


def _control(into: Collector, node: Element, attrs: Attributes, flags: int, kind: str) -> None:
    if not into.room(into.controls, "controls"):
        return
    name, source = own_name(attrs, "", "label")
    if not name:
        placeholder = collapse(attrs.get("placeholder", ""))
        name, source = (placeholder, "placeholder") if placeholder else ("", "")
    if "aria-labelledby" in attrs:
        into.labelled_by.append((into.controls, len(into.controls)))
    into.control_labels.append(into.labels_open[-1] if into.labels_open else None)
    into.controls.append(
        Control(
            node=node,
            attrs=attrs,
            hidden=bool(flags & HIDDEN),
            role="control",
            type=kind,
            name=name,
            name_from=source,
        ),
    )


def input_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A field, a button or a graphical button."""
    kind = attrs.get("type", "text").strip().lower() or "text"
    if kind == "image":
        into.reference(node, attrs, flags, into.resolve(attrs.get("src")), "image", "src")
    if kind not in _UNLABELLED_INPUTS:
        _control(into, node, attrs, flags, kind)
    elif kind != "hidden":
        is_image = kind == "image"
        native = collapse(attrs.get("alt" if is_image else "value", ""))
        if not native and "value" not in attrs and kind in ("submit", "reset"):
            # Browsers write these words on the button in the visitor's language.
            native = kind.capitalize()
        into.add_named(node, attrs, flags, "img" if is_image else "button", native, "alt" if is_image else "value")
    return flags | SKIP, None


def select_element(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A choice or a text area: its content is no text of the page and no name of anything around it."""
    _control(into, node, attrs, flags, node.tag)
    return flags | NO_TEXT | NO_NAME, None


def label(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The name of a field, for it or around it."""
    parts = into.open_name()
    index = len(into.label_texts)
    into.label_texts.append("")
    if attrs.get("for"):
        into.labels_for.setdefault(attrs["for"], []).append(index)
    else:
        into.labels_open.append(index)

    def close() -> None:
        name, _ = into.close_name(parts)
        # A label names its field even when it is hidden itself.
        into.label_texts[index] = name or collapse(node.text[:1_000]) or collapse(attrs.get("aria-label", ""))
        if into.labels_open and into.labels_open[-1] == index:
            into.labels_open.pop()

    return flags, close


def button(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """A button; its name is known when it closes."""
    return flags, into.open_named(node, attrs, flags, "button")


def summary(into: Collector, node: Element, attrs: Attributes, flags: int) -> tuple[int, Closer]:
    """The visible part of a details element."""
    return flags, into.open_named(node, attrs, flags, "summary")
