"""Headers of a request: accepted types, preconditions, the address of the client and its key.

Types are negotiated by the Accept header (RFC 9110 12.5.1); preconditions make a request conditional (section 13).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import formatdate, parsedate_to_datetime
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
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


Network = IPv4Network | IPv6Network
MAX_KEY_CHARACTERS: Final = 512
MAX_HOPS: Final = 32
"""Maximum number of own proxies in front of a request; entries further left are not read."""
MAX_ADDRESS_CHARACTERS: Final = 64
"""Maximum length of an entry of the header; an IPv6 address with a port has 47 characters."""
_IPV6_SITE: Final = 64
"""Length of the prefix of an IPv6 address that a client cannot change itself."""


def client_address(peer: str, forwarded_for: str | None, trusted: Sequence[IPv4Network | IPv6Network]) -> str:
    """Return the address that a request came from.

    ``X-Forwarded-For`` is read from the right for as long as the previous hop is a trusted proxy: everything further
    left may be forged by the client.

    Args:
        peer: Address of the other end of the connection; anything for a Unix socket.
        forwarded_for: ``X-Forwarded-For``, all of its lines joined; ``None`` when there is none.
        trusted: Networks of the installation's own proxies.
    """
    if not trusted or forwarded_for is None:
        return peer
    address = read_address(peer)
    hops = forwarded_for.rsplit(",", MAX_HOPS)[-MAX_HOPS:]
    while hops and address is not None and is_within(address, trusted):
        said = read_address(hops.pop())
        if said is None:
            break
        address = said
    return peer if address is None else str(address)


def limited_as(address: str) -> str:
    """Return the key that counts a client in rate limits: the /64 network of an IPv6 address, else the address."""
    read = read_address(address)
    if isinstance(read, IPv6Address):
        return str(IPv6Network((read, _IPV6_SITE), strict=False))
    return address


def bearer_key(authorization: str | None) -> tuple[str | None, bool]:
    """(the key, whether something was sent that should have been one) of an Authorization header.

    The key is ``None`` when there is none that could be valid: another scheme, nothing behind it, characters that no
    key has, or more of them than any key has.
    """
    if authorization is None:
        return None, False
    scheme, _, rest = authorization[: MAX_KEY_CHARACTERS + 16].partition(" ")
    if scheme.lower() != "bearer":
        return None, False
    key = rest.strip(" ")
    if not key:
        return None, False
    possible = len(key) <= MAX_KEY_CHARACTERS and key.isascii() and key.isprintable() and " " not in key
    return (key if possible else None), True


def read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address in an entry of the header, with or without brackets and a port."""
    if len(text) > MAX_ADDRESS_CHARACTERS:
        return None
    bare = text.strip()
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def is_within(address: IPv4Address | IPv6Address, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether the address is in one of the networks."""
    return any(address.version == network.version and address in network for network in networks)
