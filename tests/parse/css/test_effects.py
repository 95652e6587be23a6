"""Transforms, filters and blending against what Chromium draws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.css.effects import (
    ON_ITS_SIDE,
    UPRIGHT,
    Rgb,
    Veil,
    factor_of,
    is_mirrored,
    lean_of,
    leans,
    seen_through,
    shape_of,
    veils_of,
    within,
)

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)


@pytest.mark.parametrize(
    ("name", "value", "lean", "factor", "mirrored"),
    [
        ("transform", "none", 0, 1, False),
        ("transform", "rotate(90deg)", 90, 1, False),
        ("transform", "rotate(-.25turn)", 90, 1, False),
        ("transform", "rotate(100grad)", 90, 1, False),
        ("transform", "rotate(1.5708rad)", 90, 1, False),
        ("transform", "translate(4px, 5%) rotate(30deg) scale(.5)", 30, 0.5, False),
        ("transform", "scalex(-1)", 180, 1, True),
        ("transform", "scale(-1)", 180, 1, False),
        ("transform", "scale(2, 25%)", 0, 0.25, False),
        ("transform", "rotatey(60deg)", 0, 0.5, False),
        ("transform", "rotatex(180deg)", 0, 1, True),
        ("transform", "rotate3d(0, 1, 0, 60deg)", 0, 0.5, False),
        ("transform", "rotate3d(0, 0, 1, 90deg)", 90, 1, False),
        ("transform", "skew(30deg)", 0, 1, False),
        ("transform", "skewy(45deg)", 45, 0.7071, False),
        ("transform", "matrix(0, 1, -1, 0, 9, 9)", 90, 1, False),
        ("transform", "matrix3d(1,0,0,0,0,.5,0,0,0,0,1,0,0,0,0,1)", 0, 0.5, False),
        ("rotate", "90deg", 90, 1, False),
        ("rotate", "y 180deg", 180, 1, True),
        ("scale", ".1 .2", 0, 0.1, False),
        ("writing-mode", "vertical-rl", 90, 1, False),
        ("writing-mode", "horizontal-tb", 0, 1, False),
    ],
)
def test_shape_of_letters(name: str, value: str, lean: float, factor: float, *, mirrored: bool) -> None:
    """Their lean, which part of their size is left, and whether they are seen in a mirror."""
    shape = shape_of(name, value)

    assert shape is not None
    assert (lean_of(shape), factor_of(shape)) == pytest.approx((lean, factor), abs=0.01)
    assert is_mirrored(shape) is mirrored


@pytest.mark.parametrize(
    "value", ["rotate(var(--a))", "scale(calc(1 / 2))", "rotate3d(1, 1, 0, 90deg)", "skew(1deg, 2deg)"]
)
def test_shape_that_nothing_tells_is_unknown(value: str) -> None:
    """Variables, sums, and axes in between."""
    assert shape_of("transform", value) is None


def test_what_is_turned_twice_stands_upright() -> None:
    """Up to 60 degrees a line is read without a turn of the head."""
    down = shape_of("transform", "rotate(180deg)")

    assert down is not None
    assert within(down, down) == pytest.approx(UPRIGHT)
    assert leans(within(down, ON_ITS_SIDE))
    assert [leans(shape_of("rotate", f"{angle}deg") or ON_ITS_SIDE) for angle in (60, 61, -61)] == [False, True, True]


@pytest.mark.parametrize(
    ("filters", "color", "seen"),
    [
        ("brightness(0)", (200, 90, 10), BLACK),
        ("brightness(300%)", (100, 100, 100), WHITE),
        ("contrast(0)", (200, 90, 10), (128, 128, 128)),
        ("invert()", (200, 90, 10), (55, 165, 245)),
        ("grayscale(1)", (255, 0, 0), (54, 54, 54)),
        ("invert(1) brightness(0)", WHITE, BLACK),
        ("drop-shadow(0 0 2px red) sepia(1)", (200, 90, 10), (200, 90, 10)),
        ("opacity(50%)", BLACK, (128, 128, 128)),
    ],
)
def test_colors_seen_through_a_filter(filters: str, color: Rgb, seen: Rgb) -> None:
    """On white, in the order in which the functions stand."""
    veils = veils_of(filters, "", "", WHITE)

    assert veils is not None
    assert seen_through(color, veils) == seen


@pytest.mark.parametrize(
    ("blend", "below", "seen"),
    [
        ("screen", WHITE, WHITE),
        ("lighten", WHITE, WHITE),
        ("multiply", WHITE, (34, 34, 34)),
        ("multiply", BLACK, BLACK),
        ("darken", BLACK, BLACK),
        ("difference", (34, 34, 34), BLACK),
        ("exclusion", WHITE, (221, 221, 221)),
        ("color-dodge", WHITE, WHITE),
        ("color-burn", BLACK, BLACK),
        ("plus-lighter", WHITE, WHITE),
        ("normal", WHITE, (34, 34, 34)),
    ],
)
def test_colors_blended_with_what_is_below(blend: str, below: Rgb, seen: Rgb) -> None:
    """If that is known."""
    assert seen_through((34, 34, 34), veils_of("", blend, "", below) or ()) == seen
    if blend != "normal":
        assert seen_through((34, 34, 34), veils_of("", blend, "", None) or ()) is None


def test_opacity_mixes_a_color_with_what_is_behind() -> None:
    """A share or a percentage; a sum or a variable makes it unknown."""
    assert veils_of("", "", "1", WHITE) == ()
    assert seen_through(BLACK, veils_of("", "", ".25", WHITE) or ()) == (191, 191, 191)
    assert seen_through(BLACK, veils_of("", "", "25%", WHITE) or ()) == (191, 191, 191)
    assert veils_of("brightness(var(--dim))", "", "", WHITE) is None


@given(
    st.tuples(*[st.integers(0, 255)] * 3),
    st.sampled_from(["brightness", "contrast", "invert", "grayscale", "opacity", "screen", "difference", "color-burn"]),
    st.floats(0, 20),
    st.tuples(*[st.integers(0, 255)] * 3),
)
def test_every_color_stays_one(color: Rgb, name: str, amount: float, below: Rgb) -> None:
    """Channels from 0 to 255, whatever is asked for."""
    seen = seen_through(color, [Veil(name, amount, below)])

    assert seen is not None
    assert all(0 <= one <= 255 for one in seen)


@given(st.text(alphabet="rotaescl3dxyzm(),.-0123456789% ", max_size=60))
def test_any_text_has_a_shape_or_none(value: str) -> None:
    """No value of a style sheet stops the analysis."""
    shape = shape_of("transform", value)

    assert shape is None or factor_of(shape) >= 0
