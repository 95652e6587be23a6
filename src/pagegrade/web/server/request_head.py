"""Validate the head of a request beyond the checks of the parser.

Sources: https://www.rfc-editor.org/rfc/rfc9112#section-3.2, https://www.rfc-editor.org/rfc/rfc9112#section-6.1
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import httptools

from pagegrade.web.server import refusals
from pagegrade.web.server.refusals import RefusedError

HOST: Final = re.compile(rb"[A-Za-z0-9._~%!$&'*+,;=:()\[\]-]*")
"""Characters of ``uri-host [":" port]`` (RFC 9110 7.2, RFC 3986 3.2.2): no user, path, query or blank."""


def check_headers(headers: Iterable[tuple[bytes, bytes]], version: str) -> None:
    """Check that there is exactly one host and that the end of the body is unambiguous.

    Args:
        headers: Headers with lower-case names.
        version: HTTP version.

    Raises:
        RefusedError: The headers are not valid.
    """
    if version not in {"1.0", "1.1"}:
        raise RefusedError(refusals.BAD_VERSION)
    hosts = 0
    for name, value in headers:
        if name == b"host":
            hosts += 1
            if HOST.fullmatch(value.strip(b" \t")) is None:
                raise RefusedError(refusals.BAD_HOST)
        elif name == b"transfer-encoding" and (version == "1.0" or value.strip().lower() != b"chunked"):
            raise RefusedError(refusals.BAD_CODING)
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        raise RefusedError(refusals.BAD_HOST)


def read_target(target: bytes) -> tuple[str, bytes]:
    """Return the path (still encoded) and query of a request target; the host of an absolute URL is ignored.

    Raises:
        RefusedError: The target contains a user or another scheme.
        httptools.HttpParserError: The target is malformed.
    """
    parts: Any = httptools.parse_url(target)  # its types promise parts that may be missing
    if parts.userinfo is not None or parts.schema not in {None, b"http", b"https"}:
        raise RefusedError(refusals.BAD_TARGET)
    return (parts.path or b"/").decode("ascii"), parts.query or b""
