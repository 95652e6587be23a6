from __future__ import annotations

from typing import Literal

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.accessibility.target_size import target_size
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import AxeNode, AxeResult
from tests.builders import evaluated, run
from tests.rendering_builders import make_rendering

Outcomes = Literal["violation", "incomplete"]


def evaluate(count: int, *, outcome: Outcomes = "violation", rule: str = "target-size") -> Evaluated:
    """The verdict on a page with so many offenders."""
    nodes = tuple(AxeNode(selector=f"#n{number}", html="<p>", summary="") for number in range(min(count, 30)))
    result = AxeResult(
        rule=rule, impact="serious", help="", help_url="", outcome=outcome, nodes=nodes, node_count=count
    )
    return evaluated(target_size, rendering=make_rendering(axe=(result,)))


@pytest.mark.parametrize(("count", "loss"), [(1, 0.25), (10, 1.0), (40, 1.0)])
def test_each_element_costs_up_to_ten(count: int, loss: float) -> None:
    """The true number is given where more were found than are listed."""
    found = evaluate(count)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == "small"
    assert found.loss == pytest.approx(loss)
    assert found.verdict.total == count
    assert found.verdict.evidence[0].selector == "#n0"
    assert found.verdict.evidence[0].selector == "#n0"


def test_undecided_elements_and_those_of_another_rule_are_no_findings() -> None:
    """Only what the browser is certain of is one, and what it left open is not evaluated."""
    assert isinstance(evaluate(3, outcome="incomplete").verdict, NotRun)
    assert evaluate(3, rule="region").loss == 0


def test_rules_that_did_not_finish_say_nothing() -> None:
    """A page too large for them has not passed."""
    verdict = run(target_size, rendering=make_rendering(axe=None))

    assert isinstance(verdict, NotRun)
    assert verdict.code == "not_measured"


def test_without_a_browser_it_is_not_evaluated() -> None:
    """Static analysis cannot decide it."""
    assert isinstance(run(target_size, rendering=NotGathered(code="no_browser", detail="None.")), NotRun)
