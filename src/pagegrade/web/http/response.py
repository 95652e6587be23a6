"""Responses: Starlette's, with a body of bytes and headers as pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.responses import Response as StarletteResponse
from starlette.types import Receive, Scope, Send

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
            content: The body.
            status_code: HTTP status.
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
