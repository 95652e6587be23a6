from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks.performance.image_efficiency import image_efficiency
from pagegrade.model.artifacts import ImageFacts, Resource
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def image(size: int, *, name: str = "jpeg", animated: bool = False, width: int | None = 800) -> Resource:
    """An image of 800 x 600 pixels, for which 80,000 bytes are plenty."""
    facts = ImageFacts(format=name, width_px=width, height_px=600, animated=animated)  # type: ignore[arg-type]
    return make_resource(URL + "a", body_bytes=size, image=facts)


@pytest.mark.parametrize(
    ("size", "loss"), [(84_096, 0), (84_097, 0.2), (180_000, 0.2), (180_001, 0.4), (580_000, 1), (5_000_000, 1)]
)
def test_what_is_too_much_costs_in_steps(size: int, loss: float) -> None:
    """4,096 bytes are tolerated."""
    assert evaluated(image_efficiency, resources=make_resources(image(size))).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "item",
    [image(900_000, animated=True), image(900_000, name="svg"), image(900_000, name="ico"), image(900_000, width=None)],
    ids=["moving", "drawing", "icon", "unknown size"],
)
def test_other_pictures_have_no_measure(item: Resource) -> None:
    """Films have frames, drawings no pixels."""
    assert isinstance(run(image_efficiency, resources=make_resources(item)), NotApplicable)


def test_modern_formats_are_measured_too() -> None:
    """A WebP of highest quality wastes as well."""
    assert outcome(image_efficiency, resources=make_resources(image(300_000, name="webp"))).state == "wasteful"


def test_tiny_images_are_left_alone() -> None:
    """An icon of 20 x 20 pixels has more headers than pixels."""
    facts = ImageFacts(format="png", width_px=20, height_px=20)
    tiny = make_resource(URL + "a.png", body_bytes=3_000, image=facts)

    assert outcome(image_efficiency, resources=make_resources(tiny)).state == "efficient"
    assert isinstance(run(image_efficiency), NotRun)


def test_images_that_only_a_stylesheet_names_are_left_out() -> None:
    """A page rarely uses all of them, so that nothing is known to be saved."""
    sprite = replace(image(900_000, name="png"), initiator_url=f"{URL}site.css")

    assert isinstance(run("image-efficiency", resources=make_resources(sprite)), NotApplicable)
    assert isinstance(run("image-format", resources=make_resources(sprite)), NotApplicable)
