from __future__ import annotations

import pytest

from pagegrade.checks.performance.dom_size import dom_size
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome
from tests.rendering_builders import make_rendering

FRAME = "<!doctype html><html><head><title>t</title></head><body>"
FRAME_ELEMENTS = 4


def page(elements: int, inside: str = "") -> str:
    """A page with that many elements altogether."""
    return FRAME + f"<i>{inside}</i>" * (elements - FRAME_ELEMENTS)


@pytest.mark.parametrize(
    ("elements", "state", "loss"),
    [
        (4, "moderate", 0),
        (1_500, "moderate", 0),
        (1_501, "large", 0.2),
        (2_000, "large", 0.4),
        (3_000, "large", 0.8),
        (3_001, "very_large", 1),
    ],
)
def test_the_limits_are_1500_and_3000_elements(elements: int, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluated(dom_size, page(elements))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.value == elements
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_texts_and_comments_are_no_elements() -> None:
    """Counting every node would triple the number."""
    found = outcome(dom_size, page(1_500, inside="text<!-- comment -->text"))

    assert found.value == 1_500


def test_the_details_hint_at_where_they_are() -> None:
    """Depth and the widest parent are shown."""
    found = outcome(dom_size, FRAME + "<ul>" + "<li>x</li>" * 30 + "</ul>")
    details = {detail.code: detail.actual for detail in found.details}

    assert details["most_children"] == 30
    assert details["deepest_nesting"] == 4


def test_a_few_more_elements_cost_nothing() -> None:
    """Steps keep good markup from costing a hair."""
    assert evaluated(dom_size, page(1_700)).loss == evaluated(dom_size, page(1_705)).loss


def test_the_elements_in_a_browser_count_where_there_was_one() -> None:
    """A script may add most of them, or remove those that were served."""
    drawn = outcome(dom_size, page(10), rendering=make_rendering(dom_elements=3_001))
    few = outcome(dom_size, page(3_001), rendering=make_rendering(dom_elements=10))
    unknown = outcome(dom_size, page(3_001), rendering=make_rendering(dom_elements=None))

    assert (drawn.state, drawn.value) == ("very_large", 3_001)
    assert "10 as served" in drawn.message
    assert few.state == "moderate"
    assert unknown.state == "very_large"
