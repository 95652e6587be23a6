from __future__ import annotations

from pagegrade.checks._axe import evaluate_rule
from pagegrade.model.outcome import Outcome
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
