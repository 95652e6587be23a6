from __future__ import annotations

import pytest

from pagegrade.parse.css.lettering import (
    Lettering,
    characters_within,
    color_of,
    contrast,
    declared_in,
    may_conceal,
)


def test_contrast_is_that_of_wcag() -> None:
    """From 1 to 21, whichever is the ground; #767676 is the palest gray that passes on white."""
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((255, 255, 255), (0x76, 0x76, 0x76)) == pytest.approx(4.54, abs=0.01)
    assert contrast((9, 9, 9), (9, 9, 9)) == 1


@pytest.mark.parametrize(
    ("value", "color"),
    [
        ("#FFF".lower(), (255, 255, 255)),
        ("rgb(1, 2, 3)", (1, 2, 3)),
        ("hsl(120 100% 50%)", (0, 255, 0)),
        ("whitesmoke", (245, 245, 245)),
        ("hsl(120 100% 50% / .5)", None),
        ("rebeccapurple", "rebeccapurple"),
    ],
)
def test_colors_that_let_nothing_through_are_known(value: str, color: object) -> None:
    """A name that is not among them is equal to itself only."""
    assert color_of(value) == color


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

    assert (narrow.why_unread(19), narrow.why_unread(20)) == (None, "narrow")


def test_box_holds_so_many_characters() -> None:
    """60 in a line of 20 pixels; without a height, any number."""
    assert (characters_within("40"), characters_within("free")) == (120, 10**9)
