"""Reads the candidates of a ``srcset`` attribute."""

from __future__ import annotations

import re
from typing import Final

MAX_CANDIDATES: Final = 200
_SPACE: Final = " \t\n\f\r"
_URL: Final = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)")
_DESCRIPTOR: Final = re.compile(r"[^,(]*+(?:\([^)]*+\)?[^,(]*+)*")  # lint: allow nested-repeat - each starts at "("
"""Up to the next comma that is not in parentheses."""
_WIDTH: Final = re.compile(r"0*[1-9][0-9]*w")
_HEIGHT: Final = re.compile(r"0*[1-9][0-9]*h")
_DENSITY: Final = re.compile(r"(-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)x")
_WORD: Final = re.compile(r"[^ \t\n\f\r]++")
_MAX_DESCRIPTOR: Final = 60
"""Longer ones are read as broken."""


def parse_srcset(value: str) -> list[tuple[str, str]]:
    """(URL, descriptor) of each candidate, at most 200; those that browsers drop for their descriptors are left out.

    Commas may be part of a URL (they are in ``data:`` and in many image services), so splitting on them is wrong.

    Source: https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
    """
    found: list[tuple[str, str]] = []
    at = 0
    while len(found) < MAX_CANDIDATES:
        match = _URL.match(value, at)
        if match is None:
            break
        url, at = match[1], match.end()
        descriptor = ""
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            rest = _DESCRIPTOR.match(value, at)
            if rest is not None:
                descriptor, at = rest[0].strip(_SPACE), rest.end()
        if url and _is_valid(descriptor):
            found.append((url, descriptor))
    return found


def _is_valid(descriptor: str) -> bool:
    """Nothing, a density, a width, or a width with a height (which is kept for the future)."""
    if not descriptor:
        return True
    if len(descriptor) > _MAX_DESCRIPTOR:
        return False
    words = _WORD.findall(descriptor)
    if len(words) == 1:
        density = _DENSITY.fullmatch(descriptor)
        if density is not None:
            return 0 <= float(density[1]) < float("inf")
        return _WIDTH.fullmatch(descriptor) is not None
    return len(words) == 2 and any(
        _WIDTH.fullmatch(width) and _HEIGHT.fullmatch(height) for width, height in (words, reversed(words))
    )
