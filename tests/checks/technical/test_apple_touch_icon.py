from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.technical.apple_touch_icon import apple_touch_icon
from pagegrade.model.artifacts import ImageFacts, NotGathered, Resource
from tests.builders import evaluated, make_resource, make_resources, outcome

LINK = "<!doctype html><link rel=apple-touch-icon href=/a.png>"
URL = "https://example.com/a.png"


def icon(width: int | None, height: int | None, kind: str = "png", **more: Any) -> Resource:
    """The icon as it was fetched."""
    image = ImageFacts(format=kind, width_px=width, height_px=height)  # type: ignore[arg-type]
    return make_resource(URL, kind="icon", image=image, **more)


@pytest.mark.parametrize(
    ("html", "state"),
    [
        (LINK, "present"),
        ("<link rel='icon apple-touch-icon' href=/a.png>", "present"),
        ("<link rel=Apple-Touch-Icon-Precomposed href=/a.png>", "present"),
        ("<link rel=apple-touch-icon>", "absent"),
        ("<link rel=icon href=/a.png>", "absent"),
        ("<link rel=apple-touch-startup-image href=/a.png>", "absent"),
        ("<link rel=apple-touch-icon href='/icon.SVG?v=2'>", "unsuitable"),
        ("", "absent"),
    ],
)
def test_links_that_name_the_icon(html: str, state: str) -> None:
    """Icons that were not fetched count as present."""
    assert outcome(apple_touch_icon, html).state == state
    assert evaluated(apple_touch_icon, html).outcome == "informative"


@pytest.mark.parametrize(
    ("resource", "state"),
    [
        (icon(180, 180), "present"),
        (icon(512, 512), "present"),
        (icon(None, None), "present"),
        (icon(152, 152), "unsuitable"),
        (icon(180, 200), "unsuitable"),
        (icon(180, 180, "jpeg"), "unsuitable"),
        (make_resource(URL, kind="icon"), "unsuitable"),
        (make_resource(URL, kind="icon", status=404), "unsuitable"),
        (Resource(url=URL, kinds=("icon",), initiator_url=URL, failure=NotGathered(code="timeout")), "present"),
    ],
)
def test_file_is_looked_at_where_it_was_fetched(resource: Resource, state: str) -> None:
    """A failure on the way may be ours."""
    assert outcome(apple_touch_icon, LINK, resources=make_resources(resource)).state == state


def test_one_good_icon_among_several_is_enough() -> None:
    """Devices take the best one."""
    html = LINK + "<link rel=apple-touch-icon sizes=152x152 href=/b.png>"

    assert outcome(apple_touch_icon, html, resources=make_resources(icon(60, 60))).state == "present"
