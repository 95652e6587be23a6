"""The kept part of a style sheet: the rules that can hide or show something, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.cascade import rules
from pagegrade.parse.cascade.rules import FIELD, MAX_LIST, read_declarations, reduce_stylesheet
from pagegrade.parse.cascade.selectors import MAX_SELECTOR

BASE = "https://example.com/css/site.css"


def kept(css: str, *, media: str = "") -> list[str]:
    """The kept rules as ``selector code``, with layer and screens where they say something."""
    lines = reduce_stylesheet(css, base_url=BASE, media=media)
    assert lines is not None
    found = []
    for line in lines:
        screens, layer, code, _, _, selector = line.split(FIELD)
        found.append(" ".join(filter(None, (selector, code, layer, "" if screens == "33" else screens))))
    return found


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("", []),
        (".a{color:red}.b{display:none}.c{margin:0}", [".b d-"]),
        (".a{DISPLAY : NONE !Important}", [".a d-!"]),
        (".a{display:none;display:flex}", [".a d+"]),
        (".a{display:none!important;display:flex}", [".a d-!"]),
        (".a{display:none;display:-ms-flexbox}", [".a d-"]),
        (".a{display:none;display:1px}", [".a d-"]),
        (".a{display:inline flow-root}", [".a d+"]),
        (".a{display:none !ie}", []),
        (".a{visibility:hidden}.b{visibility:visible}.c{visibility:collapse}", [".a v-", ".b v+", ".c v-"]),
        (".a{visibility:inherit}.b{display:revert}.c{display:inherit}", [".a v~", ".b d^", ".c d+"]),
        (".a{content-visibility:hidden}.b{content-visibility:auto}", [".a c-", ".b c+"]),
        (".a{backface-visibility:hidden}", []),
        (".a{all:unset}", [".a d+"]),
        (".a,.b{display:none}", [".a d-", ".b d-"]),
        (".a{display:var(--x, none)}", [".a d=var(--x,none)"]),
        (":root{--x:none;--y:red;--z:1px}.a{display:var(--x)}", [":root --x=none", ".a d=var(--x)"]),
        (":root{--x:var(--y);--y:red}", []),
        (":root{--x:var(--y);--q:var(--r)}.a{display:var(--x)}", [":root --x=var(--y)", ".a d=var(--x)"]),
        ("/* .a{display:none} */.b{display:none}", [".b d-"]),
        ("/*{*/.b{display:none}/*", [".b d-"]),
        (".a{content:'}.x{display:none}'}.b{display:none}", [".b d-"]),
        (".a{background:url(data:x;{})}.b{display:none}", [".b d-"]),
        (".a\\{b{display:none}", [".a\\7b b d-"]),
        (".a::before,.b:after{display:none}", []),
        (".a,..b{display:none}", []),
        (".a{color:red;.b{display:none}}", [".a .b d-"]),
        (".a{&.b{display:none}.c &{display:none}> d{display:none}}", [".a.b d-", ".c :is(.a) d-", ".a > d d-"]),
        (".a,.b{&:hover{display:none}}", [":is(.a,.b):hover d-"]),
        (".a{display:none;@media print{display:block}}", [".a d-"]),
        (".a{@media (min-width:800px){display:none}}", [".a d- 22"]),
        (".a{.b{color:red}display:none}", [".a d-"]),
        ("@media (min-width:800px){.a{display:none}}.b{display:none}", [".a d- 22", ".b d-"]),
        ("@media print{.a{display:none}@media screen{.c{display:none}}}.b{display:none}", [".b d-"]),
        ("@media screen{@media (max-width:500px){.a{display:none}}}", [".a d- 11"]),
        ("@supports (display:grid){.a{display:none}}", [".a d-"]),
        ("@supports not (display:grid){.a{display:none}}", []),
        ("@supports (-webkit-x:y){.a{display:none}}", [".a d- 03"]),
        ("@container (min-width:1px){.a{display:none}}", [".a d- 03"]),
        ("@scope (.x){.a{display:none}}", [".a d- 03"]),
        ("@layer a{.a{display:none}@layer b{.b{display:none}}}", ["@layer a", ".a d- a", "@layer a.b", ".b d- a.b"]),
        ("@layer a,b.c;", ["@layer a", "@layer b.c"]),
        ("@layer{.a{display:none}}", ["@layer ?1", ".a d- ?1"]),
        ("@keyframes x{from{display:none}}.b{display:none}", [".b d-"]),
        ("@font-face{font-display:swap}@page{display:none}@starting-style{.a{display:none}}", []),
        ("@import 'a.css';.b{display:none}", ["https://example.com/css/a.css @import", ".b d-"]),
        (
            "@charset 'x';@import url(a.css) layer(l) supports(display:grid) (min-width:800px);",
            ["https://example.com/css/a.css @import l 22"],
        ),
        ('@import url("a.css") print;', []),
        (".a{color:red}@import 'late.css';", []),
        ("@layer x;@import 'a.css';", ["@layer x", "https://example.com/css/a.css @import"]),
        ("}.a{display:none}.b{display:none}", [".b d-"]),
        (".a{display:none", [".a d-"]),
        ("<!-- .a{display:none} -->", [".a d-"]),
        (".a{position:absolute;clip:rect(0, 0, 0, 0)}.b{clip:auto}", [".a x-", ".b x+"]),
        (".a{clip-path:inset(50%)}.b{clip-path:none}", [".a x-", ".b x+"]),
        (".a{width:1px;height:1px;overflow:hidden}", [".a x-"]),
        (".a{position:absolute;left:-9999px}.b{left:-9999px}", [".a x-"]),
        (".a{overflow:hidden;width:100px}", []),
        (".a{opacity:0}.b{transform:translateX(-100%)}", []),
        (".a{transform:translateX(120vw)}.b{transform:translate(0, -9999px)}", [".a f-", ".b f-"]),
        (".a{transform:translateX(99vw)}.b{transform:translateX(-999px)}", []),
        (".a{transform:translateX(120vw);animation:in 1s}.b{margin-left:-9999px}.c{margin:-999px}", [".a f+", ".b f-"]),
        (".a{height:0;overflow:hidden}.b{height:0}.c{overflow:hidden;height:2px}", [".a f-"]),
        (".a{position:relative;left:-9999px}.b{position:relative;left:-999px}", [".a f-"]),
    ],
)  # fmt: skip
def test_sheet_is_reduced_to_what_decides(css: str, expected: list[str]) -> None:
    """Rules in order, each selector for itself, under the conditions that may hold on either screen."""
    assert kept(css) == expected


def test_media_of_the_element_counts() -> None:
    """It applies to all rules."""
    assert kept(".a{display:none}", media="(min-width:800px)") == [".a d- 22"]
    assert kept(".a{display:none}", media="print") == []


@pytest.mark.parametrize(
    ("limit", "value", "css"),
    [
        ("MAX_RULES", 2, ".a{display:none}"),
        ("MAX_CHARACTERS", 60, ".a{display:none}"),
    ],
)
def test_more_rules_than_are_kept_make_the_sheet_unknown(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, css: str
) -> None:
    """At the limit it is known, one further it is not."""
    monkeypatch.setattr(rules, limit, value)

    assert len(reduce_stylesheet(css * 2, base_url=BASE) or ()) == 2
    assert reduce_stylesheet(css * 4, base_url=BASE) is None


def test_too_deep_a_sheet_is_unknown() -> None:
    """No sheet nests a hundred blocks."""
    deep = 98

    assert reduce_stylesheet("@media screen{" * deep + ".a{display:none}", base_url=BASE)
    assert reduce_stylesheet("@media screen{" * (deep + 2) + ".a{display:none}", base_url=BASE) is None
    assert reduce_stylesheet("@layer " + ".".join("a" * 200) + "{.a{display:none}}", base_url=BASE) is None


def test_long_lists_of_selectors_are_read() -> None:
    """Component libraries name hundreds of classes before one brace; the rest of the sheet is known all the same."""
    names = ",".join(f".dialog-{number}" for number in range(1_000))

    assert len(reduce_stylesheet(f"{names}{{display:none}}.b{{display:none}}", base_url=BASE) or ()) == 1_001


@pytest.mark.parametrize(
    "selectors", ["a," * (MAX_LIST // 2) + "b", "a" * (MAX_SELECTOR + 1), "." + "a" * MAX_SELECTOR]
)
def test_too_long_a_selector_makes_the_sheet_unknown(selectors: str) -> None:
    """It may be about anything."""
    assert reduce_stylesheet(selectors + "{display:none}", base_url=BASE) is None
    assert reduce_stylesheet(selectors + "{color:red}", base_url=BASE) == ()


@given(st.text(alphabet="{}();:,.#@\\\"'/*!-ab \n&>[]=", max_size=200))
def test_anything_is_reduced(css: str) -> None:
    """Never raises, and gives lines of six fields."""
    lines = reduce_stylesheet(css + "display:none", base_url=BASE)

    assert lines is None or all(line.count(FIELD) == 5 for line in lines)


@pytest.mark.parametrize(
    ("style", "code"),
    [
        ("display:none", "d-"),
        ("color:red; DISPLAY : none !important", "d-!"),
        ("visibility: hidden", "v-"),
        ("overflow:hidden", ""),
        ("text-decoration:none", ""),
        ("border:none;display:block", "d+"),
        ("background:url(display:none)", ""),
        ("--x: none; display: var(--x)", "--x=none d=var(--x)"),
    ],
)
def test_style_attribute_is_read_like_a_rule(style: str, code: str) -> None:
    """Only a whole declaration decides."""
    assert read_declarations(style) == code


def test_control_characters_separate_nothing() -> None:
    """The rules around a value with such a character are kept as they are without it."""
    css = ".a{{display:none}}.b{{color:{}}}@media print{{.c{{display:none}}}}.d{{display:none}}"

    assert kept(css.format("\x01")) == kept(css.format("red")) != []
