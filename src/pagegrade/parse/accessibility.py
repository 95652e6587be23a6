"""Makes facts of what the walk set aside: roles with what is around and inside them, lists, tables, names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeVar

from turbohtml import Element, Namespace, Text

from pagegrade.model.accessibility import Accessibility, Nested, PartLanguage, Player, RoleFact, TabIndex
from pagegrade.model.document import ElementFact, NamedElement, Node
from pagegrade.parse._flags import HIDDEN, INERT, INVISIBLE
from pagegrade.parse.aria.implicit import (
    MAX_DEPTH,
    conflict_of_presentation,
    implicit_role,
    is_focusable,
    role_of,
    tabindex_of,
)
from pagegrade.parse.aria.parts import Touched
from pagegrade.parse.aria.roles import ROLES, first_role
from pagegrade.parse.collect import Collector
from pagegrade.parse.language_tags import is_registered_language
from pagegrade.parse.lists_tables import Tables, list_fact, stray_item
from pagegrade.parse.names import Names, is_hidden

MAX_STEPS: Final = 200_000
"""Nodes visited for everything here together."""
MAX_INSIDE: Final = 1_000
"""Roles kept of what is inside one element."""
NAMED: Final = frozenset(
    (
        "alertdialog checkbox combobox dialog listbox menuitem menuitemcheckbox menuitemradio meter option progressbar "
        "radio searchbox slider spinbutton switch textbox tooltip treeitem"
    ).split()
)
"""Roles whose name is computed here; links, buttons, images and headings are named by the walk."""
_Fact = TypeVar("_Fact")
_ENTERED: Final = frozenset({"audio", "iframe", "video"})
"""The keyboard goes into them, if there is anything inside that takes it."""
_TRANSPARENT: Final = frozenset({"", "generic", "none", "paragraph", "presentation"})
_WIDGETS: Final = frozenset(
    (
        "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar "
        "searchbox slider spinbutton switch tab textbox treeitem"
    ).split()
)


def accessibility_of(into: Collector) -> Accessibility:
    """The facts about accessibility of a document whose walk is over."""
    parts = into.parts
    names = into.names or Names(into.ids)
    reader = _Reader(names, deep=into.max_depth > MAX_DEPTH)
    for node, attrs, _ in parts.aria:
        if "aria-owns" in attrs:
            reader.own(node, attrs, into)
    roles = [reader.role(part) for part in parts.aria]
    tables = Tables()
    mains = [_fact(part) for part in parts.mains if not part[2] & HIDDEN and not first_role(part[1].get("role", ""))]
    mains += [role for role in roles if role.written == "main" and not role.hidden]
    return Accessibility(
        roles=roles,
        nested=_kept(reader.nested, parts.hosts),
        hidden_focusables=[_fact(part) for part in parts.hidden_focusables if reader.reachable(*part[:2])],
        lists=_kept(list_fact, parts.lists),
        stray_items=_kept(stray_item, parts.list_items),
        tables=_kept(tables.fact, parts.tables),
        mains=mains,
        players=[_player(part, names) for part in parts.players if not part[2] & HIDDEN],
        objects=_kept(partial(_object, names=names), parts.objects),
        languages=_kept(reader.language, parts.touched["lang"]),
        tabindexes=[
            TabIndex(node=node, attrs=attrs, hidden=bool(flags & (INVISIBLE | INERT)), value=number)
            for node, attrs, flags in parts.touched["tabindex"]
            if (number := tabindex_of(attrs)) is not None
        ],
        accesskeys=[
            (_fact(part), part[1]["accesskey"].strip().lower())
            for part in parts.touched["accesskey"]
            if part[1]["accesskey"].strip() and not part[2] & (INVISIBLE | INERT)
        ],
        doubled=parts.doubled,
        linked_images=[
            (into.anchors[index], image)
            for index, first, last in parts.linked_images
            if index < len(into.anchors)
            for image in into.images[first:last]
        ],
    )


def _kept(make: Callable[[Touched], _Fact | None], parts: Sequence[Touched]) -> list[_Fact]:
    return [found for part in parts if (found := make(part)) is not None]


def _fact(part: Touched) -> ElementFact:
    node, attrs, flags = part
    return ElementFact(node=node, attrs=attrs, hidden=bool(flags & HIDDEN))


def _player(part: Touched, names: Names) -> Player:
    node, attrs, flags = part
    children = [child for child in node if isinstance(child, Element)]
    return Player(
        node=node,
        attrs=attrs,
        hidden=bool(flags & HIDDEN),
        tracks=tuple((child.attr("kind") or "subtitles").strip().lower() for child in children if child.tag == "track"),
        has_source="src" in attrs or any(child.tag == "source" for child in children),
        name=names.of(node, attrs)[0],
    )


def _object(part: Touched, names: Names) -> NamedElement | None:
    """An object that a browser embeds; an image in it is named like any other."""
    node, attrs, flags = part
    if flags & HIDDEN or not attrs.get("data", "").strip():
        return None
    name, source = names.of(node, attrs)
    return NamedElement(node=node, attrs=attrs, role=first_role(attrs.get("role", "")), name=name, name_from=source)


class _Reader:
    """Answers that need a look around, within one budget."""

    def __init__(self, names: Names, *, deep: bool) -> None:
        self._names = names
        self._deep = deep
        self._steps = MAX_STEPS
        self._owners: dict[Node, Element] = {}
        self._around: dict[Element, str] = {}

    def own(self, node: Element, attrs: dict[str, str], into: Collector) -> None:
        """Note what an element owns by reference."""
        for name in attrs["aria-owns"].split()[:100]:
            target = into.ids.get(name)
            if target is not None and target.node is not node:
                self._owners.setdefault(target.node, node)

    def role(self, part: Touched) -> RoleFact:
        """Everything about one element with a role or an attribute of ARIA."""
        node, attrs, flags = part
        html = node.namespace is Namespace.HTML
        tokens = tuple(attrs["role"].lower().split()) if "role" in attrs else ()
        written = first_role(attrs["role"]) if tokens else ""
        native = implicit_role(node, attrs) if html else ""
        role = written or native
        if written in {"none", "presentation"} and conflict_of_presentation(node.tag, attrs):
            role = native
        hidden = bool(flags & HIDDEN)
        meaning = ROLES.get(written)
        around, name = "", ""
        inside: tuple[tuple[str, Node], ...] = ()
        empty = False
        if meaning is not None and not hidden:
            if meaning.context and not self._deep:
                around = self._nearest(node, written)
            if meaning.owned:
                inside, empty = self._inside(node, written, attrs)
        if role in NAMED and not hidden:
            name, _ = self._names.of(node, attrs, role=written or None)
        return RoleFact(
            node=node,
            attrs=attrs,
            hidden=hidden,
            tokens=tokens,
            written=written,
            role=role,
            native=native,
            html=html,
            focusable=is_focusable(node.tag, attrs),
            around=around,
            inside=inside,
            empty=empty,
            name=name,
        )

    def _nearest(self, node: Element, role: str) -> str:
        """Role of the nearest element around, or of the one that owns it; groups are looked through."""
        through_groups = "group" in ROLES[role].context
        in_group = False
        at: object = self._owners.get(node) or node.parent
        while isinstance(at, Element) and self._steps > 0:
            self._steps -= 1
            attrs = at.attrs
            found = role_of(at, _text_attributes(at)) if attrs or at.tag not in {"div", "span"} else ""
            if found == "group" and through_groups:
                in_group = True
            elif found not in _TRANSPARENT:
                # A branch of a tree, or of a menu: items in a group in an item.
                return "group" if in_group and found == role else found
            at = self._owners.get(at) or at.parent
        # Outside of everything, or too expensive to tell apart: the latter is not a fault of the page.
        return "" if self._steps > 0 else "…"

    def _inside(self, node: Element, role: str, attrs: dict[str, str]) -> tuple[tuple[tuple[str, Node], ...], bool]:
        """(roles directly inside, whether nothing is inside), looking through what has no meaning."""
        allowed = ROLES[role].owned
        found: list[tuple[str, Node]] = []
        empty = "aria-owns" not in attrs
        stack = [iter(node)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
                continue
            self._steps -= 1
            if self._steps <= 0 or len(found) >= MAX_INSIDE:
                return (("…", node),), False
            if isinstance(child, Text):
                empty = empty and not child.data.strip()
            elif isinstance(child, Element) and not is_hidden(child.attrs):
                if child.tag in {"script", "template", "style"}:
                    continue
                strings = _text_attributes(child)
                inner = role_of(child, strings)
                if inner in _TRANSPARENT or (inner in {"group", "rowgroup"} and inner in allowed):
                    stack.append(iter(child))
                else:
                    found.append((inner, child))
                    empty = False
        return tuple(found), empty

    def nested(self, part: Touched) -> Nested | None:
        """A control and the first one inside it that takes the focus; ``None`` when there is none."""
        node, attrs, flags = part
        role = role_of(node, attrs)
        if flags & HIDDEN or role not in ROLES or not ROLES[role].children_presentational:
            return None
        stack = [iter(node)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
                continue
            self._steps -= 1
            if self._steps <= 0:
                return None
            if isinstance(child, Element) and not (child.attrs and is_hidden_by_style(child)):
                strings = _text_attributes(child)
                if is_focusable(child.tag, strings) and role_of(child, strings) in _WIDGETS:
                    return Nested(node=node, attrs=attrs, inner=child)
                stack.append(iter(child))
        return None

    def reachable(self, node: Element, attrs: dict[str, str]) -> bool:
        """Whether the tab key reaches the element, stylesheets left aside."""
        number = tabindex_of(attrs)
        if number is not None and number < 0:
            return False
        if not is_focusable(node.tag, attrs) or self._deep or node.tag in _ENTERED:
            return False
        if node.tag == "summary" and not _is_details_summary(node):
            return number is not None
        return node.tag not in {"button", "input", "select", "textarea"} or not _in_disabled_fieldset(node)

    def language(self, part: Touched) -> PartLanguage | None:
        """A part whose ``lang`` names no language; ``None`` when it does, or says that it is unknown."""
        node, attrs, flags = part
        value = attrs["lang"]
        if not value or node.tag in {"html", "head"} or is_registered_language(value.partition("-")[0].strip()):
            return None
        return PartLanguage(
            node=node,
            attrs=attrs,
            hidden=bool(flags & INVISIBLE),
            value=value,
            has_text=not flags & INVISIBLE and self._has_text(node, attrs),
        )

    def _has_text(self, node: Element, attrs: dict[str, str]) -> bool:
        """Whether anything to read inherits the language of the element."""
        if attrs.get("alt", "").strip() or attrs.get("aria-label", "").strip():
            return True
        stack = [iter(node)]
        while stack:
            child = next(stack[-1], None)
            if child is None:
                stack.pop()
                continue
            self._steps -= 1
            if self._steps <= 0:
                return False
            if isinstance(child, Text):
                if child.data.strip():
                    return True
            elif isinstance(child, Element):
                inner = child.attrs
                if child.tag in {"script", "style", "template", "noscript"} or "lang" in inner:
                    continue
                if inner and is_hidden_by_style(child):
                    continue
                if child.attr("alt") or child.attr("aria-label"):
                    return True
                stack.append(iter(child))
        return False


def is_hidden_by_style(node: Element) -> bool:
    """Hidden from everybody by its own attributes; ``aria-hidden`` hides from some only."""
    attrs = dict(node.attrs)
    attrs.pop("aria-hidden", None)
    return is_hidden(attrs)


def _text_attributes(node: Element) -> dict[str, str]:
    return {
        name: value if type(value) is str else " ".join(value) if value else "" for name, value in node.attrs.items()
    }


def _is_details_summary(node: Element) -> bool:
    parent = node.parent
    return isinstance(parent, Element) and parent.tag == "details" and parent.find("summary") is node


def _in_disabled_fieldset(node: Element) -> bool:
    """Fields of a disabled fieldset are disabled, but for those in its legend."""
    inside_legend = False
    for ancestor in node.ancestors:
        if isinstance(ancestor, Element):
            if ancestor.tag == "legend":
                inside_legend = True
            elif ancestor.tag == "fieldset":
                if "disabled" in ancestor.attrs and not inside_legend:
                    return True
                inside_legend = False
    return False
