"""Reads the candidates of a ``srcset`` attribute."""

from __future__ import annotations

import re
from typing import Final

MAX_CANDIDATES: Final = 200
_SPACE: Final = " \t\n\f\r"
_URL: Final = re.compile(r"[ \t\n\f\r,]*+([^ \t\n\f\r]++)")
_DESCRIPTOR: Final = re.compile(r"[^,(]*+(?:\([^)]*+\)?[^,(]*+)*")  # house: allow nested-repeat - each starts at "("
"""Up to the next comma that is not in parentheses."""


def parse_srcset(value: str) -> list[tuple[str, str]]:
    """(URL, descriptor) of each candidate, at most 200; broken ones are left out.

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
        if url:
            found.append((url, descriptor))
    return found
