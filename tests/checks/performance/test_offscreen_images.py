from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.image_lazy_loading import image_lazy_loading
from pagegrade.checks.performance.offscreen_images import offscreen_images
from pagegrade.model.outcome import NotApplicable, Outcome
from pagegrade.model.rendering import RenderedImage, RenderedRequest
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

URL = "https://example.com/chair.jpg"
BELOW = RenderedImage(
    url=URL,
    selector="img",
    html="<img>",
    natural_width_px=800,
    natural_height_px=600,
    x_px=0,
    y_px=5_000,
    width_px=400,
    height_px=300,
)
EDGE_PX = 823 * 1.5


def evaluate(*images: RenderedImage, size: int = 400_000) -> Evaluated:
    """The verdict on a page with these images, each file of that size."""
    requests = tuple(RenderedRequest(url=url, wire_bytes=size) for url in {image.url for image in images})
    return evaluated(offscreen_images, rendering=make_rendering(images=images, requests=requests))


@pytest.mark.parametrize(
    ("place", "state"),
    [
        ({"y_px": EDGE_PX - 1}, "deferred"),
        ({"y_px": EDGE_PX}, "loaded"),
        ({"y_px": -300}, "loaded"),
        ({"y_px": -299}, "deferred"),
        ({"y_px": 0, "x_px": 411}, "deferred"),
        ({"y_px": 0, "x_px": 412}, "loaded"),
        ({"y_px": 0, "x_px": -400}, "loaded"),
        ({"y_px": 0, "width_px": 0}, "loaded"),
        ({"lazy": True}, "deferred"),
    ],
)
def test_images_near_the_first_screen_may_load(place: dict[str, float], state: str) -> None:
    """Up to half a screen below it; beside the page and without a size they are not seen."""
    found = evaluate(replace(BELOW, **place)).verdict

    assert isinstance(found, Outcome)
    assert found.state == state


@pytest.mark.parametrize(("size", "loss"), [(50_000, 0), (50_001, 0.2), (240_000, 0.2), (1_000_000, 1)])
def test_bytes_decide_what_it_costs(size: int, loss: float) -> None:
    """Nothing up to the lower limit, everything from the higher one."""
    assert evaluate(BELOW, size=size).loss == pytest.approx(loss)


def test_a_file_that_is_also_shown_above_is_needed() -> None:
    """It is downloaded once."""
    assert evaluate(BELOW, replace(BELOW, y_px=0)).loss == 0


def test_files_of_few_bytes_are_left_out() -> None:
    """Hundreds of icons are a matter of requests."""
    icons = [replace(BELOW, url=f"https://example.com/{number}.png") for number in range(300)]

    assert evaluate(*icons, size=4_096).loss == 0
    assert (evaluate(*icons, size=4_097).loss or 0) > 0


def test_without_files_there_is_nothing_to_defer() -> None:
    """Images inside the HTML have no request."""
    assert isinstance(evaluate().verdict, NotApplicable)


def test_the_guess_from_the_markup_is_charged_once_with_it() -> None:
    """Both are about the same images."""
    assert offscreen_images.cause == image_lazy_loading.cause == "lazy-loading"
