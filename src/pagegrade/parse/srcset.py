"""Reads the candidates of a ``srcset`` attribute."""

from __future__ import annotations

from typing import Final

MAX_CANDIDATES: Final = 200
_SPACE: Final = " \t\n\f\r"


def parse_srcset(value: str) -> list[tuple[str, str]]:
    """(URL, descriptor) of each candidate, at most 200; broken ones are left out.

    Commas may be part of a URL (they are in ``data:`` and in many image services), so splitting on them is wrong.

    Source: https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute
    """
    found: list[tuple[str, str]] = []
    at, end = 0, len(value)
    while at < end and len(found) < MAX_CANDIDATES:
        while at < end and (value[at] in _SPACE or value[at] == ","):
            at += 1
        start = at
        while at < end and value[at] not in _SPACE:
            at += 1
        url = value[start:at]
        descriptor = ""
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            start, depth = at, 0
            while at < end and (value[at] != "," or depth):
                depth += (value[at] == "(") - (value[at] == ")" and depth > 0)
                at += 1
            descriptor = value[start:at].strip(_SPACE)
        if url:
            found.append((url, descriptor))
    return found
