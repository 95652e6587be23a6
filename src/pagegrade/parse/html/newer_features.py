"""Finds elements and attributes of HTML that are not Baseline widely available, in the start tags of a page."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.data.baseline import ATTRIBUTES, ELEMENTS

MAX_PLACES: Final = 2_000
"""Names looked at in one page."""
MAX_TAG: Final = 4_000
"""Bytes of a start tag before an attribute."""
_TAG: Final = re.compile(rb"<([A-Za-z][A-Za-z0-9-]{0,60})(?=[\s/>])")
_QUOTED: Final = re.compile(rb"\"[^\"]*\"|'[^']*'")
_BEFORE: Final = frozenset(b" \t\r\n\f\"'/")
_AFTER: Final = frozenset(b" \t\r\n\f=/>")
_RAW: Final = re.compile(rb"<(?:(script|style|textarea|title|iframe|noscript)(?=[\s/>])|!--)", re.IGNORECASE)
_MARKS: Final = tuple(
    dict.fromkeys(
        sorted(
            (*(f"<{name}".encode() for name in ELEMENTS), *(attribute.encode() for _, attribute in ATTRIBUTES)),
            key=lambda mark: (-len(mark), mark),
        )
    )
)
_SEARCH: Final = ByteSearch(_MARKS)


def find_newer_markup(body: bytes) -> tuple[tuple[str, str, int], ...]:
    """(feature, ``<element attribute>``, line from 1) of what a page uses, each feature once. Linear in the page.

    Text, scripts and comments that only name an attribute do not count.
    """
    found: dict[str, tuple[str, str, int]] = {}
    raw: list[int] | None = None
    for feature, shown, start in _used(body):
        if raw is None:
            raw = _raw_parts(body)
        if feature not in found and bisect_right(raw, start) % 2 == 0:
            found[feature] = (feature, shown, body.count(b"\n", 0, start) + 1)
    return tuple(found.values())


def _used(body: bytes) -> Iterator[tuple[str, str, int]]:
    for index, start in _SEARCH.places(body, MAX_PLACES):
        mark = _MARKS[index]
        end = start + len(mark)
        if end >= len(body) or body[end] not in _AFTER:
            continue
        if mark.startswith(b"<"):
            name = mark[1:].decode()
            yield ELEMENTS[name], f"<{name}>", start
            continue
        if body[start - 1] not in _BEFORE:
            continue
        tag = _tag_around(body, start)
        attribute = mark.decode()
        feature = ATTRIBUTES.get((tag, attribute)) or (ATTRIBUTES.get(("*", attribute)) if tag else None)
        if feature is not None:
            yield feature, f"<{tag} {attribute}>", start


def _tag_around(body: bytes, at: int) -> str:
    """Name of the element whose start tag is open there, outside of its values; "" when there is none."""
    opening = body.rfind(b"<", max(0, at - MAX_TAG), at)
    match = None if opening < 0 else _TAG.match(body, opening)
    if match is None:
        return ""
    between = _QUOTED.sub(b"", body[match.end() : at])
    return "" if any(mark in between for mark in (b">", b'"', b"'")) else match[1].decode().lower()


def _raw_parts(body: bytes) -> list[int]:
    """Offsets at which comments and elements that hold text only begin and end in turn."""
    lower = body.lower()
    found: list[int] = []
    at = 0
    while (match := _RAW.search(lower, at)) is not None:
        # The start tag itself is markup.
        begin = lower.find(b">", match.end()) if match[1] else match.end()
        end = lower.find(b"</" + match[1] if match[1] else b"-->", match.end())
        at = len(lower) if end < 0 or begin < 0 else max(begin, end)
        found += [len(lower) if begin < 0 else begin, at]
    return found
