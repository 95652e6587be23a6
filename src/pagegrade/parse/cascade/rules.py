"""Reduces a style sheet to the rules that can hide or show an element.

Most of a sheet says how things look. What is left is small enough to be kept with the artifacts of a page, so that they
give the same report when they are evaluated again. One pass over the text, linear in it.

Source: https://www.w3.org/TR/css-syntax-3/ and https://www.w3.org/TR/css-nesting-1/
"""

from __future__ import annotations

import re
from typing import Final

from pagegrade.parse.cascade.conditions import is_supported, screens_of
from pagegrade.parse.cascade.selectors import MAX_SELECTOR, InvalidSelectorError, parse_selector, read_plain, split_list
from pagegrade.parse.url import join_url, strip_fragment

MAX_RULES: Final = 20_000
"""Rules kept of one sheet; one with more is unknown."""
MAX_CHARACTERS: Final = 1_000_000
"""Characters of the kept rules of one sheet; likewise."""
MAX_LIST: Final = 100_000
"""Characters of the selectors of one rule; a rule with more makes the sheet unknown if it is about visibility."""
MAX_LAYERS: Final = 100
"""Layers inside each other; likewise."""
_MAX_BLOCKS: Final = 100
"""Blocks open at once; rules in deeper ones make the sheet unknown."""
_MAX_VALUE: Final = 200
_SPECIFICITY: Final = "%d.%d.%d"

FIELD: Final = "\t"
"""Between the fields of a kept rule: screens, layer, declarations, keys, specificity, selector."""

_STRING: Final = r"\"(?:[^\"\\\n]++|\\[\s\S])*(?:\"|\n|\Z)|'(?:[^'\\\n]++|\\[\s\S])*(?:'|\n|\Z)"
_AWKWARD: Final = re.compile(
    rf"/\*[\s\S]*?(?:\*/|\Z)|{_STRING}"
    r"|u[rR][lL]\(\s*(?![\"'\s])(?:[^)\\]++|\\[\s\S])*|U[rR][lL]\(\s*(?![\"'\s])(?:[^)\\]++|\\[\s\S])*"
    r"|\\[{};\"'\\(]"
)
"""Constructs that may contain a brace or a semicolon that is no separator. Each begins with a character, not a set, so
that the pattern engine looks for the first characters of all of them at once."""
_SEPARATING: Final = re.compile(r"[{};\n\t]")
_BRACES: Final = re.compile(r"([{}])")
_MARK: Final = "\x01"
"""Character that style sheets do not contain."""
_DECIDING: Final = frozenset(
    (
        "none block inline inline-block flex inline-flex grid inline-grid contents flow-root table table-row "
        "table-cell list-item hidden visible collapse inherit initial unset revert auto"
    ).split()
)
"""Values that a custom property may hold for ``display`` or ``visibility``; what most of them hold decides nothing."""
_WORDS: Final = "|".join(sorted(_DECIDING, key=len, reverse=True))
_CUSTOM: Final = re.compile(rf"(?<![\w-])--[\w-]*+\s*+:\s*(?:{_WORDS})\s*(?:[;!]|$)")
_FAR_SIDE: Final = re.compile(r":\s*-\d{2,}")
_UNMOVED: Final = re.compile(r"transform:\s?none")
_USED: Final = tuple(re.compile(rf"{name}\s*:\s*var\(\s*(--[\w-]+)") for name in ("display", "visibility"))
_PASSED_ON: Final = re.compile(r"(?<![\w-])(--[\w-]*+)\s*+:[^;{}]{0,100}?var\(\s*(--[\w-]+)")
_MAX_PASSED_ON: Final = 8
"""Custom properties followed from one to the next."""
_IMPORT: Final = re.compile(
    r"@import\s*(?:url\(\s*)?(?:\"([^\"]*)\"|'([^']*)'|([^)\s;]*))\s*\)?\s*([\s\S]*)", re.IGNORECASE
)
_IMPORT_LAYER: Final = re.compile(r"layer(?:\(\s*([\w.\-]+)\s*\)|(?![\w(-]))\s*", re.IGNORECASE)
_IMPORT_SUPPORTS: Final = re.compile(r"supports\(", re.IGNORECASE)
_AT_RULE: Final = re.compile(r"@([\w-]+)\s*([\s\S]*)")
_LAYER_NAME: Final = re.compile(r"[\w.\-]+")
_IMPORTANT: Final = re.compile(r"!\s*important\s*$", re.IGNORECASE)
_GLOBAL: Final = frozenset({"inherit", "initial", "revert", "revert-layer", "unset"})
_CLIPS: Final = re.compile(
    r"rect\(\s*(?:0|1px)[^)]*\)|inset\(\s*(?:50|100)%[^)]*\)|circle\(\s*0[^)]*\)"
    r"|polygon\(\s*0(?:px)? 0(?:px)?\s*,\s*0[^)]*\)"
)
_FAR: Final = re.compile(r"-\d{3,}(?:\.\d+)?(?:px|r?em|v[wh]|%)|-\d{2,}r?em")
_TINY: Final = frozenset({"0", "0px", "1px"})
_SHIFTED: Final = re.compile(
    r"translate(?:3d|[xy])?\(\s*(?:0(?:px)?\s*,\s*)?-?(?:1\d\d|[2-9]\d\d)(?:\.\d{1,4})?v[wh]"
    r"|translate(?:3d|[xy])?\(\s*(?:0(?:px)?\s*,\s*)?-?\d{4,5}(?:\.\d{1,4})?px"
)
"""A whole window to one side or more. Shares of the element itself are how slides and menus move."""
_FAR_MARGIN: Final = re.compile(
    r"(?:^|[\s;{])margin(?:-(?:left|top|inline-start))?\s*:[^;]{0,40}?-\d{4,5}(?:\.\d{1,4})?px"
)
_FAR_PLACE: Final = re.compile(r"(?:^|[\s;{])(?:left|top|right)\s*:\s*-?\d{4,5}(?:\.\d{1,4})?px")
_MARGINS: Final = ("margin", "margin-left", "margin-top")
_SIDES: Final = ("left", "top", "right")
_NO_SCALE: Final = re.compile(r"scale(?:3d|[xy])?\(\s*0(?:\.0*)?\s*[,)]")


class _Block:
    """An open block with what applies inside it."""

    __slots__ = ("certain", "kind", "layer", "possible", "selectors")

    def __init__(self, kind: str, *, certain: int, possible: int, layer: str, selectors: str) -> None:
        self.kind = kind
        """``style``, ``group`` (holds rules) or ``skip``."""
        self.certain = certain
        self.possible = possible
        self.layer = layer
        self.selectors = selectors
        """Of the style rules around, put together; "" outside of all."""


def reduce_stylesheet(text: str, *, base_url: str, media: str = "") -> tuple[str, ...] | None:
    """List what a sheet says about which elements are rendered.

    Args:
        text: Decoded CSS.
        base_url: What the URLs of its imports resolve against.
        media: The media query list of the element that names the sheet.

    Returns:
        Kept rules in order, each a line of fields (see ``FIELD``) that only ``pagegrade.parse.cascade`` reads; ``None``
        when there are more than are kept. Imports and the order of layers are among them. Never raises.
    """
    certain, possible = screens_of(media)
    if not possible:
        return ()
    return _Reducer(base_url, certain, possible).run(_AWKWARD.sub(_harmless, text))


def _harmless(match: re.Match[str]) -> str:
    """The same without characters that seem to separate something."""
    found = match[0]
    if found.startswith("/*"):
        return " "
    if found.startswith("\\"):
        return f"\\{ord(found[1]):x} "
    if found.endswith("\n"):
        # A broken string: its rule is dropped, because no selector and no value holds a lone mark.
        return "\u0000"
    return _SEPARATING.sub(lambda mark: f"\\{ord(mark[0]):x} ", found)


class _Reducer:
    """State of one pass."""

    def __init__(self, base_url: str, certain: int, possible: int) -> None:
        self._base_url = base_url
        self._rules: list[str] = []
        self._size = 0
        self._whole = True
        self._anonymous = 0
        self._blocks = [_Block("group", certain=certain, possible=possible, layer="", selectors="")]
        self._overflow = 0
        self._imports_allowed = True
        self._parsed: dict[str, tuple[tuple[str, str, str], ...]] = {}
        self._codes: dict[str, str] = {}
        """Declarations -> what they decide, likewise."""
        self._screens: dict[str, tuple[int, int]] = {}
        """Media query -> screens: a sheet repeats few of them again and again."""
        self._used: frozenset[str] = frozenset()

    def run(self, text: str) -> tuple[str, ...] | None:
        """Read the pieces between braces."""
        self._used = _properties_used(text)
        pieces = _split_at_braces(text)
        pieces.append("")
        relevant = self._is_relevant
        stray = ""
        blocks = self._blocks
        index, end = 0, len(pieces)
        while index < end:
            piece, mark = pieces[index], pieces[index + 1]
            block = blocks[-1]
            if mark == "{":
                # Most rules decide nothing: they are stepped over whole.
                body = pieces[index + 2]
                if (
                    pieces[index + 3] == "}"
                    and not relevant(body)
                    and "@" not in piece
                    and (";" not in piece or block.kind == "skip")
                ):
                    self._imports_allowed = False
                    stray = ""
                    index += 4
                    continue
                self._before_block(piece, block, stray)
                stray = ""
            elif block.kind == "skip":
                self._close_skipped()
            else:
                if block.selectors:
                    if relevant(piece):
                        self._declarations(piece, block)
                elif "@" in piece:
                    self._statements(piece)
                if mark == "}":
                    if len(blocks) > 1:
                        blocks.pop()
                    else:
                        # A brace too many becomes part of the next selector, and makes it invalid.
                        stray = piece + "\u0000"
            if not self._whole:
                return None
            index += 2
        return tuple(self._rules)

    def _is_relevant(self, text: str) -> bool:
        """Return whether declarations may hide anything: a quick substring search, because most rules contain none."""
        text = text.lower()
        return (
            "display" in text
            or "visibility" in text
            or "clip" in text
            or ("--" in text and (_CUSTOM.search(text) is not None or (bool(self._used) and "var(" in text)))
            or ("overflow" in text and ("width" in text or "height" in text))
            or "max-height" in text
            or "scale(" in text
            or _UNMOVED.search(text) is not None
            or ("translate" in text and _SHIFTED.search(text) is not None)
            or ("-" in text and "margin" in text and _FAR_MARGIN.search(text) is not None)
            or (("absolute" in text or "fixed" in text) and _FAR_SIDE.search(text) is not None)
            or ("relative" in text and _FAR_PLACE.search(text) is not None)
            or "all:" in text
        )

    def _before_block(self, text: str, block: _Block, stray: str) -> None:
        """Split the text before an opening brace: the end of the previous rule, and the prelude of the block."""
        if block.kind == "skip":
            self._overflow += 1
            return
        before, _, prelude = text.rpartition(";")
        if before:
            self._statements(before)
        if len(self._blocks) >= _MAX_BLOCKS:
            self._whole = False
        else:
            self._open(stray + prelude)

    def _close_skipped(self) -> None:
        if self._overflow:
            self._overflow -= 1
        elif len(self._blocks) > 1:
            self._blocks.pop()

    def _statements(self, text: str) -> None:
        """At-rules that end at a semicolon, or declarations before a nested rule."""
        block = self._blocks[-1]
        if block.selectors:
            if self._is_relevant(text):
                self._declarations(text, block)
            return
        for statement in text.split(";"):
            plain = statement.strip().removeprefix("<!--").removeprefix("-->").strip()
            if plain[:7].lower() == "@import":
                if self._imports_allowed and len(self._blocks) == 1:
                    self._import(plain, block)
            elif plain[:6].lower() == "@layer":
                for name in plain[6:].split(","):
                    if _LAYER_NAME.fullmatch(name.strip()) and name.count(".") <= MAX_LAYERS:
                        self._keep(block, self._layer(block, name.strip()), "@layer", "", "", "")
            elif plain and plain[:8].lower() != "@charset":
                self._imports_allowed = False

    def _import(self, statement: str, block: _Block) -> None:
        match = _IMPORT.match(statement)
        if match is None:
            return
        url = join_url(self._base_url, next((part for part in match.groups()[:3] if part), "").replace("\\3b ", ";"))
        conditions = match[4].strip()
        layer = block.layer
        named = _IMPORT_LAYER.match(conditions)
        if named is not None:
            layer = self._layer(block, named[1] or self._new_layer())
            conditions = conditions[named.end() :]
        certain, possible = block.certain, block.possible
        supports = _IMPORT_SUPPORTS.match(conditions)
        if supports is not None:
            end = conditions.find(")", supports.end())
            # Most are one declaration; what is deeper may hold or not.
            inner = conditions[supports.end() : end if end >= 0 else len(conditions)]
            held = None if "(" in inner else is_supported(f"({inner})")
            conditions = "" if end < 0 else conditions[conditions.rfind(")") + 1 if "(" in inner else end + 1 :]
            possible = 0 if held is False else possible
            certain = certain if held else 0
        sure, maybe = screens_of(conditions)
        certain, possible = certain & sure, possible & maybe
        if url is not None and possible:
            inner_block = _Block("group", certain=certain, possible=possible, layer=layer, selectors="")
            self._keep(inner_block, layer, "@import", "", "", strip_fragment(url))

    def _layer(self, block: _Block, name: str) -> str:
        if name.count(".") > MAX_LAYERS:
            self._whole = False
            return block.layer
        return f"{block.layer}.{name}" if block.layer else name

    def _new_layer(self) -> str:
        self._anonymous += 1
        return f"?{self._anonymous}"

    def _open(self, prelude: str) -> None:
        """A block begins."""
        block = self._blocks[-1]
        prelude = prelude.strip()
        if not block.selectors:
            prelude = prelude.removeprefix("<!--").removeprefix("-->").strip()
        certain, possible, layer, selectors = block.certain, block.possible, block.layer, block.selectors
        kind = block.kind if prelude.startswith("@") else "style"
        if prelude.startswith("@"):
            match = _AT_RULE.match(prelude)
            name, condition = (match[1].lower(), match[2].strip()) if match else ("", "")
            match name:
                case "media":
                    sure, maybe = self._screens_of(condition)
                    certain, possible = certain & sure, possible & maybe
                case "supports":
                    held = is_supported(condition)
                    possible = 0 if held is False else possible
                    certain = certain if held else 0
                case "layer":
                    layer = self._layer(block, condition or self._new_layer())
                    self._keep(block, layer, "@layer", "", "", "")
                case "container":
                    certain = 0
                case "scope":
                    certain = 0
                    selectors = ""
                case _:
                    possible = 0
            if name != "layer":
                self._imports_allowed = False
        else:
            self._imports_allowed = False
            selectors = self._nested(selectors, prelude) if selectors else prelude
            if len(selectors) > MAX_LIST:
                # Whether such a list is about visibility is known when it is read.
                selectors = selectors[: MAX_LIST + 1]
        if not possible:
            kind = "skip"
        self._blocks.append(_Block(kind, certain=certain, possible=possible, layer=layer, selectors=selectors))

    def _screens_of(self, condition: str) -> tuple[int, int]:
        """The screens of a media query list, which is read once."""
        known = self._screens.get(condition)
        if known is None:
            known = self._screens[condition] = screens_of(condition)
        return known

    @staticmethod
    def _nested(outer: str, prelude: str) -> str:
        """A selector inside a rule, with the rule's own selectors in the place of ``&``."""
        parent = outer if "," not in outer and len(outer) < MAX_SELECTOR else f":is({outer})"
        found = []
        for part in split_list(prelude):
            own = part.strip()
            if "&" in own:
                # In the middle of a selector the parent has to stand as one.
                whole = parent if own.startswith("&") and own.count("&") == 1 and not own[1:2].isalnum() else None
                found.append(own.replace("&", whole or f":is({outer})"))
            else:
                found.append(f"{parent} {own}")
            if sum(map(len, found)) > MAX_SELECTOR:
                break
        return ",".join(found)

    def _declarations(self, text: str, block: _Block) -> None:
        """Keep the rule around, if any of these decides something."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = read_declarations(text, self._used)
        if not code:
            return
        for keys, specificity, selector in self._selectors(block.selectors):
            self._keep(block, block.layer, code, keys, specificity, selector)

    def _selectors(self, text: str) -> tuple[tuple[str, str, str], ...]:
        """(keys, specificity, selector) of each in a list; none where one of them is invalid."""
        known = self._parsed.get(text)
        if known is not None:
            return known
        if len(text) > MAX_LIST:
            self._whole = False
            return ()
        found: list[tuple[str, str, str]] = []
        try:
            for part in split_list(text):
                written = " ".join(part.split())
                if len(written) > MAX_SELECTOR:
                    # Neither invalid, which would drop the rule, nor known.
                    self._whole = False
                    return ()
                plain = read_plain(part)
                if plain is not None:
                    found.append((plain[0], _SPECIFICITY % plain[1], written))
                    continue
                selector = parse_selector(part)
                if not selector.pseudo_element:
                    keys = " ".join(key for key in selector.keys if " " not in key) or "*"
                    found.append((keys, _SPECIFICITY % selector.specificity, written))
        except (InvalidSelectorError, RecursionError):
            found = []
        self._parsed[text] = tuple(found)
        return self._parsed[text]

    def _keep(  # noqa: PLR0917 - the fields of one line
        self, block: _Block, layer: str, code: str, keys: str, specificity: str, selector: str
    ) -> None:
        line = FIELD.join((f"{block.certain}{block.possible}", layer, code, keys, specificity, selector))
        self._size += len(line)
        if len(self._rules) >= MAX_RULES or self._size > MAX_CHARACTERS:
            self._whole = False
        else:
            self._rules.append(line)


def _split_at_braces(text: str) -> list[str]:
    """The pieces of a text and the braces between them in turn."""
    if _MARK in text:
        return _BRACES.split(text)
    # Three passes over the text as a whole take half the time of the expression.
    return text.replace("{", f"{_MARK}{{{_MARK}").replace("}", f"{_MARK}}}{_MARK}").split(_MARK)


def _properties_used(text: str) -> frozenset[str]:
    """Custom properties that decide what is rendered, directly or through others."""
    if "var(" not in text:
        return frozenset()
    found = {name for pattern in _USED for name in pattern.findall(text)}
    if not found:
        return frozenset()
    passed: dict[str, set[str]] = {}
    for name, other in _PASSED_ON.findall(text):
        passed.setdefault(name, set()).add(other)
    new = found
    for _ in range(_MAX_PASSED_ON):
        new = set().union(*(passed.get(name, ()) for name in new)) - found
        if not new:
            break
        found |= new
    return frozenset(found)


def read_declarations(text: str, used: frozenset[str] | None = None) -> str:
    """Shorten a declaration list to what decides whether and where something is shown.

    Args:
        text: Without braces and comments.
        used: Custom properties whose references to others are kept; ``None``: all.

    Returns:
        Words separated by blanks, the last of a kind counting: ``d``, ``v``, ``c``, ``x`` or ``f`` (display,
        visibility, content-visibility, clipped, folded) and ``-`` (hides), ``+`` (shows), ``~`` (as inherited), ``^``
        (as without style sheets), ``?`` (unknown) or ``=`` with a value that needs custom properties; ``--name=value``
        for those; each with ``!`` behind it when important. "" when nothing decides.
    """
    words: dict[str, str] = {}
    box: dict[str, tuple[str, str]] = {}
    for declaration in text.split(";"):
        raw_name, colon, value = declaration.partition(":")
        name = raw_name.strip()
        is_custom = name.startswith("--")
        kind = None if is_custom else _KINDS.get(name := name.lower())
        # Most decide nothing.
        if not colon or (kind is None and not is_custom):
            continue
        important = ""
        if "!" in value:
            value, changed = _IMPORTANT.subn("", value)
            if not changed:
                continue
            important = "!"
        value = value.strip()
        if len(value) > _MAX_VALUE:
            continue
        if kind is None:
            if value.lower() in _DECIDING or ("var(" in value and (used is None or name in used)):
                words[name] = f"{name}={''.join(value.split()) if 'var(' in value else value.lower()}{important}"
            continue
        value = value.lower()
        if kind == "box":
            box[name] = (value, important)
            continue
        verdict = f"={''.join(value.split())}" if "var(" in value else verdict_of(kind, value)
        if verdict and not (words.get(kind, "").endswith("!") and not important):
            words[kind] = f"{kind}{verdict}{important}"
    if box:
        words["x"] = _clipped(box)
        words["f"] = "" if words["x"].startswith("x-") else _folded(box)
    return " ".join(word for word in words.values() if word and " " not in word)


_KINDS: Final = {
    "display": "d",
    "visibility": "v",
    "content-visibility": "c",
    "all": "d",
    **dict.fromkeys(
        (
            *("clip", "clip-path", "width", "height", "max-height", "overflow", "overflow-y"),
            *("left", "top", "right", "position", "transform", "margin", "margin-left", "margin-top"),
            *("animation", "animation-name"),
        ),
        "box",
    ),
}


def verdict_of(kind: str, value: str) -> str:
    """Classify the effect of a property's value; "" for one that a browser ignores."""
    if value in _GLOBAL:
        if kind == "v":
            return "+" if value == "initial" else "?" if value == "revert-layer" else "~"
        if kind == "c":
            return "+"
        return {"revert": "^", "revert-layer": "?"}.get(value, "+")
    if kind == "d":
        if value == "none":
            return "-"
        # Words of any number; what is no value of the property is ignored by browsers, and so are most prefixes.
        is_known = value.replace("-", "").replace(" ", "").isalpha() and not value.startswith("-")
        return "+" if is_known or value.startswith("-webkit-") else ""
    if kind == "v":
        return {"visible": "+", "hidden": "-", "collapse": "-"}.get(value, "")
    return {"visible": "+", "auto": "+", "hidden": "-"}.get(value, "")


def _clipped(box: dict[str, tuple[str, str]]) -> str:
    """Return whether a box shows nothing to the eye: ``x-``, ``x+``, or "" when these declarations do not decide it."""

    def value(name: str) -> str:
        return box.get(name, ("", ""))[0]

    important = "!" if any(mark for _, mark in box.values()) else ""
    if _CLIPS.match(value("clip")) or _CLIPS.match(value("clip-path")):
        return f"x-{important}"
    is_low = value("height") in _TINY and "width" in box
    if value("overflow").startswith(("hidden", "clip")) and (value("width") in _TINY or is_low):
        return f"x-{important}"
    if value("position") in {"absolute", "fixed"} and any(_FAR.match(value(side)) for side in ("left", "top", "right")):
        return f"x-{important}"
    if value("clip") == "auto" or value("clip-path") == "none":
        return f"x+{important}"
    return ""


def _folded(box: dict[str, tuple[str, str]]) -> str:
    """Return whether a box has no height, no scale, or a place far off, as closed menus have: ``f-``, ``f+`` or ""."""

    def value(name: str) -> str:
        return box.get(name, ("", ""))[0]

    important = "!" if any(mark for _, mark in box.values()) else ""
    if any(value(name) not in {"", "none"} for name in ("animation", "animation-name")):
        # What moves may come in.
        return f"f+{important}"
    is_cut = any(value(name).startswith(("hidden", "clip")) for name in ("overflow", "overflow-y"))
    height, transform = value("max-height"), value("transform")
    if _NO_SCALE.match(transform) or (is_cut and not {height, value("height")}.isdisjoint(_TINY)):
        return f"f-{important}"
    if _SHIFTED.match(transform) or any(_FAR_MARGIN.match(f"{name}:{value(name)}") for name in _MARGINS):
        return f"f-{important}"
    if value("position") == "relative" and any(_FAR_PLACE.match(f"{one}:{value(one)}") for one in _SIDES):
        return f"f-{important}"
    is_moved = transform or value("margin") or value("margin-left") or value("margin-top")
    return f"f+{important}" if is_moved or (height and height not in _TINY) else ""
