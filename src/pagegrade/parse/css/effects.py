"""Works out what transforms, filters, blending and opacity make of letters: their shape, and the colors the eye sees.

Every function is total: what cannot be known without a layout leaves the letters as they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec

Rgb = tuple[int, int, int]
Shape = tuple[float, float, float, float]
"""Ends of the letters' axes: right (x, y), then down (x, y); ``UPRIGHT`` for letters as they are."""
UPRIGHT: Final[Shape] = (1.0, 0.0, 0.0, 1.0)
ON_ITS_SIDE: Final[Shape] = (0.0, 1.0, -1.0, 0.0)

_MAX_FUNCTIONS: Final = 8
_FUNCTION: Final = re.compile(r"([a-z0-9-]{1,20})\(([^()]{0,120})\)")
_ANGLE: Final = re.compile(r"(-?\d{0,6}(?:\.\d{1,6})?)(deg|turn|rad|grad)?")
_DEGREES: Final = {"deg": 1.0, "turn": 360.0, "rad": 180 / math.pi, "grad": 0.9}
_NUMBER: Final = re.compile(r"(-?\d{0,6}(?:\.\d{1,6})?)(%?)")
_LUMINANCE: Final = (0.2126, 0.7152, 0.0722)
_MAX_LEAN: Final = 60
"""Degrees by which letters may lean and still be read without a turn of the head."""


class Veil(msgspec.Struct, frozen=True, gc=False):
    """Something through which a group of elements is seen."""

    name: str
    """A function of ``filter``, ``opacity``, or a mode of ``mix-blend-mode``."""
    amount: float
    backdrop: Rgb | None = None
    """Color behind the group, where it matters and is known."""


def shape_of(name: str, value: str) -> Shape | None:
    """Return the shape that a declaration of ``transform``, ``rotate``, ``scale`` or ``writing-mode`` gives.

    ``None`` where that is unknown.
    """
    if value in {"none", "initial", "unset", "horizontal-tb"}:
        return UPRIGHT
    if name == "writing-mode":
        return ON_ITS_SIDE
    if name in {"rotate", "scale"}:
        axis, _, amount = value.rpartition(" ")
        value = f"{name}{axis}({amount})" if axis in {"x", "y", "z"} else f"{name}({value.replace(' ', ',')})"
    shape = UPRIGHT
    for function in islice(_FUNCTION.finditer(value), _MAX_FUNCTIONS):
        own = _shape_by(function[1], [one.strip() for one in function[2].split(",")])
        if own is None:
            return None
        shape = within(shape, own)
    return shape


def within(around: Shape, own: Shape) -> Shape:
    """Return the shape of what has one of its own inside of another."""
    a, b, c, d = around
    e, f, g, h = own
    return a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h


def _shape_by(name: str, values: Sequence[str]) -> Shape | None:
    if name.startswith(("translate", "perspective")):
        return UPRIGHT
    if name.startswith(("rotate", "skew")):
        angle = _angle_of(values[-1])
        if angle is None or (name == "rotate3d" and values[:3] not in (["0", "0", "1"], ["0", "1", "0"])):
            return None
        cos, sin, tan = math.cos(angle), math.sin(angle), math.tan(angle)
        return {
            "rotatey": (cos, 0.0, 0.0, 1.0),
            "rotate3d": (cos, 0.0, 0.0, 1.0) if values[:3] == ["0", "1", "0"] else (cos, sin, -sin, cos),
            "rotatex": (1.0, 0.0, 0.0, cos),
            "skewy": (1.0, tan, 0.0, 1.0),
            "skewx": (1.0, 0.0, tan, 1.0),
            "skew": (1.0, 0.0, tan, 1.0) if len(values) == 1 else None,
        }.get(name, (cos, sin, -sin, cos))
    numbers = [_number_of(one) for one in values[:16]]
    if not numbers or None in numbers:
        return None
    known = [one for one in numbers if one is not None]
    if name == "matrix" and len(known) == 6:
        return known[0], known[1], known[2], known[3]
    if name == "matrix3d" and len(known) == 16:
        return known[0], known[1], known[4], known[5]
    if name == "scalex":
        return known[0], 0.0, 0.0, 1.0
    if name == "scaley":
        return 1.0, 0.0, 0.0, known[0]
    return (known[0], 0.0, 0.0, known[min(1, len(known) - 1)]) if name in {"scale", "scale3d"} else None


def _angle_of(value: str) -> float | None:
    match = _ANGLE.fullmatch(value)
    if match is None or match[1] in {"", "-"}:
        return None
    return math.radians(float(match[1]) * _DEGREES[match[2] or "deg"])


def _number_of(value: str) -> float | None:
    match = _NUMBER.fullmatch(value)
    if match is None or match[1] in {"", "-"}:
        return None
    return float(match[1]) / (100 if match[2] else 1)


def factor_of(shape: Shape) -> float:
    """Return the part of their size that letters keep, across and down: the smaller one."""
    a, b, c, d = shape
    # What leans keeps its size: the height above its own base line counts.
    width = math.hypot(a, b)
    height = abs(a * d - b * c) / width if width else 0.0
    return min(width, height)


def is_mirrored(shape: Shape) -> bool:
    """Return whether letters are seen as in a mirror."""
    a, b, c, d = shape
    return a * d - b * c < 0


def lean_of(shape: Shape) -> float:
    """Return by how many degrees a line of letters leans, 0 to 180."""
    return abs(math.degrees(math.atan2(shape[1], shape[0])))


def leans(shape: Shape) -> bool:
    """Return whether a line of letters leans by more than people read without turning their head."""
    return lean_of(shape) > _MAX_LEAN


def veils_of(filters: str, blend: str, opacity: str, backdrop: Rgb | None) -> tuple[Veil, ...] | None:
    """Return what a group is seen through, the innermost first; ``None`` where that is unknown.

    Args:
        filters: The value of ``filter``, or nothing.
        blend: The value of ``mix-blend-mode``, or nothing.
        opacity: The value of ``opacity``, or nothing.
        backdrop: Color behind the group, where it is known.
    """
    if "var(" in filters or "calc(" in filters:
        return None
    veils: list[Veil] = []
    for function in islice(_FUNCTION.finditer(filters), _MAX_FUNCTIONS):
        amount = _number_of(function[2].strip() or "1")
        if function[1] in _FILTERS or function[1] == "opacity":
            if amount is None:
                return None
            veils.append(Veil(function[1], amount, backdrop if function[1] == "opacity" else None))
    if opacity and (amount := _number_of(opacity)) is not None and amount < 1:
        veils.append(Veil("opacity", amount, backdrop))
    if blend in _BLENDS:
        veils.append(Veil(blend, 1.0, backdrop))
    return tuple(veils)


def seen_through(color: Rgb, veils: Sequence[Veil]) -> Rgb | None:
    """Return the color that the eye sees through these veils; ``None`` where a color behind them is unknown."""
    for veil in veils:
        if veil.name in _FILTERS:
            color = _rounded(_FILTERS[veil.name](color, veil.amount))
        elif veil.backdrop is None:
            return None
        elif veil.name == "opacity":
            color = _mixed(color, veil.backdrop, veil.amount)
        else:
            blend = _BLENDS[veil.name]
            both = zip(color, veil.backdrop, strict=True)
            color = _rounded([255 * blend(above / 255, below / 255) for above, below in both])
    return color


def _mixed(color: Rgb, other: Rgb, amount: float) -> Rgb:
    part = max(0.0, min(1.0, amount))
    return _rounded([part * one + (1 - part) * behind for one, behind in zip(color, other, strict=True)])


def _rounded(channels: Sequence[float]) -> Rgb:
    red, green, blue = (max(0, min(255, round(one))) for one in channels)
    return red, green, blue


def _gray(color: Rgb, amount: float) -> Sequence[float]:
    gray = sum(part * one for part, one in zip(_LUMINANCE, color, strict=True))
    return [one + (gray - one) * min(1.0, amount) for one in color]


_FILTERS: Final[Mapping[str, Callable[[Rgb, float], Sequence[float]]]] = {
    "brightness": lambda color, amount: [one * amount for one in color],
    "contrast": lambda color, amount: [(one - 127.5) * amount + 127.5 for one in color],
    "invert": lambda color, amount: [one + (255 - 2 * one) * min(1.0, amount) for one in color],
    "grayscale": _gray,
}
"""Color that a function of ``filter`` makes of a color (https://www.w3.org/TR/filter-effects-1/)."""
_BLENDS: Final[Mapping[str, Callable[[float, float], float]]] = {
    "multiply": lambda above, below: above * below,
    "screen": lambda above, below: above + below - above * below,
    "darken": min,
    "lighten": max,
    "difference": lambda above, below: abs(above - below),
    "exclusion": lambda above, below: above + below - 2 * above * below,
    "color-dodge": lambda above, below: 0.0 if not below else 1.0 if above >= 1 else min(1.0, below / (1 - above)),
    "color-burn": lambda above, below: 1.0 if below >= 1 else 0.0 if not above else 1 - min(1.0, (1 - below) / above),
    "plus-lighter": lambda above, below: min(1.0, above + below),
}
"""Channel that a mode makes of one and the one behind it, 0 to 1 (https://www.w3.org/TR/compositing-1/)."""
