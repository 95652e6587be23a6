"""Responses: Starlette's, with a body of bytes and headers as pairs; the headers of every answer, encoded once.

They are against sniffed types, and against clickjacking (framed pages).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from starlette.responses import Response as StarletteResponse
from starlette.types import Receive, Scope, Send

from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Standing

JSON: Final = "application/json"
NO_BODY: Final = frozenset({204, 304})
"""Statuses whose responses have no body (RFC 9110 15.3.5, 15.4.5)."""


class Response(StarletteResponse):
    """One response; the application adds the headers that every response gets."""

    def __init__(
        self,
        content: bytes = b"",
        status_code: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        media_type: str = JSON,
    ) -> None:
        """Make a response.

        Args:
            headers: Besides those of every response; a name may occur several times.
            media_type: With its parameters; not sent without a body.
        """
        super().__init__(content, status_code, media_type=None if status_code in NO_BODY else media_type)
        self.raw_headers += [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]

    def replace_body(self, content: bytes) -> None:
        """Send other bytes of the same media type."""
        self.body = content
        self.headers["content-length"] = str(len(content))

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the response; to a HEAD request without its body."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        silent = scope["method"] == "HEAD" or self.status_code in NO_BODY
        await send({"type": "http.response.body", "body": b"" if silent else self.body})


Header = tuple[bytes, bytes]
API: Final = "/api/"
"""Path prefix of the API, which answers with JSON only and can be read by pages of other origins."""
_SECURITY: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "geolocation=(), camera=(), microphone=(), browsing-topics=()"),
    ("X-Frame-Options", "DENY"),
)
INERT: Final = ("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
"""Content security policy of everything but pages: opened in a browser, such a response can do nothing."""
HSTS: Final = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
VARY: Final = ("Vary", "Authorization, Accept, Accept-Encoding, Origin, Prefer")
FRESH: Final = ("Cache-Control", "private, no-cache")
"""Clients may store the response, and revalidate it each time."""
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
    # Headers that JavaScript libraries and tracing add by themselves; without permission the whole request fails.
    "X-Requested-With",
    "baggage",
    "traceparent",
    "tracestate",
)
ASKABLE: Final = ", ".join(_ASKABLE)
PREFLIGHT_SECONDS: Final = 7_200


def encode_headers(headers: Iterable[tuple[str, str]]) -> list[Header]:
    """Encode headers for ASGI: names in lower case, everything as bytes."""
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


def standing_headers(options: ServiceOptions, *, api: bool) -> tuple[Header, ...]:
    """Return the headers of every answer below ``/api/`` or elsewhere."""
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
    """Return the CORS header that lets a page of this origin read the answer, where not every page may."""
    if origin is None or "*" in options.cors_origins or origin not in options.cors_origins:
        return ()
    return ((b"access-control-allow-origin", origin.encode("latin-1")),)


def preflight_headers(allow: str) -> tuple[tuple[str, str], ...]:
    """Return the headers of the answer to a preflight (https://fetch.spec.whatwg.org/#cors-preflight-fetch)."""
    return (
        ("Access-Control-Allow-Methods", allow),
        ("Access-Control-Allow-Headers", ASKABLE),
        ("Access-Control-Max-Age", str(PREFLIGHT_SECONDS)),
    )


def rate_headers(standings: Sequence[tuple[str, Standing]]) -> list[Header]:
    """Return the rate limit headers (draft-ietf-httpapi-ratelimit-headers) and their older ``X-RateLimit-*`` form.

    Args:
        standings: Standing of the key by policy; the policy that counts every request comes first.
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
