"""Content negotiation by the Accept header (RFC 9110 12.5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

HTML: Final = "text/html"
JSON: Final = "application/json"
PROBLEM: Final = "application/problem+json"
ANY: Final = "*/*"
LONGEST: Final = 4_096
"""Characters of an Accept header that are read; a longer one counts as none."""


def preferred(accept: str | None, offers: Sequence[str]) -> str:
    """Return the media type to answer with.

    Args:
        accept: The header; ``None`` when it was not sent.
        offers: Media types there are; the first is taken where the client has no preference, or accepts none.
    """
    qualities = _qualities(accept)
    return max(offers, key=lambda offer: _quality_of(offer, qualities)) if qualities else offers[0]


def preferred_by_program(accept: str | None, offers: Sequence[str]) -> str | None:
    """Return the media type to answer a program with: the first offer, unless the client prefers another.

    A browser names HTML before everything and accepts everything; it gets the first offer all the same.

    Args:
        accept: The header; ``None`` when it was not sent.
        offers: Media types there are, the usual one first.

    Returns:
        ``None``: the client accepts none of them.
    """
    return _preferred_by_program(accept if accept and len(accept) <= LONGEST else "", tuple(offers))


@lru_cache(maxsize=256)
def _preferred_by_program(accept: str, offers: tuple[str, ...]) -> str | None:
    qualities = _qualities(accept)
    if not qualities:
        return offers[0]
    best = max(offers, key=lambda offer: _quality_of(offer, qualities))
    if best == HTML and qualities.get(ANY, 0.0) > 0:
        return offers[0]
    return best if _quality_of(best, qualities) > 0 else None


def accepts_json(accept: str | None) -> bool:
    """Return true unless the client accepts neither JSON nor problems in JSON."""
    qualities = _qualities(accept)
    # Who accepts everything but JSON does not mean problems: those count only where they are named.
    return not qualities or _quality_of(JSON, qualities) > 0 or qualities.get(PROBLEM, 0.0) > 0


def _qualities(accept: str | None) -> Mapping[str, float]:
    """Return media range -> weight, 0 to 1; empty: the client has no preference that can be read."""
    return {} if not accept or len(accept) > LONGEST else _parse(accept)


@lru_cache(maxsize=256)
def _parse(accept: str) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for element in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in element.split(";"))
        if media_range == "*":  # old clients of Java write it for */*
            media_range = ANY
        kind, _, subtype = media_range.partition("/")
        quality = _weight(parameters)
        if kind and subtype and quality is not None:
            found[media_range] = max(quality, found.get(media_range, 0.0))
    return found


def _weight(parameters: Sequence[str]) -> float | None:
    """Return the weight of an element; ``None`` when it cannot be read, so that the element is ignored."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                quality = float(value.strip())
            except ValueError:
                return None
            return quality if 0 <= quality <= 1 else None
    return 1.0


def _quality_of(offer: str, qualities: Mapping[str, float]) -> float:
    """Return the weight of the most specific range that covers a media type."""
    for media_range in (offer, f"{offer.partition('/')[0]}/*", ANY):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0
