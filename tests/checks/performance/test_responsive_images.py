from __future__ import annotations

import pytest

from pagegrade.checks.performance.responsive_images import responsive_images
from pagegrade.model.artifacts import ImageFacts
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, run


def files(width: int, name: str = "jpeg") -> object:
    """The image as fetched."""
    return make_resources(make_resource(URL + "a.jpg", image=ImageFacts(format=name, width_px=width, height_px=9)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<img src=/a.jpg>", "single"),
        ("<img src=/a.jpg srcset='/a.jpg 1x'>", "single"),
        ("<img src=/a.jpg srcset='/b.jpg 800w'>", "offered"),
        ("<picture><source srcset=/b.jpg media='(max-width: 9px)'><img src=/a.jpg></picture>", "offered"),
    ],
)
def test_other_candidates_are_what_counts(html: str, state: str) -> None:
    """The same file once more is no other size."""
    found = evaluated(responsive_images, html, resources=files(1_001))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == (state, "informative")


@pytest.mark.parametrize(("width", "name"), [(1_000, "jpeg"), (4_000, "svg")])
def test_narrow_images_and_drawings_need_no_other_size(width: int, name: str) -> None:
    """1,000 pixels are fine."""
    assert isinstance(run(responsive_images, "<img src=/a.jpg>", resources=files(width, name)), NotApplicable)


def test_without_files_no_width_is_known() -> None:
    """The attributes say how wide it is shown, not what is fetched."""
    assert isinstance(run(responsive_images, "<img src=/a.jpg width=4000 height=9>"), NotRun)
