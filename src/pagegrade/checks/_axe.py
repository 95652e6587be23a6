"""Body of the checks that a rule of axe-core answers, which a browser ran on the drawn page."""

from __future__ import annotations

from pagegrade.checks._check import Verdict, offender_loss
from pagegrade.model.outcome import Evidence, NotRun, Outcome
from pagegrade.model.rendering import AxeNode, Rendering

FULL_AT = 10
"""Elements from which on the whole penalty is charged."""


def evaluate_rule(rendering: Rendering, rule: str, *, good: str, bad: str, values: tuple[str, ...] = ()) -> Verdict:
    """Evaluate what axe-core found for one rule.

    Args:
        rendering: With the results.
        rule: Id of the rule.
        good: State without violations.
        bad: Graded state with violations.
        values: Names of measured values to show with each element.
    """
    if rendering.axe is None:
        return NotRun("not_measured", "The accessibility rules did not finish in the browser.")
    found = next((one for one in rendering.axe if one.rule == rule and one.outcome == "violation"), None)
    if found is None:
        return Outcome(good)
    return Outcome(
        bad,
        value=found.node_count,
        # The sentences of axe-core say again what was measured, or what the advice of the check says.
        evidence=tuple(
            Evidence(selector=node.selector, snippet=node.html[:200], value=_measured(node, values))
            for node in found.nodes
        ),
        total=found.node_count,
        loss=offender_loss(found.node_count, FULL_AT),
    )


def _measured(node: AxeNode, names: tuple[str, ...]) -> str:
    data = dict(node.data)
    return ", ".join(f"{_WORDS.get(name, name)} {data[name]}" for name in names if name in data)


_WORDS = {
    "contrastRatio": "contrast",
    "expectedContrastRatio": "required",
    "fgColor": "text",
    "bgColor": "background",
    "fontSize": "font",
    "width": "width",
    "height": "height",
    "minSize": "required",
    "requiredContrastRatio": "required",
    "nodeColor": "link",
    "parentColor": "text",
}
