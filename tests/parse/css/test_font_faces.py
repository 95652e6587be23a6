"""Font faces of stylesheets, and formats of font files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.artifacts import FontFace
from pagegrade.parse.css.font_faces import MAX_FACES, find_font_faces, font_format

SHEET = "https://example.com/a.css"


def one(block: str) -> FontFace:
    """The only face of a sheet with this block."""
    (face,) = find_font_faces(f"p{{margin:0}} @font-face {{ {block} }} b{{}}", stylesheet_url=SHEET)
    return face


def test_a_face_says_its_name_weight_style_and_display() -> None:
    """In any case, with and without quotes."""
    face = one("font-family: 'Lato  Web'; SRC: url(a.woff2); Font-Weight: 700; font-style: Italic; FONT-DISPLAY : Swap")

    assert face == FontFace(
        family="Lato Web",
        weight="bold",
        style="italic",
        display="swap",
        formats=("woff2",),
        stylesheet_url=SHEET,
    )


@pytest.mark.parametrize(
    ("declarations", "display"),
    [
        ("font-display   :  swap  ;", "swap"),
        ("font-display:optional", "optional"),
        ("font-display: swap; font-display: auto", "auto"),
        ("font-display: swap; font-display: sometimes", "swap"),
        ("font-display: sometimes", "sometimes"),
        ("font-display: 'optional'", ""),
        ("font-display: swap // no semicolon\n font-weight: 700", ""),
        ("font-display: swap !important", ""),
        ("x-font-display: swap", ""),
        ("/* font-display: swap; */", ""),
    ],
)
def test_a_display_that_browsers_drop_is_none(declarations: str, display: str) -> None:
    """A broken declaration is as good as missing; of several the last readable one counts."""
    assert one(f"src:url(a.woff2);{declarations}").display == display


@pytest.mark.parametrize(
    ("src", "formats"),
    [
        (
            "url(a.eot); src: url('a.eot?#iefix') format('embedded-opentype'), url(\"a.woff\") format(\"woff\")",
            ("eot", "woff"),
        ),
        ("local('Lato'), url(a) format(woff2)", ("woff2",)),
        ("url(/font?id=1)", ("",)),
        ("url(a.WOFF2?v=3)", ("woff2",)),
        ("url(a.ttf) format('truetype')", ("ttf",)),
        ("url(/a.b/font)", ("",)),
        ("url(data:font/woff2;base64,AA{A;A)", ("woff2",)),
        ("url('data:application/x-font-woff;base64,AAAA')", ("woff",)),
    ],
)
def test_formats_come_from_the_hint_else_from_the_name(src: str, formats: tuple[str, ...]) -> None:
    """An address that says nothing says nothing."""
    assert one(f"font-family:x; src:{src}").formats == formats


def test_only_faces_of_data_are_inline() -> None:
    """One file to fetch is enough to wait for."""
    assert one("src:url(data:font/woff2;base64,AAAA)").inline
    assert not one("src:url(data:font/woff2;base64,AAAA),url(a.woff)").inline


@pytest.mark.parametrize(
    "css",
    [
        "@font-face{font-family:x;src:local('Arial')}",
        "/* @font-face{src:url(a.woff2)} */",
        "@font-face{src:url(",
        "p{}",
    ],
)
def test_what_fetches_no_font_is_no_face(css: str) -> None:
    """Fonts of the device, comments, broken ends."""
    assert find_font_faces(css, stylesheet_url=SHEET) == ()


def test_upper_case_rules_and_nested_ones_are_found() -> None:
    """Inside of media and support conditions, too."""
    css = "@media screen{@FONT-FACE{src:url(a.woff2)}}@supports(x:y){@font-face\n{src:url(b.woff2)}}"

    assert len(find_font_faces(css, stylesheet_url=SHEET)) == 2


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"wOF2\0\1\0\0", "woff2"),
        (b"wOFFOTTO", "woff"),
        (b"\0\1\0\0\0\x10", "ttf"),
        (b"OTTO\0", "otf"),
        (b"ttcf", "collection"),
        (bytes(34) + b"LP", "eot"),
        (b"<!doctype html>", None),
        (b"", None),
    ],
)
def test_files_are_known_by_their_first_bytes(head: bytes, name: str | None) -> None:
    """An error page is no font."""
    assert font_format(head) == name


@pytest.mark.parametrize(
    "css",
    [
        "@font-face{" * 100000,
        "@font-face" + " " * 400000,
        "@font-face{" + "url(" * 100000 + "}",
        "@font-face{src:" + 'url( "x' * 100000 + "}",
        "@font-face{" + "data:" * 100000 + "}",
        "/*@font-face" * 50000,
    ],
)
def test_hostile_sheets_end(css: str) -> None:
    """In time linear in their length."""
    assert len(find_font_faces(css, stylesheet_url=SHEET)) <= MAX_FACES


def test_faces_are_limited() -> None:
    """A sheet may not flood a report."""
    assert len(find_font_faces("@font-face{src:url(a.woff2)}" * 900, stylesheet_url=SHEET)) == MAX_FACES


@given(st.text(alphabet="@font-face{}url(\"')src:;data/* \n", max_size=80))
def test_never_raises(css: str) -> None:
    """Any text has faces, or none."""
    assert isinstance(find_font_faces("@font-face{" + css, stylesheet_url=SHEET), tuple)
