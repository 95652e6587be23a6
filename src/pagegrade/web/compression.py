"""Compression of responses with gzip: a report shrinks to about an eighth."""

from __future__ import annotations

import gzip
from typing import Final

from pagegrade.web.http.response import Response

SMALLEST: Final = 1_000
"""Bytes below which nothing is gained: the response fits into one packet as it is."""
MAX_CHARACTERS: Final = 1_024
"""Of an Accept-Encoding header that is read; with a longer one nothing is compressed."""
LEVEL: Final = 5
"""Of 9: half the time of the highest, and within some percent of it."""
AT_ONCE: Final = 32_768
"""Bytes that are compressed in less than a millisecond; more are compressed outside of the event loop."""
PACKABLE: Final = frozenset(
    {
        "text/html",
        "text/csv",
        "text/markdown",
        "application/json",
        "application/problem+json",
        "application/ld+json",
        "application/sarif+json",
    }
)
"""Media types worth it. PDF is packed inside."""


def negotiate_gzip(
    response: Response, accept_encoding: str | None, fetch_site: str | None, *, varies: bool = False
) -> bool:
    """Return true if the response is worth compressing and the client accepts gzip (RFC 9110 8.4.1.3, 12.5.3).

    A response that may be compressed says so in ``Vary``.

    Responses that another site makes a browser request are never compressed: their length would reveal whether text
    of the URL also stands beside it in the page (BREACH).

    Args:
        response: Any response.
        accept_encoding: The header; ``None`` when it was not sent.
        fetch_site: Sec-Fetch-Site; ``None`` when it was not sent, or when the response does not depend on cookies.
        varies: The response says already that it depends on Accept-Encoding.
    """
    kind = (response.media_type or "").partition(";")[0]
    if kind not in PACKABLE or len(response.body) < SMALLEST:
        return False
    if not varies:
        response.headers.add_vary_header("Accept-Encoding")
    return fetch_site not in {"cross-site", "same-site"} and _accepts_gzip(accept_encoding)


def compress(response: Response) -> None:
    """Compress a response with gzip.

    Its entity tag stays: ranges cannot be requested, and ``If-Match`` needs the tag of the API to be strong.
    """
    response.replace_body(gzip.compress(response.body, LEVEL, mtime=0))
    response.headers["content-encoding"] = "gzip"


def _accepts_gzip(accept_encoding: str | None) -> bool:
    if not accept_encoding or len(accept_encoding) > MAX_CHARACTERS:
        return False
    for element in accept_encoding.lower().split(","):
        coding, _, parameters = element.partition(";")
        if coding.strip() in {"gzip", "x-gzip", "*"}:
            quality = parameters.replace(" ", "").removeprefix("q=")
            return not quality or quality.strip("0.") != ""
    return False
