"""What the head of a request must look like beyond what the parser sees to.

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
"""Characters of ``uri-host [":" port]`` (RFC 9110 7.2, RFC 3986 3.2.2): no user, path, query or blank among them."""


def check_headers(headers: Iterable[tuple[bytes, bytes]], version: str) -> None:
    """See that there is one host, and that everybody agrees where the body ends.

    Args:
        headers: Names in small letters.
        version: Of HTTP.

    Raises:
        RefusedError: It is not so.
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
    """Path (still encoded) and query of a request target; of a whole URL only these count, never its host.

    Raises:
        RefusedError: It names a user or another scheme.
        httptools.HttpParserError: It is no target at all.
    """
    parts: Any = httptools.parse_url(target)  # its types promise parts that may be missing
    if parts.userinfo is not None or parts.schema not in {None, b"http", b"https"}:
        raise RefusedError(refusals.BAD_TARGET)
    return (parts.path or b"/").decode("ascii"), parts.query or b""
