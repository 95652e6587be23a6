"""What the client accepts: only whether JSON is ruled out has a meaning here (RFC 9110 12.5.1)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

LONGEST: Final = 4_096
"""Characters of an Accept header that are read; a longer one rules nothing out."""
JSON_TYPES: Final = ("application/json", "application/problem+json")
"""What answers may be."""


def accepts_json(accept: str | None) -> bool:
    """Whether an answer in JSON is something the client can take.

    Args:
        accept: The header; ``None`` when it was not sent. What cannot be read in it is passed over, and a header of
            which nothing can be read counts as none.
    """
    if not accept or accept in {"application/json", "*/*"}:
        return True
    return len(accept) > LONGEST or _judge(accept)


@lru_cache(maxsize=256)
def _judge(accept: str) -> bool:
    qualities: dict[str, float] = {}
    for element in accept.lower().split(","):
        media_range, *parameters = (part.strip() for part in element.split(";"))
        if media_range == "*":  # old clients of Java write it for */*
            media_range = "*/*"
        kind, slash, subtype = media_range.partition("/")
        quality = _quality(parameters)
        if slash and kind and subtype and quality is not None:
            qualities[media_range] = max(quality, qualities.get(media_range, 0.0))
    return not qualities or any(_quality_of(media_type, qualities) > 0 for media_type in JSON_TYPES)


def _quality_of(media_type: str, qualities: dict[str, float]) -> float:
    """By the most specific range that covers the type."""
    if media_type == JSON_TYPES[1] and media_type not in qualities:
        return 0.0  # who accepts everything but JSON does not mean problems
    for media_range in (media_type, "application/*", "*/*"):
        if media_range in qualities:
            return qualities[media_range]
    return 0.0


def _quality(parameters: list[str]) -> float | None:
    """The weight of an element, 0 to 1; ``None`` when it cannot be read."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                quality = float(value.strip())
            except ValueError:
                return None
            return quality if 0 <= quality <= 1 else None
    return 1.0
