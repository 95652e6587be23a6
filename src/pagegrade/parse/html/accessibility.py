"""Makes facts of what the walk set aside: roles with what is around and inside them, lists, tables, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Final, TypeVar

from turbohtml import Element, Namespace, Text

from pagegrade.model.accessibility import Accessibility, Nested, PartLanguage, Player, RoleFact, TabIndex
from pagegrade.model.document import ElementFact, NamedElement, Node
from pagegrade.parse.aria.attributes import NAMING, OF_TREEGRIDS
from pagegrade.parse.aria.implicit import (
    MAX_DEPTH,
    conflict_of_presentation,
    implicit_role,
    inherits_nothing,
    is_focusable,
    role_of,
    tabindex_of,
)
from pagegrade.parse.aria.parts import Touched
from pagegrade.parse.aria.popups import ClosedPopups
from pagegrade.parse.aria.roles import ROLES, first_role, role_tokens
from pagegrade.parse.aria.subtree_flags import HIDDEN, INVISIBLE, UNREACHABLE
from pagegrade.parse.cascade.states import is_details_summary
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.accessible_names import Label, Names, is_hidden
from pagegrade.parse.html.collect import Collector
from pagegrade.parse.html.controls import (
    in_disabled_fieldset,
    is_control,
    text_attributes,
)
from pagegrade.parse.html.image_alternatives import (
    drawings_of_nameless_controls,
    images_in_buttons,
    named_by_nameless_images,
    repeated_images,
)
from pagegrade.parse.html.lists_tables import Tables, list_fact, stray_item
from pagegrade.parse.language_tags import is_registered_language

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
_NAMED_BESIDES: Final = frozenset(
    "doc-backlink doc-biblioref doc-glossref doc-noteref grid radiogroup tab tabpanel tree treegrid".split()
)
"""Roles whose name is computed here, and that leave a link or a button of HTML what it is."""
_Fact = TypeVar("_Fact")
LABELED: Final = frozenset(
    "checkbox gridcell menuitem menuitemcheckbox menuitemradio option radio switch tab treeitem".split()
)
"""Roles of which the text is a label, that another name may contradict; links and buttons are read by the walk."""
_READ_WHOLE: Final = (LABELED - {"gridcell"}) | {"button", "link"}
"""Controls that are named by their content, into which the names of what is inside go."""
_NO_TEXT: Final = frozenset({"noscript", "script", "style", "template"})
_TRANSPARENT: Final = frozenset({"", "generic", "none", "paragraph", "presentation"})
_TABLES: Final = frozenset({"grid", "none", "presentation", "table", "treegrid"})


def accessibility_of(into: Collector) -> Accessibility:
    """The facts about accessibility of a document whose walk is over."""
    parts = into.parts
    visibility = into.visibility
    names = into.names or Names(into.ids, visibility)
    reader = _Reader(names, visibility, into.button_labels_of, deep=into.max_depth > MAX_DEPTH)
    for node, attrs, _ in parts.aria:
        if "aria-owns" in attrs:
            reader.own(node, attrs, into)
    roles = [reader.role(part) for part in parts.aria]
    tables = Tables(visibility)
    closed_popups = ClosedPopups(parts.aria)
    mains = [_fact(part) for part in parts.mains if not first_role(part[1].get("role", ""))]
    mains += [role for role in roles if role.written == "main"]
    return Accessibility(
        roles=roles,
        nested=_kept(reader.nested, parts.hosts),
        aria_hidden=frozenset(parts.aria_hidden),
        focusables=parts.focusables,
        hidden_focusables=[
            _fact(part)
            for part in parts.hidden_focusables
            if reader.reachable(*part[:2]) and not closed_popups.hold(part[0])
        ],
        has_lists=bool(parts.lists or parts.list_items),
        lists=_kept(partial(list_fact, visibility=visibility), parts.lists),
        stray_items=_kept(stray_item, parts.list_items),
        tables=_kept(tables.fact, parts.tables),
        mains=[one for one in mains if not one.hidden],
        hidden_mains=[one for one in mains if one.hidden],
        players=[_player(part, names) for part in parts.players],
        objects=_kept(partial(_object, names=names), parts.objects),
        languages=_kept(reader.language, parts.touched["lang"]),
        declared_languages=frozenset(
            attrs["lang"].partition("-")[0].strip().lower()
            for node, attrs, _ in parts.touched["lang"]
            if node.tag not in {"html", "head"}
        ),
        directions=frozenset(attrs["dir"].strip().lower() for _, attrs, _ in parts.touched["dir"]),
        click_targets=[_fact(part) for part in parts.touched["onclick"] if _is_for_mouse_only(part)],
        tabindexes=[
            TabIndex(node=node, attrs=attrs, hidden=bool(flags & UNREACHABLE), value=number)
            for node, attrs, flags in parts.touched["tabindex"]
            if (number := tabindex_of(attrs)) is not None
        ],
        accesskeys=[
            (_fact(part), part[1]["accesskey"].strip().lower())
            for part in parts.touched["accesskey"]
            if part[1]["accesskey"].strip() and not part[2] & UNREACHABLE
        ],
        doubled=parts.doubled,
        repeated_images=repeated_images(into.images, visibility),
        images_in_buttons=images_in_buttons(into.images),
        nameless_on=into.nameless_on,
        named_by_nameless_images=named_by_nameless_images(into.images),
        drawings_of_nameless_controls=drawings_of_nameless_controls(into.anchors, into.named),
        linked_images=[
            (into.anchors[index], image)
            for index, first, last in parts.linked_images
            if index < len(into.anchors)
            for image in into.images[first:last]
        ],
    )


_OPERABLE: Final = frozenset(
    "a area audio body button details embed fieldset form html iframe input label object optgroup option select "
    "summary textarea video".split()
)
_OPERABLE_INSIDE: Final = (
    "a[href], button, input, select, textarea, summary, iframe, [contenteditable], [tabindex]:not([tabindex^='-'])"
)
_MAX_HANDLER: Final = 500
_IDLE: Final = re.compile(
    r"(?:\w+\.)?(?:stop(?:Immediate)?Propagation|preventDefault)\(\)|return\s+(?:true|false)|void\s?\(?0\)?|;"
)
"""Parts of a handler that do nothing for those who click."""


def _is_for_mouse_only(part: Touched) -> bool:
    """Return whether an element reacts to clicks, and neither it nor what it holds can be reached by keyboard."""
    node, attrs, flags = part
    if flags & UNREACHABLE or (node.tag in _OPERABLE and not (node.tag == "a" and "href" not in attrs)):
        return False
    number = tabindex_of(attrs)
    # What a script moves the focus to has a role: items of menus, lists and grids take turns.
    if (number is not None and (number >= 0 or "role" in attrs)) or "contenteditable" in attrs:
        return False
    if not _IDLE.sub("", attrs["onclick"][:_MAX_HANDLER]).strip():
        return False
    return node.select_one(_OPERABLE_INSIDE) is None


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
        sources=tuple(
            source for one in (node, *children) if one is node or one.tag == "source" if (source := one.attr("src"))
        ),
        tracks=tuple(
            (child.attr("kind") or "subtitles").lower()
            for child in children
            if child.tag == "track" and (child.attr("src") or "").strip()
        ),
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

    def __init__(
        self, names: Names, visibility: Visibility, labels_of: Callable[[Element], Sequence[Label]], *, deep: bool
    ) -> None:
        self._names = names
        self._labels_of = labels_of
        self._visibility = visibility
        self._deep = deep
        self._steps = MAX_STEPS
        self._owners: dict[Node, Element] = {}
        self._owned: dict[Node, list[Element]] = {}
        self._around: dict[Element, str] = {}

    def own(self, node: Element, attrs: dict[str, str], into: Collector) -> None:
        """Note what an element owns by reference."""
        for name in attrs["aria-owns"].split()[:100]:
            target = into.ids.get(name)
            if target is None or target.node is node or not isinstance(target.node, Element):
                continue
            if self._owners.setdefault(target.node, node) is node:
                self._owned.setdefault(node, []).append(target.node)

    def role(self, part: Touched) -> RoleFact:
        """Everything about one element with a role or an attribute of ARIA."""
        node, attrs, flags = part
        html = node.namespace is Namespace.HTML
        tokens = tuple(filter(None, role_tokens(attrs["role"]))) if "role" in attrs else ()
        written = first_role(attrs["role"]) if tokens else ""
        native = implicit_role(node, attrs) if html else ""
        role = written or native
        if written in {"none", "presentation"} and conflict_of_presentation(node.tag, attrs):
            role = native
        hidden = bool(flags & HIDDEN)
        meaning = ROLES.get(written)
        around, name, table = "", "", ""
        inside: tuple[tuple[str, Node], ...] = ()
        empty = False
        if meaning is not None and not hidden:
            if meaning.context and not self._deep:
                around = self._nearest(node, written)
            if meaning.owned:
                inside, empty = self._inside(node, written, attrs)
        labeled = written in LABELED and not hidden and ("aria-label" in attrs or "aria-labelledby" in attrs)
        if labeled or ((role in NAMED or role in _NAMED_BESIDES) and not hidden):
            labels = self._labels_of(node) if node.tag == "button" else ()
            name, _ = self._names.of(node, attrs, role=written or None, labels=labels)
            if written == "listbox" and not name and not self._deep:
                around = self._nearest(node, written)
        if role == "row" and not hidden and not self._deep and not OF_TREEGRIDS.isdisjoint(attrs):
            table = self._table_around(node)
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
            table=table,
            in_control=not hidden and not NAMING.isdisjoint(attrs) and self._in_control(node, role),
            wraps_field=written == "combobox" and not hidden and not name and node.find("input") is not None,
        )

    def _in_control(self, node: Element, role: str) -> bool:
        """Return whether a name on an element without a role is read as part of a link, a button or similar."""
        if role in ROLES and not ROLES[role].name_prohibited:
            return False
        for ancestor in node.ancestors:
            self._steps -= 1
            if self._steps <= 0:
                # Too expensive to determine: not a fault of the page.
                return True
            found = role_of(ancestor, text_attributes(ancestor)) if isinstance(ancestor, Element) else ""
            if found and not ROLES[found].name_prohibited:
                return found in _READ_WHOLE
        return False

    def _table_around(self, node: Element) -> str:
        """Role of the table around a row; "" when it stands in none, or when that would cost too much."""
        for ancestor in node.ancestors:
            self._steps -= 1
            if self._steps <= 0:
                break
            if isinstance(ancestor, Element) and (ancestor.attrs or ancestor.tag == "table"):
                found = role_of(ancestor, text_attributes(ancestor))
                if found in _TABLES:
                    return found
        return ""

    def _is_out_of_reach(self, node: Element) -> bool:
        """Hidden from all users, or inert; ``aria-hidden`` hides from some only."""
        return self._visibility.hides(node) or "inert" in node.attrs

    def _nearest(self, node: Element, role: str) -> str:
        """Role of the nearest element around, or of the one that owns it; groups are looked through."""
        through_groups = "group" in ROLES[role].context
        in_group = False
        at: object = self._owners.get(node) or node.parent
        while isinstance(at, Element) and self._steps > 0:
            self._steps -= 1
            attrs = at.attrs
            found = role_of(at, text_attributes(at)) if attrs or at.tag not in {"div", "span"} else ""
            if at.tag == "select" and node.tag == "option":
                # It holds its own options, whether they drop down or not.
                return "listbox"
            if found == "group" and through_groups:
                in_group = True
            elif found not in _TRANSPARENT and not inherits_nothing(at, found):
                # A branch of a tree: items in a group in an item.
                return "group" if in_group and found == role == "treeitem" else found
            at = self._owners.get(at) or at.parent
        # Outside of everything, or too expensive to determine: the latter is not a fault of the page.
        return "" if self._steps > 0 else "…"

    def _inside(self, node: Element, role: str, attrs: dict[str, str]) -> tuple[tuple[tuple[str, Node], ...], bool]:
        """(roles directly inside or owned, whether nothing is inside), looking through what has no meaning.

        An element without a role that takes the focus or has a global ARIA attribute is reported as "".
        """
        allowed = ROLES[role].owned
        found: list[tuple[str, Node]] = []
        empty = "aria-owns" not in attrs
        stack: list[Iterator[object]] = [chain(node, self._owned.get(node, ()))]
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
            elif isinstance(child, Element) and not is_hidden(child, self._visibility):
                if child.tag in _NO_TEXT or self._owners.get(child, node) is not node:
                    continue
                strings = text_attributes(child)
                inner = role_of(child, strings)
                if inner in _TRANSPARENT or inherits_nothing(child, inner):
                    if conflict_of_presentation(child.tag, strings):
                        found.append(("", child))
                        empty = False
                    else:
                        stack.append(iter(child))
                elif inner in {"group", "rowgroup"} and inner in allowed:
                    stack.append(iter(child))
                else:
                    found.append((inner, child))
                    empty = False
        return tuple(found), empty

    def nested(self, part: Touched) -> Nested | None:
        """A control and the first one inside it that takes the focus; ``None`` when there is none."""
        node, attrs, flags = part
        role = role_of(node, attrs)
        in_link = node.tag == "a" and role == "link"
        if flags & HIDDEN or role not in ROLES or not (in_link or ROLES[role].children_presentational):
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
            if isinstance(child, Element) and not self._is_out_of_reach(child):
                if is_control(child) or (in_link and child.tag == "iframe"):
                    return Nested(node=node, attrs=attrs, inner=child)
                if child.tag == "fieldset" and "disabled" in child.attrs:
                    # Its fields are disabled, but for those in its legend.
                    stack.append(iter([one for one in child if isinstance(one, Element) and one.tag == "legend"]))
                else:
                    stack.append(iter(child))
        return None

    def reachable(self, node: Element, attrs: dict[str, str]) -> bool:
        """Return whether the tab key reaches the element, if it is rendered."""
        number = tabindex_of(attrs)
        if number is not None and number < 0:
            return False
        if node.tag == "details":
            # Kept only where it has no summary: browsers then show one of their own, which takes the focus.
            return not self._deep
        if not is_focusable(node.tag, attrs) or self._deep or (node.tag == "iframe" and number is None):
            return False
        if node.tag == "summary" and not is_details_summary(node):
            return number is not None
        return node.tag not in {"button", "input", "select", "textarea"} or not in_disabled_fieldset(node)

    def language(self, part: Touched) -> PartLanguage | None:
        """A part whose ``lang`` names no language; ``None`` when it does, or says that it is unknown."""
        node, attrs, flags = part
        value = attrs["lang"]
        if not value or node.tag in {"html", "head"} or is_registered_language(value.partition("-")[0].strip()):
            return None
        if node.namespace is not Namespace.HTML:
            return None
        return PartLanguage(
            node=node,
            attrs=attrs,
            hidden=bool(flags & INVISIBLE),
            value=value,
            has_text=not flags & INVISIBLE and self._has_text(node, attrs),
        )

    def _has_text(self, node: Element, attrs: dict[str, str]) -> bool:
        """Return whether anything to read inherits the language of the element."""
        if attrs.get("alt", "").strip() or attrs.get("aria-label", "").strip():
            return True
        if node.tag == "iframe" and attrs.get("title", "").strip():
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
                if self._is_out_of_reach(child):
                    continue
                if child.attr("alt") or child.attr("aria-label"):
                    return True
                stack.append(iter(child))
        return False
