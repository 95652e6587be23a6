"""Body of the checks that a rule of axe-core answers, which a browser ran on the drawn page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import Verdict, offender_loss
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome
from pagegrade.model.rendering import AxeNode, Rendering

FULL_AT = 10
"""Elements from which on the whole penalty is charged."""


def evaluate_rule(
    rendering: Rendering,
    rule: str,
    *,
    good: str,
    bad: str,
    partly: str | None = None,
    values: tuple[str, ...] = (),
    broken: Callable[[AxeNode], bool] | None = None,
    loss: Callable[[Sequence[AxeNode]], float] | None = None,
) -> Verdict:
    """Evaluate what axe-core found for one rule.

    Args:
        rendering: With the results.
        rule: Id of the rule.
        good: State where elements were examined and all of them keep it.
        bad: Graded state with violations.
        partly: State where some elements keep the rule and the others are undecided; not evaluated without one.
        values: Names of measured values to show with each element.
        broken: Says of an undecided element that it breaks the rule all the same.
        loss: Loss of the elements that are listed, where their number does not say what visitors lose.
    """
    if rendering.axe is None:
        return NotRun("not_measured", "The accessibility rules did not finish in the browser.")
    found = {one.outcome: one for one in rendering.axe if one.rule == rule}
    violation, undecided = found.get("violation"), found.get("incomplete")
    nodes = violation.nodes if violation is not None else ()
    count = violation.node_count if violation is not None else 0
    open_count = undecided.node_count if undecided is not None else 0
    if undecided is not None and broken is not None:
        certain = tuple(filter(broken, undecided.nodes))
        nodes += certain
        count += len(certain)
        open_count -= len(certain)
    if count:
        return Outcome(
            bad,
            value=count,
            # The sentences of axe-core say again what was measured, or what the advice of the check says.
            evidence=tuple(
                Evidence(selector=node.selector, snippet=node.html[:200], value=_measured(node, values))
                for node in nodes
            ),
            total=count,
            details=(Detail(code="undecided_elements", actual=open_count),) if open_count else (),
            loss=offender_loss(count, FULL_AT) if loss is None else loss(nodes),
        )
    if undecided is None or not open_count:
        examined = "pass" in found or not any(one.outcome == "pass" for one in rendering.axe)
        return (
            Outcome(good) if examined else NotApplicable("The browser found nothing on the page to which it applies.")
        )
    if partly is None or "pass" not in found:
        return NotRun("undecided", f"The browser could not decide it for {amount(open_count, 'element')}.")
    return Outcome(
        partly,
        value=open_count,
        evidence=tuple(Evidence(selector=node.selector, snippet=node.html[:200]) for node in undecided.nodes),
        total=open_count,
        details=(Detail(code="undecided_elements", actual=open_count),),
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
