"""Attributes that have a meaning on every element; the walk skips all others."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pagegrade.parse.aria.parts import TOUCHING

SHOWING: Final = 1
"""Flag of attributes that decide whether the element is rendered and reachable."""
ARIA: Final = 2
ID: Final = 4
TOUCHED: Final = 8
"""One of ``TOUCHING``."""
ITEM: Final = 16
"""Structured data in the markup."""
PLAIN_ATTRIBUTES: Final = frozenset(
    (
        "action align alt async border charset class color colspan content crossorigin d decoding defer fill for "
        "height href itemprop loading media method name placeholder property rel rowspan sizes src srcset "
        "target title type valign value width viewBox xmlns"
    ).split()
)
"""Attributes that mean nothing by themselves, and that pages are full of."""
_SHOWING: Final = frozenset({"hidden", "inert", "popover", "style"})
_ITEM: Final = frozenset({"itemscope", "typeof"})


def kinds_of(names: Collection[str]) -> int:
    """The kinds that are among the attributes of an element; 0 for none.

    Args:
        names: In lower case. Whatever holds ``aria-`` counts as ARIA, also what ARIA does not know.
    """
    return (
        (0 if _SHOWING.isdisjoint(names) else SHOWING)
        | (ARIA if "role" in names or "aria-" in " ".join(names) else 0)
        | (ID if "id" in names else 0)
        | (0 if TOUCHING.isdisjoint(names) else TOUCHED)
        | (0 if _ITEM.isdisjoint(names) else ITEM)
    )
