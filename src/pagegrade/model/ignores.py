"""Ignore rules: findings that their owner has decided to live with."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

MAX_RULES: Final = 200
"""Rules that can apply to one page."""
MAX_REASON: Final = 500
MAX_SELECTOR: Final = 500
MAX_URL_PATTERN: Final = 500


class IgnoreRule(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of one check is ignored, as long as the rule has not expired and the finding is not worse."""

    check: str
    """Id of the check."""
    reason: str
    selector: str = ""
    """Only findings whose places lie in elements that match (``parse.html.place_matching``); empty: any."""
    project: str = ""
    """Only pages of this project; empty: of any."""
    url_pattern: str = ""
    """Only findings whose places name a URL that matches; ``*`` stands for any characters; empty: any."""
    author: str = ""
    """Name of the account that made it; empty on the command line."""
    expires_at: datetime | None = None
    """``None``: never."""
    state: str | None = None
    """The worst state of the check that is ignored; ``None``: any."""
    places: int | None = None
    """The most places that are ignored; ``None``: any number."""
    id: int | None = None
    """On a server; ``None`` on the command line."""


class StoredIgnore(msgspec.Struct, frozen=True, kw_only=True):
    """An ignore rule of an account."""

    rule: IgnoreRule
    report_id: int | None
    """The one report it is for; ``None``: those of its project, or all."""
    created_at_ms: int
