"""Silences: for a while people get no messages about a monitor or a site."""

from __future__ import annotations

from typing import Final

import msgspec

MAX_SILENCES: Final = 100
"""Of an account at the same time."""
MAX_REASON: Final = 500
LONGEST_MS: Final = 90 * 86_400_000
"""From its beginning to its end."""


class Silence(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which events of one monitor, or of one site, become no messages."""

    id: int
    monitor_id: int | None
    """``None``: it is about a site."""
    project: str
    """The site; empty: it is about a monitor."""
    reason: str
    author: str
    """Name that the person, or the key, has now; empty if there is none any more."""
    until_ms: int
    created_at_ms: int
