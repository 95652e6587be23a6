from __future__ import annotations

import pytest

from pagegrade.checks.technical.inline_css import inline_css
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome


def styled(count: int) -> str:
    """That many elements with a style attribute."""
    return "<!doctype html><title>t</title>" + "<p style='color: green'>x</p>" * count


@pytest.mark.parametrize(
    ("count", "state", "loss"),
    [(0, "few", 0), (20, "few", 0), (21, "many", 0.1), (56, "many", 0.1), (57, "many", 0.2), (200, "many", 0.5)],
)
def test_from_21_on_it_costs_in_steps(count: int, state: str, loss: float) -> None:
    """At the limit nothing is lost, at 200 half."""
    found = evaluated(inline_css, styled(count))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)
    assert found.verdict.value == count


def test_it_never_fails() -> None:
    """Four of five real pages have some, and frameworks set them legitimately."""
    found = evaluated(inline_css, styled(2_000))

    assert (found.outcome, found.loss) == ("warning", 0.5)


def test_drawings_are_not_counted() -> None:
    """Editors write styles into every shape of an SVG."""
    drawing = "<svg style='width:1px'>" + "<path style='fill:red'/><linearGradient style='x:y'/>" * 100 + "</svg>"

    assert outcome(inline_css, drawing).value == 0


def test_style_elements_and_templates_are_not_counted() -> None:
    """Only attributes of elements on the page."""
    html = "<style>p { color: red }</style>" * 30 + "<template><p style='color: red'></template>" * 30

    assert outcome(inline_css, html).value == 0


def test_the_first_twenty_are_shown_with_the_true_number() -> None:
    """Enough to find the pattern."""
    found = outcome(inline_css, styled(90))

    assert (len(found.evidence), found.total) == (20, 90)
    assert found.evidence[0].line == 1
    assert "style" in found.evidence[0].snippet


def test_removing_styles_never_costs_points() -> None:
    """Loss only falls with their number."""
    losses = [evaluated(inline_css, styled(count)).loss or 0 for count in range(0, 240, 12)]

    assert losses == sorted(losses)


def test_empty_attributes_are_not_counted() -> None:
    """They style nothing."""
    assert outcome(inline_css, "<p style>x</p><p style=' '>x</p>" * 100).value == 0
