"""Answers made smaller for clients that can unpack them: a report shrinks to about an eighth."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import Final

from pagegrade.web.operations import Answer

SMALLEST: Final = 1_000
"""Bytes below which nothing is gained: it fits into one packet as it is."""
MAX_CHARACTERS: Final = 1_024
"""Of an Accept-Encoding header that is read; with a longer one nothing is compressed."""
LEVEL: Final = 5
"""Of 9: half the time of the highest, and within some percent of it."""
AT_ONCE: Final = 32_768
"""Bytes that are packed in less than a millisecond; more are packed outside of the event loop."""
PACKABLE: Final = frozenset(
    {
        "text/html",
        "text/csv",
        "text/markdown",
        "application/json",
        "application/problem+json",
        "application/sarif+json",
    }
)
"""Media types worth it. PDF is packed inside."""


def compressed(answer: Answer, accept_encoding: str | None, fetch_site: str | None, *, varies: bool = False) -> Answer:
    """The answer with gzip, where it is worth it and the client takes it (RFC 9110 8.4.1.3, 12.5.3).

    What another site makes a browser ask for is never packed: from the length of such an answer it could learn, guess
    by guess, what stands beside the words it put into the address.

    Args:
        answer: Any answer. Its entity tag stays what it is: parts of an answer cannot be asked for, and ``If-Match``
            needs the tag of the API to be strong.
        accept_encoding: The header; ``None`` when it was not sent.
        fetch_site: Sec-Fetch-Site; ``None`` when it was not sent, or when the answer does not depend on cookies.
        varies: The answer says already that it depends on Accept-Encoding.
    """
    kind = answer.media_type.partition(";")[0]
    if kind not in PACKABLE or len(answer.body) < SMALLEST:
        return answer
    headers = answer.headers
    if not varies:
        headers = tuple((name, f"{value}, Accept-Encoding" if name == "Vary" else value) for name, value in headers)
        if not any(name == "Vary" for name, _ in headers):
            headers += (("Vary", "Accept-Encoding"),)
    if fetch_site in {"cross-site", "same-site"} or not _takes_gzip(accept_encoding):
        return replace(answer, headers=headers)
    packed = gzip.compress(answer.body, LEVEL, mtime=0)
    return replace(answer, body=packed, headers=(*headers, ("Content-Encoding", "gzip")))


def _takes_gzip(accept_encoding: str | None) -> bool:
    if not accept_encoding or len(accept_encoding) > MAX_CHARACTERS:
        return False
    for element in accept_encoding.lower().split(","):
        coding, _, parameters = element.partition(";")
        if coding.strip() in {"gzip", "x-gzip", "*"}:
            quality = parameters.replace(" ", "").removeprefix("q=")
            return not quality or quality.strip("0.") != ""
    return False
