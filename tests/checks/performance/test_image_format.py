from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.image_format import image_format
from pagegrade.model.artifacts import ImageFacts, NotGathered, Resource
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

PAGE = "<!doctype html><title>t</title><img src=/a.jpg>"


def image(
    format_name: str = "jpeg",
    size: int = 200_000,
    *,
    pixels: tuple[int, int] | None = (800, 600),
    path: str = "a.jpg",
    **more: Any,
) -> Resource:
    """A fetched image."""
    width, height = pixels or (None, None)
    facts = ImageFacts(format=format_name, width_px=width, height_px=height)  # type: ignore[arg-type]
    return make_resource(URL + path, body_bytes=size, image=facts, **more)


def state_of(*items: Resource, html: str = PAGE) -> str:
    """The state of a page with these images."""
    return outcome(image_format, html, resources=make_resources(*items)).state


@pytest.mark.parametrize("format_name", ["webp", "avif", "jxl"])
def test_modern_formats_are_fine_at_any_size(format_name: str) -> None:
    """Their weight is another matter."""
    assert state_of(image(format_name, 900_000)) == "modern"


@pytest.mark.parametrize("format_name", ["jpeg", "png", "gif", "bmp", "tiff"])
def test_an_older_format_with_much_to_save_fails(format_name: str) -> None:
    """Every older raster format is one."""
    found = evaluated(image_format, PAGE, resources=make_resources(image(format_name)))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("legacy", 1)
    assert found.verdict.evidence[0].url == URL + "a.jpg"
    assert "800 x 600" in found.verdict.evidence[0].reason


def test_the_extension_of_the_name_proves_nothing() -> None:
    """A ``.jpg`` that serves WebP by negotiation is WebP, and a CDN address without one may be a JPEG."""
    assert state_of(image("webp", path="a.jpg")) == "modern"
    assert state_of(image("jpeg", path="image?fm=webp")) == "legacy"


@pytest.mark.parametrize(("size", "state"), [(10_000, "modern"), (10_001, "legacy")])
def test_images_up_to_ten_kilobytes_are_left_alone(size: int, state: str) -> None:
    """At the limit nothing is asked for, past it the format counts."""
    assert state_of(image("jpeg", size, pixels=(100, 100))) == state


@pytest.mark.parametrize(
    ("size", "state"),
    [(80_000 + 4_096, "efficient_legacy"), (80_000 + 4_097, "legacy"), (40_000, "efficient_legacy")],
)
def test_the_saving_decides_between_half_and_all(size: int, state: str) -> None:
    """800 x 600 pixels need 80,000 bytes at a sixth of a byte each; 4,096 more are tolerated."""
    found = evaluated(image_format, PAGE, resources=make_resources(image("jpeg", size)))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, 0.5 if state == "efficient_legacy" else 1)


def test_without_pixel_sizes_no_saving_is_invented() -> None:
    """Unknown is not large."""
    assert state_of(image("jpeg", 900_000, pixels=None)) == "efficient_legacy"


def test_a_fallback_inside_a_picture_with_modern_sources_is_fine() -> None:
    """Browsers take the source; only old ones take the img."""
    html = "<picture><source type='image/webp' srcset=/a.webp><img src=/a.jpg srcset='/b.jpg 2x'></picture>"

    assert state_of(image("jpeg"), image("jpeg", path="b.jpg"), html=html) == "modern"


@pytest.mark.parametrize(
    "html",
    [
        "<picture><source srcset=/a.AVIF?v=2><img src=/a.jpg></picture>",
        "<img src=/a.jpg srcset='/a.webp 800w, /b.webp 1600w'>",
    ],
)
def test_a_modern_candidate_needs_no_type(html: str) -> None:
    """Browsers take it for its place, not for its type; its ending is enough to excuse the fallback."""
    assert state_of(image("jpeg"), html=html) == "modern"


def test_an_ending_is_not_believed_against_the_file() -> None:
    """A JPEG under a modern name offers nothing."""
    html = "<img src=/a.jpg srcset='/a.webp 800w'>"

    assert state_of(image("jpeg"), image("jpeg", path="a.webp"), html=html) == "legacy"


def test_a_picture_without_modern_sources_excuses_nothing() -> None:
    """Sources may be cut-outs of the same old format."""
    html = "<picture><source media='(min-width: 9px)' srcset=/b.jpg><img src=/a.jpg></picture>"

    assert state_of(image("jpeg"), html=html) == "legacy"


def test_a_fallback_that_is_also_used_plainly_is_evaluated() -> None:
    """There every browser takes it."""
    html = "<picture><source type=image/avif srcset=/a.avif><img src=/a.jpg></picture><img src=/a.jpg>"

    assert state_of(image("jpeg"), html=html) == "legacy"


def test_offering_a_modern_format_never_costs_points() -> None:
    """The edit that the fix advises."""
    after = "<picture><source type=image/avif srcset=/a.avif><img src=/a.jpg></picture>"

    assert state_of(image("jpeg")) == "legacy"
    assert state_of(image("jpeg"), image("avif", 60_000, path="a.avif"), html=after) == "modern"


@pytest.mark.parametrize(
    "resource",
    [
        image("svg", 50_000),
        image("ico", 50_000),
        image("png", 50_000, kind="icon"),
        image("png", 50_000, status=404),
        make_resource(URL + "a.jpg"),
        Resource(url=URL + "a.jpg", kinds=("image",), initiator_url=URL, failure=NotGathered(code="timeout")),
    ],
    ids=["svg", "ico", "icon", "missing", "unread", "failed"],
)
def test_drawings_icons_and_what_did_not_arrive_are_not_evaluated(resource: Resource) -> None:
    """Only raster images that were received."""
    verdict = run(image_format, PAGE, resources=make_resources(resource))

    assert isinstance(verdict, NotApplicable)


def test_the_worst_image_is_named_first() -> None:
    """The list begins where most can be saved."""
    found = outcome(
        image_format, PAGE, resources=make_resources(image("jpeg", 50_000), image("png", 900_000, path="b.png"))
    )

    assert [entry.url for entry in found.evidence] == [URL + "b.png", URL + "a.jpg"]
    assert found.value == "2 of 2 images"


def test_without_the_files_nothing_is_said() -> None:
    """The page alone does not name formats."""
    assert isinstance(run(image_format, PAGE), NotRun)
