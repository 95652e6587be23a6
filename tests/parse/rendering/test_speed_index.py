from __future__ import annotations

import pytest

from pagegrade.parse.rendering.speed_index import CHANNELS, LEVELS, visual_progress


def histogram(**pixels: int) -> list[int]:
    """Counts of grey pixels by level: ``_0=10`` is ten black ones."""
    counts = [0] * (CHANNELS * LEVELS)
    for name, count in pixels.items():
        for channel in range(CHANNELS):
            counts[channel * LEVELS + int(name[1:])] = count
    return counts


def test_progress_goes_from_the_first_picture_to_the_last() -> None:
    """In between, the share of the change that has happened."""
    assert visual_progress([histogram(), histogram(_0=25), histogram(_0=100)]) == pytest.approx([0.0, 0.25, 1.0])


def test_what_is_more_than_the_final_picture_counts_no_more() -> None:
    """A splash screen of other colours is no progress; too much of a colour is not more than all."""
    assert visual_progress([histogram(), histogram(_9=100), histogram(_0=200), histogram(_0=100)]) == pytest.approx(
        [0.0, 0.0, 1.0, 1.0]
    )


def test_pictures_that_never_change_are_complete_at_once() -> None:
    """Nothing is left to be drawn."""
    assert visual_progress([histogram(_3=4), histogram(_3=4)]) == [1.0, 1.0]


@pytest.mark.parametrize("broken", [None, [], [1] * 767, ["x"] * 768, {"a": 1}])
def test_a_broken_histogram_makes_all_of_them_unknown(broken: object) -> None:
    """They come from the browser of a page that may have taken it over."""
    assert visual_progress([histogram(), broken]) == []
