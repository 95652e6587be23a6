"""Error responses to requests that the server rejects before they reach the application."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from pagegrade.web.problems import MEDIA_TYPE, Problem, problem_body

SHOWN_CHARACTERS: Final = 200
"""Maximum length of the path in a response."""
FULL_RETRY_AFTER_S: Final = 5


class Refusal(msgspec.Struct, frozen=True):
    """Error response to a request that never reaches the application."""

    status: int
    code: str
    """One of ``PROBLEMS``."""
    message: str
    reason: str
    """Short label for logs and metrics."""


class RefusedError(Exception):
    """Carries a refusal out of the parser's callbacks."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


BAD_REQUEST: Final = Refusal(400, "bad_request", "This is not a well-formed HTTP/1.1 request.", "syntax")
BAD_HOST: Final = Refusal(400, "bad_request", "Send exactly one Host header, with nothing but a host in it.", "host")
BAD_TARGET: Final = Refusal(400, "bad_request", "The request target cannot be used.", "target")
BAD_CODING: Final = Refusal(
    400, "bad_request", "The only transfer coding known here is chunked, in HTTP/1.1.", "coding"
)
BAD_VERSION: Final = Refusal(400, "bad_request", "Speak HTTP/1.1.", "version")
BAD_METHOD: Final = Refusal(501, "not_implemented", "This is no method that is known here.", "method")
NO_PROXY: Final = Refusal(400, "bad_request", "This server is no proxy.", "connect")
TOO_SLOW: Final = Refusal(408, "bad_request", "The request took too long to arrive.", "slow")
LONG_URL: Final = Refusal(414, "too_large", "The URL is too long.", "url")
LONG_HEAD: Final = Refusal(431, "too_large", "The headers are too long.", "headers")
MANY_HEADERS: Final = Refusal(431, "too_large", "There are too many headers.", "headers")
LONG_BODY: Final = Refusal(413, "too_large", "The body is too long.", "body")
FULL: Final = Refusal(503, "unavailable", "Too many connections are open; try again soon.", "connections")
LATER: Final = Refusal(0, "bad_request", "", "pipeline")
"""Close without a response: a client that pipelines must be ready to send again (RFC 9112 9.3.2)."""


def refusal_bytes(
    refusal: Refusal, *, target: bytes, base_url: str, request_id: str, headers: Sequence[tuple[bytes, bytes]]
) -> bytes:
    """Return the whole error response, after which the connection is closed.

    Args:
        refusal: The error.
        target: The part of the request target that was read; the response repeats only its path.
        base_url: Public origin.
        request_id: Identifies the request in the logs.
        headers: Headers of every response.
    """
    path = target.partition(b"?")[0][:SHOWN_CHARACTERS].decode("latin-1")
    problem = Problem(code=refusal.code, status=refusal.status, message=refusal.message)
    body = problem_body(problem, base_url=base_url, path=path, request_id=request_id)
    lines = [
        *headers,
        (b"content-type", MEDIA_TYPE.encode("ascii")),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode("ascii")),
        (b"connection", b"close"),
    ]
    if refusal is FULL:
        lines.append((b"retry-after", b"%d" % FULL_RETRY_AFTER_S))
    return b"".join([STATUS_LINE[refusal.status], *(b"%b: %b\r\n" % line for line in lines), b"\r\n", body])
