"""Responses as the server gets them."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Standing
from pagegrade.web.http.response import (
    Response,
    encode_headers,
    origin_headers,
    preflight_headers,
    rate_headers,
    standing_headers,
)


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


ANY = ServiceOptions()
FEW = ServiceOptions(cors_origins=("https://app.example.org",), hsts=True)


def test_headers_are_bytes_in_lower_case() -> None:
    """As ASGI wants them."""
    assert encode_headers([("X-Ab", "é")]) == [(b"x-ab", b"\xe9")]


def test_every_answer_is_guarded() -> None:
    """Whatever it is and wherever it is opened."""
    for api in (True, False):
        headers = dict(standing_headers(ANY, api=api))

        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert headers[b"cross-origin-opener-policy"] == b"same-origin"
        assert headers[b"x-frame-options"] == b"DENY"
        assert b"strict-transport-security" not in headers


def test_only_the_interface_is_for_other_origins() -> None:
    """Pages are not."""
    headers = dict(standing_headers(ANY, api=False))

    assert not {b"access-control-allow-origin", b"vary"} & set(headers)


def test_a_setting_narrows_who_may_read() -> None:
    """Then only these origins are named, and only to themselves."""
    headers = dict(standing_headers(FEW, api=True))

    assert b"access-control-allow-origin" not in headers
    assert headers[b"strict-transport-security"] == b"max-age=31536000; includeSubDomains"
    assert origin_headers(FEW, "https://app.example.org") == (
        (b"access-control-allow-origin", b"https://app.example.org"),
    )
    assert origin_headers(FEW, "https://evil.example") == ()
    assert origin_headers(FEW, None) == ()
    assert origin_headers(ANY, "https://evil.example") == ()


def test_credentials_are_never_allowed() -> None:
    """Cookies mean nothing here, and must not be sent along by a page."""
    named = [name for name, _ in (*standing_headers(ANY, api=True), *encode_headers(preflight_headers("GET")))]

    assert b"access-control-allow-credentials" not in named


def test_limits_are_sent_in_both_forms() -> None:
    """The draft's, policy by policy, and the older one for requests."""
    standings = [("requests", Standing(True, 120, 119, 31)), ("analyses", Standing(True, 30, 2, 60))]  # noqa: FBT003

    assert dict(rate_headers(standings)) == {
        b"ratelimit-policy": b'"requests";q=120;w=60, "analyses";q=30;w=60',
        b"ratelimit": b'"requests";r=119;t=31, "analyses";r=2;t=60',
        b"x-ratelimit-limit": b"120",
        b"x-ratelimit-remaining": b"119",
    }
