from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.technical.image_aspect_ratio import image_aspect_ratio
from pagegrade.model.outcome import NotApplicable, Outcome
from pagegrade.model.rendering import RenderedImage
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def image(width_px: float, height_px: float, **more: Any) -> RenderedImage:
    """A file of 800 x 600 pixels in a place of this size."""
    about: dict[str, Any] = {"url": "https://example.com/a.jpg", "natural_width_px": 800, "natural_height_px": 600}
    return RenderedImage(
        **{**about, "selector": "img", "html": "<img>", "x_px": 0, "y_px": 0, **more},
        width_px=width_px,
        height_px=height_px,
    )


def evaluate(*images: RenderedImage) -> Evaluated:
    """The verdict on a page with these images."""
    return evaluated(image_aspect_ratio, rendering=make_rendering(images=images))


@pytest.mark.parametrize(
    ("width_px", "height_px", "state"),
    [
        (400, 300, "kept"),
        (400, 306, "kept"),  # 2 % of 306 is 6.1
        (400, 307, "distorted"),
        (400, 293, "distorted"),
        (40, 31.9, "kept"),  # less than 2 pixels
        (40, 32, "distorted"),
        (1600, 1200, "kept"),
        (6, 20, "distorted"),
    ],
)
def test_the_height_has_to_fit_the_width(width_px: float, height_px: float, state: str) -> None:
    """By pixels, and by a share of the side, because a layout rounds."""
    found = evaluate(image(width_px, height_px)).verdict

    assert isinstance(found, Outcome)
    assert found.state == state


@pytest.mark.parametrize(
    "left_out",
    [
        image(5.9, 100),
        image(0, 0),
        image(400, 100, fit="cover"),
        image(400, 100, fit="contain"),
        image(400, 100, url=""),
        image(400, 100, url="https://example.com/logo.SVG?v=3"),
        image(400, 100, natural_width_px=0),
    ],
)
def test_images_without_proportions_of_their_own_do_not_apply(left_out: RenderedImage) -> None:
    """Also those that CSS cuts, that are not drawn, or that are lines."""
    assert isinstance(evaluate(left_out).verdict, NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (70, 1.0)])
def test_each_image_costs_up_to_ten(count: int, loss: float) -> None:
    """Both sizes are the evidence; all are counted where more were found than are listed."""
    found = evaluate(image(400, 300), *(image(400, 100, selector=f"#n{number}") for number in range(count)))

    assert isinstance(found.verdict, Outcome)
    assert found.loss == pytest.approx(loss)
    assert found.verdict.total == count
    assert found.verdict.evidence[0].selector == "#n0"
    assert found.verdict.evidence[0].reason == "800 x 600 pixels, shown as 400 x 100"
