from __future__ import annotations

import pytest

from pagegrade.checks.performance.image_dimensions import image_dimensions
from pagegrade.model.outcome import NotApplicable, Outcome
from pagegrade.model.rendering import RenderedImage
from tests.builders import evaluated, make_artifacts, make_resource, make_resources, outcome, run
from tests.rendering_builders import make_rendering


@pytest.mark.parametrize(
    "attributes",
    [
        "width=800 height=600",
        'width="800px" height=" 600.5"',
        "width=0 height=0",
        'style="width: 80px; height: 60px"',
        'width=800 style="HEIGHT: 60PX !important"',
        'style="aspect-ratio: 4 / 3; width: 100%"',
        'height=600 style="aspect-ratio:4/3"',
        'width="99.5%" height=600',
        'width="100%" style="height: 20em"',
        'height=600 style="width: 100%"',
        'width=300 style="width: auto; height: 200px"',
        'width=-200 height=-200 style="width: 10px; height: 10px"',
        'width="1002$" height="3,000"',
        'width="2/3" height="100.0"',
        'style="width: 100%; height: calc(100vh - 3em)"',
        'style="width: var(--side); height: clamp(1px, 2vw, 3px)"',
        'style="width: 100%; height: 100%; object-fit: cover"',
        'width="50%" style="aspect-ratio: 1"',
    ],
)
def test_space_is_reserved_by_numbers_or_a_ratio_with_a_side(attributes: str) -> None:
    """Attributes and inline styles say it equally."""
    found = evaluated(image_dimensions, f"<img src=/a.jpg {attributes}>")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("reserved", 0)


@pytest.mark.parametrize(
    "attributes",
    [
        "",
        "width=800",
        "height=600",
        'width="100%" height="100%"',
        'width=800 height="50%"',
        "width=auto height=auto",
        "width=-200 height=100",
        "width=+200 height=+100",
        "width=s-5 height=100",
        'style="width: 100px; height: unset"',
        'style="width: min-content; height: 10px"',
        "width='' height=''",
        'style="width: 100%; height: auto"',
        'style="aspect-ratio: 4 / 3"',
        'style="aspect-ratio: auto; width: 10px"',
        'style="max-width: 80px; max-height: 60px"',
    ],
)
def test_what_reserves_no_height_is_found(attributes: str) -> None:
    """A percentage of an unknown height, one side alone or a maximum keep nothing free."""
    found = evaluated(image_dimensions, f"<img src=/a.jpg {attributes}>")

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == ("unsized", 0.25)
    assert found.verdict.evidence[0].snippet.startswith("<img")


def test_a_stylesheet_may_reserve_the_space_so_it_never_fails() -> None:
    """However many images, at most half is lost."""
    found = evaluated(image_dimensions, "<img src=/a.jpg>" * 500)

    assert found.outcome == "warning"
    assert found.loss == 0.5
    assert isinstance(found.verdict, Outcome)
    assert found.verdict.total == 500
    assert len(found.verdict.evidence) == 100


@pytest.mark.parametrize(("count", "loss"), [(0, 0), (1, 0.25), (9, 0.25 + 2 / 9), (10, 0.5), (11, 0.5)])
def test_each_further_image_costs_more_until_ten(count: int, loss: float) -> None:
    """Repairing one of several helps."""
    found = evaluated(image_dimensions, "<img src=/a.jpg width=1 height=1>" + "<img src=/b.jpg>" * count)

    assert found.loss == pytest.approx(loss)


def test_removing_a_good_image_does_not_make_the_others_worse() -> None:
    """The number counts, not the share."""
    with_good = evaluated(image_dimensions, "<img src=/a.jpg width=1 height=1>" * 5 + "<img src=/b.jpg>")
    without = evaluated(image_dimensions, "<img src=/b.jpg>")

    assert with_good.loss == without.loss


@pytest.mark.parametrize(
    "markup",
    [
        "<img hidden src=/a.jpg>",
        "<div style='display: none'><img src=/a.jpg></div>",
        "<img src=/a.jpg style='position: absolute; top: 0'>",
        "<img src=/a.jpg style='position:FIXED'>",
        "<img src='data:image/svg+xml,%3Csvg%3E'>",
        "<img data-src=/late.jpg>",
        "<img src='' alt=x>",
        "<p>none",
    ],
)
def test_images_that_push_nothing_aside_are_left_out(markup: str) -> None:
    """Hidden, floating and placeholder images reserve no space or need none."""
    verdict = run(image_dimensions, markup)

    assert isinstance(verdict, NotApplicable)


def test_sizes_on_every_source_of_a_picture_count() -> None:
    """Art direction gives each cut-out its own size."""
    sources = "<source srcset=/a.avif width=4 height=3><source srcset=/b.avif width=1 height=1>"
    html = f"<picture>{sources}<img src=/a.jpg></picture>"

    assert outcome(image_dimensions, html).state == "reserved"


def test_a_picture_with_one_unsized_source_is_found() -> None:
    """The browser may take just that one."""
    html = "<picture><source srcset=/a.avif width=4 height=3><source srcset=/b.avif><img src=/a.jpg></picture>"

    assert outcome(image_dimensions, html).state == "unsized"


def test_values_of_endless_digits_are_read_in_part() -> None:
    """Only the first forty characters count, so that the expressions stay linear."""
    digits = "1" * 1_900
    html = f"<img src=/a.jpg width={digits * 500}% style='width: {digits}!; height: {digits}!'>" * 20

    assert outcome(image_dimensions, html).state == "reserved"


def test_the_style_that_a_browser_computed_decides() -> None:
    """By the address of the markup, whichever candidate was drawn; one place without space is a fault."""

    def drawn(name: str, *, has_space: bool) -> RenderedImage:
        return RenderedImage(
            url=f"https://example.com/{name}-2x.svg",
            declared_url=f"https://example.com/{name}.svg",
            has_space=has_space,
            selector="img",
            html="<img>",
            natural_width_px=9,
            natural_height_px=9,
            x_px=0,
            y_px=0,
            width_px=9,
            height_px=9,
        )

    images = (drawn("a", has_space=True), drawn("b", has_space=True), drawn("b", has_space=False))
    html = "<img src=/a.svg><img src=/b.svg><img src=/c.svg>"
    found = outcome(image_dimensions, html, rendering=make_rendering(images=images))

    assert [one.url for one in found.evidence] == ["https://example.com/b.svg", "https://example.com/c.svg"]


def test_rules_of_style_sheets_that_were_fetched_count() -> None:
    """Unless browsers do not use the sheet."""
    html = "<!doctype html><link rel=stylesheet href=/s.css><img class=logo src=/a.svg>"
    states = []
    for status in (200, 404):
        sheet = make_resource("https://example.com/s.css", kind="stylesheet", status=status, image_space=(".logo",))
        page = make_artifacts(html, url="https://example.com/", resources=make_resources(sheet))
        states.append(outcome("image-dimensions", page).state)

    assert states == ["reserved", "unsized"]
