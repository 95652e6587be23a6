"""What the walk gathers: the lists of facts and the state they need while the tree is open."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Final, Literal

import msgspec
from turbohtml import Element

from pagegrade.model.document import (
    Anchor,
    Control,
    ElementFact,
    Form,
    Frame,
    Heading,
    Image,
    Link,
    Meta,
    NamedElement,
    Obsolete,
    Reference,
    Script,
    StructuredItem,
    StyleAttribute,
    Title,
)
from pagegrade.parse._flags import ARIA_HIDDEN, BOILERPLATE, HIDDEN, INVISIBLE, NO_NAME
from pagegrade.parse.css import find_css_urls
from pagegrade.parse.structured_data import is_schema_org_type
from pagegrade.parse.url import join_url

COMMON_ATTRIBUTES: Final = frozenset(
    ("id", "style", "hidden", "role", "aria-hidden", "aria-label", "itemscope", "typeof"),
)
"""Attributes that mean something on any element."""
MAX_ITEMS: Final = 20_000
"""Entries kept in one list of facts."""
MAX_OPEN_NAMES: Final = 8
"""Elements whose name is being read at once; deeper nested ones are named by their attributes alone."""
MAX_LABEL_LOOKUPS: Final = 2_000
MAX_LABEL_CHARACTERS: Final = 2_000_000
_MAX_URL: Final = 8_192
_NAMED_ROLES: Final = frozenset({"button", "link", "img", "image"})


Attributes = dict[str, str]
Closer = Callable[[], None] | None
OpenName = tuple[list[str], int]
"""(the pieces so far, alternatives before it was opened)."""


class Alternative(str):
    """A piece of a name that is no visible text: the alternative of an image, an aria-label."""

    __slots__ = ()


def collapse(text: str) -> str:
    """White space runs become one space, ends are cut."""
    return " ".join(text.split())


class OpenPicture:
    """The sources of the ``<picture>`` that is open."""

    __slots__ = ("sized", "types", "urls")

    def __init__(self) -> None:
        self.types: list[str] = []
        self.urls: list[str] = []
        self.sized = True


class Collector:
    """The facts of one document while they are being collected."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.titles: list[Title] = []
        self.metas: list[Meta] = []
        self.links: list[Link] = []
        self.anchors: list[Anchor] = []
        self.images: list[Image] = []
        self.named: list[NamedElement] = []
        self.controls: list[Control] = []
        self.headings: list[Heading] = []
        self.scripts: list[Script] = []
        self.frames: list[Frame] = []
        self.forms: list[Form] = []
        self.style_attributes: list[StyleAttribute] = []
        self.obsolete: list[Obsolete] = []
        self.bases: list[ElementFact] = []
        self.references: list[Reference] = []
        self.structured_items: list[StructuredItem] = []
        self.ids: dict[str, ElementFact] = {}
        self.html: ElementFact | None = None
        self.body: ElementFact | None = None
        self.texts: list[str] = []
        self.boilerplate: list[tuple[int, int]] = []
        """Ranges of ``texts`` that stand outside the main content, in order, never nested."""
        self.alternatives = 0
        """Alternatives that were added to open names so far."""
        self.open_names: list[list[str]] = []
        self.limits: list[str] = []
        self.element_count = self.max_depth = self.max_children = 0
        self.media_count = 0
        self.script_marks: list[tuple[int, int]] = []
        """For each script: texts and media seen before it."""
        self.picture: OpenPicture | None = None
        self.media_sources: int | None = None
        """Sources seen of the open video or audio; ``None`` outside of one."""
        self.media_lazy = False
        self.labels_open: list[int] = []
        self.label_texts: list[str] = []
        self.labels_for: dict[str, list[int]] = {}
        self.control_labels: list[int | None] = []
        """For each control: the label that wraps it."""
        self.labelled_by: list[tuple[list[Any], int]] = []
        """Facts that name themselves by other elements, which may come later in the document."""
        self._resolved: dict[str, str | None] = {}
        self._lookups = 0
        self._looked_up_characters = 0

    # Everything below runs once per element or less.

    def resolve(self, href: str | None) -> str | None:
        """``href`` as an absolute URL; ``None`` when absent, empty, unparsable or absurdly long."""
        if href is None:
            return None
        href = href.strip(" \t\n\f\r")
        if not href or len(href) > _MAX_URL:
            return None
        found = self._resolved.get(href, "")
        if found == "":
            found = self._resolved[href] = join_url(self.base_url, href)
        return found

    def room(self, items: Sized, name: str) -> bool:
        """Whether another entry fits; says once that it does not."""
        if len(items) < MAX_ITEMS:
            return True
        if name not in self.limits:
            self.limits.append(name)
        return False

    def common(self, node: Element, attrs: dict[str, str], flags: int) -> int:
        """What any element may carry; returns the flags of its subtree."""
        if "id" in attrs:
            name = attrs["id"]
            if name and name not in self.ids:
                self.ids[name] = ElementFact(node=node, attrs=attrs, hidden=bool(flags & HIDDEN))
        if "style" in attrs:
            flags = self._style_attribute(node, attrs, flags)
        if "hidden" in attrs and attrs["hidden"].lower() != "until-found":
            flags |= INVISIBLE
        if "aria-hidden" in attrs and attrs["aria-hidden"].strip().lower() == "true":
            flags |= ARIA_HIDDEN
        if "role" in attrs and "dialog" in attrs["role"].lower():
            flags |= BOILERPLATE
        if "aria-label" in attrs and self.open_names:
            label = collapse(attrs["aria-label"])
            if label:
                if not flags & (NO_NAME | HIDDEN):
                    self.add_alternative(label)
                flags |= NO_NAME
        if "itemscope" in attrs and "itemtype" in attrs:
            self._item(node, "microdata", attrs["itemtype"].split(), vocabulary="")
        elif "typeof" in attrs:
            self._item(node, "rdfa", attrs["typeof"].split(), vocabulary=attrs.get("vocab", ""))
        return flags

    def _item(self, node: Element, kind: Literal["microdata", "rdfa"], types: list[str], *, vocabulary: str) -> None:
        if types and self.room(self.structured_items, "structured_items"):
            self.structured_items.append(
                StructuredItem(
                    format=kind,
                    types=tuple(types),
                    data=None,
                    error=None,
                    schema_org=is_schema_org_type(vocabulary)
                    or any(name.startswith("schema:") or is_schema_org_type(name) for name in types),
                    node=node,
                ),
            )

    def _style_attribute(self, node: Element, attrs: dict[str, str], flags: int) -> int:
        value = attrs["style"]
        if "none" in value or "hidden" in value:
            plain = "".join(value.lower().split())
            if "display:none" in plain or "visibility:hidden" in plain:
                flags |= INVISIBLE
        if self.room(self.style_attributes, "style_attributes"):
            self.style_attributes.append(
                StyleAttribute(node=node, attrs=attrs, hidden=bool(flags & HIDDEN), value=value),
            )
        if "(" in value and ("url(" in value.lower() or "image-set(" in value.lower()):
            for found in find_css_urls(value, base_url=self.base_url, declarations=True):
                self.reference(node, attrs, flags, found.url, found.kind, "style", alternative=found.alternative)
        return flags

    def reference(  # noqa: PLR0917 - one row of a table
        self,
        node: Element,
        attrs: dict[str, str],
        flags: int,
        url: str | None,
        kind: str,
        attribute: str,
        *,
        lazy: bool = False,
        alternative: bool = False,
    ) -> None:
        """Note a URL that a browser would fetch."""
        if url is None or not url.startswith(("http:", "https:")) or not self.room(self.references, "references"):
            return
        self.references.append(
            Reference(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                url=url.partition("#")[0],
                kind=kind,  # type: ignore[arg-type]
                attribute=attribute,
                lazy=lazy,
                alternative=alternative,
            ),
        )

    def add_alternative(self, text: str) -> None:
        """Let the alternative of an image, or a label, speak in every name that is open."""
        self.alternatives += 1
        for parts in self.open_names:
            parts.append(Alternative(f" {text} "))

    def open_name(self) -> OpenName | None:
        """Start reading a name from content; ``None`` when too many are open."""
        if len(self.open_names) >= MAX_OPEN_NAMES:
            return None
        parts: list[str] = []
        self.open_names.append(parts)
        return parts, self.alternatives

    def close_name(self, opened: OpenName | None) -> tuple[str, str]:
        """(name, visible text) that was read since ``open_name``."""
        if opened is None:
            return "", ""
        parts, alternatives = opened
        # Elements close innermost first, so the name that closes is the last one.
        self.open_names.pop()
        name = collapse("".join(parts))
        if alternatives == self.alternatives:
            return name, name
        return name, collapse("".join(part for part in parts if type(part) is str))

    def open_role(self, node: Element, attrs: dict[str, str], flags: int) -> Callable[[], None] | None:
        """An element made into something else by ``role``."""
        roles = attrs["role"].lower().split()
        role = roles[0] if roles else ""
        if role == "heading":
            level = attrs.get("aria-level", "2").strip()
            return self.open_heading(node, attrs, flags, int(level) if level.isdecimal() and len(level) < 3 else 2)
        if role in _NAMED_ROLES:
            return self.open_named(node, attrs, flags, "img" if role == "image" else role)
        return None

    def open_heading(self, node: Element, attrs: dict[str, str], flags: int, level: int) -> Callable[[], None]:
        """A heading; its text is known when it closes."""
        parts = self.open_name()

        def close() -> None:
            name, _ = self.close_name(parts)
            if self.room(self.headings, "headings"):
                self.headings.append(
                    Heading(
                        node=node,
                        attrs=attrs,
                        hidden=bool(flags & HIDDEN),
                        level=level,
                        text=name or collapse(attrs.get("aria-label", "")),
                    ),
                )

        return close

    def open_named(self, node: Element, attrs: dict[str, str], flags: int, role: str) -> Callable[[], None]:
        """A button, link, image or summary; its name is known when it closes."""
        opened = self.open_name()

        def close() -> None:
            self.add_named(node, attrs, flags, role, self.close_name(opened)[0], "content")

        return close

    def add_named(  # noqa: PLR0917 - one row of a table
        self, node: Element, attrs: dict[str, str], flags: int, role: str, native: str, native_source: str
    ) -> None:
        """Note an element whose name matters; ``native`` is what names it without any attribute of ARIA."""
        if not self.room(self.named, "named"):
            return
        if "aria-labelledby" in attrs:
            self.labelled_by.append((self.named, len(self.named)))
        name, source = own_name(attrs, native, native_source)
        self.named.append(
            NamedElement(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                role=role,
                name=name,
                name_from=source,
            ),
        )

    def finish(self) -> None:
        """Resolve what needed the whole document: labels, and names given by other elements."""
        for index, control in enumerate(self.controls):
            if control.name_from in {"aria-label", "value"}:
                continue
            wanted = [*self.labels_for.get(control.attrs.get("id", ""), ())]
            wrapping = self.control_labels[index]
            if wrapping is not None:
                wanted.append(wrapping)
            text = collapse(" ".join(self.label_texts[label] for label in wanted))
            if text:
                self.controls[index] = msgspec.structs.replace(control, name=text, name_from="label")
        for facts, index in self.labelled_by:
            fact = facts[index]
            text = collapse(" ".join(self._text_of_id(name) for name in fact.attrs["aria-labelledby"].split()[:20]))
            if text:
                source = {"name_from": "aria-labelledby"} if isinstance(fact, NamedElement) else {}
                facts[index] = msgspec.structs.replace(fact, name=text, **source)

    def _text_of_id(self, name: str) -> str:
        """Text alternative of the element with that id; "" when there is none."""
        fact = self.ids.get(name)
        if fact is None:
            return ""
        if self._lookups >= MAX_LABEL_LOOKUPS or self._looked_up_characters >= MAX_LABEL_CHARACTERS:
            # Too many to read; an unread label must not be called missing.
            return "…"
        self._lookups += 1
        label = fact.attrs.get("aria-label", "").strip()
        if label:
            return label
        node = fact.node
        if not isinstance(node, Element):
            return ""
        text = node.text
        self._looked_up_characters += len(text) + 1_000
        if text.strip():
            return text[:1_000]
        images = node.select("img[alt]")[:5]
        alternatives = " ".join(image.attr("alt") or "" for image in images)
        return alternatives or fact.attrs.get("alt", "") or fact.attrs.get("value", "") or fact.attrs.get("title", "")


def rel_tokens(attrs: Attributes) -> tuple[str, ...]:
    """The link types of a ``rel`` attribute, lower case."""
    return tuple(attrs["rel"].lower().split()) if "rel" in attrs else ()


def own_name(attrs: dict[str, str], native: str, native_source: str) -> tuple[str, str]:
    """(accessible name, where from) by aria-label, then the native way, then title.

    Source: https://www.w3.org/TR/accname-1.2/#computation-steps
    """
    if "aria-label" in attrs:
        label = collapse(attrs["aria-label"])
        if label:
            return label, "aria-label"
    if native:
        return native, native_source
    title = collapse(attrs.get("title", ""))
    return (title, "title") if title else ("", "")
