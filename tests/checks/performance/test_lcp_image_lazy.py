from __future__ import annotations

import pytest

from pagegrade.checks.performance.lcp_image_lazy import lcp_image_lazy
from pagegrade.model.artifacts import ImageFacts
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

LARGE = "<img src=/a.jpg width=1200 height=600 {}>"


@pytest.mark.parametrize(
    ("attributes", "state"),
    [("", "eager"), ("loading=lazy", "lazy"), ("loading=eager", "eager"), ("loading=auto", "eager")],
)
def test_lazy_loading_of_the_first_large_image_costs_half(attributes: str, state: str) -> None:
    """It is probable, not certain, that it is the main one."""
    found = evaluated(lcp_image_lazy, LARGE.format(attributes))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.loss) == (state, 0.5 if state == "lazy" else 0)


def test_small_images_before_it_do_not_count() -> None:
    """A lazy logo is no main image."""
    html = (
        "<img src=/logo.png width=120 height=40 loading=lazy><img src=/b.jpg hidden width=900 height=900 loading=lazy>"
    )

    assert outcome(lcp_image_lazy, html + LARGE.format("")).value == URL + "a.jpg"
    assert isinstance(run(lcp_image_lazy, html), NotApplicable)


def test_the_file_gives_the_size_where_the_page_does_not() -> None:
    """Without both, nothing is guessed."""
    html = "<img src=/a.jpg loading=lazy>"
    file = make_resource(URL + "a.jpg", image=ImageFacts(format="jpeg", width_px=900, height_px=600))

    assert outcome(lcp_image_lazy, html, resources=make_resources(file)).state == "lazy"
    assert isinstance(run(lcp_image_lazy, html), NotApplicable)


def test_large_images_far_down_are_not_the_main_one() -> None:
    """Behind five others it should be lazy."""
    html = "<img src=/s.png width=20 height=20>" * 5 + LARGE.format("loading=lazy")

    assert isinstance(run(lcp_image_lazy, html), NotApplicable)
