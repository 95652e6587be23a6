"""Reads the colors of letters and their ground, and tells whether the eye tells one from the other."""

from __future__ import annotations

import colorsys
import re
from typing import Final

FAINTEST: Final = 1.5
"""Contrast below which no one reads a text; WCAG asks for 4.5."""
PALE: Final = 3.0
"""Contrast below which people who see well read with effort (ISO 9241-3)."""
_NEAR: Final = 10
"""Difference of two channels from 0 to 255 up to which the eye sees one color."""
_ALIKE: Final = 64
"""The same up to which a low contrast is not made up for by another hue."""
_STEPS: Final = 32
"""Of a color on its way to black or white."""
_HEX: Final = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")
_RGB: Final = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+(1(?:\.0*)?|100%))?\s*\)")
_HSL: Final = re.compile(
    r"hsla?\(\s*(\d{1,3})(?:deg)?[\s,]+(\d{1,3})%[\s,]+(\d{1,3})%(?:[\s,/]+(1(?:\.0*)?|100%))?\s*\)"
)
_NAMED: Final = {
    name: (value >> 16, value >> 8 & 255, value & 255)
    for name, value in {
        "white": 0xFFFFFF,
        "black": 0,
        "red": 0xFF0000,
        "yellow": 0xFFFF00,
        "snow": 0xFFFAFA,
        "ivory": 0xFFFFF0,
        "whitesmoke": 0xF5F5F5,
        "ghostwhite": 0xF8F8FF,
        "gainsboro": 0xDCDCDC,
        "lightgray": 0xD3D3D3,
        "lightgrey": 0xD3D3D3,
        "silver": 0xC0C0C0,
        "gray": 0x808080,
        "grey": 0x808080,
        "navy": 0x000080,
        "midnightblue": 0x191970,
    }.items()
}
Color = tuple[int, int, int] | str | None
"""Channels, the name of a color, or ``None`` where it is unknown."""


def color_of(value: str) -> Color:
    """Return what is known of a color that lets nothing through."""
    match = _HEX.fullmatch(value)
    if match is not None:
        digits = match[1] if len(match[1]) == 6 else "".join(2 * one for one in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    match = _RGB.fullmatch(value)
    if match is not None:
        return int(match[1]), int(match[2]), int(match[3])
    match = _HSL.fullmatch(value)
    if match is not None:
        red, green, blue = colorsys.hls_to_rgb(int(match[1]) / 360, int(match[3]) / 100, int(match[2]) / 100)
        return round(255 * red), round(255 * green), round(255 * blue)
    return _NAMED.get(value, value if value.isalpha() else None)


def is_same(color: Color, ground: Color) -> bool:
    """Return whether letters of that color cannot be told from their ground."""
    if isinstance(color, tuple) and isinstance(ground, tuple):
        apart = max(abs(one - other) for one, other in zip(color, ground, strict=True))
        return apart <= _NEAR or (apart <= _ALIKE and contrast(color, ground) < FAINTEST)
    return color is not None and color == ground


def is_pale(color: Color, ground: Color) -> bool:
    """Return whether letters of that color are hard to read for everybody, the same color included."""
    return isinstance(color, tuple) and isinstance(ground, tuple) and contrast(color, ground) < PALE


def contrast(color: tuple[int, int, int], ground: tuple[int, int, int]) -> float:
    """Contrast of two colors, 1 to 21 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio)."""
    darker, lighter = sorted((_luminance(color), _luminance(ground)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: tuple[int, int, int]) -> float:
    red, green, blue = (one / 255 / 12.92 if one <= 10 else ((one / 255 + 0.055) / 1.055) ** 2.4 for one in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def readable(color: tuple[int, int, int], ground: tuple[int, int, int], least: float = 4.5) -> tuple[int, int, int]:
    """The color, or the nearest darker or lighter one of its hue that can be read on a ground.

    Args:
        color: Of letters.
        ground: That they stand on.
        least: Contrast to reach, up to that of black or white, whichever can be read better there.
    """
    black, white = (0, 0, 0), (255, 255, 255)
    end = max(black, white, key=lambda each: contrast(each, ground))
    mixed = color
    for step in range(1, _STEPS + 1):
        if contrast(mixed, ground) >= least:
            break
        share = step / _STEPS
        red, green, blue = (round(one + (other - one) * share) for one, other in zip(color, end, strict=True))
        mixed = red, green, blue
    return mixed
