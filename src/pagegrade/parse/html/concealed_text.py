"""Finds text that is there and that no one can see: in the color of its ground, too small, or hidden with the page.

Colors are followed from element to element by the page's style attributes and its own simple rules, and through custom
properties of the whole page. What an image, a gradient, a condition or a style sheet elsewhere decides is unknown, and
unknown text counts as seen. What fades in counts as seen as long as a script may show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.cascade.selectors import split_list
from pagegrade.parse.cascade.states import attribute_of
from pagegrade.parse.css.ink import DECLARES, ELSEWHERE, ink_blocks, read_ink_rule

MAX_NODES: Final = 60_000
_MAX_PLACES: Final = 100
_NEAR: Final = 10
"""Difference of two channels from 0 to 255 up to which the eye sees one color."""
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
_TINY: Final = re.compile(
    r"(?:0?(?:\.\d+)|0|1(?:\.0+)?)(?:px|pt)|0?\.0\d*(?:r?em|ex|ch|v[wh])|[0-4]?(?:\.\d+)?%|0(?:\.0*)?(?:r?em|%|vw)?"
)
_RELATIVE: Final = re.compile(r"(?:\d{0,4}\.)?\d{1,4}(?:em|%|ex|ch)|larger|smaller|inherit|unset")
"""Sizes in proportion to that of the element around."""
_NO_SIZE: Final = re.compile(r"0(?:\.0*)?(?:[a-z]{2,4}|%)?|0?\.0\d*(?:em|ex|ch)|[0-4]?(?:\.\d+)?%")
_INDENT: Final = re.compile(r"-(\d{3,6})(?:\.\d{1,4})?(px|r?em|%|v[wh])")
_PX_OF: Final = {"px": 1, "%": 10, "vw": 12, "vh": 8}
"""Pixels of a unit, few rather than many."""
_MAX_CHARACTER_PX: Final = 9
"""Width of a character of usual text; a line begins again in the window after the indent."""
_HEX: Final = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")
_RGB: Final = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+(1(?:\.0*)?|100%))?\s*\)")
_NAMED: Final = {"white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "yellow": (255, 255, 0)}
_GROUNDS: Final = ("html", "body", "main", "article", "section", "div", "p")
_PLAIN: Final = ("*", *_GROUNDS, "h1", "h2", "li", "td", "span", "a")
_BLURRED: Final = re.compile(r"blur\((?:[6-9]|\d{2,4})(?:\.\d{1,4})?px\)")
_TURNED: Final = re.compile(
    r"scale(?:3d|x|y)?\(\s{0,3}-1(?:\.0{1,4})?\s{0,3}[,)]|rotatez?\(\s{0,3}-?(?:180deg|0?\.5turn)"
)
"""Mirrored, or upside down."""
_PILED: Final = re.compile(
    r"-(?:0?\.[5-9]\d{0,4}|[1-9]\d{0,4}(?:\.\d{1,4})?)r?em|-(?:[89]|[1-9]\d{1,4})(?:\.\d{1,4})?px"
)
"""Distances between letters that lay each on the one before."""
_STOP: Final = r"(#[0-9a-f]{3}(?:[0-9a-f]{3})?|rgba?\([^()]{5,60}\)|white|black)(?:\s+[\d.]{1,8}%)?"
_GRADIENT: Final = re.compile(
    rf"(?:linear|radial)-gradient\((?:[a-z0-9. -]{{1,40}},\s*)?{_STOP}(?:,\s*{_STOP}){{1,9}}\s*\)"
)
_STOPS: Final = re.compile(_STOP)
_SHRUNK: Final = re.compile(r"scale(?:3d)?\(0(?:\.0{1,4})?[,)]")
_ALPHA: Final = re.compile(
    r"^#(?:[0-9a-f]{6}([0-9a-f]{2}))$|^(?:rgb|hsl)a?\((?:[^(),/]{1,20}[,/]){3}\s{0,3}(\d?\.?\d{1,4})(%?)\s{0,3}\)$"
)
_MAX_FAINT: Final = 0.1
"""Opacity of letters up to which they cannot be told from their ground."""
_LISTED: Final = re.compile(r"([\w\s.#>+~-]{0,120}):(?:is|where)\(([^()]{1,400})\)")
_NO_OPACITY: Final = re.compile(r"(?:0(?:\.0*)?|\.0+)%?|0?\.0[0-5]\d*|[0-5](?:\.\d+)?%")
_VARIABLE: Final = re.compile(
    r"var\(\s*(--[\w-]{1,80})\s*(?:,\s*([^()]{1,60}|var\([^()]{1,60}\)|rgba?\([^()]{1,60}\))?)?\)"
)
_MAX_REFERENCES: Final = 6
"""Custom properties followed from one to the next."""
_MAX_CLIMB: Final = 4
_PICTURES: Final = "img, picture, video, canvas, svg, iframe, object, embed"
"""Elements that may lie behind a text and be its ground."""
_NO_SHEETS: Final[Mapping[str, Sequence[str] | None]] = MappingProxyType({})
_INHERITED: Final = frozenset({"inherit", "unset", "currentcolor"})
_WHITE: Final = (255, 255, 255)
_BLACK: Final = (0, 0, 0)

_Color = tuple[int, int, int] | str | None
"""Channels, the name of a color, or ``None`` where it is unknown."""
_Declared = dict[str, str]
"""``color``, ``background``, its ``clip``, ``font-size``, ``text-indent`` and ``opacity``, as far as declared."""
_UNKNOWN: Final = "?"
_BY_PLACE: Final = "??"
"""Values that a condition decides, and that the place of an element decides."""
_NOT_KNOWN: Final = frozenset({_UNKNOWN, _BY_PLACE})
_Rule = tuple[str, _Declared]
"""Selector, and what it declares."""


Why = Literal["page", "tiny", "away", "transparent", "ground", "turned", "piled"]
"""Hidden with the whole page, too small, moved out of the window, transparent, in the color of its ground, mirrored or
upside down, or with its letters on one another."""


class ConcealedText(msgspec.Struct, frozen=True, gc=False):
    """Text that no one can see."""

    words: int
    share: float
    """Of all text that style sheets render, 0 to 1."""
    places: tuple[tuple[Node, Why, str], ...]
    """(element, why, beginning of the text) of the first ones."""


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
    if document.running_scripts:
        # A script may show what fades in.
        for declared in (*rules.values(), *(one for _, one in others)):
            declared.pop("opacity", None)
        others = [one for one in others if one[1]]
    # Few pages have rules for elements in others that could conceal most of the text; theirs are looked up one by one.
    matched = _matched(body.node, others) if _may_conceal_below(rules, others) else {}
    if matched:
        concealed = _in_whole(document, body.node, rules, matched)
        if concealed.share >= MIN_SHARE_BELOW:
            return concealed
    if not matched and _may_conceal_by_class(body.node, rules):
        concealed = _in_whole(document, body.node, rules, {})
        if concealed.share >= MIN_SHARE_BELOW and not _lies_on_pictures(concealed):
            return concealed
    # Most sheets color text and ground in ways that differ: then only what attributes decide is looked at.
    is_whole = not read or _may_conceal(rules)
    if not is_whole or all(value in _NOT_KNOWN for declared in rules.values() for value in declared.values()):
        rules = {}
    if not (
        rules
        or any(DECLARES.search(one.value) for one in document.style_attributes)
        or any("color" in one.attrs for one in document.obsolete)
    ):
        return _NOTHING
    if is_whole:
        return _in_whole(document, body.node, rules, matched)
    # Sheets that were not read color everything else, so only what attributes decide is known.
    styled = [one.node for one in document.style_attributes if DECLARES.search(one.value)]
    styled += [one.node for one in document.obsolete if "color" in one.attrs]
    roots = [node for node in styled if isinstance(node, Element)]
    return _walk(document, roots, _Ink(None, None), {}, {}, is_whole=False)


def _in_whole(
    document: Document, body: Element, rules: Mapping[str, _Declared], matched: Mapping[Element, _Declared]
) -> ConcealedText:
    """Find what all rules that are known conceal."""
    root = _Ink(_BLACK, _WHITE)
    if document.html is not None and isinstance(document.html.node, Element):
        root = root.within(document.html.node, _own(document.html.node, rules, matched), has_style=False)
    return _walk(document, [body], root, rules, matched, is_whole=True)


_NOTHING: Final = ConcealedText(0, 0.0, ())


def _rules_of(
    document: Document, sheets: Sequence[tuple[Element, Sequence[str]]]
) -> tuple[dict[str, _Declared], list[_Rule]]:
    """(tag, ``.class`` or ``#id`` -> what the page's own rules declare for it, rules for elements in others).

    What a rule for elements in others declares is unknown in the first.
    """
    rules: dict[str, _Declared] = {}
    others: list[_Rule] = []
    properties: _Declared = {}
    firm: set[tuple[str, str]] = set()
    for block, is_certain in _in_order(document, sheets):
        own: dict[str, _Declared] = {}
        for is_plain, selectors, declarations in block:
            if selectors == ELSEWHERE or (selectors == ":root" and declarations.startswith("--")):
                _add_properties(properties, declarations, is_known=is_plain)
                continue
            declared = _declared(declarations)
            if declared and not all(
                _file(part, declared, own, others, is_plain=is_plain) for part in _selectors_of(selectors)
            ):
                return {}, []
            if "!" in declarations:
                firm.update((part, name) for part in _selectors_of(selectors) for name in declared)
        for selector, declared in own.items():
            known = rules.get(selector, {})
            unknown = {one for one in known if not is_certain or (selector, one) in firm}
            _add(rules, selector, {one: _UNKNOWN if one in unknown else value for one, value in declared.items()})
    for one in document.style_attributes if properties else ():
        if "--" in one.value:
            properties.update((name[1], _UNKNOWN) for name in _OWN_PROPERTY.finditer(one.value[:1_000]))
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


def _file(
    selector: str, declared: _Declared, own: dict[str, _Declared], others: list[_Rule], *, is_plain: bool
) -> bool:
    """Keep what one selector of a rule declares; false for one that may select anything."""
    if is_plain and _SIMPLE.fullmatch(selector) is not None:
        _add(own, selector, declared)
        return True
    last = _LAST.search(selector)
    if last is not None:
        is_by_place = is_plain and _STRUCTURAL.fullmatch(selector) is not None
        if is_by_place:
            others.append((selector, declared))
        _add(own, last[1], dict.fromkeys(declared, _BY_PLACE if is_by_place else _UNKNOWN))
        return True
    if declared.keys() != {"opacity"}:
        return False
    # What has no opacity has no color, whatever else is declared.
    if is_plain and _ATTRIBUTES.fullmatch(selector) is not None:
        others.append((selector, declared))
    return True


def _add_properties(properties: _Declared, declarations: str, *, is_known: bool) -> None:
    """Add custom properties; one that has two values is unknown."""
    for declaration in declarations.split(";"):
        name, _, written = declaration.strip().partition(":")
        value = written.strip().lower() if is_known else _UNKNOWN
        properties[name] = value if properties.get(name, value) == value else _UNKNOWN


def _resolved(value: str, properties: Mapping[str, str]) -> str:
    """The value that custom properties of the whole page give; unknown for any other."""
    for _ in range(_MAX_REFERENCES):
        match = _VARIABLE.fullmatch(value)
        if match is None:
            break
        value = properties.get(match[1], (match[2] or _UNKNOWN).strip())
    return _UNKNOWN if "var(" in value else value


def _may_conceal_below(rules: Mapping[str, _Declared], others: Sequence[_Rule]) -> bool:
    """Return whether a rule for elements in others gives text the color of a ground that the page has, or no size."""
    if not others or len(others) > MAX_OTHERS:
        return False
    declared = [*(one for _, one in others), *rules.values()]
    grounds = {_WHITE, *(_color_of(one["background"]) for one in declared if "background" in one)}
    return any(
        _TINY.fullmatch(one.get("font-size", "")) is not None
        or _INDENT.match(one.get("text-indent", "")) is not None
        or one.get("color") == "transparent"
        or _NO_OPACITY.fullmatch(one.get("opacity", "")) is not None
        or _is_distorted(one)
        or ("color" in one and any(_is_same(_color_of(one["color"]), ground) for ground in grounds))
        for _, one in others
    )


def _is_distorted(declared: _Declared) -> bool:
    """Return whether letters are mirrored, upside down or piled up."""
    return "turned" in declared or _PILED.fullmatch(declared.get("piled", "")) is not None


def _may_conceal_by_class(body: Element, rules: Mapping[str, _Declared]) -> bool:
    """Return whether a rule for a class or an id of the page gives text the color of a ground, or no opacity."""
    grounds = {_WHITE, *(_color_of(one["background"]) for one in rules.values() if "background" in one)}
    for selector, one in rules.items():
        if selector[0] not in ".#" or selector.endswith("-"):
            continue
        conceals = _NO_OPACITY.fullmatch(one.get("opacity", "")) is not None or one.get("color") == "transparent"
        conceals = conceals or _INDENT.match(one.get("text-indent", "")) is not None
        conceals = conceals or _TINY.fullmatch(one.get("font-size", "")) is not None or _is_distorted(one)
        if not conceals and "color" in one:
            color, own = _color_of(one["color"]), one.get("background")
            conceals = any(_is_same(color, ground) for ground in (grounds if own is None else [_color_of(own)]))
        if conceals and next(iter(body.select(selector)), None) is not None:
            return True
    return False


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


def _matched(body: Element, others: Sequence[_Rule]) -> dict[Element, _Declared]:
    """Element -> what rules for elements in others declare for it, the later ones first."""
    found: dict[Element, _Declared] = {}
    for selector, declared in others:
        try:
            nodes = body.select(selector)
        except ValueError:
            return {}
        for node in nodes:
            found.setdefault(node, {}).update(declared)
    return found


def _add(rules: dict[str, _Declared], selector: str, declared: _Declared) -> None:
    """Add declarations for a selector; what is unknown once stays so."""
    known = rules.setdefault(selector, {})
    for name, value in declared.items():
        if known.get(name) != _UNKNOWN and (known.get(name) != _BY_PLACE or value == _UNKNOWN):
            known[name] = value


def _may_conceal(rules: Mapping[str, _Declared]) -> bool:
    """Return whether the rules for plain elements give text the color of a ground."""
    grounds = [_color_of(one["background"]) for tag in _GROUNDS if (one := rules.get(tag)) and "background" in one]
    grounds = grounds or [_WHITE]
    for tag in _PLAIN:
        declared = rules.get(tag, {})
        if _TINY.fullmatch(declared.get("font-size", "")) or declared.get("color") == "transparent":
            return True
        if _is_distorted(declared):
            return True
        if _NO_OPACITY.fullmatch(declared.get("opacity", "")) or _INDENT.match(declared.get("text-indent", "")):
            return True
        color = _color_of(declared["color"]) if "color" in declared else None
        if color is not None and any(_is_same(color, ground) for ground in grounds):
            return True
    return False


def _declared(text: str) -> _Declared:
    found: _Declared = {}
    fill = ""
    for declaration in text.lower().split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip()
        value = value.replace("!important", "").strip()
        if name in {"color", "font-size", "text-indent"}:
            found[name] = "transparent" if name == "color" and _is_faint(value) else value
        elif (name == "filter" and _BLURRED.match(value)) or (name == "transform" and _SHRUNK.match(value)):
            found.setdefault("opacity", "0")
        elif name == "transform" and _TURNED.match(value):
            found["turned"] = value
        elif name == "letter-spacing":
            found["piled"] = value
        elif name == "opacity":
            found[name] = _UNKNOWN if found.get(name) == _UNKNOWN else value
        elif name in {"animation", "animation-name"} and value not in {"none", ""}:
            # What moves may fade in.
            found["opacity"] = _UNKNOWN
        elif name in {"background", "background-color", "background-image"} and value:
            plain = _flat(value) if "gradient(" in value else value
            found["background"] = _UNKNOWN if name == "background-image" and plain == value != "none" else plain
        elif name == "-webkit-text-fill-color":
            fill = value
        elif name in {"background-clip", "-webkit-background-clip"}:
            found["clip"] = value
    if fill:
        # Letters are filled with it, whatever their color is.
        found["color"] = "transparent" if _is_faint(fill) else fill
    return found


def _flat(value: str) -> str:
    """The color of a gradient all of whose colors look the same; the value itself for any other."""
    stops = _STOPS.findall(value) if _GRADIENT.fullmatch(value) is not None else []
    colors = [_color_of(one) for one in stops]
    is_one = len(colors) > 1 and all(isinstance(one, tuple) and _is_same(one, colors[0]) for one in colors)
    return str(stops[0]) if is_one else value


def _is_faint(value: str) -> bool:
    """Return whether a color lets nearly all of its ground through."""
    if not value.startswith(("rgb", "hsl", "#")):
        return False
    alpha = _ALPHA.search(value)
    if alpha is None:
        return False
    if alpha[1] is not None:
        return int(alpha[1], 16) <= _MAX_FAINT * 255
    return float(alpha[2]) <= (_MAX_FAINT * 100 if alpha[3] else _MAX_FAINT)


def _color_of(value: str) -> _Color:
    match = _HEX.fullmatch(value)
    if match is not None:
        digits = match[1] if len(match[1]) == 6 else "".join(2 * one for one in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    match = _RGB.fullmatch(value)
    if match is not None:
        return int(match[1]), int(match[2]), int(match[3])
    return _NAMED.get(value, value if value.isalpha() else None)


def _is_same(color: _Color, ground: _Color) -> bool:
    if isinstance(color, tuple) and isinstance(ground, tuple):
        return all(abs(one - other) <= _NEAR for one, other in zip(color, ground, strict=True))
    return color is not None and color == ground


def _own(node: Element, rules: Mapping[str, _Declared], matched: Mapping[Element, _Declared]) -> _Declared:
    """Declarations for an element: by its name, classes, id, place and its own attribute, in this order."""
    found: _Declared = {}
    if rules:
        found.update(rules.get("*", {}))
        found.update(rules.get(node.tag, {}))
        for name in (attribute_of(node, "class") or "").split():
            found.update(rules.get(f".{name}", {}))
        found.update(rules.get(f"#{attribute_of(node, 'id') or ''}", {}))
    if matched:
        found = {name: value for name, value in found.items() if value != _BY_PLACE}
        found |= {name: value for name, value in matched.get(node, {}).items() if found.get(name) != _UNKNOWN}
    style = attribute_of(node, "style")
    if style and DECLARES.search(style) is not None:
        found.update(_declared(style[:1_000]))
    if node.tag in {"font", "body"} and (color := attribute_of(node, "color" if node.tag == "font" else "text")):
        found.setdefault("color", color.strip().lower())
    if "bgcolor" in node.attrs:
        found.setdefault("background", (attribute_of(node, "bgcolor") or "").strip().lower())
    return found


class _Ink(msgspec.Struct, frozen=True, gc=False):
    """Color, ground and size of the text in an element."""

    color: _Color
    ground: _Color
    tiny: bool = False
    nothing: bool = False
    """Of the size 0, of which every proportion is 0 as well."""
    faded: bool = False
    """Not opaque at all, with whatever is inside."""
    indent: int = 0
    """Pixels by which the first line begins before the window."""
    turned: bool = False
    """Mirrored or upside down; twice is not."""
    piled: bool = False
    """Its letters lie on one another."""

    def within(self, node: Element, declared: _Declared, *, has_style: bool) -> _Ink:
        """The same inside of an element."""
        color, ground, tiny, nothing = self.color, self.ground, self.tiny, self.nothing
        if "color" in declared:
            value = declared["color"]
            color = color if value in _INHERITED else "transparent" if value == "transparent" else _color_of(value)
        elif node.tag == "a" or has_style:
            color = None
        if declared.get("clip", "border-box") != "border-box":
            # The ground is drawn in the place of the letters.
            color = None
        if "background" in declared:
            value = declared["background"]
            ground = ground if value in {"none", "transparent", "inherit"} else _color_of(value)
        elif has_style:
            ground = None
        if "font-size" in declared:
            size = declared["font-size"]
            nothing = _NO_SIZE.fullmatch(size) is not None or (nothing and _RELATIVE.fullmatch(size) is not None)
            tiny = nothing or _TINY.fullmatch(size) is not None
        faded = self.faded or _NO_OPACITY.fullmatch(declared.get("opacity", "")) is not None
        indent = _indent_of(declared["text-indent"]) if "text-indent" in declared else self.indent
        turned = self.turned != ("turned" in declared and declared["turned"] not in _NOT_KNOWN)
        piled = _PILED.fullmatch(declared["piled"]) is not None if "piled" in declared else self.piled
        return _Ink(color, ground, tiny, nothing, faded, indent, turned, piled)


def _walk(
    document: Document,
    roots: Sequence[Element],
    ink: _Ink,
    rules: Mapping[str, _Declared],
    matched: Mapping[Element, _Declared],
    *,
    is_whole: bool,
) -> ConcealedText:
    """Text that no one can see in some elements, each read once."""
    visibility = document.visibility
    places: list[tuple[Node, Why, str]] = []
    hidden = words = 0
    left = MAX_NODES
    seen: set[Element] = set()
    for root in roots:
        if root in seen or root.tag in _SILENT:
            continue
        inner = ink.within(root, _own(root, rules, matched), has_style=False)
        stack: list[tuple[Iterator[object], Element, _Ink]] = [(iter(root), root, inner)]
        while stack and left:
            children, element, around = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                continue
            left -= 1
            if isinstance(child, Text):
                text = child.data.strip()
                why = _why(around, len(text)) if text else None
                if why:
                    hidden += len(text)
                    words += len(text.split())
                    if len(places) < _MAX_PLACES:
                        places.append((element, why, text[:100]))
            elif isinstance(child, Element) and child.tag not in _SILENT and not visibility.hides(child):
                if not is_whole:
                    seen.add(child)
                is_decided = rules or matched or "style" in child.attrs or child.tag in {"font", "td"}
                declared = _own(child, rules, matched) if is_decided else {}
                if document.running_scripts:
                    declared.pop("opacity", None)
                # Where sheets were not read, an element with a class may have any color that it does not declare.
                has_style = not is_whole and ("class" in child.attrs or "id" in child.attrs)
                stack.append((iter(child), child, around.within(child, declared, has_style=has_style)))
    return ConcealedText(words, min(1.0, hidden / max(1, len(document.text))), tuple(places))


def _indent_of(value: str) -> int:
    match = _INDENT.match(value)
    return int(match[1]) * _PX_OF.get(match[2], 10) if match is not None else 0


def _why(ink: _Ink, characters: int) -> Why | None:
    if ink.tiny:
        return "tiny"
    if characters * _MAX_CHARACTER_PX < ink.indent:
        return "away"
    if ink.color == "transparent" or ink.faded:
        return "transparent"
    if ink.turned or ink.piled:
        return "turned" if ink.turned else "piled"
    return "ground" if _is_same(ink.color, ink.ground) else None
