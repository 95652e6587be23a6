from __future__ import annotations

from typing import Literal

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.accessibility.color_contrast import color_contrast
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import AxeNode, AxeResult
from tests.builders import evaluated
from tests.rendering_builders import make_rendering

Outcomes = Literal["violation", "incomplete"]


def evaluate(
    count: int,
    *,
    outcome: Outcomes = "violation",
    rule: str = "color-contrast",
    characters: int = 0,
    ratio: str = "1.9",
) -> Evaluated:
    """The verdict on a page with so many offenders, each with so much text."""
    data = (("contrastRatio", ratio),)
    nodes = tuple(
        AxeNode(selector=f"#n{number}", html="<p>", summary="", data=data, characters=characters)
        for number in range(min(count, 30))
    )
    result = AxeResult(
        rule=rule, impact="serious", help="", help_url="", outcome=outcome, nodes=nodes, node_count=count
    )
    return evaluated(color_contrast, rendering=make_rendering(axe=(result,)))


@pytest.mark.parametrize(
    ("count", "characters", "ratio", "loss"),
    [
        (1, 9, "1.9", 0.25),
        (12, 8, "1.9", 0.25),
        (1, 101, "1.9", 0.4),
        (119, 8, "3.32", 0.4),
        (119, 8, "2.99", 0.4),
        (30, 20, "3", 0.55),
        (30, 20, "2.99", 0.7),
        (3, 340, "1.9", 1.0),
        (119, 40, "1.9", 1.0),
        (3, 340, "not a number", 1.0),
    ],
)
def test_it_costs_what_visitors_cannot_read(count: int, characters: int, ratio: str, loss: float) -> None:
    """Text and not elements: one rule for the comments of a listing has hundreds of them."""
    found = evaluate(count, characters=characters, ratio=ratio)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == "low"
    assert found.loss == pytest.approx(loss)
    assert found.verdict.total == count
    assert found.verdict.evidence[0].selector == "#n0"


def test_text_in_the_color_of_its_background_costs_everything() -> None:
    """The rule leaves open whether that is meant, and no visitor reads it."""
    data = (("contrastRatio", "1"), ("messageKey", "equalRatio"))
    node = AxeNode(selector="p", html="<p>", summary="", data=data, characters=2_000)
    result = AxeResult(
        rule="color-contrast", impact="serious", help="", help_url="", outcome="incomplete", nodes=(node,), node_count=1
    )

    assert evaluated(color_contrast, rendering=make_rendering(axe=(result,))).loss == pytest.approx(1.0)


def test_undecided_elements_and_those_of_another_rule_are_no_findings() -> None:
    """Only what the browser is certain of is one, and what it left open is not evaluated."""
    assert isinstance(evaluate(3, outcome="incomplete").verdict, NotRun)
    assert evaluate(3, rule="region").loss == 0
