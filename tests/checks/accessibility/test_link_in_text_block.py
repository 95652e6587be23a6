from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.accessibility.link_in_text_block import link_in_text_block
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import AxeNode, AxeResult
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def evaluate(count: int) -> Evaluated:
    """The verdict on a page with so many offenders."""
    nodes = tuple(AxeNode(selector=f"#n{number}", html="<p>", summary="") for number in range(min(count, 30)))
    result = AxeResult(
        rule="link-in-text-block",
        impact="serious",
        help="",
        help_url="",
        outcome="violation",
        nodes=nodes,
        node_count=count,
    )
    return evaluated(link_in_text_block, rendering=make_rendering(axe=(result,)))


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (40, 1.0)])
def test_each_element_costs_up_to_ten(count: int, loss: float) -> None:
    """The true number is given where more were found than are listed."""
    found = evaluate(count)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == "color_alone"
    assert found.loss == pytest.approx(loss)
    assert found.verdict.total == count
    assert found.verdict.evidence[0].selector == "#n0"
