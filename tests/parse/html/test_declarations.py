from __future__ import annotations

from types import SimpleNamespace

import pytest

from pagegrade.model.document import CharsetDeclaration, Doctype
from pagegrade.parse.html.declarations import charset_of_content_type, encoding_of_label, is_malformed, rendering_mode
from pagegrade.parse.html.parser import parse_document
from tests.builders import make_document


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


XHTML_STRICT = '"-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"'
XHTML_TRANSITIONAL = (
    '"-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"'
)


@pytest.mark.parametrize(
    ("markup", "mode"),
    [
        ("<!doctype html>", "no-quirks"),
        ("<!DOCTYPE HTML>", "no-quirks"),
        ('<!doctype html SYSTEM "about:legacy-compat">', "no-quirks"),
        (f"<!DOCTYPE html PUBLIC {XHTML_STRICT}>", "no-quirks"),
        (f"<!DOCTYPE html PUBLIC {XHTML_TRANSITIONAL}>", "limited-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">', "no-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://x">', "limited-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "-//IETF//DTD HTML 2.0//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "HTML">', "quirks"),
        ("<!DOCTYPE svg>", "quirks"),
        ("<!DOCTYPE>", "quirks"),
        ("", "quirks"),
        ("text first <!doctype html>", "quirks"),
        ("<!-- a comment --><!doctype html>", "no-quirks"),
        ("<!doctypehtml>", "no-quirks"),
        ('<!doctype html SYSTEM"about:legacy-compat">', "no-quirks"),
        ('<!doctype html SYSTEM "about:legacy-compat" more>', "no-quirks"),
        ("<!doctype html><!doctype html more>", "no-quirks"),
        ("<!doctype html><p><!doctype>", "no-quirks"),
        ("<!doctype html more>", "quirks"),
        ("<!doctype html SYSTEM>", "quirks"),
        ("<!doctype html PUBLIC>", "quirks"),
        ("<!doctype html SYSTEM about:legacy-compat>", "quirks"),
        ("<!doctype html SYSTEM 'about:legacy-compat\">", "quirks"),
        ('<!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN"', "quirks"),
        ('<!doctype html PUBLIC "x"y>', "quirks"),
        ('<!doctype html [<!ENTITY a "b">]>', "quirks"),
        ("<!doctype html more><!doctype html>", "quirks"),
    ],
)
def test_mode_is_what_browsers_choose(markup: str, mode: str) -> None:
    """By public and system identifier, not by how the line looks."""
    assert make_document(f"{markup}<title>x</title>").mode == mode


@pytest.mark.parametrize(
    "code", ["unexpected-character-after-doctype-system-identifier", "missing-whitespace-before-doctype-name"]
)
def test_slips_that_browsers_overlook_change_no_mode(code: str) -> None:
    """Only some mistakes in the declaration give quirks mode."""
    assert not is_malformed([SimpleNamespace(code=code, line=1, col=5)], {code})


def test_old_system_identifier_means_quirks() -> None:
    """One system identifier alone has the old mode."""
    system = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"

    assert rendering_mode(Doctype(name="html", public_id=None, system_id=system, line=1)) == "quirks"
