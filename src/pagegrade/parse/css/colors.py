"""Recognition of CSS colors.

Functions are read with the types of their arguments, nested ones too. Arithmetic (``calc()`` and its kin) is taken for
whatever its place wants, and variables have no value outside of a stylesheet.

Source: https://www.w3.org/TR/css-color-4/#typedef-color and https://www.w3.org/TR/css-color-5/ (as of 2026-08)
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 500
"""A longer text is not a real color."""
MAX_DEPTH: Final = 8
"""Colors inside of colors."""
NAMES: Final = frozenset(
    "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood"
    " cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod"
    " darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon"
    " darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray"
    " dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green"
    " greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon"
    " lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon"
    " lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta"
    " maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen"
    " mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive"
    " olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru"
    " pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen"
    " seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato"
    " turquoise violet wheat white whitesmoke yellow yellowgreen transparent currentcolor".split(),
)
_SYSTEM: Final = frozenset(
    "accentcolor accentcolortext activetext buttonborder buttonface buttontext canvas canvastext field fieldtext"
    " graytext highlight highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext activeborder"
    " activecaption appworkspace background buttonhighlight buttonshadow captiontext inactiveborder inactivecaption"
    " inactivecaptiontext infobackground infotext menu menutext scrollbar threeddarkshadow threedface threedhighlight"
    " threedlightshadow threedshadow window windowframe windowtext".split(),
)
"""System colors, those that are out of use included: browsers still know them."""
_HEX: Final = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
_SPACE: Final = " \t\r\n\f"
_FUNCTION: Final = re.compile(r"([a-z][a-z-]{1,15})\((.*)\)", re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?(%|deg|rad|grad|turn)?")
_ARITHMETIC: Final = re.compile(
    r"(?:calc|min|max|clamp|round|mod|rem|abs|sign|sqrt|pow|hypot|log|exp)\(.*\)", re.DOTALL
)
_KINDS: Final = {None: "n", "%": "p"}
"""Unit of a number -> its kind; the others are angles."""

_ARGUMENTS: Final = {
    "rgb": ("np", "np", "np"),
    "hsl": ("na", "np", "np"),
    "hwb": ("na", "np", "np"),
    "lab": ("np", "np", "np"),
    "lch": ("np", "np", "na"),
    "oklab": ("np", "np", "np"),
    "oklch": ("np", "np", "na"),
    "color": ("np", "np", "np"),
}
"""Function -> which kinds each component may be: number, percentage, angle."""
_CHANNELS: Final = {
    **{name: frozenset(name.removeprefix("ok")) for name in _ARGUMENTS},
    "color": frozenset("rgbxyz"),
}
_RGB_SPACES: Final = frozenset(
    {"srgb", "srgb-linear", "display-p3", "display-p3-linear", "a98-rgb", "prophoto-rgb", "rec2020"},
)
_XYZ_SPACES: Final = frozenset({"xyz", "xyz-d50", "xyz-d65"})
_POLAR: Final = frozenset({"hsl", "hwb", "lch", "oklch"})
_MIX_SPACES: Final = _RGB_SPACES | _XYZ_SPACES | _POLAR | {"lab", "oklab"}
_HUES: Final = frozenset({"shorter", "longer", "increasing", "decreasing"})


def is_css_color(text: str) -> bool:
    """Return whether ``text`` is a color that stands by itself, in any case. Never raises."""
    return len(text) <= MAX_CHARS and _is_color(text.strip(_SPACE).lower(), 0)


def _is_color(text: str, depth: int) -> bool:
    if text in NAMES or text in _SYSTEM or _HEX.fullmatch(text):
        return True
    match = _FUNCTION.fullmatch(text)
    if match is None or depth > MAX_DEPTH:
        return False
    inside = _words(match[2])
    if inside is None:
        return False
    if match[1] == "color-mix":
        return _is_mix(inside, depth)
    if match[1] == "light-dark":
        return len(inside) == 3 and inside[1] == "," and all(_is_color(word, depth + 1) for word in inside[::2])
    if match[1] == "contrast-color":
        return len(inside) == 1 and _is_color(inside[0], depth + 1)
    name = match[1][:3] if match[1] in {"rgba", "hsla"} else match[1]
    return name in _ARGUMENTS and _is_components(name, inside, depth)


def _is_components(name: str, words: list[str], depth: int) -> bool:
    """Return whether ``words`` are arguments of one of the functions that take components."""
    if "," in words:
        return _is_legacy(name, words)
    relative = words[:1] == ["from"]
    if relative:
        if len(words) < 2 or not _is_color(words[1], depth + 1):
            return False
        words = words[2:]
    if name == "color":
        if not words or words[0] not in _RGB_SPACES | _XYZ_SPACES:
            return False
        words = words[1:]
    return _is_modern(name, words, relative=relative)


def _words(text: str) -> list[str] | None:
    """Words, commas and slashes outside of parentheses; ``None`` where the parentheses do not match."""
    words: list[str] = []
    depth = 0
    start: int | None = None
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return None
        if depth == 0 and character in " \t\r\n\f,/":
            if start is not None:
                words.append(text[start:index])
                start = None
            if character in ",/":
                words.append(character)
        elif start is None:
            start = index
    if start is not None:
        words.append(text[start:])
    return words if depth == 0 else None


def _kind(word: str) -> str:
    """``n``, ``p`` or ``a`` for a number, percentage or angle, ``*`` for arithmetic, ``0`` for ``none``, else ""."""
    if word == "none":
        return "0"
    match = _NUMBER.fullmatch(word)
    if match is not None:
        return _KINDS.get(match[1], "a")
    return "*" if _ARITHMETIC.fullmatch(word) else ""


def _is_legacy(name: str, words: list[str]) -> bool:
    """Arguments with commas: of one kind for ``rgb``, exact kinds for ``hsl``; others never had them."""
    kinds = [_kind(word) for word in words[::2]]
    if words[1::2] != [","] * (len(kinds) - 1) or len(kinds) not in {3, 4} or not set(kinds[3:]) <= set("np*"):
        return False
    if name == "hsl":
        return kinds[0] in {"n", "a", "*"} and set(kinds[1:3]) <= set("p*")
    return name == "rgb" and set(kinds[:3]) - {"*"} in ({"n"}, {"p"}, set())


def _is_modern(name: str, words: list[str], *, relative: bool) -> bool:
    """Three components, and perhaps a slash with the opacity."""
    parts, opacity = words[:3], words[3:]
    known = _CHANNELS[name] | {"alpha"} if relative else frozenset[str]()
    fits = all(
        word in known or _kind(word) in {*allowed, "0", "*"}
        for word, allowed in zip(parts, _ARGUMENTS[name], strict=False)
    )
    if not fits or len(parts) < 3:
        return False
    return not opacity or (
        len(opacity) == 2 and opacity[0] == "/" and (opacity[1] in known or _kind(opacity[1]) in set("np0*"))
    )


def _is_mix(words: list[str], depth: int) -> bool:
    """Perhaps ``in`` with a color space, then two colors, each with a percentage beside it or without one."""
    if words[:1] == ["in"] and "," in words:
        comma = words.index(",")
        space, *hue = words[1:comma] or [""]
        if space not in _MIX_SPACES or (hue and not (space in _POLAR and len(hue) == 2 and _is_hue_path(*hue))):
            return False
        words = words[comma + 1 :]
    if words.count(",") != 1:
        return False
    comma = words.index(",")
    return _is_part(words[:comma], depth) and _is_part(words[comma + 1 :], depth)


def _is_hue_path(path: str, word: str) -> bool:
    return path in _HUES and word == "hue"


def _is_part(words: list[str], depth: int) -> bool:
    """A color, and perhaps its share of the mix: 0 to 100 %."""
    colors = [word for word in words if not word.endswith("%") and not _ARITHMETIC.fullmatch(word)]
    if len(words) not in {1, 2} or len(colors) != 1 or not _is_color(colors[0], depth + 1):
        return False
    shares = [word[:-1] for word in words if word.endswith("%")]
    return all(_NUMBER.fullmatch(share) and 0 <= float(share) <= 100 for share in shares)
