"""Caching of a response: Cache-Control, Expires, Age, Vary and validators."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from pagegrade.model.artifacts import Response
from pagegrade.parse.http.headers import parse_directives

_MAX_KNOWN: Final = 200
"""Characters of values that are read once."""
MAX_HEADER: Final = 8_192
"""Characters of one header that are read; whole header blocks of browsers end near here."""
MAX_SECONDS: Final = 2**31
"""Larger ages count as this (RFC 9111, 1.2.2)."""
_MAX_DATE: Final = 100
_ENTITY_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e]{0,200}"')
_HTTP_DATE: Final = re.compile(r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")
_HIT_HEADERS: Final = (
    "X-Cache",
    "X-Cache-Status",
    "CF-Cache-Status",
    "X-Proxy-Cache",
    "X-Varnish-Cache",
    "Cache-Status",
)
_NO_HIT: Final = frozenset({"miss", "bypass", "dynamic", "expired", "fwd"})
_WORDS: Final = re.compile(r"[a-z]+")
_READ: Final = ("cache-control", "expires", "date", "age", "vary", "etag", "last-modified", "pragma")


class CachePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Lifetime of a response in a browser's cache, and its other directives."""

    directives: Mapping[str, str]
    """Cache-Control by lower-case name, quotes removed, "" without an argument; the first of a name counts.
    Unknown ones are kept, since extensions are allowed."""
    lifetime_s: int | None
    """Freshness lifetime the sender states, 0 or more; ``None`` when it states none (browsers then guess)."""
    source: Literal["max-age", "expires", ""]
    """Source of ``lifetime_s``."""
    age_s: int
    """Seconds the answer had already spent in caches when it arrived."""
    has_validator: bool
    """It has an ETag or a Last-Modified, so that it can be checked cheaply."""
    vary: frozenset[str]
    """Header names in lower case, or ``*``."""
    stale_by_intent: bool = False
    """It says itself that it is stale at once: a ``max-age`` of 0 or less, an ``Expires`` that is past or a mere number
    (``0``, ``-1``), or ``Pragma: no-cache`` without a ``Cache-Control``. An unreadable value is no intent."""

    @property
    def no_store(self) -> bool:
        """No cache may store it."""
        return "no-store" in self.directives

    @property
    def no_cache(self) -> bool:
        """It may be kept but has to be checked before each use. With field names it speaks of those fields only."""
        return "no-cache" in self.directives and not self.directives["no-cache"]

    @property
    def private(self) -> bool:
        """Only the visitor's own browser may keep it."""
        return "private" in self.directives and not self.directives["private"]

    @property
    def must_revalidate(self) -> bool:
        """It must not be used when stale."""
        return "must-revalidate" in self.directives

    @property
    def immutable(self) -> bool:
        """It never changes while fresh (RFC 8246)."""
        return "immutable" in self.directives

    @property
    def stale_on_arrival(self) -> bool:
        """Its lifetime was over before it arrived."""
        return self.lifetime_s is not None and self.lifetime_s > 0 and self.age_s >= self.lifetime_s

    @property
    def shared_lifetime_s(self) -> int:
        """Seconds a shared cache (CDN, proxy) may serve it unasked; 0 when it may not."""
        if self.no_store or self.no_cache or self.private:
            return 0
        shared = _seconds(self.directives.get("s-maxage"))
        return shared if shared is not None else self.lifetime_s or 0


def shared_copy(response: Response) -> str:
    """The name of the header that says that an answer is the copy of a shared cache; empty when none does.

    A cache that asked the server for this visitor says so with ``MISS``, and with an ``Age`` of zero. An age alone
    says nothing where shared caches may not keep the answer.
    """
    for name in _HIT_HEADERS:
        words = _WORDS.findall((response.header(name) or "")[:_MAX_KNOWN].lower())
        if "hit" in words and not _NO_HIT.intersection(words):
            return name
    policy = read_cache_policy(response)
    may_keep = not (policy.no_store or policy.no_cache or policy.private)
    return "Age" if may_keep and policy.age_s > 0 else ""


def validator_of(response: Response) -> str:
    """The entity tag of an answer, or else the date of its last change; empty without one that can be sent back.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1
    """
    for name, form in (("etag", _ENTITY_TAG), ("last-modified", _HTTP_DATE)):
        value = response.header(name)
        if value is not None and form.fullmatch(value):
            return value
    return ""


def read_cache_policy(response: Response, *, received_at: datetime | None = None) -> CachePolicy:
    """Read the caching headers of an answer.

    Args:
        response: The final answer; redirects are not looked at.
        received_at: Stands in for a missing Date header, as it does in a browser.

    A number that is none, and an Expires that is no date (``0``), mean "already stale". Never raises.

    Source: https://www.rfc-editor.org/rfc/rfc9111#section-4.2.1
    """
    wanted = dict.fromkeys(_READ, "")
    seen: set[str] = set()
    for name, value in response.headers:
        key = name.lower()
        if key in wanted:
            wanted[key] = f"{wanted[key]}, {value}"[:MAX_HEADER] if key in seen else value[:MAX_HEADER]
            seen.add(key)
    control = wanted["cache-control"]
    directives = _known_directives(control) if len(control) <= _MAX_KNOWN else _directives(control)
    lifetime: int | None = None
    source: Literal["max-age", "expires", ""] = ""
    stale_by_intent = False
    if "max-age" in directives:
        lifetime, source = _seconds(directives["max-age"]) or 0, "max-age"
        stale_by_intent = not lifetime and _is_number(directives["max-age"])
    elif "expires" in seen:
        lifetime, source = _until(wanted["expires"], wanted["date"], received_at), "expires"
        stale_by_intent = lifetime == 0 and (_is_number(wanted["expires"]) or _date(wanted["expires"]) is not None)
    elif "cache-control" not in seen:
        # No standard gives Pragma a meaning in answers, but browsers heed it.
        stale_by_intent = "no-cache" in parse_directives((wanted["pragma"],))
    return CachePolicy(
        directives=directives,
        lifetime_s=lifetime,
        source=source,
        age_s=_seconds(wanted["age"]) or 0,
        has_validator=bool(wanted["etag"].strip() or wanted["last-modified"].strip()),
        vary=frozenset(name for part in wanted["vary"].split(",") if (name := part.strip().lower())),
        stale_by_intent=stale_by_intent,
    )


def _directives(text: str) -> Mapping[str, str]:
    return MappingProxyType(parse_directives((text,)))


_known_directives: Final = lru_cache(maxsize=256)(_directives)
"""The files of a page carry the same few values."""


def _is_number(text: str) -> bool:
    """Return whether ``text`` is a whole number, perhaps negative."""
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _seconds(text: str | None) -> int | None:
    """Delta-seconds; ``None`` for anything but digits."""
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit()):
        return None
    text = text.lstrip("0")
    return min(int(text or "0"), MAX_SECONDS) if len(text) < 12 else MAX_SECONDS


def _until(expires: str, date: str, received_at: datetime | None) -> int | None:
    """Seconds from Date to Expires, at least 0; ``None`` when no start is known."""
    end = _date(expires)
    if end is None:
        return 0
    start = _date(date) or received_at
    if start is None:
        return None
    return max(0, min(int((end - start).total_seconds()), MAX_SECONDS))


def _date(text: str) -> datetime | None:
    """An HTTP date in any of its three forms; ``None`` when it is none."""
    try:
        found = parsedate_to_datetime(text[:_MAX_DATE])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
