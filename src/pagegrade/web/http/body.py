"""Read request bodies: check the media type and the length, and parse the fields."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final

from pagegrade.web.http.forms import parse_json_object, parse_multipart, parse_pairs, parse_parameters
from pagegrade.web.problems import Rejected, bad_request

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
MAX_BYTES: Final = 65_536
MAX_BYTES_ON_LOOP: Final = 8_192
"""A longer body is parsed in a thread: the most expensive one takes about 1 ms for so many bytes."""
MAX_SECONDS: Final = 15.0
"""Time for the body to arrive; a client that sends a byte now and then would hold the connection for nothing."""
MAX_SKIPPED_BYTES: Final = 16_777_216
"""The server skips a rejected body up to this declared length, so that the client can read the error. For a longer
body, or one of unknown length, it closes the connection."""
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
JSON: Final = "application/json"
MEDIA_TYPES: Final = (FORM, MULTIPART, JSON)
PAGE_MEDIA_TYPES: Final = (FORM, MULTIPART)
"""Media types of page forms. JSON is not among them: page forms may be longer than a JSON body, and parsing so much
JSON would block all other threads."""
CLOSE: Final = ("Connection", "close")


class ClientGone(Exception):
    """The client closed the connection before it got an answer."""


def read_media_type(
    method: str, content_type: str | None, content_encoding: str | None, accepted: Sequence[str] = MEDIA_TYPES
) -> tuple[str | None, bytes]:
    """Read the media type of a body from the request headers.

    Args:
        method: Request method; decides which header lists the accepted types.
        content_type: Header; ``None`` when it was not sent.
        content_encoding: Header; ``None`` when it was not sent.
        accepted: Media types; the first is that of forms.

    Returns:
        The media type, ``None`` when the header is missing, and the boundary of a multipart form.

    Raises:
        Rejected: The type is none of ``accepted``, the body is compressed or in another charset than UTF-8, or the
            header is malformed or too long.
    """
    if content_encoding and content_encoding.strip().lower() != "identity":
        raise Rejected(
            "unsupported_media_type",
            "Send the body as it is, without Content-Encoding.",
            headers=(("Accept-Encoding", "identity"),),
        )
    if content_type is None or not content_type.strip():
        return None, b""
    if content_type == FORM:
        return FORM, b""
    parsed = parse_parameters(content_type)
    if parsed is None:
        raise bad_request("The Content-Type cannot be read.")
    media_type, parameters = parsed
    if media_type not in accepted:
        raise _unsupported(method, f"Send the body as one of {', '.join(accepted)}.", accepted)
    if parameters.get("charset", "").lower() not in {"", "utf-8", "utf8"}:
        raise _unsupported(method, "Send the body in UTF-8.", accepted)
    boundary = parameters.get("boundary", "")
    if media_type == MULTIPART and not boundary:
        raise bad_request("The Content-Type of a multipart form needs its boundary.")
    return media_type, boundary.encode("latin-1", "replace")


async def read_body(receive: Receive, content_length: str | None, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Read the body and count its bytes while they arrive, whatever length was declared.

    Args:
        receive: Gives the next part of the request.
        content_length: Header; ``None`` when it was not sent.
        max_bytes: Maximum length of the body.

    Raises:
        Rejected: It is too long, or did not arrive in time.
        ClientGone: The client hung up.
    """
    declared = int(content_length) if content_length is not None and _is_length(content_length) else None
    if declared is not None and declared > max_bytes:
        raise _too_large(max_bytes, () if declared <= MAX_SKIPPED_BYTES else (CLOSE,))
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(MAX_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ClientGone
                piece: bytes = message.get("body", b"")
                size += len(piece)
                if size > max_bytes:
                    raise _too_large(max_bytes, (CLOSE,) if declared is None else ())
                pieces.append(piece)
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        raise Rejected(
            "bad_request", f"The body did not arrive within {MAX_SECONDS:g} seconds.", headers=(CLOSE,)
        ) from None


def parse_body(body: bytes, media_type: str | None, boundary: bytes) -> dict[str, Any]:
    """Parse the fields of a body.

    Args:
        body: As received.
        media_type: One of ``MEDIA_TYPES``; ``None`` is read as a form, because clients send forms without a type.
        boundary: Of a multipart form.

    Raises:
        Rejected: The body is malformed.
    """
    if media_type == JSON:
        return parse_json_object(body)
    if media_type == MULTIPART:
        return dict(parse_multipart(body, boundary)) if body else {}
    return dict(parse_pairs(body, "The form"))


async def parse_received(body: bytes, media_type: str | None, boundary: bytes) -> dict[str, Any]:
    """Parse like ``parse_body``, but parse long bodies in a thread, so that they do not block the event loop.

    Raises:
        Rejected: The body is malformed.
    """
    if len(body) <= MAX_BYTES_ON_LOOP:
        return parse_body(body, media_type, boundary)
    return await asyncio.to_thread(parse_body, body, media_type, boundary)


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(2**63))


def _unsupported(method: str, message: str, accepted: Sequence[str]) -> Rejected:
    listed = ", ".join(accepted)
    headers = [("Accept", listed)]
    if method in {"POST", "PATCH"}:
        headers.append((f"Accept-{method.title()}", listed))
    return Rejected("unsupported_media_type", message, headers=tuple(headers))


def _too_large(max_bytes: int, headers: tuple[tuple[str, str], ...]) -> Rejected:
    return Rejected("too_large", f"The body may have at most {max_bytes} bytes.", headers=headers)
