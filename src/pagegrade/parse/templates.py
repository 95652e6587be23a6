"""Template of a page: small numbers that pages of one structure have in common, whatever they say."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Document
from pagegrade.parse.likeness import hash64

HASHES: Final = 16
MAX_LEVELS: Final = 6
MAX_PATHS: Final = 400
MAX_CLASSES: Final = 4
_ALL_BITS: Final = (1 << 64) - 1
_GENERATED: Final = re.compile(r"(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{5,}")
"""A class with a digit in it is a number, a hash of a build or a step of a scale."""
_MULTIPLIERS: Final = tuple((2 * index + 1) * 0x9E3779B97F4A7C15 & _ALL_BITS for index in range(HASHES))
_SHIFTS: Final = tuple((index + 1) * 0xC2B2AE3D27D4EB4F & _ALL_BITS for index in range(HASHES))


def template_of(page: Document) -> tuple[int, ...]:
    """16 values of 16 bits of the paths of tags and classes near the top of the body; none without a body.

    Of two pages about as many values agree as they share paths.

    Source: Andrei Z. Broder, On the resemblance and containment of documents, 1997
    """
    body = page.body
    if body is None or not isinstance(body.node, Element):
        return ()
    hashes = [hash64(path) for path in _paths(body.node)]
    return tuple(
        min((each * factor + shift) & _ALL_BITS for each in hashes) >> 48
        for factor, shift in zip(_MULTIPLIERS, _SHIFTS, strict=True)
    )


def own_classes(element: Element) -> list[str]:
    """The classes of an element that people gave it, sorted; the first few."""
    classes = element.attrs.get("class") or ()
    words = classes.split() if isinstance(classes, str) else classes
    return sorted(word for word in words[: 4 * MAX_CLASSES] if not _GENERATED.fullmatch(word))[:MAX_CLASSES]


def _paths(body: Element) -> set[str]:
    found = {"body"}
    level = [("body", body)]
    for _ in range(MAX_LEVELS):
        below = []
        for path, element in level:
            for child in element.children:
                if not isinstance(child, Element):
                    continue
                name = ".".join((child.tag, *own_classes(child)))
                own = f"{path}>{name}"
                if own in found:
                    # A hundred rows of a list are one path, and what is in the first of them is in all.
                    continue
                if len(found) >= MAX_PATHS:
                    return found
                found.add(own)
                below.append((own, child))
        level = below
    return found
