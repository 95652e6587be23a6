"""The Strict-Transport-Security header, and the suffixes for which browsers need none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.parse.http.headers import is_token, split_outside_quotes, unquote

MAX_AGE_LIMIT_S: Final = 2**31 - 1
"""Longer times are clamped to this (68 years), as RFC 9111 1.2.2 lets a cache do; it fits every database column."""
_MAX_DIGITS: Final = 12
"""More digits than this need no arithmetic: the number is above the limit."""
PRELOADED_SUFFIXES: Final = frozenset(
    "android app bank boo channel chrome dad day dev eat esq fly foo gle gmail google hangout how ing insurance meet"
    " meme mov new nexus page phd play prof rsvp search youtube zip".split(),
)
"""Top-level domains that browsers reach by https only, subdomains included: the whole suffix is on the preload list.

Source: https://hstspreload.org/#tld
"""


class HSTS(msgspec.Struct, frozen=True, kw_only=True):
    """Directives of a Strict-Transport-Security header."""

    max_age_s: int
    """Seconds, 0 (forget the host) to ``MAX_AGE_LIMIT_S``."""
    include_subdomains: bool = False
    preload: bool = False
    duplicates: tuple[str, ...] = ()
    """Directives that appear more than once, lower case; the first of each was read."""
    header_count: int = 1
    """Header lines received; only the first one counts."""


def parse_hsts(values: Sequence[str]) -> HSTS | None:
    """Read the Strict-Transport-Security headers of one answer.

    Args:
        values: The header lines in order, as received; only the first is read.

    Returns:
        The directives; ``None`` when there is no header or the first one does not conform (no readable ``max-age``),
        which a browser must treat as if it were absent.

    Source: https://www.rfc-editor.org/rfc/rfc6797#section-6.1 and section 8.1
    """
    if not values:
        return None
    known: dict[str, str] = {}
    duplicates: dict[str, None] = {}
    for part in split_outside_quotes(values[0], ";"):
        if not part:
            continue
        name, _, value = part.partition("=")
        name = name.strip().lower()
        if not is_token(name):
            return None
        if name in known:
            duplicates[name] = None
            continue
        value = value.strip()
        if value.startswith('"') and (len(value) == 1 or not value.endswith('"')):
            return None
        known[name] = unquote(value)
    digits = known.get("max-age", "")
    if not (digits.isascii() and digits.isdigit()):
        return None
    digits = digits.lstrip("0") or "0"
    return HSTS(
        max_age_s=MAX_AGE_LIMIT_S if len(digits) > _MAX_DIGITS else min(int(digits), MAX_AGE_LIMIT_S),
        include_subdomains="includesubdomains" in known,
        preload="preload" in known,
        duplicates=tuple(duplicates),
        header_count=len(values),
    )


def preloaded_suffix(host: str) -> str | None:
    """The preloaded top-level domain that ``host`` lies under; ``None`` when there is none.

    Args:
        host: Lower-case host name; a trailing dot is ignored.
    """
    suffix = host.rstrip(".").rpartition(".")[2]
    return suffix if suffix in PRELOADED_SUFFIXES else None
