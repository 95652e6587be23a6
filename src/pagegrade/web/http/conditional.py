"""Conditional requests: evaluate the preconditions of a request (RFC 9110 section 13)."""

from __future__ import annotations

import re
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache
from typing import Final

MAX_CHARACTERS: Final = 8_192
"""Maximum length of a list of entity tags; in a longer one no tag matches."""
MAX_DATE_CHARACTERS: Final = 64
"""The longest form of a date has 33 (RFC 9110 section 5.6.7)."""
_TAG: Final = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*+")')


def http_date(moment_ms: int) -> str:
    """IMF-fixdate of a moment, cut to the second."""
    return _fixdate(moment_ms // 1000)


@lru_cache(maxsize=1_024)
def _fixdate(moment_s: int) -> str:
    return formatdate(moment_s, usegmt=True)


def is_unchanged(
    if_none_match: str | None, if_modified_since: str | None, *, etag: str, modified_ms: int | None
) -> bool:
    """Return whether the client's copy is current, so that the answer is 304.

    Args:
        if_none_match: Header as sent; if present, the date is ignored (RFC 9110 13.2.2).
        if_modified_since: Header as sent; an unreadable date is ignored.
        etag: Strong entity tag of the answer, with its quotes.
        modified_ms: Time of the last change; ``None`` if unknown.
    """
    if if_none_match is not None:
        return _matches(if_none_match, etag, weak=True)
    since_s = _seconds(if_modified_since)
    return since_s is not None and modified_ms is not None and modified_ms // 1000 <= since_s


def may_change(
    if_match: str | None,
    if_none_match: str | None,
    if_unmodified_since: str | None,
    *,
    etag: str,
    modified_ms: int,
) -> bool:
    """Return whether the preconditions of a change hold, so that the client knows the current state of the object."""
    if if_match is not None:
        if not _matches(if_match, etag, weak=False):
            return False
    else:
        since_s = _seconds(if_unmodified_since)
        if since_s is not None and modified_ms // 1000 > since_s:
            return False
    return if_none_match is None or not _matches(if_none_match, etag, weak=True)


def _matches(header: str, etag: str, *, weak: bool) -> bool:
    """Return whether the header lists ``etag``; weak tags match only if ``weak`` is set."""
    if len(header) > MAX_CHARACTERS:
        return False
    if header.strip() == "*":
        return True
    return any(tag == etag and (weak or not mark) for mark, tag in _TAG.findall(header))


def _seconds(header: str | None) -> float | None:
    if header is None or len(header) > MAX_DATE_CHARACTERS:
        return None
    try:
        return parsedate_to_datetime(header).timestamp()
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
