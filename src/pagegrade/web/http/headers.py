"""Headers that every answer gets, encoded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Standing

Header = tuple[bytes, bytes]
API: Final = "/api/"
"""What lies below it speaks JSON only, and may be read by pages of other origins."""
_SECURITY: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "geolocation=(), camera=(), microphone=(), browsing-topics=()"),
    ("X-Frame-Options", "DENY"),
)
INERT: Final = ("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
"""For what is no page: opened in a browser all the same, it can do nothing."""
HSTS: Final = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
VARY: Final = ("Vary", "Authorization, Accept, Accept-Encoding, Origin, Prefer")
FRESH: Final = ("Cache-Control", "private, no-cache")
"""May be kept by the client, and is asked about again each time."""
UNKEPT: Final = ("Cache-Control", "private, no-store")
_EXPOSED: Final = (
    "Allow",
    "Deprecation",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Sunset",
    "WWW-Authenticate",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-Request-Id",
)
EXPOSED: Final = ", ".join(_EXPOSED)
_ASKABLE: Final = (
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-Modified-Since",
    "If-None-Match",
    "If-Unmodified-Since",
    "Prefer",
    "X-Request-Id",
    # What browsers' libraries and tracing add by themselves; a browser that may not send one sends nothing.
    "X-Requested-With",
    "baggage",
    "traceparent",
    "tracestate",
)
ASKABLE: Final = ", ".join(_ASKABLE)
PREFLIGHT_SECONDS: Final = 7_200


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[Header]:
    """Headers as ASGI wants them: lower case, bytes."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def standing_headers(options: ServiceOptions, *, api: bool) -> tuple[Header, ...]:
    """What every answer gets: below ``/api/`` or elsewhere."""
    headers = [*_SECURITY, INERT]  # pages say what they may do themselves, in place of this
    if options.hsts:
        headers.append(HSTS)
    if api:
        headers.append(VARY)
        headers.append(("Access-Control-Expose-Headers", EXPOSED))
        if "*" in options.cors_origins:
            headers.append(("Access-Control-Allow-Origin", "*"))
    return tuple(encode_headers(headers))


def origin_headers(options: ServiceOptions, origin: str | None) -> tuple[Header, ...]:
    """Whether a page of this origin may read the answer, where not every page may."""
    if origin is None or "*" in options.cors_origins or origin not in options.cors_origins:
        return ()
    return ((b"access-control-allow-origin", origin.encode("latin-1")),)


def preflight_headers(allow: str) -> tuple[tuple[str, str], ...]:
    """The answer to a browser that asks before it sends (https://fetch.spec.whatwg.org/#cors-preflight-fetch)."""
    return (
        ("Access-Control-Allow-Methods", allow),
        ("Access-Control-Allow-Headers", ASKABLE),
        ("Access-Control-Max-Age", str(PREFLIGHT_SECONDS)),
    )


def rate_headers(standings: Sequence[tuple[str, Standing]]) -> list[Header]:
    """How a key stands to each policy (draft-ietf-httpapi-ratelimit-headers), and the same in the older form.

    Args:
        standings: Policies by name, the one that counts every request first.
    """
    policies = [_policy(name, standing.limit) for name, standing in standings]
    states = [f'"{name}";r={standing.remaining};t={standing.reset_s}' for name, standing in standings]
    first = standings[0][1]
    return [
        (b"ratelimit-policy", ", ".join(policies).encode("ascii")),
        (b"ratelimit", ", ".join(states).encode("ascii")),
        (b"x-ratelimit-limit", str(first.limit).encode("ascii")),
        (b"x-ratelimit-remaining", str(first.remaining).encode("ascii")),
    ]


@lru_cache(maxsize=64)
def _policy(name: str, limit: int) -> str:
    return f'"{name}";q={limit};w=60'
