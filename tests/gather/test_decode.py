from __future__ import annotations

import gzip
import hashlib
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.gather.decode import MAX_KNOWN, MAX_KNOWN_BYTES, BodyDecoder, HeaderReader, KnownLines, read_codings
from pagegrade.gather.exchange import Limits
from pagegrade.gather.held_bytes import HeldBytes, Hold
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


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def raw_deflate(data: bytes) -> bytes:
    """Deflate without the zlib wrapper, as some servers send it."""
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": zstd.compress,
}


def decode(
    coding: str, data: bytes, *, piece: int = 16_384, max_bytes: int = 20_000_000, keep_bytes: int | None = None
) -> BodyDecoder:
    """Feed ``data`` in pieces as a client would."""
    codings = read_codings([coding.removeprefix("raw ")])
    decoder = BodyDecoder(codings, max_bytes=max_bytes, keep_bytes=keep_bytes)
    for start in range(0, len(data), piece):
        if not decoder.feed(data[start : start + piece]):
            break
    decoder.finish()
    return decoder


@pytest.mark.parametrize("coding", ENCODERS)
@given(data=st.binary(max_size=5_000), piece=st.integers(1, 700))
def test_what_was_encoded_is_decoded_however_it_is_cut(coding: str, data: bytes, piece: int) -> None:
    """Pieces end anywhere, also inside magic numbers."""
    decoder = decode(coding, ENCODERS[coding](data), piece=piece)

    assert bytes(decoder.body) == data
    assert decoder.problem is None


@pytest.mark.parametrize("coding", ENCODERS)
def test_long_bodies_are_decoded(coding: str) -> None:
    """More than one step, with a ratio that honest text has."""
    data = b"".join(b"<p>paragraph %d of many</p>\n" % number for number in range(60_000))
    decoder = decode(coding, ENCODERS[coding](data))

    assert bytes(decoder.body) == data
    assert decoder.problem is None


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_bomb_is_stopped_early(coding: str) -> None:
    """Rows F01, F02, F03, F05: the ratio gives it away before the cap is reached."""
    decoder = decode(coding, ENCODERS[coding](bytes(64_000_000)))

    assert decoder.problem == "decode_bomb"
    assert len(decoder.body) < 20_000_000


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_a_bomb_inside_a_coding_is_stopped(coding: str) -> None:
    """Row F04: the inner stage does not get more than its share either."""
    decoder = decode(f"{coding}, gzip", gzip.compress(ENCODERS[coding](bytes(64_000_000))))

    assert decoder.problem == "decode_bomb"


def test_an_honest_body_beyond_the_cap_is_cut_exactly() -> None:
    """Row F12: the cap is not a bomb."""
    data = bytes(range(256)) * 40
    decoder = decode("gzip", gzip.compress(data), max_bytes=10_001)

    assert (len(decoder.body), decoder.problem) == (10_001, "limit")


def test_an_uncoded_body_obeys_the_cap() -> None:
    """No coding at all."""
    decoder = decode("", b"x" * 30_000, max_bytes=20_000)

    assert (len(decoder.body), decoder.problem, decoder.removed) == (20_000, "limit", ())


@pytest.mark.parametrize("coding", ["", *ENCODERS])
def test_first_bytes_are_kept_and_no_more(coding: str) -> None:
    """Decoding stops without a problem when there is enough."""
    data = bytes(range(256)) * 1_000
    encode = ENCODERS.get(coding, bytes)
    decoder = decode(coding, encode(data), keep_bytes=1_000)

    assert bytes(decoder.body) == data[:1_000]
    assert decoder.problem is None


@pytest.mark.parametrize("piece", [3, 16_384])
def test_a_second_gzip_member_is_skipped_as_browsers_skip_it(piece: int) -> None:
    """Although RFC 1952 2.2 allows a stream of several."""
    decoder = decode("gzip", gzip.compress(b"one") + gzip.compress(b"two"), piece=piece)

    assert (bytes(decoder.body), decoder.problem) == (b"one", "trailing_garbage")


def test_zstd_frames_follow_each_other_and_some_are_skipped() -> None:
    """RFC 8878 3.1: frames and frames to skip."""
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    decoder = decode("zstd", zstd.compress(b"one ") + skipped + zstd.compress(b"two"), piece=3)

    assert bytes(decoder.body) == b"one two"
    assert decoder.problem is None
    assert decode("zstd", zstd.compress(b"") * 1_024).problem is None
    assert decode("zstd", zstd.compress(b"") * 1_025).problem == "decode_bomb"


def test_a_window_of_more_than_eight_mebibytes_is_refused() -> None:
    """RFC 9659: the sender decides how much memory we need, up to here."""
    data = bytes(range(251)) * 80_000
    options: dict[int, int] = {zstd.CompressionParameter.window_log: 25, zstd.CompressionParameter.content_size_flag: 0}
    squeeze = zstd.ZstdCompressor(options=options)
    decoder = decode("zstd", squeeze.compress(data) + squeeze.flush())

    assert decoder.problem == "corrupt"


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_truncated_stream_is_distinguished_from_a_whole_one(coding: str) -> None:
    """Row F07: what came is kept."""
    data = bytes(range(256)) * 200
    coded = ENCODERS[coding](data)
    decoder = decode(coding, coded[: len(coded) - 6])

    assert decoder.problem == "truncated_stream"
    assert data.startswith(bytes(decoder.body))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "raw deflate"])
def test_trailing_garbage_leaves_the_body_whole(coding: str) -> None:
    """Row F08."""
    decoder = decode(coding, ENCODERS[coding](b"hello") + b"garbage")

    assert bytes(decoder.body) == b"hello"
    assert decoder.problem == "trailing_garbage"


def test_what_follows_a_zstd_frame_and_is_none_breaks_the_body() -> None:
    """As in browsers."""
    assert decode("zstd", zstd.compress(b"hello") + b"garbage").problem == "corrupt"


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_that_is_not_coded_is_kept_as_it_is(coding: str) -> None:
    """Row F06: the declaration is wrong, the bytes are the page."""
    page = b"<!doctype html><title>Plain</title>" * 1_000
    decoder = decode(coding, page, piece=1_000)

    assert bytes(decoder.body) == page
    assert decoder.problem == "plain_body"
    assert decoder.removed == ()


@pytest.mark.parametrize("coding", ENCODERS)
@given(data=st.binary(min_size=1, max_size=300), piece=st.integers(1, 50))
def test_no_bytes_raise(coding: str, data: bytes, piece: int) -> None:
    """Whatever comes is data or a problem."""
    decoder = decode(coding, data, piece=piece)

    assert len(decoder.body) <= 1_000_000


@pytest.mark.parametrize(
    ("values", "codings"),
    [
        ([], ()),
        (["identity"], ()),
        (["GZIP"], ("gzip",)),
        (["x-gzip"], ("gzip",)),
        (["gzip, br"], ("gzip", "br")),
        ([" gzip ,, ", "zstd"], ("gzip", "zstd")),
        (["identity, identity"], ()),
        (["gzip, identity"], ("gzip", "identity")),
    ],
)
def test_codings_are_read_in_order(values: list[str], codings: tuple[str, ...]) -> None:
    """Row F09."""
    assert read_codings(values) == codings


@pytest.mark.parametrize(
    ("coding", "problem"),
    [("gzip, identity", "unknown_coding"), ("gzip, utf-8", "unknown_coding"), ("gzip, gzip, gzip", "too_many_codings")],
)
def test_codings_that_are_not_removed_are_named(coding: str, problem: str) -> None:
    """Rows F04, F09: nothing is decoded, reading on is not an error."""
    decoder = BodyDecoder(read_codings([coding]), max_bytes=1_000)
    goes_on = decoder.feed(b"anything")
    decoder.finish()

    assert goes_on
    assert decoder.problem == problem
    assert decoder.body == b""


@pytest.mark.parametrize(
    "coding", ["UTF-8", "aws-chunked", "none", "binary, utf-8", "compress", "dcb", "\u0437\u0438\u043f"]
)
def test_words_that_are_no_coding_of_browsers_leave_the_body_as_it_came(coding: str) -> None:
    """Browsers show such a page, and the wrong word is reported."""
    decoder = BodyDecoder(read_codings([coding]), max_bytes=1_000)
    goes_on = decoder.feed(b"<!doctype html>") and decoder.feed(b"<p>x")
    decoder.finish()

    assert goes_on
    assert (decoder.problem, decoder.removed) == ("no_coding", ())
    assert decoder.body == b"<!doctype html><p>x"


def test_an_empty_body_has_no_problem() -> None:
    """HEAD and 304 carry the header without a body."""
    assert decode("gzip", b"").problem is None


@pytest.mark.parametrize("coding", ENCODERS)
@given(data=st.binary(max_size=5_000), keep=st.integers(0, 6_000), budget=st.integers(0, 6_000))
def test_a_survey_counts_and_hashes_everything_whatever_it_stores(
    coding: str, data: bytes, keep: int, budget: int
) -> None:
    """Neither the bytes wanted nor the memory there is changes what is known of the whole."""
    held = HeldBytes(budget)
    decoder = BodyDecoder(
        read_codings([coding.removeprefix("raw ")]), max_bytes=10_000, keep_bytes=keep, hold=Hold(held), survey=True
    )
    decoder.feed(ENCODERS[coding](data))
    decoder.finish()

    assert (decoder.decoded_bytes, decoder.problem) == (len(data), None)
    assert decoder.digest == (hashlib.sha256(data).hexdigest()[:32] if data else "")
    assert bytes(decoder.body) == data[: len(decoder.body)]
    assert len(decoder.body) == held.held_bytes <= min(keep, budget)


@pytest.mark.parametrize(("size", "problem"), [(1_000, None), (1_001, "limit")])
def test_a_body_ends_where_the_memory_of_the_run_does(size: int, problem: str | None) -> None:
    """At the limit it is whole; one byte more, and it is cut off like one beyond its own cap."""
    decoder = BodyDecoder((), max_bytes=10_000, hold=Hold(HeldBytes(1_000)))
    for _ in range(size):
        decoder.feed(b"x")

    assert decoder.problem == problem
    assert len(decoder.body) == 1_000
