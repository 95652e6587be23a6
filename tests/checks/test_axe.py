from __future__ import annotations

from typing import Literal

import pytest

from pagegrade.checks._axe import evaluate_rule
from pagegrade.model.outcome import Detail, NotRun, Outcome
from pagegrade.model.rendering import AxeNode, AxeResult
from tests.rendering_builders import make_rendering


def test_measured_values_are_shown_by_their_names() -> None:
    """In the order that the check asks for, without those that the rule did not measure."""
    node = AxeNode(selector="p", html="<p>", summary="", data=(("fgColor", "#bbb"), ("contrastRatio", "1.9")))
    result = AxeResult(rule="r", impact="minor", help="", help_url="", outcome="violation", nodes=(node,), node_count=1)
    found = evaluate_rule(
        make_rendering(axe=(result,)), "r", good="a", bad="b", values=("contrastRatio", "fgColor", "bgColor")
    )

    assert isinstance(found, Outcome)
    assert found.evidence[0].value == "contrast 1.9, text #bbb"


def test_sentences_of_axe_core_are_not_repeated() -> None:
    """They say what was measured once more, in English only."""
    summary = "Fix any of the following:\n  Element has insufficient color contrast of 1.9"
    measured = AxeNode(selector="p", html="<p>", summary=summary, data=(("contrastRatio", "1.9"),))
    bare = AxeNode(selector="p", html="<p>", summary=summary, data=())
    result = AxeResult(
        rule="r", impact="minor", help="", help_url="", outcome="violation", nodes=(measured, bare), node_count=2
    )
    found = evaluate_rule(make_rendering(axe=(result,)), "r", good="a", bad="b", values=("contrastRatio",))

    assert isinstance(found, Outcome)
    assert [(entry.value, entry.reason) for entry in found.evidence] == [("contrast 1.9", ""), ("", "")]


def result(outcome: Literal["violation", "incomplete", "pass"], *nodes: AxeNode, rule: str = "r") -> AxeResult:
    """Result of the rule for some elements."""
    return AxeResult(rule=rule, impact="", help="", help_url="", outcome=outcome, nodes=nodes, node_count=len(nodes))


NODE = AxeNode(selector="p", html="<p>", summary="")
INVISIBLE = AxeNode(selector="b", html="<b>", summary="", data=(("messageKey", "equalRatio"),))
OTHER = result("pass", rule="other")


@pytest.mark.parametrize(
    ("axe", "expected"),
    [
        ((result("pass"),), "good"),
        ((result("pass"), result("violation", NODE)), "bad"),
        ((result("pass"), result("incomplete", NODE)), "partly"),
        ((result("incomplete", NODE), OTHER), "undecided"),
        ((result("pass"), result("incomplete", NODE, INVISIBLE)), "bad"),
        ((result("incomplete", INVISIBLE),), "bad"),
        ((OTHER,), "not applicable"),
        ((), "good"),
    ],
)
def test_a_rule_passes_only_where_something_keeps_it(axe: tuple[AxeResult, ...], expected: str) -> None:
    """Undecided elements are named, and nothing to examine is no success; old results do not distinguish the two."""
    found = evaluate_rule(
        make_rendering(axe=axe),
        "r",
        good="good",
        bad="bad",
        partly="partly",
        broken=lambda node: ("messageKey", "equalRatio") in node.data,
    )
    said = found.state if isinstance(found, Outcome) else found.code if isinstance(found, NotRun) else "not applicable"

    assert said == expected


def test_rules_that_did_not_finish_say_nothing() -> None:
    """A page too large for them has not passed."""
    found = evaluate_rule(make_rendering(axe=None), "r", good="good", bad="bad")

    assert isinstance(found, NotRun)
    assert found.code == "not_measured"


def test_undecided_elements_are_not_evaluated_by_a_check_without_a_state_for_it() -> None:
    """The other elements keep the rule, which says nothing about these."""
    found = evaluate_rule(make_rendering(axe=(result("pass"), result("incomplete", NODE))), "r", good="good", bad="bad")

    assert found == NotRun("undecided", "The browser could not decide it for 1 element.")


def test_undecided_elements_are_counted_beside_those_that_break_the_rule() -> None:
    """Text in the color of its background breaks it; text over a picture is left open."""
    found = evaluate_rule(
        make_rendering(axe=(result("violation", NODE), result("incomplete", NODE, INVISIBLE))),
        "r",
        good="good",
        bad="bad",
        broken=lambda node: ("messageKey", "equalRatio") in node.data,
    )

    assert isinstance(found, Outcome)
    assert (found.total, [entry.selector for entry in found.evidence]) == (2, ["p", "b"])
    assert found.details == (Detail(code="undecided_elements", actual=1),)
