"""Labels and places of encodings."""

from __future__ import annotations

import pytest

from pagegrade.model.document import CharsetDeclaration
from pagegrade.parse.html.charset import charset_of_content_type, encoding_of_label
from pagegrade.parse.html.parser import parse_document


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("utf-8", "UTF-8"),
        ("UTF8", "UTF-8"),
        (" latin1\n", "windows-1252"),
        ("iso-8859-1", "windows-1252"),
        ("gb2312", "GBK"),
        ("x-sjis", "Shift_JIS"),
        *((codec, None) for codec in ("zlib", "rot13", "hex", "base64", "idna", "undefined", "mbcs", "utf-32")),
        ("", None),
        ("ut\0f-8", None),
        ("../../etc/passwd", None),
        ("utf-8\r\nX: y", None),
        ("x" * 5000, None),
    ],
)
def test_label_is_one_of_the_encoding_standard(label: str, encoding: str | None) -> None:
    """Never a codec of Python, never an exception."""
    assert encoding_of_label(label) == encoding


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;charset="utf-8"', "utf-8"),
        ("text/html; CHARSET = 'x'", "x"),
        ("text/html; xcharset=a; charset=b", "b"),
        ("text/html; x-charset=a", None),
        ("text/html; charset=", None),
        ("text/html; charset", None),
        ("text/html", None),
        ("", None),
        (None, None),
    ],
)
def test_parameter_is_found_however_it_is_written(value: str | None, label: str | None) -> None:
    """Quotes, case and blanks do not matter."""
    assert charset_of_content_type(value) == label


def test_meta_element_is_searched_for_the_letters() -> None:
    """There browsers take the first place where the word stands, inside another word too."""
    assert charset_of_content_type("text/html; xcharset=a; charset=b", meta=True) == "a"


def declared(body: bytes) -> CharsetDeclaration:
    """The only declaration of a body."""
    return parse_document(body, url="https://example.com/", content_type=None).charset_declarations[0]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_place_is_counted_in_bytes_over_any_newline(newline: bytes) -> None:
    """The end of the tag decides, as the first 1,024 bytes are counted."""
    body = b"<!doctype html>" + newline + "<!-- äöü -->".encode() + newline + b"<meta charset=utf-8>"

    assert declared(body).offset_bytes == len(body)


def test_place_far_down_is_still_found_to_be_far() -> None:
    """A tag behind a kilobyte of comments is late."""
    body = b"<!--" + b"x" * 2000 + b"--><meta charset=utf-8>"

    assert declared(body).offset_bytes == len(body)
