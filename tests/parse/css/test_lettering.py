from __future__ import annotations

import pytest

from pagegrade.parse.css.lettering import (
    Lettering,
    characters_within,
    declared_in,
    may_conceal,
)


@pytest.mark.parametrize(
    ("declarations", "declared"),
    [
        ("width:10px;max-width:2em", {"room": "10.0"}),
        ("width:50%", {"room": "?"}),
        ("width:10px;position:fixed", {"room": "free"}),
        ("height:3em;overflow:clip", {"cut": "48.0"}),
        ("height:48px", {}),
        ("height:50%;overflow:hidden", {}),
    ],
)
def test_boxes_are_read_where_pixels_are_known(declarations: str, declared: dict[str, str]) -> None:
    """A box that stands apart has room of its own."""
    assert declared_in(declarations) == declared


@pytest.mark.parametrize(
    ("declarations", "conceals"),
    [
        ("font-size:4.4px", True),
        ("font-size:4.5px", False),
        ("color:#ddd", True),
        ("color:#ddd;background:#000", False),
        ("width:39px", True),
        ("width:40px", False),
    ],
)
def test_only_what_leaves_letters_unread_is_followed(declarations: str, *, conceals: bool) -> None:
    """Most sheets end here."""
    assert may_conceal(declared_in(declarations), [(255, 255, 255)], may_cut=True) is conceals


def test_short_words_stand_in_narrow_boxes() -> None:
    """A number or an icon needs no room; so many characters do."""
    narrow = Lettering((0, 0, 0), (255, 255, 255)).within("p", {"room": "39"}, has_style=False)

    assert (narrow.why_unread("a" * 19), narrow.why_unread("a" * 20)) == (None, "narrow")


def test_box_holds_so_many_characters() -> None:
    """60 in a line of 20 pixels; without a height, any number."""
    assert (characters_within("40"), characters_within("free")) == (120, 10**9)


WORDS = {
    "en": "chairs of teak " * 10,
    "ru": "стулья из тика " * 10,
    "ja": "庭の椅子を作る" * 20,
    "th": "เก้าอี้ไม้สัก " * 10,
    "he": "כיסאות מעץ טיק " * 10,
    "ar": "كراسي من خشب " * 10,
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ("line-height:0", "stacked"),
        ("line-height:.1em", "stacked"),
        ("-webkit-text-security:disc", "dots"),
        ("margin-left:3000px", "away"),
        ("margin-inline-start:150vw", "away"),
        ("mask-image:linear-gradient(transparent,transparent)", "transparent"),
        ("-webkit-mask:linear-gradient(to top, #0000, rgba(0, 0, 0, 0))", "transparent"),
    ],
)
def test_letters_that_are_no_longer_told_apart(words: str, declared: str, why: str) -> None:
    """In every script; what takes it back is read as well."""
    found = declared_in(declared)
    inside = Lettering((0, 0, 0), (255, 255, 255)).within("main", found, has_style=False)

    assert may_conceal(found, [(255, 255, 255)], may_cut=True)
    assert inside.why_unread(words) == why


@pytest.mark.parametrize(
    "declared",
    [
        "line-height:0.3",
        "line-height:30%",
        "line-height:1.5",
        "-webkit-text-security:none",
        "margin-left:1999px",
        "margin-inline-start:99vw",
        "mask-image:linear-gradient(#000,transparent)",
        "unicode-bidi:isolate;direction:rtl",
        "direction:rtl",
    ],
)
def test_letters_that_are(declared: str) -> None:
    """Beyond each limit."""
    found = declared_in(declared)

    assert not may_conceal(found, [(255, 255, 255)], may_cut=True)
    assert Lettering((0, 0, 0), (255, 255, 255)).within("p", found, has_style=False).why_unread(WORDS["en"]) is None


@pytest.mark.parametrize("language", WORDS)
def test_letters_against_the_direction_of_their_script(language: str) -> None:
    """An override of the other direction turns them around; that of their own, and boxes inside, do not."""
    own, other = ("rtl", "ltr") if language in {"he", "ar"} else ("ltr", "rtl")
    root = Lettering((0, 0, 0), (255, 255, 255))

    def why(direction: str, inner: str = "") -> str | None:
        around = root.within("p", declared_in(f"unicode-bidi:bidi-override;direction:{direction}"), has_style=False)
        return (around.within(inner, {}, has_style=False) if inner else around).why_unread(WORDS[language])

    assert (why(other), why(other, "b"), why(other, "p"), why(own)) == ("reversed", "reversed", None, None)


def test_lines_that_are_set_anew_and_short_ones() -> None:
    """A box without lines is a usual way to remove gaps between pictures."""
    around = Lettering((0, 0, 0), (255, 255, 255)).within("div", declared_in("line-height:0"), has_style=False)

    assert around.why_unread("a" * 100) == "stacked"
    assert around.why_unread("a" * 99) is None
    assert around.within("p", declared_in("line-height:1.4"), has_style=False).why_unread("a" * 100) is None
    assert around.within("p", declared_in("font:16px/1.4 serif"), has_style=False).why_unread("a" * 100) is None
