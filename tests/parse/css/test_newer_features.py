from __future__ import annotations

import pytest

from pagegrade.parse.css.newer_features import MAX_BLOCKS, MAX_PLACES, find_newer_features


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        (".a{position-area:top}", "anchor-positioning"),
        (".a{color:red;position-area : top}", "anchor-positioning"),
        ("@scope (.a){b{c:d}}", "scope"),
        ("@property --a{syntax:'*'}", "registered-custom-properties"),
        ("details:open{a:b}", "open-pseudo"),
        ("::picker(select){a:b}", "customizable-select"),
        ("select{appearance:base-select}", "customizable-select"),
        ("a{color:light-dark(#fff,#000)}", "light-dark"),
        ("a{width:calc(1px + round(2px,1px))}", "round-mod-rem"),
        ("a{backdrop-filter:blur(1px)}", "backdrop-filter"),
        ("a{b:c;& :popover-open{d:e}}", "popover"),
        ("a{content:'/*'}b{position-area:top}/* */", "anchor-positioning"),
        ('/** x **/a{content:"it\'s";position-area:top}', "anchor-positioning"),
    ],
)
def test_features_are_recognized_by_their_tokens(sheet: str, expected: str) -> None:
    """At-rules, properties, pseudo-classes, keywords and functions."""
    assert find_newer_features(sheet.encode()) == (expected,)


@pytest.mark.parametrize(
    "sheet",
    [
        "", "a{display:grid}", "/* .a{position-area:top} */ a{b:c}", "a{b:c} /* position-area:top",
        ".m{--position-area:top}", ".backdrop-filter:hover{a:b}", "a{transition:backdrop-filter .3s}",
        "a{content:'light-dark(a)'}", 'a{b:c;content:"\\";position-area:top"}', "a{content:'{position-area:top}",
        "a{will-change:position-area}", "a{transition:open 1s}", "a{animation:open}", "a{b:c}.x{float:open}",
        "@scoped x{}", "@property-x{}", "a{appearance:base-selector}", "a{content:base-select}", ".base-select{a:b}",
        ".open\\:state{a:b}", ":open-x{a:b}", "a{width:2rem}", ".round(a){b:c}", "a{b:my-light-dark(x)}",
        "a{-webkit-backdrop-filter:blur(1px);backdrop-filter:blur(1px)}",
        "@supports (position-area:top){.a{position-area:top}}",
        "@supports (a:b){@media print{.a{position-area:top}}.b{field-sizing:content}}",
        "@SUPPORTS not (a:b){.a{position-area:top}}", "@supports (position-area:top){.a{position-area:top",
    ],
)  # fmt: skip
def test_what_is_none_or_has_a_fallback(sheet: str) -> None:
    """Names of other things, comments, prefixed forms, and blocks for browsers that have it."""
    assert find_newer_features(sheet.encode()) == ()


def test_use_outside_of_the_guard_counts() -> None:
    """Before it, behind it, and beside what is guarded."""
    guarded = "@supports (a:b){.a{position-area:top}}"

    assert find_newer_features((guarded + "b{position-area:top}").encode()) == ("anchor-positioning",)
    assert find_newer_features(("b{field-sizing:content}" + guarded).encode()) == ("field-sizing",)


@pytest.mark.parametrize(("before", "found"), [(MAX_PLACES - 1, 1), (MAX_PLACES, 0)])
def test_only_so_many_tokens_are_looked_at(before: int, found: int) -> None:
    """At the limit and one past it."""
    assert len(find_newer_features(b".position-area{}" * before + b"a{field-sizing:content}")) == found


@pytest.mark.parametrize(("blocks", "found"), [(MAX_BLOCKS - 1, 1), (MAX_BLOCKS, 1), (MAX_BLOCKS + 1, 0)])
def test_only_so_many_guards_are_read(blocks: int, found: int) -> None:
    """Behind the last one nothing is claimed."""
    assert len(find_newer_features(b"@supports (a:b){c{d:e}}" * blocks + b"a{field-sizing:content}")) == found
