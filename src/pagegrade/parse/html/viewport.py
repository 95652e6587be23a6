"""The ``content`` of ``<meta name=viewport>``, read the way mobile browsers read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

MIN_SCALE: Final = 0.1
MAX_SCALE: Final = 10.0
"""Scales are clamped to these (CSS Viewport Module, 3.1)."""
MAX_LENGTH_PX: Final = 10_000.0
MAX_CONTENT: Final = 2_000
"""Characters that are read; a real value has about fifty."""

Length = float | Literal["device-width", "device-height"]

_SEPARATOR: Final = ",;"
_NAME: Final = re.compile(r"[ \t\n\r\f\v,;=]*+([^ \t\n\r\f\v,;=]*+)[^,;=]*+")
"""Anything between the name and its "=" is dropped, as the specification's algorithm does."""
_VALUE: Final = re.compile(r"[ \t\n\r\f\v=]*+([^ \t\n\r\f\v,;=]*+)")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?")


class Viewport(msgspec.Struct, frozen=True, kw_only=True):
    """Values of a viewport declaration; a field is ``None`` if no usable value is declared."""

    properties: Mapping[str, str]
    """Every ``key=value`` by lower-case key, value in lower case, unknown ones too; the last of a key wins."""
    width: Length | None = None
    """CSS pixels (0 to 10,000; 0 stands for a word no browser knows) or a device size."""
    height: Length | None = None
    initial_scale: float | None = None
    """0.1 to 10, like the two below."""
    minimum_scale: float | None = None
    maximum_scale: float | None = None
    user_scalable: bool | None = None
    """``False`` where zooming by hand is switched off; ``None`` when not said (browsers then allow it)."""

    @property
    def responsive(self) -> bool:
        """The layout is as wide as the device: ``width=device-width``, or a scale of 1 or more without a width."""
        if self.width is not None:
            return self.width == "device-width"
        return self.initial_scale is not None and self.initial_scale >= 1


def parse_viewport(content: str) -> Viewport:
    """Read the value of ``content``.

    Commas and semicolons separate, white space separates as well, keys and words match in any case, white space may
    surround ``=``, and a number is read as far as it goes (``1.0px`` is 1). Never raises.

    Args:
        content: As written; may be empty.

    Source: https://www.w3.org/TR/css-viewport-1/#parsing-algorithm
    """
    properties = dict(_pairs(content[:MAX_CONTENT].lower()))
    return Viewport(
        properties=properties,
        width=_length(properties.get("width")),
        height=_length(properties.get("height")),
        initial_scale=_scale(properties.get("initial-scale")),
        minimum_scale=_scale(properties.get("minimum-scale")),
        maximum_scale=_scale(properties.get("maximum-scale")),
        user_scalable=_scalable(properties.get("user-scalable")),
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    """The pairs in order; each character is passed once."""
    found: list[tuple[str, str]] = []
    end = len(text)
    at = 0
    while at < end:
        name = _NAME.match(text, at)
        if name is None:
            break
        at = name.end()
        if at >= end or text[at] in _SEPARATOR:
            continue
        value = _VALUE.match(text, at)
        if value is None:
            break
        at = value.end()
        if name[1] and value[1]:
            found.append((name[1], value[1]))
    return found


def _number(value: str) -> float | None:
    """The number ``value`` starts with; ``None`` when it starts with none."""
    match = _NUMBER.match(value[:40])
    return float(match[0]) if match else None


def _length(value: str | None) -> Length | None:
    if value is None:
        return None
    if value in {"device-width", "device-height"}:
        return "device-width" if value == "device-width" else "device-height"
    number = _number(value)
    if number is None:
        return 0.0
    return None if number < 0 else min(number, MAX_LENGTH_PX)


def _scale(value: str | None) -> float | None:
    if value is None:
        return None
    if value == "yes":
        return 1.0
    if value in {"device-width", "device-height"}:
        return MAX_SCALE
    number = _number(value)
    if number is None:
        return MIN_SCALE
    return None if number < 0 else min(max(number, MIN_SCALE), MAX_SCALE)


def _scalable(value: str | None) -> bool | None:
    if value is None:
        return None
    if value in {"yes", "device-width", "device-height"}:
        return True
    number = _number(value)
    return number is not None and abs(number) >= 1
