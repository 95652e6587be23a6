"""Reads what declarations make of the letters of a text: their color, their ground, their size, the room they have.

Sizes are in CSS pixels, as far as they can be known without a layout; what cannot be known counts as legible.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import Final, Literal
from unicodedata import bidirectional

import msgspec

from pagegrade.parse.css.contrast import Color, color_of, contrast, is_pale, is_same
from pagegrade.parse.css.effects import (
    ON_ITS_SIDE,
    UPRIGHT,
    Shape,
    Veil,
    factor_of,
    is_mirrored,
    lean_of,
    leans,
    seen_through,
    shape_of,
    veils_of,
    within,
)

LEGIBLE_PX: Final = 4.5
"""Size of letters below which no one reads them."""
MIN_ROOM: Final = 2.5
"""Widths of the letter M that a line has to hold, so that words can be told from columns of letters."""
MIN_NARROW: Final = 20
"""Characters of a text from which on that matters."""
_MIN_LINES: Final = 100
"""Characters of a text that has more than one line."""
_USUAL_PX: Final = 16.0
_MAX_CHARACTER_PX: Final = 9
"""Width of a character of usual text; a line begins again in the window after the indent."""
_LINE_PX: Final = 20
_LINE_CHARACTERS: Final = 60
"""Height of a line and characters in it: of a phone, rather many than few."""
_MAX_FAINT: Final = 0.1
"""Opacity of letters up to which they cannot be told from their ground."""
_LENGTH: Final = re.compile(r"(\d{0,5}(?:\.\d{1,5})?)(px|pt|r?em|ex|ch|%|v[wh])?")
_PX_OF: Final = {"px": 1.0, "pt": 4 / 3, "vw": 12.0, "vh": 8.0}
"""Pixels of a unit, in a wide window."""
_PART_OF: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5, "%": 0.01}
"""Parts of the size of the element around."""
_INDENT: Final = re.compile(r"-(\d{3,6})(?:\.\d{1,4})?(px|r?em|%|v[wh])")
_INDENT_PX: Final = {"px": 1, "%": 10, "vw": 12, "vh": 8}
"""Pixels of a unit, few rather than many."""
_BLURRED: Final = re.compile(r"blur\((?:[6-9]|\d{2,4})(?:\.\d{1,4})?px\)")
_PILED: Final = re.compile(
    r"-(?:0?\.[5-9]\d{0,4}|[1-9]\d{0,4}(?:\.\d{1,4})?)r?em|-(?:[89]|[1-9]\d{1,4})(?:\.\d{1,4})?px"
)
"""Distances between letters that lay each on the one before."""
_NO_LINE: Final = re.compile(
    r"(?:0|0?\.[0-2]\d{0,4})(?:em|rem|px)?|(?:[0-9]|[12]\d)(?:\.\d{1,4})?%|[0-3](?:\.\d{1,4})?px"
)
"""Heights of lines that lay each on the one before."""
_OVERRIDES: Final = frozenset({"bidi-override", "isolate-override"})
_DOTS: Final = frozenset({"disc", "circle", "square"})
_FAR_RIGHT: Final = re.compile(
    r"(?:[2-9]\d{3}|\d{5,6})(?:\.\d{1,4})?px|[1-9]\d{2,4}(?:\.\d{1,4})?(?:vw|%)|(?:1[5-9]\d|[2-9]\d\d|\d{4,5})r?em"
)
"""Margins before which no line begins in the window."""
_NO_MASK: Final = re.compile(
    r"(?:linear|radial)-gradient\((?:[a-z0-9. -]{1,40},\s*)??(?:transparent|#0000(?:0{4})?|rgba\(0,\s*0,\s*0,\s*0\))"
    r"(?:,\s*(?:transparent|#0000(?:0{4})?|rgba\(0,\s*0,\s*0,\s*0\))){1,9}\s*\)"
)
_MASKS: Final = frozenset({"mask", "mask-image", "-webkit-mask", "-webkit-mask-image"})
_STOP: Final = r"(#[0-9a-f]{3}(?:[0-9a-f]{3})?|rgba?\([^()]{5,60}\)|white|black)(?:\s+[\d.]{1,8}%)?"
_GRADIENT: Final = re.compile(
    rf"(?:linear|radial)-gradient\((?:[a-z0-9. -]{{1,40}},\s*)?{_STOP}(?:,\s*{_STOP}){{1,9}}\s*\)"
)
_STOPS: Final = re.compile(_STOP)
_VEILED: Final = re.compile(r"opacity\((?:0?\.0[0-5]?\d{0,4}|0|[0-5](?:\.\d{1,4})?%)\)")
_NO_ZOOM: Final = re.compile(r"0?\.[01]\d{0,4}|1?\d(?:\.\d{1,4})?%")
_TAKES_AWAY: Final = {"filter": (_BLURRED, _VEILED), "zoom": (_NO_ZOOM,)}
_SHAPES: Final = ("transform", "rotate", "scale")
"""Declarations that shape letters, each within the one before it."""
_IN_DEPTH: Final = re.compile(r"rotate[xy]|3d\(|rotate\s*:?\s*[xy]\b|^[xy] ")
"""Seen from its edge or from behind, unless what is around it is turned as well."""
IN_DEPTH: Final = " in depth"
_MAX_SHRUNK: Final = 0.2
"""Part of their size from which on usual letters have three pixels."""
_SYMBOLS: Final = re.compile(r"[\"']?(?:wingdings|webdings|symbol|zapf ?dingbats|marlett|mt extra|bookshelf symbol)\b")
"""Fonts that draw a sign for each letter, which come with systems and programs for offices."""
_LINE: Final = re.compile(r"(?<![\w.])(\d{0,3}(?:\.\d{1,4})?)(px|r?em|%)(?![\w.])")
_MIN_STRUCK: Final = 0.4
_MIN_STROKE: Final = 0.35
"""Parts of the size of letters from which on a line through them, or one around each, blackens them."""
HUGE_PX: Final = 240
"""Size from which on no line of a phone holds two letters, nor one of a computer a word."""
_ALPHA: Final = re.compile(
    r"^#(?:[0-9a-f]{6}([0-9a-f]{2}))$|^(?:rgb|hsl)a?\((?:[^(),/]{1,20}[,/]){3}\s{0,3}(\d?\.?\d{1,4})(%?)\s{0,3}\)$"
)
_NO_OPACITY: Final = re.compile(r"(?:0(?:\.0*)?|\.0+)%?|0?\.0[0-5]\d*|[0-5](?:\.\d+)?%")
_FAINT: Final = re.compile(r"0?\.[0-3]\d*|0(?:\.0*)?%?|[0-3]?\d(?:\.\d+)?%")
"""Opacity of letters that may not be told from their ground."""
_DIMS: Final = ("filter", "blend", "sign", "side")
_UPSIDE_DOWN: Final = 135
"""Degrees."""
_INHERITED: Final = frozenset({"inherit", "unset", "currentcolor"})
_WIDTHS: Final = frozenset({"width", "max-width", "inline-size", "max-inline-size", "column-width", "columns"})
_HEIGHTS: Final = frozenset({"height", "max-height", "block-size", "max-block-size"})
_WRAPS_NOT: Final = frozenset({"nowrap", "pre"})
_IN_LINES: Final = frozenset(
    "a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup td th time tr "
    "tt u var".split()
)
"""Elements that are as wide as their text, whatever width they declare."""

_NAMED_ALIKE: Final = {
    "letter-spacing": "piled",
    "line-height": "lines",
    "-webkit-text-security": "dots",
    "margin-left": "far",
    "margin-inline-start": "far",
    "background-clip": "clip",
    "-webkit-background-clip": "clip",
    "mix-blend-mode": "blend",
    "text-decoration": "struck",
    "text-decoration-line": "struck",
    "text-decoration-thickness": "thick",
    "-webkit-text-stroke": "stroke",
    "-webkit-text-stroke-width": "stroke",
}
"""Declarations that are kept as they are, under another name."""

Declared = dict[str, str]
"""``color``, ``background``, its ``clip``, ``font-size``, ``text-indent``, ``opacity``, ``filter``, ``blend``, the
shapes of ``transform``, ``rotate`` and ``scale``, lines on their ``side``, what is ``solid``, a ``sign`` for each
letter, lines that are ``struck`` through and how ``thick``, the ``stroke`` around letters, ``piled``, height of
``lines``, the ``order`` of letters, ``dots`` in their place, how ``far`` away it begins, in pixels the ``room`` of a
line and the height from which on an element is ``cut``, as far as declared."""
UNKNOWN: Final = "?"
BY_PLACE: Final = "??"
"""Values that a condition decides, and that the place of an element decides."""
NOT_KNOWN: Final = frozenset({UNKNOWN, BY_PLACE})
FREE: Final = "free"
"""Room of a box that does not depend on what is around it."""

Why = Literal[
    "page",
    "tiny",
    "huge",
    "narrow",
    "cut",
    "away",
    "transparent",
    "ground",
    "turned",
    "side",
    "signs",
    "struck",
    "piled",
    "stacked",
    "reversed",
    "dots",
]
"""Hidden with the whole page, too small or too large, in lines of two letters, cut off, moved out of the window,
transparent, in the color of its ground, mirrored, upside down or seen from behind, on its side, with signs in place of
its letters, with a line through or around them that blackens them, with its letters or its lines on one another, with
its letters from the last to the first, or with dots in their place."""


def declared_in(text: str) -> Declared:
    """Read the declarations of one rule, or of a style attribute, as far as they are about letters."""
    found: Declared = {}
    fill = ""
    box: dict[str, str] = {}
    for declaration in text.lower().split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip()
        value = value.replace("!important", "").strip()
        if name in {"color", "font-size", "text-indent"}:
            found[name] = "transparent" if name == "color" and _is_faint(value) else value
        elif name in _NAMED_ALIKE:
            found[_NAMED_ALIKE[name]] = value
        elif name == "opacity":
            found[name] = UNKNOWN if found.get(name) == UNKNOWN else value
        elif name in {"background", "background-color", "background-image"} and value:
            plain = _flat(value) if "gradient(" in value else value
            found["background"] = UNKNOWN if name == "background-image" and plain == value != "none" else plain
        elif name == "-webkit-text-fill-color":
            fill = value
        elif (effect := _effect_of(name, value)) is None:
            box[name] = value
        elif effect == ("opacity", "0"):
            found.setdefault(*effect)
        else:
            found[effect[0]] = effect[1]
    if "writing-mode" in box:
        found["side"] = "" if box["writing-mode"].startswith("h") else "side"
    if box.get("unicode-bidi") in _OVERRIDES and "direction" in box:
        found["order"] = box["direction"]
    if fill:
        # Letters are filled with it, whatever their color is.
        found["color"] = "transparent" if _is_faint(fill) else fill
    return found | _room_in(box) if box else found


def _effect_of(name: str, value: str) -> tuple[str, str] | None:
    """Read what a declaration that is not about letters does to them: its name here, and its value."""
    if name in {*_TAKES_AWAY, *_MASKS} and any(one.match(value) for one in _TAKES_AWAY.get(name, (_NO_MASK,))):
        return "opacity", "0"
    if name in _SHAPES:
        shape = shape_of(name, value)
        depth = IN_DEPTH if _IN_DEPTH.search(value) is not None else ""
        return name, " ".join(f"{one:.4f}" for one in shape) + depth if shape is not None else UNKNOWN
    if name == "filter":
        return "filter", "" if value == "none" else value
    if name == "font-family":
        return "sign", value if _SYMBOLS.match(value) else ""
    if name == "transform-style" and value.startswith("preserve"):
        return "solid", value
    if name in {"animation", "animation-name"} and value not in {"none", ""}:
        # What moves may fade in.
        return "opacity", UNKNOWN
    return ("lines", UNKNOWN) if name == "font" else None


def _room_in(box: Declared) -> Declared:
    """Width of the lines of a box, and the height from which on it is cut, where pixels are declared."""
    is_apart = box.get("position") in {"absolute", "fixed"} or box.get("white-space") in _WRAPS_NOT
    if is_apart or "clip" in box or "clip-path" in box or box.get("writing-mode", "horizontal-tb") != "horizontal-tb":
        return {"room": FREE}
    found: Declared = {}
    is_counted = "column-count" in box
    widths = [_px(value) for name, value in box.items() if name in _WIDTHS and not (is_counted and "column" in name)]
    known = [one for one in widths if one is not None]
    if known:
        found["room"] = str(min(known))
    elif widths:
        found["room"] = UNKNOWN
    hides = {"hidden", "clip"}
    if not hides.isdisjoint({box.get("overflow", ""), box.get("overflow-y", "")}):
        heights = [_px(value) for name, value in box.items() if name in _HEIGHTS]
        # Without any height, it is closed: visitors open it.
        if heights and all(heights):
            found["cut"] = str(min(one for one in heights if one is not None))
    return found


def _px(value: str) -> float | None:
    """Pixels of a length that depends on nothing but the usual size of letters."""
    match = _LENGTH.fullmatch(value)
    if match is None or not match[1] or match[1] == "." or match[2] in {"%", "vw", "vh"}:
        return None
    number = float(match[1])
    return number * _PX_OF.get(match[2] or "px", _USUAL_PX) if match[2] or not number else None


def _flat(value: str) -> str:
    """The color of a gradient all of whose colors look the same; the value itself for any other."""
    stops = _STOPS.findall(value) if _GRADIENT.fullmatch(value) is not None else []
    colors = [color_of(one) for one in stops]
    is_one = len(colors) > 1 and all(isinstance(one, tuple) and is_same(one, colors[0]) for one in colors)
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


def may_conceal(declared: Declared, grounds: Collection[Color], *, may_cut: bool) -> bool:
    """Return whether these declarations, on one of these grounds or their own, leave a text that no one reads."""
    size = _size(declared.get("font-size", "?"), _USUAL_PX, _USUAL_PX)
    if size is not None and not LEGIBLE_PX <= size < HUGE_PX:
        return True
    if _FAINT.fullmatch(declared.get("opacity", "")) or _INDENT.match(declared.get("text-indent", "")):
        return True
    if any(_is_misshapen(_shape(declared[one])) for one in _SHAPES if one in declared):
        return True
    if (
        any(declared.get(one, "") not in {"", *NOT_KNOWN} for one in _DIMS)
        or "order" in declared
        or (may_cut and "cut" in declared)
    ):
        return True
    if _blackened(declared, _USUAL_PX):
        return True
    if _PILED.fullmatch(declared.get("piled", "")) or _NO_LINE.fullmatch(declared.get("lines", "")):
        return True
    if declared.get("dots") in _DOTS or (may_cut and _FAR_RIGHT.fullmatch(declared.get("far", ""))):
        return True
    if "room" in declared and _room(declared["room"]) < MIN_ROOM * _USUAL_PX:
        return True
    color = declared.get("color")
    if color is None or color == "transparent":
        return color is not None
    own = declared.get("background")
    return any(is_same(color_of(color), ground) for ground in (grounds if own is None else [color_of(own)]))


def _shape(value: str) -> Shape:
    """The shape that is kept; upright for one that is unknown."""
    if value in NOT_KNOWN:
        return UPRIGHT
    a, b, c, d = map(float, value.removesuffix(IN_DEPTH).split())
    return a, b, c, d


def _is_misshapen(shape: Shape) -> bool:
    return factor_of(shape) < _MAX_SHRUNK or is_mirrored(shape) or leans(shape)


def may_be_undone(name: str, value: str) -> bool:
    """Return whether a script that runs may show what a declaration takes away: what fades, slides, grows or turns."""
    if name in _SHAPES:
        return value.endswith(IN_DEPTH) or factor_of(_shape(value)) < _MAX_SHRUNK
    return name in {"opacity", "far"}


def _blackened(declared: Declared, size: float) -> bool:
    """Return whether a line goes through or around letters of that size in pixels, and leaves nothing of them."""
    struck = declared.get("struck", "")
    through = f"{declared.get('thick', '')} {struck}" if "line-through" in struck else ""
    for text, least in ((through, _MIN_STRUCK), (declared.get("stroke", ""), _MIN_STROKE)):
        match = _LINE.search(text) if size else None
        if match is not None and match[1] not in {"", "."}:
            number = float(match[1])
            if (number / size if match[2] == "px" else number / 100 if match[2] == "%" else number) >= least:
                return True
    return False


def _size(value: str, around: float, root: float) -> float | None:
    """Pixels of a size of letters; ``None`` where it is unknown."""
    match = _LENGTH.fullmatch(value)
    if match is None or not match[1] or match[1] == ".":
        return around if value in _INHERITED else around * 1.2 if value == "larger" else None
    number, unit = float(match[1]), match[2]
    if unit == "rem":
        return number * root
    if unit in _PART_OF:
        return number * around * _PART_OF[unit]
    return number * _PX_OF[unit] if unit else None if number else 0.0


def _room(value: str) -> float:
    return float("inf") if value in {FREE, UNKNOWN, BY_PLACE} else float(value)


class Lettering(msgspec.Struct, frozen=True, gc=False):
    """Looks of the letters in an element."""

    color: Color
    ground: Color
    size: float = _USUAL_PX
    root: float = _USUAL_PX
    """Size in the ``<html>`` element."""
    faded: bool = False
    """Not opaque at all, with whatever is inside."""
    veils: tuple[Veil, ...] | None = ()
    """Filters and the like through which letters are seen, the innermost first; ``None`` where one is unknown."""
    ground_veils: int = 0
    """The outermost of these, through which the ground is seen as well."""
    indent: int = 0
    """Pixels by which the first line begins before the window."""
    shape: Shape = UPRIGHT
    """With those of the elements around."""
    side: bool = False
    """In lines that run from top to bottom."""
    signs: bool = False
    """A sign is drawn for each letter."""
    struck: bool = False
    """Blackened by a line through or around its letters."""
    piled: bool = False
    """Its letters lie on one another."""
    room: float = float("inf")
    """Pixels in a line."""
    stacked: bool = False
    """Its lines lie on one another."""
    order: str = ""
    """Direction in which letters are laid, whatever their script."""
    dots: bool = False
    """A dot stands for each letter."""
    far: bool = False
    """Its lines begin behind the window."""

    @property
    def pale(self) -> float | None:
        """The contrast of letters that are hard to read; ``None`` for others and where it is unknown."""
        color, ground = self.seen
        if isinstance(color, tuple) and isinstance(ground, tuple) and is_pale(color, ground):
            return contrast(color, ground)
        return None

    @property
    def seen(self) -> tuple[Color, Color]:
        """The color and the ground that the eye sees."""
        if not self.veils:
            return (self.color, self.ground) if self.veils is not None else (None, None)
        if not isinstance(self.color, tuple) or not isinstance(self.ground, tuple):
            return None, None
        of_ground = self.veils[len(self.veils) - self.ground_veils :]
        return seen_through(self.color, self.veils), seen_through(self.ground, of_ground)

    def within(self, tag: str, declared: Declared, *, has_style: bool) -> Lettering:
        """The same inside of an element; ``has_style`` means that it may have any color it does not declare."""
        if not declared and self._is_kept_in(tag, has_style=has_style):
            return self
        color, ground, size, room = self.color, self.ground, self.size, self.room
        if "color" in declared:
            value = declared["color"]
            color = color if value in _INHERITED else "transparent" if value == "transparent" else color_of(value)
        elif tag == "a" or has_style:
            color = None
        if declared.get("clip", "border-box") != "border-box":
            # The ground is drawn in the place of the letters.
            color = None
        if "background" in declared:
            value = declared["background"]
            ground = ground if value in {"none", "transparent", "inherit"} else color_of(value)
        elif has_style:
            ground = None
        if "font-size" in declared:
            known = _size(declared["font-size"], size, self.root)
            size = _USUAL_PX if known is None else known
        if "room" in declared and tag not in _IN_LINES:
            own = _room(declared["room"])
            room = own if declared["room"] in {FREE, UNKNOWN, BY_PLACE} else min(own, room) if own <= room else own
        veils, ground_veils = self._veils_within(declared, is_grounded=ground is not self.ground)
        shape = self.shape
        for name in _SHAPES:
            if name in declared:
                shape = within(shape, _shape(declared[name]))
        indent = _indent_of(declared["text-indent"]) if "text-indent" in declared else self.indent
        return Lettering(
            color=color,
            ground=ground,
            size=size,
            root=size if tag == "html" else self.root,
            faded=self.faded or _NO_OPACITY.fullmatch(declared.get("opacity", "")) is not None,
            veils=veils,
            ground_veils=ground_veils,
            indent=indent,
            shape=shape,
            side=declared.get("side", "side" if self.side else "") == "side",
            signs=bool(declared["sign"]) if declared.get("sign") not in {None, *NOT_KNOWN} else self.signs,
            # A line through a block goes through all that is in it.
            struck=self.struck or _blackened(declared, size),
            piled=_PILED.fullmatch(declared["piled"]) is not None if "piled" in declared else self.piled,
            room=room,
            stacked=_NO_LINE.fullmatch(declared["lines"]) is not None if "lines" in declared else self.stacked,
            # What a box declares is not for the boxes in it.
            order=declared.get("order", self.order if tag in _IN_LINES else ""),
            dots=declared["dots"] in _DOTS if "dots" in declared else self.dots,
            far=self.far or _FAR_RIGHT.fullmatch(declared.get("far", "")) is not None,
        )

    def _is_kept_in(self, tag: str, *, has_style: bool) -> bool:
        """Return whether an element that declares nothing changes nothing, as nearly all elements do."""
        if tag == "html" or (self.order and tag not in _IN_LINES):
            return False
        if has_style:
            return self.color is None and self.ground is None
        return tag != "a" or self.color is None

    def _veils_within(self, declared: Declared, *, is_grounded: bool) -> tuple[tuple[Veil, ...] | None, int]:
        """Through which an element in this one is seen, and which of these its ground is seen through."""
        veils, ground_veils = self.veils, self.ground_veils
        values = [declared.get(name, "") for name in ("filter", "blend", "opacity")]
        if any(values) and veils is not None:
            backdrop = self.seen[1]
            known = backdrop if isinstance(backdrop, tuple) else None
            own = None if NOT_KNOWN.intersection(values) else veils_of(values[0], values[1], values[2], backdrop=known)
            veils = None if own is None else own + veils
        return veils, len(veils or ()) if is_grounded else ground_veils

    def why_unread(self, text: str) -> Why | None:
        """Return why no one reads a text; ``None`` if it is legible, as far as is known."""
        characters = len(text)
        factor = 1.0 if self.shape == UPRIGHT else factor_of(self.shape)
        if self.size * factor < LEGIBLE_PX:
            return "tiny"
        if self.size * factor >= HUGE_PX and characters >= _MIN_LINES:
            return "huge"
        if self.far or characters * _MAX_CHARACTER_PX < self.indent:
            return "away"
        if self.color == "transparent" or self.faded:
            return "transparent"
        is_odd = self.side or self.signs or self.struck or self.piled or self.stacked or self.order or self.dots
        for is_so, why in _HOW_LAID if is_odd or self.shape != UPRIGHT else ():
            if is_so(self, text):
                return why
        if characters >= MIN_NARROW and self.room < MIN_ROOM * self.size:
            return "narrow"
        return "ground" if is_same(*self.seen) else None


def characters_within(height: str) -> int:
    """Return how many characters can be seen in a box that is cut from that height on."""
    lines = _room(height) / _LINE_PX
    return 10**9 if lines > 10**6 else round(lines * _LINE_CHARACTERS)


def _indent_of(value: str) -> int:
    match = _INDENT.match(value)
    return int(match[1]) * _INDENT_PX.get(match[2], 10) if match is not None else 0


def _is_reversed(lettering: Lettering, text: str) -> bool:
    """Return whether letters are laid against the direction of their script."""
    if lettering.order not in {"ltr", "rtl"}:
        return False
    strong = Counter(map(bidirectional, text[:200]))
    is_rtl = strong["R"] + strong["AL"] > strong["L"]
    return is_rtl != (lettering.order == "rtl") and bool(strong["R"] + strong["AL"] + strong["L"])


def _is_turned(lettering: Lettering, text: str) -> bool:
    """Return whether letters are mirrored or upside down."""
    if lettering.shape == UPRIGHT or not text:
        return False
    return is_mirrored(lettering.shape) or lean_of(lettering.shape) > _UPSIDE_DOWN


def _is_on_its_side(lettering: Lettering, text: str) -> bool:
    """Return whether lines of a text that is no label run up or down, in a script that has none that do."""
    if len(text) < _MIN_LINES or (lettering.shape == UPRIGHT and not lettering.side):
        return False
    is_upright = lettering.side and any("\u1800" <= one <= "\u18af" or "\u2e80" <= one <= "\uffef" for one in text[:50])
    return leans(within(lettering.shape, ON_ITS_SIDE) if lettering.side and not is_upright else lettering.shape)


_HOW_LAID: Final[tuple[tuple[Callable[[Lettering, str], bool], Why], ...]] = (
    (_is_turned, "turned"),
    (_is_on_its_side, "side"),
    (lambda one, text: one.signs and len(text) >= MIN_NARROW, "signs"),
    (lambda one, _: one.struck, "struck"),
    (lambda one, _: one.piled, "piled"),
    (lambda one, text: one.stacked and len(text) >= _MIN_LINES, "stacked"),
    (lambda one, _: one.dots, "dots"),
    (_is_reversed, "reversed"),
)
"""Faults of how letters are laid, and the name of each."""
