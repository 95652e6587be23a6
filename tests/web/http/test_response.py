"""Responses as the server gets them."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pagegrade.web.http.response import Response


def sent(response: Response, method: str = "GET") -> tuple[dict[bytes, bytes], bytes]:
    """(headers, body) that the server sends."""
    messages: list[MutableMapping[str, Any]] = []

    async def send(message: MutableMapping[str, Any]) -> None:
        messages.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.disconnect"}

    asyncio.run(response({"type": "http", "method": method}, receive, send))
    start, body = messages
    return dict(start["headers"]), body["body"]


def test_a_response_has_its_length_type_and_headers() -> None:
    """Names in lower case; one that occurs twice is sent twice."""
    response = Response(b"{}", 201, headers=(("Set-Cookie", "a=b"), ("Set-Cookie", "c=d")))
    headers, body = sent(response)

    assert (headers[b"content-length"], headers[b"content-type"], body) == (b"2", b"application/json", b"{}")
    assert response.headers.getlist("set-cookie") == ["a=b", "c=d"]


def test_a_response_to_head_keeps_the_length_of_the_body() -> None:
    """And sends none of it."""
    headers, body = sent(Response(b"{}"), "HEAD")

    assert (headers[b"content-length"], body) == (b"2", b"")


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_neither_type_nor_length(status: int) -> None:
    """RFC 9110 8.6."""
    headers, body = sent(Response(status_code=status, headers=(("ETag", '"a"'),)))

    assert (headers, body) == ({b"etag": b'"a"'}, b"")


def test_a_replaced_body_has_its_own_length() -> None:
    """The type stays."""
    response = Response(b"long enough")
    response.replace_body(b"short")

    assert sent(response) == ({b"content-length": b"5", b"content-type": b"application/json"}, b"short")
