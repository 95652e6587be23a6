"""Pictures of a page, as a browser hands them over: which of them are kept, and their bytes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any, Final

from pagegrade.model.rendering import Picture

MAX_FRAMES: Final = 60
"""Pictures of one load that its speed index is computed from."""
MAX_PICTURE_BYTES: Final = 2_000_000


def frames_of(shots: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """At most 60 pictures after the navigation; of equal neighbors the first."""
    found: list[tuple[float, str]] = []
    for time, picture in shots:
        if time >= 0 and (not found or found[-1][1] != picture):
            found.append((time, picture))
    if len(found) <= MAX_FRAMES:
        return found
    step = (len(found) - 1) / (MAX_FRAMES - 1)
    return [found[round(index * step)] for index in range(MAX_FRAMES)]


def read_picture(kind: Any, entry: object, *, time_ms: float | None = None) -> Picture | None:
    """A picture from (width, height, WebP in Base64); ``None`` for anything else."""
    if not isinstance(entry, list) or len(entry) != 3:
        return None
    width, height, text = entry
    if not isinstance(width, int) or not isinstance(height, int) or not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not data.startswith(b"RIFF") or len(data) > MAX_PICTURE_BYTES:
        return None
    return Picture(kind=kind, width_px=width, height_px=height, data=data, time_ms=time_ms)
