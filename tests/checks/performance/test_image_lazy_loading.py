from __future__ import annotations

import pytest

from pagegrade.checks.performance.image_lazy_loading import image_lazy_loading
from pagegrade.model.artifacts import ImageFacts
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def page(eager: int, attributes: str = "") -> str:
    """Three images at the top, and as many eager ones below."""
    later = "".join(f"<img src=/{number}.jpg {attributes}>" for number in range(eager))
    return "<!doctype html>" + "<img src=/top.jpg>" * 3 + later


@pytest.mark.parametrize(("eager", "loss"), [(1, 0), (4, 0), (5, 0.2), (16, 0.3), (30, 0.5), (90, 0.5)])
def test_five_eager_images_further_down_are_many(eager: int, loss: float) -> None:
    """The fold is not known, so half is the most it costs."""
    assert evaluated(image_lazy_loading, page(eager)).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "attributes",
    [
        "loading=LAZY",
        "loading=Eager",
        "width=100 height=100",
        "hidden",
        "style='display:none'",
        "width=1 height=1",
        "style='width: 32px; height:32.5px'",
    ],
)
def test_lazy_tiny_and_hidden_images_do_not_count(attributes: str) -> None:
    """Icons and tracking pixels weigh nothing."""
    verdict = run(image_lazy_loading, page(9, attributes))

    assert isinstance(verdict, NotApplicable) or (isinstance(verdict, Outcome) and verdict.state == "lazy")


@pytest.mark.parametrize("attributes", ["loading=auto", "loading=''", "loading=soon", "fetchpriority=low"])
def test_other_words_are_no_decision(attributes: str) -> None:
    """Browsers load such an image at once because nothing was said."""
    assert outcome(image_lazy_loading, page(9, attributes)).state == "eager"


def test_a_wide_image_of_small_height_counts() -> None:
    """Only both sides make it tiny; digits without end are no trap."""
    assert outcome(image_lazy_loading, page(9, "width=900 height=90")).state == "eager"
    assert outcome(image_lazy_loading, page(9, f"width={'9' * 9_000} height=9")).state == "eager"


def test_a_file_is_fetched_once_however_often_it_stands_there() -> None:
    """A lazy copy of a file that is loading anyway saves nothing."""
    repeated = "<img src=/top.jpg>" * 3 + "<img src=/a.jpg>" * 90 + "<img src=/top.jpg>" * 90
    found = outcome(image_lazy_loading, repeated)

    assert (found.state, found.value) == ("lazy", "1 of 1 image")


def test_drawings_and_small_files_are_icons() -> None:
    """The file says so where the page does not; a width alone says nothing."""
    small = make_resource(URL + "a.jpg", image=ImageFacts(format="png", width_px=64, height_px=64))

    assert isinstance(run(image_lazy_loading, "<img src=/icon.svg?v=1>" * 9), NotApplicable)
    assert isinstance(run(image_lazy_loading, "<img src=/a.jpg>" * 9, resources=make_resources(small)), NotApplicable)
    assert outcome(image_lazy_loading, page(9, "style='max-width: 90px'")).state == "eager"


def test_placeholders_of_scripts_do_not_count() -> None:
    """The script loads them when it likes."""
    html = "<img data-src=/a.jpg>" * 9 + "<img src='data:image/gif;base64,R0lGOD' data-src=/a.jpg>" * 9

    assert isinstance(run(image_lazy_loading, html), NotApplicable)


def test_the_first_three_may_be_eager() -> None:
    """They should be."""
    assert isinstance(run(image_lazy_loading, page(0)), NotApplicable)


def test_each_offender_is_shown_where_it_stands() -> None:
    """With its selector and its address."""
    found = outcome(image_lazy_loading, page(6))

    assert len(found.evidence) == 6
    assert found.evidence[0].url == URL + "0.jpg"
    assert "nth-of-type(4)" in found.evidence[0].selector
