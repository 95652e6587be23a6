"""Accessible names, as far as static HTML and its stylesheets determine them.

Sources: https://www.w3.org/TR/accname-1.2/#computation-steps and
https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation. The letters in the comments are the
steps of the former. Linear: every computation draws on one budget of the document, and who finds it empty gets a name
of three dots, so that an unread name is never called missing.

Left out on purpose: pseudo-elements, ``text-transform``, blanks between inline elements that a sheet makes blocks,
shadow trees, and names of a figure, an image or a dialog from its caption or heading, which are only proposed.
``aria-labeledby`` is read, because browsers do, although web-platform-tests say that it is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final

from turbohtml import CData, Element, Namespace, Text

from pagegrade.model.document import ElementFact
from pagegrade.parse.aria.implicit import implicit_role, input_type, keeps_role
from pagegrade.parse.aria.roles import NAMED_FROM_CONTENT, first_role
from pagegrade.parse.aria.subtree_flags import OFF_NARROW, OFF_WIDE, VEILED_NARROW, VEILED_WIDE
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.words import collapse

UNREAD: Final = "…"
"""The name of an element whose name would have cost too much to compute."""
MAX_STEPS: Final = 300_000
"""Nodes visited for all names of a document together: more than the elements of the largest page that is read."""
MAX_DEPTH: Final = 100
"""Levels of elements that are read below the one that is named."""
MAX_REFERENCES: Final = 50
"""Ids that are followed from one attribute."""
MAX_CHARACTERS: Final = 2_000
"""Longest name that is kept."""

_SCREENS: Final = ((OFF_NARROW, VEILED_NARROW, "narrow"), (OFF_WIDE, VEILED_WIDE, "wide"))
"""The screens that pages are evaluated for: the flags of what is hidden there, and their names."""
NAME_ATTRIBUTES: Final = frozenset({"aria-label", "aria-labelledby", "aria-labeledby", "aria-owns"})
"""Attributes that make the name of an element something else than its content."""
_HIDDEN_OK: Final = 1
"""The root was hidden itself and is referenced: hidden text counts."""
_REFERENCED: Final = 2
"""Inside an aria-labelledby (or aria-describedby): no second one is followed."""
_VEILED: Final = 4
"""Inside of what ``visibility: hidden`` hides: only what is visible again counts."""
_SILENT: Final = frozenset(
    "script style template noscript noembed noframes head meta link datalist param source metadata desc".split()
)
"""They say nothing; the last two describe drawings."""
_UNRENDERED: Final = frozenset("audio canvas embed frame iframe object picture video".split())
"""Content of these is a fallback; a picture holds an image, and is looked into."""
_INLINE: Final = frozenset(
    (
        "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter nobr output "
        "picture progress q rb rp rt ruby s samp small span strike strong sub sup svg time title tt tspan u var wbr"
    ).split()
)
_CONTENT_TAGS: Final = frozenset(
    "a button caption figcaption h1 h2 h3 h4 h5 h6 label legend option summary td th".split()
)
_WITHOUT_PLACEHOLDER: Final = frozenset("button checkbox color file hidden image radio range reset submit".split())
_GROUP_NAMES: Final = {"fieldset": "legend", "table": "caption"}
"""A figure has no name by itself: its caption is content of its own."""
_LABELABLE: Final = frozenset({"button", "input", "select", "textarea", "meter", "progress", "output"})
_NAMELESS: Final = frozenset({"none", "presentation"})
_VALUE_ROLES: Final = frozenset({"textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton", "progressbar"})
_RANGES: Final = frozenset({"slider", "spinbutton", "progressbar", "meter"})
_VALUE_TAGS: Final = frozenset({"input", "select", "textarea", "progress", "meter"})


class Label:
    """A ``<label>`` of a field."""

    __slots__ = ("hidden", "node")

    def __init__(self, node: Element, *, hidden: bool) -> None:
        self.node = node
        self.hidden = hidden


class Names:
    """Computes the names of one document."""

    def __init__(self, ids: Mapping[str, ElementFact], visibility: Visibility) -> None:
        self._ids = ids
        self._visibility = visibility
        self._by_id: dict[str, str] = {}
        self._steps = MAX_STEPS
        self._root: Element | None = None
        self._screen = 0
        """The flag of the one screen for which a name is being computed; 0: all of them together."""
        self._differs = False
        """The last name has parts that are not on all screens."""
        self._used: set[Element] = set()
        """Elements that references have added to the name being computed; each is used once."""

    def of(
        self, node: Element, attrs: Mapping[str, str], *, labels: Sequence[Label] = (), role: str | None = None
    ) -> tuple[str, str]:
        """(name, where from) of an element.

        Args:
            node: The element; whether it is hidden does not matter.
            attrs: Its attributes.
            labels: The labels of a form field, in document order.
            role: Its role if that is known already.

        Returns:
            The name with white space collapsed, "" when there is none, and ``aria-labelledby``, ``aria-label``,
            ``label``, ``alt``, ``value``, ``content``, ``title`` or ``placeholder`` (or "").
        """
        self._root = node
        self._used.clear()
        self._differs = False
        role = first_role(attrs.get("role", "")) if role is None else role
        if role in _NAMELESS and not keeps_role(node.tag, attrs):
            return "", ""
        reference = _reference(attrs)
        if reference:  # 2B
            name = self.referenced(reference)
            if name:
                return name, "aria-labelledby"
        label = _clean(attrs.get("aria-label", ""))  # 2D
        if label:
            return label, "aria-label"
        tag = node.tag
        html = node.namespace is Namespace.HTML
        if labels and html and tag in _LABELABLE:
            seen = [one for one in labels[:MAX_REFERENCES] if not one.hidden]
            # Browsers leave out hidden labels; without a tooltip either, what they say is at least known.
            used = seen or ([] if attrs.get("title", "").strip() else labels[:MAX_REFERENCES])
            name = _clean(" ".join(self._label(one) for one in used))
            if name:
                return name, "label"
        name, source = self._native(node, attrs, tag, html=html)  # 2E
        if name:
            return name, source
        if not role or role in _NAMELESS:
            speaks = (html and tag in _CONTENT_TAGS) or tag == "a"
        else:
            speaks = role in NAMED_FROM_CONTENT
        if speaks:  # 2F
            name = self._content(node, 0)
            if name:
                return name, "content"
        return self._last_resort(attrs, tag if html else "")

    def nameless_on(self, node: Element, attrs: Mapping[str, str], *, labels: Sequence[Label] = ()) -> str:
        """The screen on which the element that was just named is shown and has no name; "" when there is none.

        It has a name all the same, of parts that another screen shows.
        """
        if not self._differs:
            return ""
        partly = self._visibility.partly
        around = 0
        for above in islice(chain((node,), node.ancestors), MAX_DEPTH):
            self._steps -= 1
            around |= partly.get(above, 0) if isinstance(above, Element) else 0
        for off, veiled, called in _SCREENS:
            if not around & (off | veiled):
                self._screen = off
                name, _ = self.of(node, attrs, labels=labels)
                self._screen = 0
                if not name:
                    return called
        return ""

    def _last_resort(self, attrs: Mapping[str, str], tag: str) -> tuple[str, str]:
        """2I: the tooltip, and what stands in an empty field; ``tag`` is "" outside of HTML."""
        title = _clean(attrs.get("title", ""))
        if title and not (tag == "img" and "alt" in attrs):
            # An empty alternative says that there is nothing to say; a tooltip does not take that back.
            return title, "title"
        if tag == "textarea" or (tag == "input" and input_type(attrs) not in _WITHOUT_PLACEHOLDER):
            placeholder = _clean(attrs.get("placeholder", "")) or _clean(attrs.get("aria-placeholder", ""))
            if placeholder:
                return placeholder, "placeholder"
        return "", ""

    def referenced(self, value: str) -> str:
        """Join the texts of the ids in ``aria-labelledby`` or ``aria-describedby``."""
        return _clean(" ".join(self._of_id(name) for name in value.split()[:MAX_REFERENCES]))

    def description(self, attrs: Mapping[str, str], name_from: str) -> str:
        """The accessible description: aria-describedby, aria-description, or the title that did not become the name."""
        text = self.referenced(attrs.get("aria-describedby", "")) or _clean(attrs.get("aria-description", ""))
        return text or ("" if name_from == "title" else _clean(attrs.get("title", "")))

    def _of_id(self, name: str) -> str:
        known = self._by_id.get(name)
        if known is not None:
            return known
        target = self._ids.get(name)
        text = ""
        if target is not None and isinstance(target.node, Element) and target.node.tag not in _SILENT:
            state = _REFERENCED | _HIDDEN_OK if target.hidden else _REFERENCED
            text = _clean(self._alternative(target.node, target.attrs, state, 0))
        if not self._screen:
            self._by_id[name] = text
        return text

    def _label(self, label: Label) -> str:
        attrs = label.node.attrs
        spoken = _attribute(attrs, "aria-label")
        if spoken:
            return spoken
        return self._content(label.node, _HIDDEN_OK if label.hidden else 0) or _attribute(attrs, "title")

    def _content(self, node: Element, state: int) -> str:
        parts: list[str] = []
        self._gather(node, parts, state, 0)
        return _clean("".join(parts))

    def _gather(self, node: Any, parts: list[str], state: int, depth: int) -> None:
        """2F: add what the children say."""
        if self._steps <= 0 or depth > MAX_DEPTH:
            parts.append(UNREAD)
            return
        shut = type(node) is Element and node in self._visibility.shut and not state & _HIDDEN_OK
        for child in node:
            kind = type(child)
            if kind is Text or kind is CData:
                self._steps -= 1
                if not shut and not state & _VEILED:
                    parts.append(child.data)
            elif kind is Element:
                self._steps -= 1
                if self._steps <= 0:
                    parts.append(UNREAD)
                    return
                tag = child.tag
                attrs = child.attrs
                if self._is_silent(child, tag, attrs, state) or (shut and tag != "summary"):
                    continue
                inside = self._state_inside(child, state)
                if inside & _VEILED:
                    self._gather(child, parts, inside, depth + 1)
                    continue
                if tag in _INLINE and not ("style" in attrs and "block" in str(attrs["style"])):
                    parts.append(self._alternative(child, attrs, inside, depth + 1))
                else:
                    parts += (" ", self._alternative(child, attrs, inside, depth + 1), " ")
        if type(node) is Element and "aria-owns" in node.attrs and not state & _REFERENCED:
            parts += (" ", self._owned(node, str(node.attrs["aria-owns"])))

    def _is_off(self, child: Element) -> bool:
        """Return whether neither a child nor anything in it is rendered."""
        visibility = self._visibility
        if visibility.partly and child in visibility.partly:
            self._differs = True
            if visibility.partly[child] & self._screen:
                return True
        return child in visibility.off or (not visibility.unveiled and child in visibility.veiled)

    def _state_inside(self, child: Element, state: int) -> int:
        """The state for a child, which may be veiled, or visible again."""
        visibility = self._visibility
        if not visibility.unveiled or state & _HIDDEN_OK:
            return state
        if child in visibility.veiled:
            return state | _VEILED
        return state & ~_VEILED if child in visibility.unveiled else state

    def _is_silent(self, child: Element, tag: str, attrs: Mapping[str, Any], state: int) -> bool:
        """Return whether a child says nothing: by its kind, because it is hidden (2A), or because it has been heard."""
        if tag in _SILENT:
            return True
        if state & _HIDDEN_OK:
            if tag == "dialog" and "open" not in attrs:
                return True
        elif self._is_off(child) or (attrs and is_hidden_by_attribute(attrs)):
            return True
        return bool(self._used) and not state & _REFERENCED and child in self._used

    def _owned(self, owner: Element, value: str) -> str:
        """Join the texts of elements that an element owns by reference, unless hidden or already its descendants."""
        said = []
        for name in value.split()[:MAX_REFERENCES]:
            target = self._ids.get(name)
            if target is None or not isinstance(target.node, Element) or is_hidden(target.node, self._visibility):
                continue
            above = list(islice(target.node.ancestors, MAX_DEPTH))
            self._steps -= len(above)
            if not any(self._visibility.hides(one) for one in above if isinstance(one, Element)) and (
                target.hidden or owner not in above
            ):
                said.append(self._alternative(target.node, target.attrs, _REFERENCED, 0))
        return " ".join(said)

    def _use(self, value: str) -> None:
        """Note what a reference inside another name has brought in."""
        for name in value.split()[:MAX_REFERENCES]:
            target = self._ids.get(name)
            if target is not None and isinstance(target.node, Element):
                self._used.add(target.node)

    def _alternative(self, node: Element, attrs: Mapping[str, Any], state: int, depth: int) -> str:
        """Return the text of a node inside another name, or of a referenced node."""
        tag = node.tag
        html = node.namespace is Namespace.HTML
        role = ""
        if attrs:
            reference = "" if state & _REFERENCED else _reference(attrs)
            if reference:  # 2B
                text = self.referenced(reference)
                if text:
                    self._use(reference)
                    return text
            role = first_role(str(attrs["role"])) if attrs.get("role") else ""
        label = _attribute(attrs, "aria-label") if attrs else ""  # 2D
        if label and not depth:
            return label
        if role in _VALUE_ROLES or tag in _VALUE_TAGS:  # 2C
            if node == self._root:
                return ""
            value = self._embedded(node, attrs, role or implicit_role(node, _strings(attrs)), state)
            if value is not None:
                return value
        if label:
            return label
        strings = _strings(attrs)
        if role not in {"none", "presentation"} or keeps_role(tag, strings):
            text, _ = self._native(node, strings, tag, html=html)  # 2E
            if text:
                return text
        text = ""
        if tag not in _UNRENDERED or tag == "picture":
            parts: list[str] = []
            self._gather(node, parts, state, depth)  # 2F
            text = "".join(parts)
            if text.strip():
                return text
        # 2I; blanks keep their neighbors apart.
        return "" if tag == "img" and "alt" in attrs else _attribute(attrs, "title") or text

    def _embedded(self, node: Element, attrs: Mapping[str, Any], role: str, state: int) -> str | None:
        """2C: the value of a control inside another name; ``None`` when it has none to speak."""
        tag = node.tag
        if role in _RANGES:
            for name in ("aria-valuetext", "aria-valuenow", "value"):
                text = _attribute(attrs, name)
                if text:
                    return text
            return "" if tag in _VALUE_TAGS else None
        if tag == "select":
            return _chosen(node) if role in _VALUE_ROLES or role in _NAMELESS else ""
        if tag == "textarea":
            return str(node.text)
        if tag == "input":
            return _attribute(attrs, "value") if role in {"textbox", "searchbox", "combobox"} else None
        if role in {"textbox", "searchbox"}:
            return self._content(node, state)
        if role in {"combobox", "listbox"}:
            chosen = node.select('[role=option i][aria-selected="true" i]')[:5]
            if chosen:
                return " ".join(self._content(option, state) for option in chosen)
            return self._content(node, state) if role == "combobox" else ""
        return None

    def _native(  # noqa: PLR0912 - one case per kind of element
        self, node: Element, attrs: Mapping[str, str], tag: str, *, html: bool
    ) -> tuple[str, str]:
        """2E: what the language itself offers as a name, besides labels, content and title."""
        if not html:
            for child in node:
                if type(child) is Element and child.tag == "title":
                    return _clean(child.text), "title"
            return _clean(attrs.get("xlink:title", "")) if tag == "a" else "", "title"
        match tag:
            case "img" | "area":
                return _clean(attrs.get("alt", "")), "alt"
            case "input":
                kind = input_type(attrs)
                if kind == "image":
                    return _clean(attrs.get("alt", "")), "alt"
                if kind in {"submit", "reset"} and "value" not in attrs:
                    # Browsers write these words on the button in the visitor's language.
                    return kind.capitalize(), "value"
                return (_clean(attrs.get("value", "")), "value") if kind in {"submit", "reset", "button"} else ("", "")
            case "fieldset" | "table":
                wanted = _GROUP_NAMES[tag]
                for child in node:
                    if type(child) is Element and child.tag == wanted:
                        return "" if is_hidden(child, self._visibility) else self._content(child, 0), "content"
                return "", ""
            case "optgroup" | "track":
                return _clean(attrs.get("label", "")), "label"
            case "option":
                return _clean(attrs.get("label", "")), "label"
            case _:
                return "", ""


def is_hidden_by_attribute(attrs: Mapping[str, Any]) -> bool:
    """Return whether ``aria-hidden`` or ``inert`` on the element take it out of the accessibility tree."""
    if "aria-hidden" in attrs and str(attrs["aria-hidden"] or "").strip().lower() == "true":
        return True
    return "inert" in attrs


def is_hidden(node: Element, visibility: Visibility) -> bool:
    """Return whether the element takes itself out of the accessibility tree; what is around it is not asked."""
    return visibility.hides(node) or is_hidden_by_attribute(node.attrs)


def _clean(text: str) -> str:
    return collapse(text[: 4 * MAX_CHARACTERS])[:MAX_CHARACTERS] if text else ""


def _reference(attrs: Mapping[str, Any]) -> str:
    """The ids that name an element. Browsers also read the attribute as it is spelled in America."""
    value = attrs.get("aria-labelledby") or attrs.get("aria-labeledby")
    return str(value) if value else ""


def _attribute(attrs: Mapping[str, Any], name: str) -> str:
    value = attrs.get(name)
    return _clean(str(value)) if value else ""


def _strings(attrs: Mapping[str, Any]) -> Mapping[str, str]:
    """Attributes with their token lists put together again."""
    if not attrs:
        return {}
    return {name: value if type(value) is str else " ".join(value) if value else "" for name, value in attrs.items()}


def _chosen(select: Element) -> str:
    """The options a selection shows: the chosen ones, or the first."""
    options: Iterable[Element] = select.select("option")[:200]
    chosen = [option for option in options if "selected" in option.attrs] or list(options)[:1]
    return " ".join(_attribute(option.attrs, "label") or str(option.text[:MAX_CHARACTERS]) for option in chosen[:5])
