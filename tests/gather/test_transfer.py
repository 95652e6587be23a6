"""Bytes that go over the wire, and bytes that callbacks keep."""

from __future__ import annotations

import gzip
import socket
from dataclasses import replace

import pytest

from pagegrade.gather import guard
from pagegrade.gather.exchange import Followed, Request
from pagegrade.gather.transfer import request_headers
from tests.gather.scripted import (
    HEAD,
    OK,
    OWN,
    answer,
    endless,
    failure,
    fetch,
    redirect,
)


def test_the_wire_carries_the_fixed_headers_and_nothing_else() -> None:
    """No cookie, no credentials, nothing from the environment."""
    _, server = fetch(OK, request={"referer": "https://site.com/"})

    lines = server.requests[0].decode().split("\r\n")
    wanted = request_headers(Request(url="http://site.com/", referer="https://site.com/"))

    assert lines == ["GET / HTTP/1.1", f"Host: site.com:{server.port}", *wanted, "", ""]


def test_the_user_agent_is_that_of_the_policy() -> None:
    """A service names its own page."""
    policy = replace(OWN, user_agent="Pagegrade/1 (+https://reports.example.org/robot)")
    _, server = fetch(OK, policy=policy)

    assert b"\r\nUser-Agent: Pagegrade/1 (+https://reports.example.org/robot)\r\n" in server.requests[0]


@pytest.mark.parametrize(
    ("validator", "line"),
    [
        ('W/"a b"', b'If-None-Match: W/"a b"'),
        ("Mon, 05 Jan 2026 12:00:00 GMT", b"If-Modified-Since: Mon, 05 Jan 2026 12:00:00 GMT"),
    ],
)
def test_who_has_an_answer_asks_whether_it_has_changed(validator: str, line: bytes) -> None:
    """An answer 304 has no body that is waited for; a redirect leads to another resource, which is asked for whole."""
    known, server = fetch(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 900\r\n\r\n", request={"validator": validator})

    assert isinstance(known, Followed)
    assert (known.response.status, known.response.body, known.response.truncated) == (304, b"", None)
    assert line in server.requests[0].split(b"\r\n")

    _, server = fetch(redirect(b"/b"), OK, request={"validator": validator}, follow=True)

    assert [line in request for request in server.requests] == [True, False]


def test_environment_proxies_have_no_influence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy named by the environment is not contacted."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert answer(OK).response.status == 200


def test_a_socket_to_an_address_that_was_not_checked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look before the kernel, should libcurl ever dial an address that it was not given."""
    monkeypatch.setattr(guard, "_pinned", lambda host, port, _: [f"{host}:{port}:127.0.0.2"])
    error = failure(OK)

    assert (error.code, error.reason) == ("address_not_allowed", "target_refused")


def test_head_brings_no_body() -> None:
    """HEAD is sent as such and its Content-Length is not waited for."""
    result, server = fetch(HEAD + b"Content-Length: 5000\r\n\r\n", request={"method": "HEAD"})

    assert isinstance(result, Followed)
    assert result.response.body == b""
    assert result.response.truncated is None
    assert server.requests[0].startswith(b"HEAD / ")


def test_a_body_beyond_the_wire_limit_is_cut_exactly() -> None:
    """Row E08."""
    response = answer(endless(HEAD + b"\r\n", b"a" * 65_536), request={"max_wire_bytes": 100_001}).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (100_001, 100_001, "limit")


def test_kept_bytes_are_cut_and_the_rest_is_counted() -> None:
    """An image's first bytes are stored, its size is still known."""
    whole = b"x" * 50_000
    response = answer(HEAD + b"Content-Length: 50000\r\n\r\n" + whole, request={"keep_bytes": 100}).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (100, 50_000, None)


def test_the_body_of_a_redirect_is_not_decoded() -> None:
    """Row D13: a bomb in a redirect costs nothing."""
    bomb = gzip.compress(bytes(3_000_000))
    head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Encoding: gzip\r\nContent-Length: "
    result, _ = fetch(head + str(len(bomb)).encode() + b"\r\n\r\n" + bomb, OK, follow=True)

    assert isinstance(result, Followed)
    assert (result.hops[0].body, result.hops[0].truncated) == (b"", None)


def test_an_endless_body_of_a_redirect_is_not_read() -> None:
    """Row D13: it is left after 64 kB, well before the wire limit."""
    head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n"
    result, _ = fetch(endless(head, b"a" * 8_192), OK, follow=True)

    assert isinstance(result, Followed)
    assert (result.hops[0].wire_bytes or 0) < 200_000


def test_a_mistake_inside_a_callback_is_an_internal_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is neither printed nor mistaken for the server's fault."""

    def broken(*_: object) -> bool:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("pagegrade.gather.decode.BodyDecoder.feed", broken)
    error = failure(OK)

    assert error.code == "internal"
    assert isinstance(error.__cause__, RuntimeError)


@pytest.mark.skipif(not hasattr(socket, "TCP_INFO"), reason="only Linux reports how much arrived")
def test_bytes_without_end_that_are_no_body_are_noticed() -> None:
    """Row E09: a chunk extension that never ends is not waited for until the time is over."""
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n5;"
    error = failure(endless(head, b"a" * 65_536), request={"max_wire_bytes": 100_000})

    assert error.reason == "http_protocol"
