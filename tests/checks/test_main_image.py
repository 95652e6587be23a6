from __future__ import annotations

import pytest

from pagegrade.checks._main_image import FIRST, HEIGHT_PX, WIDTH_PX, main_image, probable_main_image
from pagegrade.model.artifacts import ImageFacts
from pagegrade.model.rendering import ElementFacts, RenderedImage
from tests.builders import SKIPPED, URL, make_document, make_resource, make_resources
from tests.rendering_builders import make_rendering

SMALL = "<img src=/s.png width=20 height=20>"
LARGE = f"<img src=/a.jpg width={WIDTH_PX} height={HEIGHT_PX}>"


def found(page: str, **facts: ImageFacts) -> str | None:
    """The address of the probable main image; ``facts`` are those of the files by their names."""
    files = make_resources(*(make_resource(f"{URL}{name}.jpg", image=image) for name, image in facts.items()))
    image = probable_main_image(make_document(page), files if facts else SKIPPED)
    return None if image is None else image.url


def test_first_large_image_is_it() -> None:
    """Whatever small ones come before it."""
    assert found(SMALL + LARGE + LARGE.replace("a.jpg", "b.jpg")) == URL + "a.jpg"


@pytest.mark.parametrize(("before", "expected"), [(FIRST - 1, URL + "a.jpg"), (FIRST, None)])
def test_only_the_first_few_are_looked_at(before: int, expected: str | None) -> None:
    """At the limit and one past it."""
    assert found(SMALL * before + LARGE) == expected


@pytest.mark.parametrize(("width", "height"), [(WIDTH_PX - 1, HEIGHT_PX), (WIDTH_PX, HEIGHT_PX - 1)])
def test_smaller_ones_are_not(width: int, height: int) -> None:
    """One pixel less."""
    assert found(f"<img src=/a.jpg width={width} height={height}>") is None


def test_file_counts_where_attributes_are_missing() -> None:
    """Attributes go first, and without either nothing is known."""
    large = ImageFacts(format="jpeg", width_px=1200, height_px=600)

    assert found("<img src=/a.jpg>", a=large) == URL + "a.jpg"
    assert found("<img src=/a.jpg width=20 height=20>", a=large) is None
    assert found("<img src=/a.jpg width=100%>") is None


def test_hidden_and_inline_images_are_left_out() -> None:
    """They are not the one that visitors wait for."""
    assert found(LARGE.replace("<img", "<img hidden")) is None
    assert found(LARGE.replace("/a.jpg", "data:image/png;base64,AAAA")) is None


def test_images_of_a_menu_are_left_out() -> None:
    """The file of a logo is larger than the logo."""
    assert found(f"<nav>{LARGE}</nav>") is None
    assert found(f"<div role=navigation>{LARGE.replace('a.jpg', 'b.jpg')}</div>{LARGE}") == URL + "a.jpg"


@pytest.mark.parametrize(("painted", "expected"), [("#b", URL + "b.jpg"), ("h1", None), ("#c", None)])
def test_in_a_browser_only_the_largest_element_that_it_painted_is_it(painted: str, expected: str | None) -> None:
    """Whatever the markup lets one expect; text, and an image that a script added, are no image of the HTML."""
    drawn = tuple(
        RenderedImage(
            url=f"{URL}{name}.jpg",
            selector=f"#{name}",
            html="<img>",
            natural_width_px=9,
            natural_height_px=9,
            x_px=0,
            y_px=0,
            width_px=9,
            height_px=9,
        )
        for name in "abc"
    )
    rendering = make_rendering(lcp_element=ElementFacts(selector=painted, html="<img>"), images=drawn)
    image, known_as = main_image(make_document(LARGE + "<img src=/b.jpg>"), SKIPPED, rendering)

    assert (None if image is None else image.url) == expected
    assert known_as == ("the largest element that was painted" if expected else "")


def test_without_a_browser_it_is_only_probable() -> None:
    """And said to be."""
    image, known_as = main_image(make_document(LARGE), SKIPPED, SKIPPED)

    assert image is not None
    assert known_as == "probably the main image"
