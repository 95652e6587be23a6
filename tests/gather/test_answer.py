from __future__ import annotations

import asyncio
import errno
import gzip

import pycurl
import pytest

from pagegrade.gather.answer import explain_curl, explain_timeout, verify_result, verify_word
from pagegrade.gather.exchange import FetchError, Request
from pagegrade.gather.guard import Guard
from pagegrade.gather.http import HTTPClient
from tests.gather.scripted import (
    FAST,
    HEAD,
    OK,
    OWN,
    PATIENT,
    Names,
    Script,
    answer,
    dripping,
    failure,
    resetting,
    serving,
    silent,
)


@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        (resetting(b""), "connect", "conn_reset"),
        (resetting(HEAD), "connect", "conn_reset"),
        (resetting(HEAD + b"Content-Length: 20\r\n\r\n"), "connect", "conn_reset"),
        (silent, "timeout", "headers_timeout"),
        (dripping(b"", HEAD + b"X: y\r\n" * 50), "timeout", "headers_timeout"),
    ],
    ids=["reset_at_once", "reset_in_head", "reset_before_body", "silent", "dripping_head"],
)
def test_no_answer_says_why(script: Script, code: str, reason: str) -> None:
    """Rows E01, E03, E05."""
    error = failure(script, limits=FAST if code == "timeout" else PATIENT)

    assert (error.code, error.reason) == (code, reason)


def test_a_refused_connection_says_so() -> None:
    """Row E01: nothing listens."""

    async def main() -> FetchError:
        async with serving(OK) as server:
            port = server.port
        async with HTTPClient(guard=Guard(OWN), resolver=Names()) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"http://site.com:{port}/"))
            return caught.value

    error = asyncio.run(main())

    assert (error.code, error.reason) == ("connect", "connect_refused")


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (10, "expired"),
        (9, "not_yet_valid"),
        (18, "self_signed"),
        (20, "untrusted"),
        (21, "incomplete_chain"),
        (23, "revoked"),
        (62, "wrong_host"),
        (1, "wrong_host"),
        (0, "wrong_host"),
        (7, "other"),
    ],
)
def test_verification_codes_have_words(given: int, word: str) -> None:
    """Those of the TLS artifact."""
    assert verify_word(verify_result(given)) == word


@pytest.mark.parametrize(
    ("connected", "handshaken", "in_headers", "reason"),
    [
        (False, False, True, "connect_timeout"),
        (True, False, True, "tls_error"),
        (True, True, True, "headers_timeout"),
        (True, True, False, "timeout_total"),
    ],
)
def test_a_time_out_says_what_was_missing(*, connected: bool, handshaken: bool, in_headers: bool, reason: str) -> None:
    """The first phase that did not come to its end."""
    error = explain_timeout(connected=connected, handshaken=handshaken, in_headers=in_headers)

    assert error.reason == reason


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ECONNREFUSED, "connect_refused"),
        (errno.ETIMEDOUT, "connect_timeout"),
        (errno.ENETUNREACH, "connect_unreachable"),
        (0, "connect_unreachable"),
    ],
)
def test_a_failed_connect_is_reported_without_the_address(number: int, reason: str) -> None:
    """The library's own text names it."""
    error = explain_curl(
        pycurl.E_COULDNT_CONNECT, "Failed to connect to 10.0.0.1", number, only_ipv6=True, has_head=False
    )

    assert error.reason == reason
    assert "10.0.0.1" not in str(error)
    assert error.not_gathered().code == "connect"


def test_an_ordinary_answer_is_measured() -> None:
    """Status, headers, body, sizes and timings of one exchange."""
    exchange = answer(OK)

    response = exchange.response

    assert (response.status, response.http_version, response.body) == (200, "HTTP/1.1", b"hi")
    assert response.headers == (("Content-Length", "2"),)
    assert (response.wire_bytes, response.header_bytes) == (2, len(OK) - 2)
    assert response.truncated is None
    assert response.notes == ()
    assert response.timings.dns_ms == 1.5
    assert response.timings.connect_ms is not None
    assert response.timings.tls_ms is None
    assert response.timings.total_ms > 0


def test_an_address_that_is_not_public_is_not_shown() -> None:
    """The loopback address stays inside, where the operator's own networks are allowed."""
    exchange = answer(OK)

    assert exchange.response.address is None
    assert exchange.dialed_address == "127.0.0.1"


@pytest.mark.parametrize(
    ("script", "body", "why"),
    [
        (HEAD + b"Content-Length: 20\r\n\r\nhi", b"hi", "connection"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", b"hi", "connection"),
        (resetting(HEAD + b"Content-Length: 20\r\n\r\nhi"), b"hi", "connection"),
    ],
    ids=["short", "no_last_chunk", "reset"],
)
def test_a_body_cut_off_by_the_server_is_kept(script: Script, body: bytes, why: str) -> None:
    """Rows E01, E17, E18."""
    response = answer(script).response

    assert (response.body, response.truncated) == (body, why)


def test_a_dripping_body_ends_at_the_time_limit_and_is_kept() -> None:
    """Row E06: each byte comes in time, the whole does not."""
    response = answer(
        dripping(HEAD + b"Content-Length: 1000\r\n\r\n", b"x" * 1_000), request={"timeout_s": 1.5}
    ).response

    assert response.truncated == "time"
    assert response.body.startswith(b"xx")


def test_a_coded_body_is_decoded() -> None:
    """Size on the wire and decoded body are both known."""
    coded = gzip.compress(b"hello " * 100)
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: " + str(len(coded)).encode() + b"\r\n\r\n"
    response = answer(head + coded).response

    assert response.body == b"hello " * 100
    assert response.wire_bytes == len(coded)
    assert response.content_encodings == ("gzip",)


@pytest.mark.parametrize(
    ("coding", "body", "truncated", "note"),
    [
        (b"gzip", gzip.compress(bytes(30_000_000), mtime=0), "limit", "decode_bomb"),
        (b"gzip", gzip.compress(b"hello" * 100, mtime=0)[:-20], "coding", "truncated_stream"),
        (b"gzip", gzip.compress(b"hello", mtime=0) + b"junk", None, "trailing_garbage"),
        (b"gzip", b"plain text", "coding", "plain_body"),
        (b"foo", b"???", None, "no_coding"),
        (b"compress", b"???", None, "no_coding"),
        (b"gzip, gzip, gzip", b"???", "coding", "too_many_codings"),
    ],
)
def test_odd_codings_are_data(coding: bytes, body: bytes, truncated: str | None, note: str) -> None:
    """Rows F01, F04, F06 to F09 as they come out of the client."""
    head = HEAD + b"Content-Encoding: " + coding + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n"
    response = answer(head + body).response

    assert (response.truncated, response.notes) == (truncated, (note,))
    assert len(response.body) <= 20_000_000
