"""Data that the walk collects: lists of facts, and the state needed while the tree is open."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Final, Literal

from msgspec.structs import replace
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
    Paragraph,
    Reference,
    Script,
    StructuredItem,
    Style,
    StyleAttribute,
    Title,
)
from pagegrade.parse.aria.parts import Parts
from pagegrade.parse.aria.roles import first_role, is_opaque
from pagegrade.parse.aria.subtree_flags import BOILERPLATE, HIDDEN, INERT, INVISIBLE
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.css.urls import find_css_urls
from pagegrade.parse.html.accessible_names import NAME_ATTRIBUTES, Label, Names
from pagegrade.parse.html.attribute_kinds import ARIA, ID, ITEM, SHOWING, TOUCHED
from pagegrade.parse.html.embedded_items import item_data
from pagegrade.parse.html.markup import MarkupCollector
from pagegrade.parse.rich_results import RICH_TYPES
from pagegrade.parse.structured_data import is_schema_org_type, local_type, vocabulary_of
from pagegrade.parse.url import join_url
from pagegrade.parse.words import collapse

MAX_ITEMS: Final = 20_000
"""Entries kept in one list of facts."""
MAX_OPEN_TEXTS: Final = 2_000
"""Pieces of text that are joined for one element."""
_MAX_URL: Final = 8_192
_NAMED_ROLES: Final = {
    "button": "button",
    "link": "link",
    **dict.fromkeys(("img", "image", "graphics-document", "graphics-symbol"), "img"),
}
Attributes = dict[str, str]
Closer = Callable[[], None] | None
OpenName = tuple[int, int]
"""(texts and complications before it was opened)."""


class OpenPicture:
    """The sources of the ``<picture>`` that is open."""

    __slots__ = ("has_image", "is_chosen", "sized", "types", "urls")

    def __init__(self) -> None:
        self.types: list[str] = []
        self.urls: list[str] = []
        self.sized, self.has_image = True, False
        self.is_chosen = False
        """The image was there: what follows it is no candidate any more."""


class Collector:
    """The facts of one document while they are being collected."""

    def __init__(  # noqa: PLR0915 - one list for each kind of fact
        self, base_url: str, visibility: Visibility | None = None
    ) -> None:
        self.base_url = base_url
        self.visibility = Visibility() if visibility is None else visibility
        self.titles: list[Title] = []
        self.metas: list[Meta] = []
        self.links: list[Link] = []
        self.anchors: list[Anchor] = []
        self.images: list[Image] = []
        self.named: list[NamedElement] = []
        self.controls: list[Control] = []
        self.headings: list[Heading] = []
        self.paragraphs: list[Paragraph] = []
        self.scripts: list[Script] = []
        self.frames: list[Frame] = []
        self.forms: list[Form] = []
        self.form_values: list[tuple[str, str]] = []
        self.noscripts: list[str] = []
        self.style_attributes: list[StyleAttribute] = []
        self.styles: list[Style] = []
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
        self.complications = 0
        """Elements so far whose name, or whose part in another name, is not simply their text."""
        self.unnamed: list[tuple[list[Any], int]] = []
        """(list of facts, index) of what is named when the document is whole."""
        self.names: Names | None = None
        self.nameless_on: dict[Any, str] = {}
        """Links and buttons that have a name on one screen only -> the screen on which they have none."""
        self.parts = Parts()
        self.limits: list[str] = []
        self.deepest: Element | None = None
        self.element_count = self.max_depth = self.max_children = self.media_count = 0
        self.markup = MarkupCollector()
        self.script_marks: list[tuple[int, int]] = []
        """For each script: texts and media seen before it."""
        self.picture: OpenPicture | None = None
        self.media_sources: int | None = None
        """Sources seen of the open video or audio; ``None`` outside of one."""
        self.media_lazy = False
        self.labels_open: list[Label | None] = []
        """Open labels without ``for``; ``None`` for one that has found its field."""
        self.labels_for: dict[str, list[Label]] = {}
        self.button_labels: dict[Any, list[Label]] = {}
        self.control_labels: list[list[Label]] = []
        """For each control: the labels that wrap it, the outermost first."""
        self._resolved: dict[str, str | None] = {}

    # Everything below runs once per element or less.

    def resolve(self, href: str | None) -> str | None:
        """``href`` as an absolute URL; ``None`` when absent, empty, unparsable or absurdly long."""
        if not href:
            return None
        resolved = self._resolved
        if href in resolved:
            return resolved[href]
        bare = href.strip(" \t\n\f\r")
        found = resolved[href] = join_url(self.base_url, bare) if 0 < len(bare) <= _MAX_URL else None
        return found

    def fits(self, items: Sized, name: str) -> bool:
        """Return whether another entry fits; says once that it does not."""
        if len(items) < MAX_ITEMS:
            return True
        self.cut(name)
        return False

    def cut(self, name: str) -> None:
        """Note that a list is full."""
        if name not in self.limits:
            self.limits.append(name)

    def common(self, node: Element, attrs: dict[str, str], flags: int, kinds: int) -> int:
        """Collect attributes that every element may have; returns the flags of its subtree."""
        outer = flags
        if kinds & SHOWING:
            if "style" in attrs:
                self._style_attribute(node, attrs, flags)
            if "inert" in attrs:
                flags |= INERT
        if kinds & ARIA:
            self.complications += 1
            flags = self.parts.aria_element(node, attrs, flags)
            if "role" in attrs and "dialog" in attrs["role"].lower():
                flags |= BOILERPLATE
        elif flags != outer or (kinds & SHOWING and "block" in attrs.get("style", "")):
            self.complications += 1
        if kinds & ID:
            self.identify(node, attrs, flags)
        if kinds & TOUCHED:
            self.parts.touch(node, attrs, flags)
        if kinds & ITEM:
            self._item(node, attrs)
        return flags

    def identify(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        """An element with an ``id``."""
        name = attrs["id"]
        if name:
            fact = ElementFact(node=node, attrs=attrs, hidden=flags & HIDDEN != 0)
            if self.ids.setdefault(name, fact) is not fact and self.parts.fits(self.parts.doubled):
                self.parts.doubled.setdefault(name, []).append(fact)

    def _item(self, node: Element, attrs: dict[str, str]) -> None:
        kind: Literal["microdata", "rdfa"] = "microdata"
        types: list[str] = []
        vocabulary = ""
        if "itemscope" in attrs and "itemtype" in attrs:
            types = attrs["itemtype"].split()
        elif "typeof" in attrs:
            kind, types, vocabulary = "rdfa", attrs["typeof"].split(), vocabulary_of(node)
        if types and self.fits(self.structured_items, "structured_items"):
            is_rdfa = kind == "rdfa"
            is_known = is_schema_org_type(vocabulary) or any(
                name.startswith("schema:") or is_schema_org_type(name) for name in types
            )
            is_whole = is_known and ("property" if is_rdfa else "itemprop") not in attrs and "itemref" not in attrs
            has_rules = is_whole and any(local_type(name) in RICH_TYPES for name in types)
            self.structured_items.append(
                StructuredItem(
                    format=kind,
                    types=tuple(types),
                    data=item_data(node, types, self.resolve, rdfa=is_rdfa) if has_rules else None,
                    error=None,
                    schema_org=is_known,
                    node=node,
                ),
            )

    def _style_attribute(self, node: Element, attrs: dict[str, str], flags: int) -> None:
        value = attrs["style"]
        if self.fits(self.style_attributes, "style_attributes"):
            self.style_attributes.append(
                StyleAttribute(node=node, attrs=attrs, hidden=bool(flags & HIDDEN), value=value),
            )
        if "(" in value and ("url(" in value.lower() or "image-set(" in value.lower()):
            for found in find_css_urls(value, base_url=self.base_url, declarations=True):
                self.reference(node, attrs, flags, found.url, found.kind, "style", alternative=found.alternative)

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
        if url is None or not url.startswith("http") or not url.startswith(("http:", "https:")):
            return
        if not self.fits(self.references, "references"):
            return
        self.references.append(
            Reference(
                node=node,
                attrs=attrs,
                hidden=flags & HIDDEN != 0,
                url=url.partition("#")[0],
                kind=kind,  # type: ignore[arg-type]
                attribute=attribute,
                lazy=lazy,
                alternative=alternative,
            ),
        )

    def open_name(self) -> OpenName:
        """Note where an element begins that may be named by its content."""
        return len(self.texts), self.complications

    def close_name(self, opened: OpenName) -> tuple[str, bool]:
        """(visible text since ``open_name``, whether that is what the content says as a name, too)."""
        start, complications = opened
        inside = self.texts[start : start + MAX_OPEN_TEXTS + 1]
        if len(inside) == 1:
            return collapse(inside[0]), complications == self.complications
        if len(inside) > MAX_OPEN_TEXTS:
            # Only hostile nesting repeats so much; the name is then read within a budget.
            return collapse("".join(inside[:MAX_OPEN_TEXTS])), False
        return collapse("".join(inside)), complications == self.complications

    def open_role(self, node: Element, attrs: dict[str, str], flags: int) -> Callable[[], None] | None:
        """An element made into something else by ``role``."""
        role = first_role(attrs["role"])
        if role == "heading":
            level = attrs.get("aria-level", "2").strip()
            return self.open_heading(node, attrs, flags, int(level) if level.isdecimal() and len(level) < 3 else 2)
        if role in _NAMED_ROLES and node.tag != "input":
            return self.open_named(node, attrs, flags, _NAMED_ROLES[role])
        if is_opaque(role):
            return self.open_host(node, attrs, flags)
        return None

    def open_host(self, node: Element, attrs: dict[str, str], flags: int) -> Callable[[], None]:
        """An element that hides from assistive technology that anything inside takes the focus."""
        before = self.parts.focusables

        def close() -> None:
            if self.parts.focusables > before:
                self.parts.keep(self.parts.hosts, node, attrs, flags)

        return close

    def open_heading(self, node: Element, attrs: dict[str, str], flags: int, level: int) -> Callable[[], None]:
        """A heading; its text is known when it closes."""
        opened = self.open_name()

        def close() -> None:
            if self.fits(self.headings, "headings"):
                text, whole = self.close_name(opened)
                self.want_name(self.headings, attrs, flags, known=whole and bool(text))
                self.headings.append(
                    Heading(node=node, attrs=attrs, hidden=bool(flags & HIDDEN), level=level, text=text),
                )

        return close

    def open_named(self, node: Element, attrs: dict[str, str], flags: int, role: str) -> Callable[[], None]:
        """A button, link, image or summary; its name is known when it closes."""
        opened = self.open_name()
        before = self.parts.focusables

        def close() -> None:
            if self.parts.focusables > before and role in {"button", "img"}:
                self.parts.keep(self.parts.hosts, node, attrs, flags)
            self.add_named(node, attrs, flags, role, *self.close_name(opened))

        return close

    def add_named(  # noqa: PLR0917 - one row of a table
        self,
        node: Element,
        attrs: dict[str, str],
        flags: int,
        role: str,
        text: str = "",
        whole: bool = False,  # noqa: FBT001, FBT002 - what close_name says
    ) -> None:
        """Note an element whose name matters; ``text`` is its visible text, ``whole`` whether nothing else names it."""
        if not self.fits(self.named, "named"):
            return
        known = whole and bool(text) and role != "img"
        known = self.want_name(self.named, attrs, flags, known=known)
        self.named.append(
            NamedElement(
                node=node,
                attrs=attrs,
                hidden=bool(flags & HIDDEN),
                role=role,
                name=text if known else "",
                name_from="content" if known else "",
                text=text,
            ),
        )

    def want_name(self, facts: list[Any], attrs: dict[str, str], flags: int, *, known: bool) -> bool:
        """Have the next entry of ``facts`` named at the end, unless its text is known to be its name.

        Text that is not rendered has no part in the name. Returns whether the text is the name.
        """
        if known and NAME_ATTRIBUTES.isdisjoint(attrs):
            return True
        if not flags & INVISIBLE:
            self.unnamed.append((facts, len(facts)))
        return False

    def finish(self) -> None:
        """Name what needs the whole document for it, and count the labels of each field."""
        names = self.names = Names(self.ids, self.visibility)
        # Without this declaration phones lay a page out for the width of a desktop.
        narrow_is_known = any(meta.name == "viewport" for meta in self.metas)
        for facts, index in self.unnamed:
            fact = facts[index]
            node = fact.node
            labels = self.button_labels_of(node) if type(fact) is NamedElement else ()
            name, source = names.of(node, fact.attrs, labels=labels)
            if narrow_is_known and source == "content" and type(fact) is not Heading:
                missing = names.nameless_on(node, fact.attrs, labels=labels)
                if missing:
                    self.nameless_on[node] = missing
            if type(fact) is Heading:
                facts[index] = replace(fact, text=name)
            elif isinstance(fact, NamedElement):
                facts[index] = replace(fact, name=name, name_from=source)
            else:
                facts[index] = replace(fact, name=name)
        for index, control in enumerate(self.controls):
            labels = self._labels_of(index, control)
            node = control.node
            if not isinstance(node, Element):
                continue
            name, source = names.of(node, control.attrs, labels=labels)
            if name or labels:
                self.controls[index] = replace(
                    control,
                    name=name,
                    name_from=source,
                    labels=tuple(label.node for label in labels if not label.hidden),
                    label_hidden=bool(labels) and all(label.hidden for label in labels),
                )

    def _labels_of(self, index: int, control: Control) -> list[Label]:
        """The labels of a field: a label belongs to one field only."""
        name = control.attrs.get("id", "")
        labels: list[Label] = []
        if name in self.labels_for and self.ids[name].node is control.node:
            labels += self.labels_for[name]
        return _in_document_order(labels, self.control_labels[index])

    def button_labels_of(self, button: Any) -> list[Label]:
        """The labels of a button, which is a field to them; few have one."""
        name = (button.attr("id") or "") if isinstance(button, Element) and self.labels_for else ""
        labels = self.labels_for.get(name, []) if name and self.ids[name].node is button else []
        return _in_document_order(labels, self.button_labels.get(button, []))

    def take_labels(self, button: Element | None = None) -> list[Label]:
        """The open labels, for the first field inside them (which may be a button)."""
        taken: list[Label] = []
        at = len(self.labels_open)
        # Around a label that has found its field there is none that has not.
        while at and (label := self.labels_open[at - 1]) is not None:
            at -= 1
            self.labels_open[at] = None
            taken.append(label)
        taken.reverse()
        if button is not None and taken:
            self.button_labels[button] = taken
        return taken


def _in_document_order(named: list[Label], wrapping: list[Label]) -> list[Label]:
    """The labels that name a field by its id and those around it; each list is in order already."""
    if not named or not wrapping:
        return named + wrapping
    return sorted(named + wrapping, key=lambda one: (one.node.source_line or 0, one.node.source_col or 0))


def rel_tokens(attrs: Attributes) -> tuple[str, ...]:
    """The link types of a ``rel`` attribute, lower case."""
    return tuple(attrs["rel"].lower().split()) if "rel" in attrs else ()
