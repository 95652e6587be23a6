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


def progress(*histograms: object, times_ms: list[float] | None = None) -> list[float]:
    """The progress of pictures that are shown a second after the other, or at these times."""
    return visual_progress(histograms, times_ms or [1_000.0 * number for number in range(1, len(histograms) + 1)])


def test_progress_goes_from_a_white_screen_to_the_last_picture() -> None:
    """In between, the share of the change that has happened, in whole percents."""
    assert progress(histogram(), histogram(_0=255), histogram(_0=1_000)) == [0.0, 0.25, 1.0]


def test_what_is_more_than_the_final_picture_counts_no_more() -> None:
    """A splash screen of other colours is no progress; too much of a colour is not more than all."""
    assert progress(histogram(_9=100), histogram(_0=200), histogram(_0=100)) == [0.0, 1.0, 1.0]


def test_pictures_that_never_change_are_complete_at_once() -> None:
    """Nothing is left to be drawn, also where all is white."""
    assert progress(histogram(_3=4), histogram(_3=4)) == [1.0, 1.0]
    assert progress(histogram(), histogram()) == [1.0, 1.0]


def test_between_pictures_that_are_alike_nothing_is_missing() -> None:
    """A part that moves and comes back; over a longer time it counts."""
    pictures = [histogram(_0=100), histogram(_0=97), histogram(_0=100)]

    assert progress(histogram(), *pictures, times_ms=[50, 100, 200, 300]) == [0.0, 1.0, 1.0, 1.0]
    assert progress(histogram(), *pictures, times_ms=[50, 100, 4_200, 9_300]) == [0.0, 1.0, 0.97, 1.0]


def test_the_pictures_of_one_load_as_lighthouse_compares_them() -> None:
    """Computed by hand: of the pictures 0 (white) to 4, the halves 0-2 and 2-4 are looked at, and 2-4 are alike."""
    found = progress(
        histogram(_0=10), histogram(_0=96), histogram(_0=50), histogram(_0=100), times_ms=[100, 200, 300, 400]
    )

    assert found == [0.1, 0.96, 0.96, 1.0]


@pytest.mark.parametrize("broken", [None, [], [1] * 767, ["x"] * 768, {"a": 1}])
def test_a_broken_histogram_makes_all_of_them_unknown(broken: object) -> None:
    """They come from the browser of a page that may have taken it over."""
    assert progress(histogram(), broken) == []
