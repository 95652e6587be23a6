"""Which of several forms of an answer the client would rather have (RFC 9110 12.5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

HTML: Final = "text/html"
JSON: Final = "application/json"
LONGEST: Final = 4_096
"""Characters of an Accept header that are read; a longer one counts as none."""


def preferred(accept: str | None, offers: Sequence[str]) -> str:
    """The media type to answer with.

    Args:
        accept: The header; ``None`` when it was not sent. What cannot be read in it is passed over.
        offers: Media types there are; the first is taken where the client does not mind, or likes none.
    """
    if not accept or len(accept) > LONGEST:
        return offers[0]
    qualities = _qualities(accept)
    return max(offers, key=lambda offer: _quality_of(offer, qualities))


def preferred_by_program(accept: str | None, offers: Sequence[str]) -> str | None:
    """The media type to answer a program with: the first offer, unless the client would clearly rather have another.

    A browser names HTML before everything, and takes everything; it gets the first offer all the same.

    Args:
        accept: The header; ``None`` when it was not sent.
        offers: Media types there are, the usual one first.

    Returns:
        ``None``: the client rules all of them out.
    """
    if not accept or len(accept) > LONGEST:
        return offers[0]
    qualities = _qualities(accept)
    best = max(offers, key=lambda offer: _quality_of(offer, qualities))
    if best == HTML and qualities.get("*/*", 0.0) > 0:
        return offers[0]
    return best if _quality_of(best, qualities) > 0 else None


def _qualities(accept: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for element in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in element.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    quality = min(1.0, max(0.0, float(value)))
                except ValueError:
                    quality = 0.0
        found[media_range] = max(quality, found.get(media_range, 0.0))
    return found


def _quality_of(offer: str, qualities: dict[str, float]) -> float:
    """By the most specific range that covers the type."""
    for media_range in (offer, f"{offer.partition('/')[0]}/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0
