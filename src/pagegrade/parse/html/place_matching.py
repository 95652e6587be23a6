"""Match places of a page against the selectors and URL patterns of ignore rules, in linear time."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Element

from pagegrade.model.document import Node

_NAME: Final = r"-?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*"
_COMPOUND: Final = re.compile(
    rf'(?:{_NAME}|\*)?(?:[.#]{_NAME}|\[{_NAME}(?:[~|^$*]?="[^"\\\s]*")?\])*',
    re.ASCII,
)


def split_selector(selector: str) -> tuple[str, ...] | None:
    """Split a selector into its compounds, the outermost element first.

    Type, class, id and attribute selectors, separated by blanks, are understood: with those alone no document makes
    matching slower than its depth.

    Returns:
        ``None``: It is empty, or uses anything else.
    """
    compounds = tuple(selector.split())
    if not compounds or not all(map(_COMPOUND.fullmatch, compounds)):
        return None
    return compounds


def lies_in(node: Node, compounds: tuple[str, ...]) -> bool:
    """Return whether an element, or one around it, matches the compounds of ``split_selector``."""
    around: object = node
    for compound in reversed(compounds):
        # The nearest match leaves the most ancestors for the compounds before it.
        found = around.closest(compound) if isinstance(around, Element) else None
        if found is None:
            return False
        around = found.parent
    return True


def url_matches(url: str, pattern: str) -> bool:
    """Return whether the whole URL matches; ``*`` stands for any number of characters, letter case counts."""
    first, *rest = pattern.split("*")
    if not rest:
        return url == pattern
    *middle, last = rest
    if not url.startswith(first) or len(url) < len(first) + len(last) or not url.endswith(last):
        return False
    at, end = len(first), len(url) - len(last)
    for part in middle:
        found = url.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
