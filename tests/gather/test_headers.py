"""Heads of answers: what is read, what is noted, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.gather.exchange import Limits
from pagegrade.gather.headers import MAX_KNOWN, MAX_KNOWN_BYTES, HeaderReader, KnownLines
from tests.gather.scripted import (
    HEAD,
    OK,
    Script,
    answer,
    endless,
    failure,
)

NOT_HTTP: dict[str, Script] = {
    "nothing": b"",
    "http_0_9": b"<html>no head at all</html>",
    "icy": b"ICY 200 OK\r\n\r\nx",
    "http_2_0": b"HTTP/2.0 200 OK\r\n\r\nx",
    "http_2_in_clear": b"HTTP/2 200\r\n\r\nx",
    "status_99": b"HTTP/1.1 99 Low\r\n\r\n",
    "status_1000": b"HTTP/1.1 1000 High\r\n\r\n",
    "status_700": b"HTTP/1.1 700 High\r\nContent-Length: 0\r\n\r\n",
    "status_abc": b"HTTP/1.1 abc OK\r\n\r\n",
    "two_lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
    "negative_length": HEAD + b"Content-Length: -2\r\n\r\nhi",
    "plus_length": HEAD + b"Content-Length: +2\r\n\r\nhi",
    "huge_length": HEAD + b"Content-Length: 99999999999999999999\r\n\r\nhi",
    "blank_before_colon": HEAD + b"Content-Length : 2\r\n\r\nhi",
    "unknown_transfer_coding": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "identity_after_chunked": HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "chunk_size_zz": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n",
    "chunk_size_0x5": HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhi\r\n0\r\n\r\n",
    "switching_protocols": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxx",
    "nul_in_header": HEAD + b"X: a\0b\r\nContent-Length: 2\r\n\r\nhi",
    "no_colon": HEAD + b"Foo\r\nContent-Length: 2\r\n\r\nhi",
    "tls_alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "too_many_headers": HEAD + b"Set-Cookie: a=b\r\n" * 300 + b"\r\n",
    "too_many_interim": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 11 + OK,
    "endless_header": endless(HEAD + b"X: ", b"a" * 8_192),
    "endless_headers": endless(HEAD, b"X: a\r\n" * 50),
    "endless_status": endless(b"HTTP/1.1 200 ", b"a" * 8_192),
    "endless_interim": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 5),
}


LINES = (
    b"Server: a\r\n",
    b"server: a\r\n",
    b"X: caf\xe9\r\n",
    b"X: a\n",
    b" folded\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 6\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Encoding: gzip\r\n",
    b"Location: /a\r\n",
    b"no colon\r\n",
)
"""Lines that are remembered, and lines that must not be."""


@pytest.mark.parametrize("script", NOT_HTTP.values(), ids=NOT_HTTP.keys())
def test_what_is_not_proper_http_is_refused(script: Script) -> None:
    """Rows E04, E07, E10 to E12, E15 to E17, E19, E21, E23."""
    assert failure(script).reason == "http_protocol"


@pytest.mark.parametrize(
    ("script", "note"),
    [
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", "bare_line_feed"),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "no_reason_phrase"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK, "early_hints"),
        (
            HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            "length_and_chunked",
        ),
    ],
)
def test_tolerated_oddities_are_noted(script: bytes, note: str) -> None:
    """Rows E13, E14, E22: the answer is used and says what was odd."""
    response = answer(script).response

    assert response.body == b"hi"
    assert response.notes == (note,)


def test_control_bytes_in_headers_are_escaped() -> None:
    """Row E21: bytes beyond ASCII are kept as Latin-1, control bytes can do nothing."""
    response = answer(HEAD + b"X: caf\xe9 \x07\r\nContent-Length: 2\r\n\r\nhi").response

    assert response.header("x") == "café \\x07"


def read(*lines: bytes, limits: Limits | None = None) -> tuple[HeaderReader, str | None]:
    """Feed lines up to the first that is refused."""
    reader = HeaderReader(limits or Limits())
    for line in lines:
        problem = reader.feed(line)
        if problem is not None:
            return reader, problem
    return reader, None


def test_folded_lines_are_joined() -> None:
    """RFC 9112 5.2: where the library does not do so already."""
    reader, problem = read(b"HTTP/1.1 200 OK\r\n", b"X: a\r\n", b"\t b\r\n", b"\r\n")

    assert problem is None
    assert reader.headers == [("X", "a b")]
    assert reader.notes == ["folded_header"]


def test_interim_answers_leave_nothing_behind() -> None:
    """Only the headers of the answer count, the bytes of all do."""
    lines = (b"HTTP/1.1 103 Early Hints\r\n", b"Link: x\r\n", b"\r\n", b"HTTP/1.1 204 None\r\n", b"A: b\r\n", b"\r\n")
    reader, _ = read(*lines)

    assert (reader.status, reader.headers, reader.complete) == (204, [("A", "b")], True)
    assert reader.size == sum(map(len, lines))


@pytest.mark.parametrize(
    ("limits", "accepted", "refused"),
    [
        (Limits(header_count=2), [b"A: b\r\n"] * 2, [b"A: b\r\n"] * 3),
        (Limits(header_line_bytes=20), [b"A: " + b"b" * 15 + b"\r\n"], [b"A: " + b"b" * 16 + b"\r\n"]),
        (Limits(header_block_bytes=29), [b"A: bbbb\r\n"], [b"A: bbbbbbbbb\r\n"]),
    ],
    ids=["count", "line", "block"],
)
def test_limits_are_exact(limits: Limits, accepted: list[bytes], refused: list[bytes]) -> None:
    """At the limit, and one beyond."""
    status = b"HTTP/1.1 200 OK\r\n"

    assert read(status, *accepted, limits=limits)[1] is None
    assert read(status, *refused, limits=limits)[1] is not None


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_no_line_raises(lines: list[bytes]) -> None:
    """Whatever a server says is a head or a problem."""
    reader, _ = read(b"HTTP/1.1 200 OK\r\n", *lines)

    assert all("\n" not in value and "\x00" not in value for _, value in reader.headers)


@given(st.lists(st.lists(st.sampled_from(LINES), max_size=8), max_size=4))
def test_lines_that_are_known_are_read_as_if_they_were_new(heads: list[list[bytes]]) -> None:
    """One answer changes nothing about how the next one is read."""
    known: KnownLines = {}
    for lines in heads:
        whole = [b"HTTP/1.1 200 OK\r\n", *lines, b"\r\n"]
        remembering, forgetting = HeaderReader(Limits(), known), HeaderReader(Limits())

        assert [remembering.feed(line) for line in whole] == [forgetting.feed(line) for line in whole]
        assert remembering.headers == forgetting.headers
        assert remembering.content_encodings == forgetting.content_encodings
        assert (remembering.size, remembering.notes, remembering.locations) == (
            forgetting.size,
            forgetting.notes,
            forgetting.locations,
        )


def test_no_more_lines_are_remembered_than_there_is_room_for() -> None:
    """A site that never repeats itself costs no memory for it, and neither does a long line."""
    known: KnownLines = {}
    for number in range(MAX_KNOWN):
        reader = HeaderReader(Limits(), known)
        for line in (b"HTTP/1.1 200 OK\r\n", b"A: " + b"b" * MAX_KNOWN_BYTES + b"\r\n", b"X: %d\r\n" % number):
            assert reader.feed(line) is None
    full = set(known)
    read = HeaderReader(Limits(), known)
    read.feed(b"HTTP/1.1 200 OK\r\n")
    read.feed(b"Y: one more\r\n")

    assert full == {b"X: %d\r\n" % number for number in range(MAX_KNOWN)}
    assert set(known) == full
    assert read.headers == [("Y", "one more")]
