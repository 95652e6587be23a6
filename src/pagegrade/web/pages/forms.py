"""Read the forms and queries of pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pagegrade.web.http.body import MAX_BYTES, MULTIPART, PAGE_MEDIA_TYPES, parse_received, read_body, read_media_type
from pagegrade.web.http.forms import parse_pairs, parse_upload
from pagegrade.web.request import Request


async def read_form(request: Request, *, max_bytes: int = MAX_BYTES) -> Mapping[str, str]:
    """Return the fields of a form by name, as typed; the last of several with one name counts.

    Args:
        request: The request.
        max_bytes: Maximum length of the body.

    Raises:
        Rejected: The body is not a form, or too large.
        ClientGone: The browser disconnected.
    """
    content_type, content_encoding = request.header(b"content-type"), request.header(b"content-encoding")
    kind, boundary = read_media_type(request.method, content_type, content_encoding, PAGE_MEDIA_TYPES)
    body = await read_body(request.receive, request.header(b"content-length"), max_bytes=max_bytes)
    fields = await parse_received(body, kind, boundary)
    return {name: value for name, value in fields.items() if isinstance(value, str)}


async def read_upload(request: Request, file: str, *, max_bytes: int) -> tuple[Mapping[str, str], bytes]:
    """Return the fields of a form, and the bytes of its file, which are empty if none was chosen.

    Args:
        request: The request.
        file: Name of the field with the file.
        max_bytes: Maximum length of the body.

    Raises:
        Rejected: The body is not a form, has another file, or is too large.
        ClientGone: The browser disconnected.
    """
    content_type, content_encoding = request.header(b"content-type"), request.header(b"content-encoding")
    kind, boundary = read_media_type(request.method, content_type, content_encoding, PAGE_MEDIA_TYPES)
    body = await read_body(request.receive, request.header(b"content-length"), max_bytes=max_bytes)
    # Long bodies are parsed in a thread, so that they do not block the event loop.
    if kind == MULTIPART and body:
        return await asyncio.to_thread(parse_upload, body, boundary, file)
    return await asyncio.to_thread(parse_pairs, body, "The form"), b""


def read_query(request: Request) -> Mapping[str, str]:
    """Return the query parameters of a page by name, as typed; the last of several with one name counts.

    Raises:
        Rejected: The query is not UTF-8, or contains a NUL.
    """
    return parse_pairs(request.target.partition("?")[2].encode("latin-1"), "The query")
