"""Whether a text is a CSS colour.

Source: https://www.w3.org/TR/css-color-4/#typedef-color and https://www.w3.org/TR/css-color-5/ (as of 2026-08)
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 500
"""A longer text is no colour that anybody wrote."""
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
    " graytext highlight highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext".split(),
)
_HEX: Final = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})")
_FUNCTION: Final = re.compile(r"(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]*)\)")
_MIX: Final = re.compile(r"(?:color-mix|light-dark)\([^;{}]*\)")
_COMPONENT: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?(?:%|deg|rad|grad|turn)?|none")
_SPACE_NAME: Final = re.compile(r"(?:srgb|srgb-linear|display-p3|a98-rgb|prophoto-rgb|rec2020|xyz|xyz-d50|xyz-d65)")


def is_css_color(text: str) -> bool:
    """Whether ``text`` is a colour that stands by itself, in any case; relative colours are not looked into."""
    if len(text) > MAX_CHARS:
        return False
    text = text.strip(" \t\r\n\f").lower()
    if text in NAMES or text in _SYSTEM or _HEX.fullmatch(text):
        return True
    if _MIX.fullmatch(text):
        return text.count("(") == text.count(")")
    match = _FUNCTION.fullmatch(text)
    if match is None:
        return False
    words = match[2].replace("/", " / ").replace(",", " , ").split()
    if match[1] == "color":
        return len(words) > 3 and _SPACE_NAME.fullmatch(words[0]) is not None and _are_components(words[1:])
    return _are_components(words)


def _are_components(words: list[str]) -> bool:
    """Three numbers and perhaps an alpha, separated by spaces, or by commas throughout."""
    separators = [word for word in words if word in {",", "/"}]
    numbers = [word for word in words if word not in {",", "/"}]
    if not all(map(_COMPONENT.fullmatch, numbers)):
        return False
    if "," in separators:
        return separators == [","] * (len(numbers) - 1) and words[1::2] == separators and len(numbers) in {3, 4}
    return (len(numbers) == 3 and not separators) or (len(words) == 5 and words[3] == "/" and len(numbers) == 4)
