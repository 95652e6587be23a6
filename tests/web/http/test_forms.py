from __future__ import annotations

import pytest

from pagegrade.web.http.forms import (
    MAX_CHARACTERS,
    MAX_PAIRS,
    MAX_PARTS,
    parse_json_object,
    parse_multipart,
    parse_pairs,
    parse_parameters,
    parse_upload,
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
