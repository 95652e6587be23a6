"""The artifact that an exchange becomes."""

from __future__ import annotations

import gzip

import pytest

from tests.gather.scripted import (
    HEAD,
    OK,
    Script,
    answer,
    dripping,
    resetting,
)


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
