from __future__ import annotations

import pytest

from pagegrade.parse.css.contrast import color_of, contrast, is_pale, is_same, readable


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
    ("color", "ground", "same", "pale"),
    [
        ((10, 10, 10), (0, 0, 0), True, True),
        ((11, 11, 11), (0, 0, 0), True, True),
        ((70, 70, 70), (0, 0, 0), False, True),
        ((148, 148, 148), (255, 255, 255), False, False),
        ((149, 149, 149), (255, 255, 255), False, True),
        ("teal", "teal", True, False),
        (None, None, False, False),
    ],
)
def test_colors_are_told_apart_by_eye(color: object, ground: object, *, same: bool, pale: bool) -> None:
    """Contrast of 3 and of 1.5; a color that is unknown differs from every other."""
    assert (is_same(color, ground), is_pale(color, ground)) == (same, pale)  # type: ignore[arg-type]


@pytest.mark.parametrize("ground", [(255, 255, 255), (233, 237, 235), (0, 0, 0), (48, 56, 54)])
@pytest.mark.parametrize("color", ["#ffff00", "#000000", "#ffffff", "#777777", "#1b5e50", "#ff0000", "#00ff7f"])
def test_a_color_that_cannot_be_read_is_moved_until_it_can(color: str, ground: tuple[int, int, int]) -> None:
    """One that can be read stays as it is."""
    chosen = color_of(color)

    assert isinstance(chosen, tuple)
    made = readable(chosen, ground)

    assert contrast(made, ground) >= 4.5
    assert made == chosen or contrast(chosen, ground) < 4.5


def test_where_nothing_can_be_read_well_the_best_is_taken() -> None:
    """Of gray in the middle neither black nor white is 7 to 1."""
    assert readable((120, 120, 120), (119, 119, 119), 7) in {(0, 0, 0), (255, 255, 255)}
