"""URLs that stylesheets make a browser fetch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.css.urls import (
    MAX_REFERENCES,
    decode_stylesheet,
    find_css_urls,
    find_stylesheet_references,
)

BASE = "https://example.com/css/main.css"


def found(css: str) -> list[str]:
    """``kind path`` of every reference, alternatives in brackets."""
    references = find_stylesheet_references(css.encode(), url=BASE)
    prefix = "https://example.com"
    shown = [f"{reference.kind} {reference.url.removeprefix(prefix)}" for reference in references]
    return [f"[{text}]" if reference.alternative else text for text, reference in zip(shown, references, strict=True)]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ('@import "a.css";', ["stylesheet /css/a.css"]),
        ("@import url(a.css) screen;", ["stylesheet /css/a.css"]),
        ("@IMPORT URL( 'a.css' ) layer(x) supports(display: grid) print;", ["stylesheet /css/a.css"]),
        (
            '@charset "utf-8"; @layer a, b; @import "a.css"; @import "b.css";',
            ["stylesheet /css/a.css", "stylesheet /css/b.css"],
        ),
        ('@layer a; @import "a.css"; @layer b; @import "late.css";', ["stylesheet /css/a.css"]),
        ('<!-- @import "a.css"; -->', ["stylesheet /css/a.css"]),
        ('/* @import "no.css"; */ @import "a.css";', ["stylesheet /css/a.css"]),
        ('p{} @import "late.css";', []),
        (
            "p{} @media (min-width:9em){.a{top:0}}@media print{ @media (color){@font-face{src:url(a.woff)}} } "
            "@font-face{src:url(b.woff)} .b{background:url(b.png)}",
            ["font /css/a.woff", "font /css/b.woff", "image /css/b.png"],
        ),
        (
            "p{} @font-face{@media x{.a{top:0}} src:url(a.woff)}}} .b{background:url(b.png)}",
            ["font /css/a.woff", "image /css/b.png"],
        ),
        (
            "p{} @media url({x){.a{background:url(a.png)}} .b{background:url(b.png)}",
            ["image /css/a.png", "image /css/b.png"],
        ),
        ('@media print { @import "nested.css"; }', []),
        ('@import "a.css" url(b.css);', ["stylesheet /css/a.css"]),
        ("@namespace svg url(http://www.w3.org/2000/svg); p{background:url(a.png)}", ["image /css/a.png"]),
        ("p { background: url(a.png), url('b.png') no-repeat }", ["image /css/a.png", "image /css/b.png"]),
        ("p { background: url(  a.png  ) }", ["image /css/a.png"]),
        ("@media (min-width: 1px) { p { background: url(/a.png?x=(1)) } }", []),
        (r"p { background: \75 rl(a.png) }", ["image /css/a.png"]),
        (r"p { background: url(a\29 .png) }", ["image /css/a).png"]),
        ('p { content: "url(a.png)" }', []),
        ("p { background: url(a.png); background: url(a.png#x) }", ["image /css/a.png"]),
        ("p { fill: url(#gradient); background: url(data:image/png;base64,AAAA) }", []),
        ("p { background: url(); color: red } q { cursor: url(c.cur) }", ["image /css/c.cur"]),
        ("p { background: url(a b.png); } q { cursor: url(c.cur) }", ["image /css/c.cur"]),
        ('p { background: url("a\nb.png") } q { cursor: url(c.cur) }', ["image /css/a"]),
        ("p { background: image-set('a.avif' 1x, url(b.png) 2x) }", ["image /css/a.avif", "[image /css/b.png]"]),
        ("p { background: url(javascript:alert(1)); cursor: url(file:///etc/passwd) }", []),
        ("p { background: my-url(a.png) } #url { } q { cursor: #url(c.cur) }", []),
        ("p { color: red; & q { background: url(a.png) } }", ["image /css/a.png"]),
        ("p { background: url(a.png", ["image /css/a.png"]),
        ("p { background: url(//cdn.example/a.png) }", ["image https://cdn.example/a.png"]),
        (
            (
                "@font-face{font-family:x;src:url(a.eot);src:url(a.eot?#iefix) format('embedded-opentype'),"
                "url(a.woff2) format('woff2'),url(a.woff) format('woff'),url(a.svg#a) format('svg')}"
            ),
            ["[font /css/a.eot]", "[font /css/a.eot?]", "font /css/a.woff2", "[font /css/a.woff]", "[font /css/a.svg]"],
        ),
        (
            "@font-face{src:url(a.bin) format('woff2'),url(b.woff)} p{cursor:url(c.cur)}",
            ["font /css/a.bin", "[font /css/b.woff]", "image /css/c.cur"],
        ),
        ("@supports (x: y) { @font-face { src: url(a.ttf) } }", ["font /css/a.ttf"]),
        ("@font-face { src: url(a.ttf)", ["font /css/a.ttf"]),
    ],
)
def test_references_of_a_stylesheet(css: str, expected: list[str]) -> None:
    """Only what a browser would fetch is listed, resolved, in order."""
    assert found(css) == expected


@pytest.mark.parametrize(
    "css",
    [
        "p{background:URL(a.png)}",
        r"p{background:u\72l(a.png)}",
        "p{background:Image-Set('a.png' 1x)}",
        "@IMPORT 'a.png';",
        r"@\69mport 'a.png';",
    ],
)
def test_names_are_found_however_they_are_written(css: str) -> None:
    """Capital letters and escapes are no way around the quick search for these names."""
    found = find_css_urls(css, base_url="https://example.com/")

    assert [one.url for one in found] == ["https://example.com/a.png"]


def test_declarations_of_a_style_attribute_need_no_rule_around_them() -> None:
    """The text of an attribute is already inside a block."""
    attribute = "background: url(a.png)"

    assert [one.url for one in find_css_urls(attribute, base_url=BASE, declarations=True)] == [
        "https://example.com/css/a.png"
    ]
    assert find_css_urls(attribute, base_url=BASE) == ()


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ("p{é}".encode(), None, "p{é}"),
        ("p{é}".encode("cp1252"), "text/css; charset=ISO-8859-1", "p{é}"),
        (b'@charset "windows-1252";p{\xe9}', None, '@charset "windows-1252";p{é}'),
        (b"\xff\xfe" + "p{é}".encode("utf-16-le"), "text/css; charset=latin1", "p{é}"),
        (b"\xef\xbb\xbfp{}", "text/css", "p{}"),
        (b"p{\xff}", "text/css; charset=zlib", "p{\N{REPLACEMENT CHARACTER}}"),
    ],
)
def test_encoding_of_a_stylesheet(body: bytes, content_type: str | None, expected: str) -> None:
    """The mark wins over the header, the header over the rule, and UTF-8 is the rest."""
    assert decode_stylesheet(body, content_type) == expected


def test_references_are_bounded() -> None:
    """At the limit all are listed, one past it the last is dropped."""
    for count, expected in ((MAX_REFERENCES, MAX_REFERENCES), (MAX_REFERENCES + 1, MAX_REFERENCES)):
        rules = "".join(f"p{{background:url({number}.png)}}" for number in range(count))

        assert len(find_css_urls(rules, base_url=BASE)) == expected


@pytest.mark.parametrize(
    "unit",
    [
        "/*",
        "url(",
        '"',
        "'\\",
        "\\",
        "{",
        "(",
        "@import ",
        "a",
        "\\61",
        "@font-face{src:url(a)",
        "}",
        "image-set(",
        "url('",
        "-",
        "]",
    ],
)
def test_long_runs_of_one_token_are_read(unit: str) -> None:
    """A fifth of a megabyte of anything that opens, escapes or repeats ends with a bounded answer."""
    text = "p{" + unit * (200_000 // len(unit)) + "url(a.png)"

    assert len(find_css_urls(text, base_url=BASE)) <= MAX_REFERENCES


@given(
    st.lists(
        st.sampled_from(
            [
                *"{}()[];:,\"\\'@#/*-\n \t\x00\x0c",
                "/*",
                "*/",
                "url(",
                "@import ",
                "@font-face",
                "@media x",
                "image-set(",
                "format(",
                "a.png",
                "b.css",
                "\\75 ",
                "\\\n",
                "//[",
                "http://",
                "é",
                "\ud800",
                "<!--",
                "-->",
            ]
        ),
        max_size=40,
    ).map("".join)
)
def test_never_raises_on_text_shaped_like_css(css: str) -> None:
    """Any order of tokens gives absolute addresses or nothing."""
    for reference in find_css_urls(css, base_url=BASE):
        assert reference.url.startswith(("http://", "https://"))
        assert "#" not in reference.url


@given(st.binary(max_size=300))
def test_never_raises_on_bytes(body: bytes) -> None:
    """Bytes of any encoding are read as something."""
    assert len(find_stylesheet_references(body, url=BASE)) <= MAX_REFERENCES
