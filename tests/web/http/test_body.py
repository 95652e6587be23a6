from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pagegrade.web.http import body as module
from pagegrade.web.http.body import (
    FORM,
    JSON,
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_PAIRS,
    MAX_PARTS,
    MAX_SKIPPED_BYTES,
    MULTIPART,
    ClientGone,
    parse_body,
    parse_json_object,
    parse_multipart,
    parse_pairs,
    parse_parameters,
    parse_upload,
    read_body,
    read_media_type,
)
from pagegrade.web.problems import Rejected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text/html", ("text/html", {})),
        (" Text/HTML ; Charset=UTF-8", ("text/html", {"charset": "UTF-8"})),
        ("application/json;", ("application/json", {})),
        ("a/b;;x=1 ; y=2;", ("a/b", {"x": "1", "y": "2"})),
        ('a/b; x="1; y=2"; z', ("a/b", {"x": "1; y=2", "z": ""})),
        (r'a/b; x="a\"b\\c"', ("a/b", {"x": r"a\"b\c".replace(r"\"", '"')})),
        ("a/b; x=1; X=2", ("a/b", {"x": "1"})),
        ("a/b; x=", ("a/b", {"x": ""})),
        ('form-data; name="größe"', ("form-data", {"name": "größe"})),
        ("form-data; filename*=utf-8''a", ("form-data", {"filename*": "utf-8''a"})),
    ],
)
def test_parameters_are_read(text: str, expected: tuple[str, dict[str, str]]) -> None:
    """Names in any case, values quoted or not (RFC 9110 5.6.6), empty ones as many clients send them."""
    assert parse_parameters(text) == expected


@pytest.mark.parametrize(
    "text", ["", ";a=1", "a/b/c", 'a/b; x="1', 'a/b; x="1"2', "a/b x", "a/b; =1", "a/b; x y", "a/b, c/d", "a/b; x=a b"]
)
def test_what_is_malformed_is_not_guessed(text: str) -> None:
    """Two readers that repair it differently would see two messages."""
    assert parse_parameters(text) is None


def test_length_is_bounded() -> None:
    """At the limit, and one past it."""
    start = "a/b; x="

    assert parse_parameters(start + "y" * (MAX_CHARACTERS - len(start))) is not None
    assert parse_parameters(start + "y" * (MAX_CHARACTERS - len(start) + 1)) is None


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", {}),
        (b"&&", {}),
        (b"a=1&b=2", {"a": "1", "b": "2"}),
        (b"a=1&a=2", {"a": "2"}),
        (b"a", {"a": ""}),
        (b"a=b=c", {"a": "b=c"}),
        (b"a=x+y%20z", {"a": "x y z"}),
        (b"a=%C3%A9%26", {"a": "é&"}),
        ("a=é".encode(), {"a": "é"}),
        (b"a=100%&b=%zz", {"a": "100%", "b": "%zz"}),
        (b"%61=1;b=2", {"a": "1;b=2"}),
    ],
)
def test_pairs_are_read_as_browsers_write_them(raw: bytes, expected: dict[str, str]) -> None:
    """The last of a name counts, and a percent sign that escapes nothing means itself."""
    assert parse_pairs(raw, "The query") == expected


@pytest.mark.parametrize("raw", [b"a=%ff", b"a=\xff", b"a=%00", b"%00=a", b"a=\x00", b"a=%ed%a0%80"])
def test_pairs_are_text(raw: bytes) -> None:
    """UTF-8 without NUL or halves of characters."""
    with pytest.raises(Rejected) as caught:
        parse_pairs(raw, "The query")

    assert caught.value.code == "bad_request"


@pytest.mark.parametrize("pair", [b"a=1", b"", b"a"])
def test_pairs_are_counted(pair: bytes) -> None:
    """As many as any form of ours has, and not as many as fit into a body."""
    assert len(parse_pairs(b"&".join(b"%d=1" % number for number in range(MAX_PAIRS)), "The form")) == MAX_PAIRS
    with pytest.raises(Rejected) as caught:
        parse_pairs(b"&".join([pair] * (MAX_PAIRS + 1)), "The form")

    assert caught.value.code == "bad_request"


def part(name: str, value: bytes, more: str = "") -> bytes:
    """One part of a form."""
    return f'--B\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"


END = b"--B--\r\n"


def test_multipart_fields_are_read() -> None:
    """As any client library sends them."""
    body = part("url", b"https://example.com/") + part("password", " é ".encode()) + part("privacy", b"") + END

    assert parse_multipart(body, b"B") == {"url": "https://example.com/", "password": " é ", "privacy": ""}


@pytest.mark.parametrize(
    "body",
    [
        part("a", b"1"),
        part("a", b"1") + b"--B",
        b"nonsense",
        END[:-4],
        part("a", b"\xff") + END,
        part("a", b"a\x00") + END,
        part("a", b"x", more='; filename="a.txt"') + END,
        part("a", b"1") * (MAX_PARTS + 1) + END,
        b"--B\r\nContent-Disposition: form-data\r\n\r\n1\r\n" + END,
    ],
    ids=range(9),
)
def test_broken_multipart_is_refused(body: bytes) -> None:
    """Cut off, not text, too many, files: nothing of it is guessed."""
    with pytest.raises(Rejected) as caught:
        parse_multipart(body, b"B")

    assert caught.value.code == "bad_request"


def test_json_objects_are_read() -> None:
    """With what JSON allows."""
    assert parse_json_object(b' {"a": 1, "b": "\\ud83d\\ude00", "c": [null, {"d": 1e5}]} ') == {
        "a": 1,
        "b": "\U0001f600",
        "c": [None, {"d": 1e5}],
    }


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a":1}x',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":\xff}',
        '{"a":1}'.encode("utf-16"),
        b"[]",
        b'"text"',
        b"null",
        b"1",
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":1,"a":2}',
        b'{"x":{"a":1,"a":2}}',
        b'{"a":"\\u0000"}',
        b'{"a":"\\ud800"}',
        b'{"a":["\\udfff"]}',
        b'{"\\u0000":1}',
        b'{"a":' + b"9" * 60_000 + b"}",
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"a":"\n"}',
        b"{'a':1}",
    ],
    ids=lambda body: body[:20],
)
def test_what_is_not_strictly_a_json_object_is_refused(body: bytes) -> None:
    """Parsers differ about each of these (RFC 8259); none of them may be an internal error."""
    with pytest.raises(Rejected) as caught:
        parse_json_object(body)

    assert caught.value.status == 400


def field(name: str, content: bytes, *, file: str | None = None) -> bytes:
    """A part of a multipart form with the boundary B."""
    named = "" if file is None else f'; filename="{file}"'
    return (
        b"--B\r\n" + f'Content-Disposition: form-data; name="{name}"{named}'.encode() + b"\r\n\r\n" + content + b"\r\n"
    )


def test_one_field_may_be_a_file() -> None:
    """Its bytes are taken as they are, whatever its name; without a file they are empty."""
    content = b"\x89PNG\r\n\x1a\n\0\xff"
    body = field("name", b"Acme") + field("logo", content, file="../../x\u202e.png".encode().decode("latin-1"))

    assert parse_upload(body + b"--B--\r\n", b"B", "logo") == ({"name": "Acme"}, content)
    assert parse_upload(field("logo", b"", file="") + b"--B--\r\n", b"B", "logo") == ({}, b"")


@pytest.mark.parametrize("name", ["other", ""])
def test_no_other_field_is_a_file(name: str) -> None:
    """Nor any at all where none is expected."""
    body = field(name, b"x", file="x.png") + b"--B--\r\n"
    for file in ("logo", ""):
        with pytest.raises(Rejected):
            parse_upload(body, b"B", file)


class Wire:
    """Hands out the pieces of a body, as a server does."""

    def __init__(self, *pieces: bytes, ends: bool = True) -> None:
        self._pieces = list(pieces)
        self._ends = ends
        self.asked = 0

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next event."""
        self.asked += 1
        if not self._pieces:
            return {"type": "http.disconnect"}
        piece = self._pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self._pieces) or not self._ends}


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        (None, (None, b"")),
        ("", (None, b"")),
        (FORM, (FORM, b"")),
        (f"{FORM}; charset=UTF-8", (FORM, b"")),
        (f"{FORM};charset=utf8", (FORM, b"")),
        ("Application/JSON", (JSON, b"")),
        ('application/json; charset="utf-8"', (JSON, b"")),
        ("multipart/form-data; boundary=abc", (MULTIPART, b"abc")),
        ('multipart/form-data; boundary="a b"', (MULTIPART, b"a b")),
    ],
)
def test_three_kinds_of_body_are_known(content_type: str | None, expected: tuple[str | None, bytes]) -> None:
    """By their media type; UTF-8 may be said."""
    assert read_media_type("POST", content_type, None) == expected


@pytest.mark.parametrize(
    ("method", "content_type", "encoding", "header"),
    [
        ("POST", "text/plain", None, "Accept-Post"),
        ("PATCH", "application/merge-patch+json", None, "Accept-Patch"),
        ("PUT", "text/html", None, "Accept"),
        ("POST", "nonsense", None, "Accept"),
        ("POST", "application/json; charset=utf-16", None, "Accept-Post"),
        ("POST", f"{FORM}; charset=iso-8859-1", None, "Accept-Post"),
        ("POST", FORM, "gzip", "Accept-Encoding"),
        ("POST", None, "br", "Accept-Encoding"),
    ],
)
def test_other_bodies_are_refused(method: str, content_type: str | None, encoding: str | None, header: str) -> None:
    """And the answer says what would be taken (RFC 9110 15.5.16)."""
    with pytest.raises(Rejected) as caught:
        read_media_type(method, content_type, encoding)

    assert caught.value.status == 415
    assert header in dict(caught.value.headers)


def test_identity_is_no_coding() -> None:
    """Some clients say that they did nothing."""
    assert read_media_type("POST", FORM, " Identity ") == (FORM, b"")


def test_a_multipart_form_needs_its_boundary() -> None:
    """Without it the body cannot be read."""
    with pytest.raises(Rejected, match="boundary"):
        read_media_type("POST", MULTIPART, None)


def test_a_body_is_read_to_its_end() -> None:
    """In pieces, up to the limit."""
    wire = Wire(b"a" * MAX_BYTES, b"")

    assert asyncio.run(read_body(wire, str(MAX_BYTES))) == b"a" * MAX_BYTES


def test_a_call_may_allow_a_longer_body() -> None:
    """Up to its own limit, and not a byte more, declared or not."""
    more = 2 * MAX_BYTES

    assert asyncio.run(read_body(Wire(b"a" * more), str(more), max_bytes=more)) == b"a" * more
    for declared in (None, str(more + 1)):
        with pytest.raises(Rejected, match=str(more)) as caught:
            asyncio.run(read_body(Wire(b"a" * (more + 1)), declared, max_bytes=more))

        assert caught.value.status == 413


@pytest.mark.parametrize("declared", [None, "10", "nonsense", "²"])
def test_a_body_is_counted_while_it_is_read(declared: str | None) -> None:
    """Whatever its length was said to be; the rest is not read."""
    wire = Wire(b"a" * MAX_BYTES, b"a", b"a" * 1_000)
    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(wire, declared))

    assert caught.value.status == 413
    assert wire.asked == 2


@pytest.mark.parametrize(
    ("declared", "closes"), [(MAX_BYTES + 1, False), (MAX_SKIPPED_BYTES + 1, True), (10**18, True)]
)
def test_a_body_that_says_it_is_too_long_is_not_read(declared: int, *, closes: bool) -> None:
    """The client is answered before it sends, and only loses the connection where skipping would take long."""
    wire = Wire(b"")
    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(wire, str(declared)))

    assert caught.value.status == 413
    assert (("Connection", "close") in caught.value.headers) is closes
    assert wire.asked == 0


def test_a_client_that_hangs_up_is_gone() -> None:
    """Half a body is none."""
    with pytest.raises(ClientGone):
        asyncio.run(read_body(Wire(b"a", ends=False), None))


def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is not held for a byte now and then."""
    monkeypatch.setattr(module, "MAX_SECONDS", 0.01)

    async def never() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(never, None))

    assert caught.value.status == 400
    assert ("Connection", "close") in caught.value.headers


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        (b"", None, {}),
        (b"", FORM, {}),
        (b"", MULTIPART, {}),
        (b"a=1", None, {"a": "1"}),
        (b"a=1", FORM, {"a": "1"}),
        (b'{"a":1}', JSON, {"a": 1}),
        (b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B--\r\n', MULTIPART, {"a": "1"}),
    ],
)
def test_fields_come_out_of_each_kind(body: bytes, media_type: str | None, expected: dict[str, Any]) -> None:
    """A body of no kind is a form, and an empty one has no fields."""
    assert parse_body(body, media_type, b"B") == expected


def test_an_empty_body_is_no_json() -> None:
    """A client that says JSON sends JSON."""
    with pytest.raises(Rejected):
        parse_body(b"", JSON, b"")
