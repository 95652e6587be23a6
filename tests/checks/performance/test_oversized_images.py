from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.oversized_images import oversized_images
from pagegrade.model.outcome import NotApplicable, Outcome, Saving
from pagegrade.model.rendering import RenderedImage, RenderedRequest
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

URL = "https://example.com/chair.jpg"
IMAGE = RenderedImage(
    url=URL,
    selector="img",
    html="<img>",
    natural_width_px=1_000,
    natural_height_px=1_000,
    x_px=0,
    y_px=0,
    width_px=500,
    height_px=500,
)
FILE = RenderedRequest(url=URL, mime_type="image/jpeg", wire_bytes=400_000)


def evaluate(*images: RenderedImage, ratio: float = 1.0, file: RenderedRequest = FILE) -> Evaluated:
    """The verdict on a page with these images of one file."""
    return evaluated(oversized_images, rendering=make_rendering(images=images, requests=(file,), pixel_ratio=ratio))


@pytest.mark.parametrize(("ratio", "saved"), [(1.0, 300_000), (1.75, 93_750), (2.0, None)])
def test_pixels_of_the_screen_count(ratio: float, saved: int | None) -> None:
    """Twice the width and height of its place on a plain screen are three quarters too many, on a dense one none."""
    found = evaluate(IMAGE, ratio=ratio).verdict

    assert isinstance(found, Outcome)
    assert found.saving == (None if saved is None else Saving(saved, "bytes"))
    assert found.state == ("fitting" if saved is None else "oversized")


@pytest.mark.parametrize(
    ("fit", "saved"),
    [("fill", 350_000), ("cover", 300_000), ("contain", 375_000), ("scale-down", 375_000), ("none", 0)],
)
def test_the_part_that_is_cut_off_counts_as_shown(fit: str, saved: int) -> None:
    """In a place of 500 x 250 pixels: covered, filled by a squeezed one, or with margins beside it."""
    found = evaluate(replace(IMAGE, height_px=250, fit=fit)).verdict

    assert isinstance(found, Outcome)
    assert (found.saving.amount if found.saving else 0) == saved


def test_the_largest_place_of_a_file_counts() -> None:
    """A file that a thumbnail and the full view share is downloaded once."""
    thumbnail = replace(IMAGE, width_px=50, height_px=50)

    assert evaluate(thumbnail).loss == 0.8
    assert evaluate(thumbnail, replace(IMAGE, width_px=1_000, height_px=1_000)).loss == 0


@pytest.mark.parametrize(("size", "state"), [(4_096, "fitting"), (4_097, "oversized")])
def test_few_bytes_are_not_worth_a_change(size: int, state: str) -> None:
    """The surplus must be more than 4,096 bytes."""
    tiny = replace(IMAGE, width_px=0.001, height_px=0.001)
    found = evaluate(tiny, file=replace(FILE, wire_bytes=size)).verdict

    assert isinstance(found, Outcome)
    assert found.state == state


@pytest.mark.parametrize(
    "file",
    [
        replace(FILE, mime_type="image/svg+xml"),
        replace(FILE, from_cache=True),
        replace(FILE, wire_bytes=None),
        replace(FILE, url="https://example.com/other.jpg"),
    ],
    ids=["vector", "cached", "not transferred", "not requested"],
)
def test_what_was_not_transferred_as_pixels_is_left_out(file: RenderedRequest) -> None:
    """There is nothing that a smaller file would save."""
    assert isinstance(evaluate(IMAGE, file=file).verdict, NotApplicable)


def test_what_is_not_drawn_is_left_to_another_check() -> None:
    """An image without a size on the screen is one that need not be loaded."""
    assert isinstance(evaluate(replace(IMAGE, width_px=0)).verdict, NotApplicable)
