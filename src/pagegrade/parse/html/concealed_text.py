"""Finds text that is there and that no one can see: in the color of its ground, too small, or hidden with the page.

Colors are followed from element to element by the page's style attributes and its own simple rules, and through custom
properties of the whole page. What an image, a gradient, a condition or a style sheet elsewhere decides is unknown, and
unknown text counts as seen. What fades in counts as seen as long as a script may show it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.cascade.selectors import split_list
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.css.contrast import Color, color_of, is_pale, is_same
from pagegrade.parse.css.ink import DECLARES, ELSEWHERE, ink_blocks, read_ink_rule
from pagegrade.parse.css.lettering import (
    BY_PLACE,
    IN_DEPTH,
    NOT_KNOWN,
    UNKNOWN,
    Declared,
    Lettering,
    Why,
    characters_within,
    declared_in,
    may_be_undone,
    may_conceal,
)

MAX_NODES: Final = 60_000
_MAX_PLACES: Final = 100
_SILENT: Final = frozenset(
    "button canvas head iframe input noscript object option script select style svg template textarea video".split()
)
_SIMPLE: Final = re.compile(r"(?:\*|[a-z][a-z0-9]*|[.#][A-Za-z_][\w-]*)")
_LAST: Final = re.compile(r"(\*|[.#]?[A-Za-z_][\w-]*)(?:[:\[][^\s>+~]*)?$")
_STRUCTURAL: Final = re.compile(r"[\w\s.#>+~*-]{1,200}")
"""Elements by names, classes and ids, and by those around and before them."""
MAX_OTHERS: Final = 100
MIN_SHARE_BELOW: Final = 0.25
"""Share of the text from which on such rules count: what is less may stand on a picture that is placed behind it."""
_ATTRIBUTES: Final = re.compile(r"(?:\[[\w^$*~|=\"'-]{1,80}\]){1,4}")
_OWN_PROPERTY: Final = re.compile(r"(--[\w-]{1,80})\s*:")
_GROUNDS: Final = ("html", "body", "main", "article", "section", "div", "p")
_PLAIN: Final = ("*", *_GROUNDS, "h1", "h2", "li", "td", "span", "a")
_LISTED: Final = re.compile(r"([\w\s.#>+~-]{0,120}):(?:is|where)\(([^()]{1,400})\)")
_VARIABLE: Final = re.compile(
    r"var\(\s*(--[\w-]{1,80})\s*(?:,\s*([^()]{1,60}|var\([^()]{1,60}\)|rgba?\([^()]{1,60}\))?)?\)"
)
_MAX_REFERENCES: Final = 6
"""Custom properties followed from one to the next."""
_MAX_CLIMB: Final = 4
_PICTURES: Final = "img, picture, video, canvas, svg, iframe, object, embed"
"""Elements that may lie behind a text and be its ground."""
_NO_SHEETS: Final[Mapping[str, Sequence[str] | None]] = MappingProxyType({})
_WHITE: Final = (255, 255, 255)
_BLACK: Final = (0, 0, 0)
_Rule = tuple[str, Declared]
"""Selector, and what it declares."""


class ConcealedText(msgspec.Struct, frozen=True, gc=False):
    """Text that no one can see."""

    words: int
    share: float
    """Of all text that style sheets render, 0 to 1."""
    places: tuple[tuple[Node, Why, str], ...]
    """(element, why, beginning of the text) of the first ones."""
    pale: int = 0
    """Characters that can be read, with effort; known where the page as a whole may be pale."""
    pale_places: tuple[tuple[Node, str], ...] = ()
    """(element, contrast as a number) of the first ones."""


def find_concealed_text(document: Document, ink: Mapping[str, Sequence[str] | None] = _NO_SHEETS) -> ConcealedText:
    """Find it; linear in the document, and without a walk where no declaration can conceal anything.

    Args:
        document: The page.
        ink: Address of a style sheet -> its rules that color something (``parse.css.ink``), for those that were read.
    """
    body = document.body
    if body is None or not isinstance(body.node, Element):
        return _NOTHING
    if document.visibility.hides_page and not document.running_scripts:
        words = document.word_count
        return ConcealedText(words, 1.0, ((body.node, "page", document.text[:100]),))
    named = [(one.node, one.url) for one in document.links if "stylesheet" in one.rel]
    read = [(node, ink.get(url or "")) for node, url in named]
    sheets = [(node, rules) for node, rules in read if rules is not None and isinstance(node, Element)]
    rules, others = _rules_of(document, sheets) if len(sheets) == len(read) else ({}, [])
    others = _without_unsure(document, rules, others)
    # Few pages have rules for elements in others that could conceal most of the text; theirs are looked up one by one.
    may_cut = not document.running_scripts
    is_plain = _may_conceal(rules, may_cut=may_cut)
    is_suspect = is_plain or _may_conceal_below(rules, others, may_cut=may_cut)
    matched = _matched(body.node, others) if is_suspect and len(others) <= MAX_OTHERS else {}
    if matched:
        concealed = _in_whole(document, body.node, rules, matched)
        if concealed.share >= MIN_SHARE_BELOW:
            return concealed
    if not matched and _may_conceal_by_class(body.node, rules, may_cut=may_cut):
        concealed = _in_whole(document, body.node, rules, {})
        if concealed.share >= MIN_SHARE_BELOW and not _lies_on_pictures(concealed):
            return concealed
    # Most sheets color text and ground in ways that differ: then only what attributes decide is looked at.
    is_whole = not read or is_plain
    if not is_whole or all(value in NOT_KNOWN for declared in rules.values() for value in declared.values()):
        rules = {}
    values = {value for value in {one.value for one in document.style_attributes} if DECLARES.search(value)}
    has_obsolete = any("color" in one.attrs for one in document.obsolete)
    if not (rules or values or has_obsolete):
        return _NOTHING
    if is_whole:
        return _in_whole(document, body.node, rules, matched)
    # Sheets that were not read color everything else, so only what attributes decide is known.
    suspects = values if has_obsolete else _concealing(values)
    styled = [one.node for one in document.style_attributes if one.value in suspects]
    styled += [one.node for one in document.obsolete if "color" in one.attrs]
    roots = [node for node in styled if isinstance(node, Element)]
    return _walk(document, roots, Lettering(None, None), {}, {}, is_whole=False)


def _without_unsure(document: Document, rules: dict[str, Declared], others: list[_Rule]) -> list[_Rule]:
    """Drop from the rules what scripts may change, and the sides of what turns as a solid."""
    every = (*rules.values(), *(one for _, one in others))
    is_solid = any("solid" in one for one in every)
    if not is_solid and not document.running_scripts:
        return others
    for declared in every:
        for name, value in tuple(declared.items()):
            if (document.running_scripts and may_be_undone(name, value)) or (
                is_solid and (name == "solid" or value.endswith(IN_DEPTH))
            ):
                del declared[name]
    return [one for one in others if one[1]]


def _in_whole(
    document: Document, body: Element, rules: Mapping[str, Declared], matched: Mapping[Element, Declared]
) -> ConcealedText:
    """Find what all rules that are known conceal."""
    root = Lettering(_BLACK, _WHITE)
    if document.html is not None and isinstance(document.html.node, Element):
        root = root.within("html", _own(document.html.node, rules, matched), has_style=False)
    return _walk(document, [body], root, rules, matched, is_whole=True)


_NOTHING: Final = ConcealedText(0, 0.0, ())


def _rules_of(
    document: Document, sheets: Sequence[tuple[Element, Sequence[str]]]
) -> tuple[dict[str, Declared], list[_Rule]]:
    """(tag, ``.class`` or ``#id`` -> what the page's own rules declare for it, rules for elements in others).

    What a rule for elements in others declares is unknown in the first.
    """
    rules: dict[str, Declared] = {}
    others: list[_Rule] = []
    properties: Declared = {}
    firm: set[tuple[str, str]] = set()
    for block, is_certain in _in_order(document, sheets):
        own: dict[str, Declared] = {}
        for is_plain, selectors, declarations in block:
            if selectors == ELSEWHERE or (selectors == ":root" and declarations.startswith("--")):
                _add_properties(properties, declarations, is_known=is_plain)
                continue
            declared = declared_in(declarations)
            if declared and not all(
                _file(part, declared, own, others, is_plain=is_plain) for part in _selectors_of(selectors)
            ):
                return {}, []
            if "!" in declarations:
                firm.update((part, name) for part in _selectors_of(selectors) for name in declared)
        for selector, declared in own.items():
            known = rules.get(selector, {})
            unknown = {one for one in known if not is_certain or (selector, one) in firm}
            _add(rules, selector, {one: UNKNOWN if one in unknown else value for one, value in declared.items()})
    for one in document.style_attributes if properties else ():
        if "--" in one.value:
            properties.update((name[1], UNKNOWN) for name in _OWN_PROPERTY.finditer(one.value[:1_000]))
    for declared in (*rules.values(), *(one for _, one in others)):
        declared.update((name, _resolved(value, properties)) for name, value in declared.items() if "var(" in value)
    return rules, others


def _in_order(
    document: Document, sheets: Sequence[tuple[Element, Sequence[str]]]
) -> Iterator[tuple[Iterator[tuple[bool, str, str]], bool]]:
    """Yield the rules of each sheet, and whether they apply to the screen for certain, as they stand in the page."""
    found: list[tuple[Element, Iterator[tuple[bool, str, str]]]] = [
        (node, map(read_ink_rule, sheet)) for node, sheet in sheets
    ]
    found += [
        (style.node, ink_blocks(style.text))
        for style in document.styles[:50]
        if DECLARES.search(style.text) is not None and isinstance(style.node, Element)
    ]
    for node, rules in sorted(found, key=lambda one: tuple(one[0].position or ())):
        media = (attribute_of(node, "media") or "").strip().lower()
        yield rules, media in {"", "all", "screen"} and {"disabled", "title"}.isdisjoint(node.attrs)


def _selectors_of(text: str) -> Iterator[str]:
    """Yield the selectors of a list, each of ``:is()`` and ``:where()`` at the end of one for itself."""
    if ":is(" not in text and ":where(" not in text:
        yield from map(str.strip, text.split(","))
        return
    for part in map(str.strip, split_list(text)):
        listed = _LISTED.fullmatch(part)
        if listed is None:
            yield part
        else:
            yield from (f"{listed[1]}{one.strip()}" for one in listed[2].split(","))


def _file(selector: str, declared: Declared, own: dict[str, Declared], others: list[_Rule], *, is_plain: bool) -> bool:
    """Keep what one selector of a rule declares; false for one that may select anything."""
    if is_plain and _SIMPLE.fullmatch(selector) is not None:
        _add(own, selector, declared)
        return True
    last = _LAST.search(selector)
    if last is not None:
        is_by_place = is_plain and _STRUCTURAL.fullmatch(selector) is not None
        if is_by_place:
            others.append((selector, declared))
        _add(own, last[1], dict.fromkeys(declared, BY_PLACE if is_by_place else UNKNOWN))
        return True
    if declared.keys() != {"opacity"}:
        return False
    # What has no opacity has no color, whatever else is declared.
    if is_plain and _ATTRIBUTES.fullmatch(selector) is not None:
        others.append((selector, declared))
    return True


def _add_properties(properties: Declared, declarations: str, *, is_known: bool) -> None:
    """Add custom properties; one that has two values is unknown."""
    for declaration in declarations.split(";"):
        name, _, written = declaration.strip().partition(":")
        value = written.strip().lower() if is_known else UNKNOWN
        properties[name] = value if properties.get(name, value) == value else UNKNOWN


def _resolved(value: str, properties: Mapping[str, str]) -> str:
    """The value that custom properties of the whole page give; unknown for any other."""
    for _ in range(_MAX_REFERENCES):
        match = _VARIABLE.fullmatch(value)
        if match is None:
            break
        value = properties.get(match[1], (match[2] or UNKNOWN).strip())
    return UNKNOWN if "var(" in value else value


def _grounds_of(declared: Iterable[Declared]) -> set[Color]:
    return {_WHITE, *(color_of(one["background"]) for one in declared if "background" in one)}


def _may_conceal_below(rules: Mapping[str, Declared], others: Sequence[_Rule], *, may_cut: bool) -> bool:
    """Return whether a rule for elements in others may leave a text that no one reads."""
    declared = [one for _, one in others]
    grounds = _grounds_of((*declared, *rules.values()))
    return any(may_conceal(one, grounds, may_cut=may_cut) for one in declared)


def _may_conceal_by_class(body: Element, rules: Mapping[str, Declared], *, may_cut: bool) -> bool:
    """Return whether a rule for a class or an id of the page may."""
    grounds = _grounds_of(rules.values())
    for selector, one in rules.items():
        if selector[0] not in ".#" or selector.endswith("-"):
            continue
        if may_conceal(one, grounds, may_cut=may_cut) and next(iter(body.select(selector)), None) is not None:
            return True
    return False


def _concealing(values: Collection[str]) -> Collection[str]:
    """Return the style attributes of which one may conceal what is in it: all of them where two may do so together."""
    read = {value: declared_in(value[:1_000]) for value in values}
    grounds = {color_of(one["background"]) for one in read.values() if "background" in one}
    found: set[str] = set()
    for value, declared in read.items():
        color = color_of(declared.get("color", ""))
        # Sizes that depend on the one around them multiply.
        if declared.get("font-size", "").endswith(("em", "%")) or any(
            is_same(color, ground) or is_pale(color, ground) for ground in grounds
        ):
            return values
        if may_conceal(declared, (), may_cut=True):
            found.add(value)
    return found


def _lies_on_pictures(concealed: ConcealedText) -> bool:
    """Return whether most of the text has something near that may be placed behind it."""
    beside = 0
    for node, why, _ in concealed.places:
        at: object = node if why == "ground" else None
        for _ in range(_MAX_CLIMB):
            if not isinstance(at, Element) or at.tag in {"body", "html"}:
                break
            if next(iter(at.select(_PICTURES)), None) is not None:
                beside += 1
                break
            at = at.parent
    return 2 * beside >= len(concealed.places)


def _matched(body: Element, others: Sequence[_Rule]) -> dict[Element, Declared]:
    """Element -> what rules for elements in others declare for it, the later ones first."""
    found: dict[Element, Declared] = {}
    for selector, declared in others:
        try:
            nodes = body.select(selector)
        except ValueError:
            return {}
        for node in nodes:
            found.setdefault(node, {}).update(declared)
    return found


def _add(rules: dict[str, Declared], selector: str, declared: Declared) -> None:
    """Add declarations for a selector; what is unknown once stays so."""
    known = rules.setdefault(selector, {})
    for name, value in declared.items():
        if known.get(name) != UNKNOWN and (known.get(name) != BY_PLACE or value == UNKNOWN):
            known[name] = value


def _may_conceal(rules: Mapping[str, Declared], *, may_cut: bool) -> bool:
    """Return whether the rules for plain elements may."""
    grounds = [color_of(one["background"]) for tag in _GROUNDS if (one := rules.get(tag)) and "background" in one]
    declared = (
        {name: value for name, value in rules[tag].items() if name != "background"} for tag in _PLAIN if tag in rules
    )
    return any(
        may_conceal(one, grounds or [_WHITE], may_cut=may_cut)
        or any(is_pale(color_of(one.get("color", "")), ground) for ground in grounds or [_WHITE])
        for one in declared
    )


def _own(node: Element, rules: Mapping[str, Declared], matched: Mapping[Element, Declared]) -> Declared:
    """Declarations for an element: by its name, classes, id, place and its own attribute, in this order."""
    found: Declared = {}
    if rules:
        found.update(rules.get("*", {}))
        found.update(rules.get(node.tag, {}))
        for name in (attribute_of(node, "class") or "").split():
            found.update(rules.get(f".{name}", {}))
        found.update(rules.get(f"#{attribute_of(node, 'id') or ''}", {}))
    if matched:
        found = {name: value for name, value in found.items() if value != BY_PLACE}
        found |= {name: value for name, value in matched.get(node, {}).items() if found.get(name) != UNKNOWN}
    style = attribute_of(node, "style")
    if style and DECLARES.search(style) is not None:
        found.update(declared_in(style[:1_000]))
    if node.tag in {"font", "body"} and (color := attribute_of(node, "color" if node.tag == "font" else "text")):
        found.setdefault("color", color.strip().lower())
    if "bgcolor" in node.attrs:
        found.setdefault("background", (attribute_of(node, "bgcolor") or "").strip().lower())
    return found


def _walk(
    document: Document,
    roots: Sequence[Element],
    ink: Lettering,
    rules: Mapping[str, Declared],
    matched: Mapping[Element, Declared],
    *,
    is_whole: bool,
) -> ConcealedText:
    """Text that no one can see in some elements, each read once."""
    visibility = document.visibility
    places: list[tuple[Node, Why, str]] = []
    pale_places: list[tuple[Node, str]] = []
    hidden = words = read = pale = 0
    left = MAX_NODES
    seen: set[Element] = set()
    for root in roots:
        if root in seen or root.tag in _SILENT:
            continue
        declared = _own(root, rules, matched)
        stack = [_Level(root, ink.within(root.tag, declared, has_style=False), declared.get("cut"))]
        while stack and left:
            level = stack[-1]
            child = next(level.children, None)
            if child is None:
                stack.pop()
                cut = level.cut_off(hidden, read)
                if cut and not document.running_scripts and not visibility.may_show(level.element):
                    hidden += cut
                    words += max(1, cut * document.word_count // max(1, len(document.text)))
                    places.append((level.element, "cut", str(level.element.text).strip()[-100:]))
                continue
            left -= 1
            if isinstance(child, Text):
                text = child.data.strip()
                read += len(text)
                why = level.lettering.why_unread(text) if text else None
                if why:
                    hidden += len(text)
                    words += len(text.split())
                    places.append((level.element, why, text[:100]))
                elif text and (ratio := level.lettering.pale) is not None:
                    pale += len(text)
                    pale_places.append((level.element, f"{ratio:.2f}"))
            elif isinstance(child, Element) and child.tag not in _SILENT and not visibility.hides(child):
                if not is_whole:
                    seen.add(child)
                is_decided = rules or matched or "style" in child.attrs or child.tag in {"font", "td"}
                declared = _own(child, rules, matched) if is_decided else {}
                if declared and document.running_scripts:
                    declared = {name: value for name, value in declared.items() if not may_be_undone(name, value)}
                # Where sheets were not read, an element with a class may have any color that it does not declare.
                has_style = not is_whole and ("class" in child.attrs or "id" in child.attrs)
                within = level.lettering.within(child.tag, declared, has_style=has_style)
                stack.append(_Level(child, within, declared.get("cut"), hidden, read))
    share = min(1.0, hidden / max(1, len(document.text)))
    return ConcealedText(words, share, tuple(places[:_MAX_PLACES]), pale, tuple(pale_places[:_MAX_PLACES]))


class _Level:
    """An element on the way down, with what had been read when it began."""

    __slots__ = ("children", "cut", "element", "hidden", "lettering", "read")

    def __init__(self, element: Element, lettering: Lettering, cut: str | None, hidden: int = 0, read: int = 0) -> None:
        self.element = element
        self.children: Iterator[object] = iter(element)
        self.lettering = lettering
        self.cut = cut
        self.hidden = hidden
        self.read = read

    def cut_off(self, hidden: int, read: int) -> int:
        """Characters that do not fit into a box that is cut, beside those that cannot be read anyway."""
        if self.cut is None:
            return 0
        return max(0, read - self.read - characters_within(self.cut) - (hidden - self.hidden))
