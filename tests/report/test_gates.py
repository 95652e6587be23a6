from __future__ import annotations

from typing import Any

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.report.gates import parse_gate
from tests.report_builders import make_passed, make_report, make_result


@pytest.mark.parametrize(
    ("expression", "more", "fails"),
    [
        ("score<80", {"score": 79}, True),
        ("score<80", {"score": 80}, False),
        ("score<=80", {"score": 80}, True),
        ("score>90", {"score": 91}, True),
        ("score>=90", {"score": 89}, False),
        ("score=50", {"score": 50}, True),
        ("score==50", {"score": 50}, True),
        ("score!=50", {"score": 50}, False),
        (" Score < 80 ", {"score": 10}, True),
        ("coverage<0.9", {"coverage": 0.89}, True),
        ("coverage<0.9", {"coverage": 0.9}, False),
        ("result=bad", {"result": "bad"}, True),
        ("result=bad", {"result": "decent"}, False),
        ("result<good", {"result": "decent"}, True),
        ("result!=good", {"result": "good"}, False),
        ("category.seo<82", {}, True),
        ("category.seo<81", {}, False),
    ],
)
def test_a_gate_fails_when_its_condition_holds(*, expression: str, more: dict[str, Any], fails: bool) -> None:
    """The expression says what must not be."""
    failure = parse_gate(expression).failure(make_report(**more))

    assert (failure is not None) is fails


@pytest.mark.parametrize(
    ("expression", "importance", "fails"),
    [
        ("severity=high", "high", True),
        ("severity=high", "medium", False),
        ("severity>=medium", "high", True),
        ("severity>=medium", "medium", True),
        ("severity>=medium", "low", False),
        ("severity=low", "high", False),
        ("severity>=low", "informative", False),
    ],
)
def test_a_severity_gate_looks_at_the_findings(*, expression: str, importance: Any, fails: bool) -> None:
    """Only warnings and failures count, and informative ones never."""
    report = make_report(make_result(importance=importance), make_passed(importance="high"))

    assert (parse_gate(expression).failure(report) is not None) is fails


@pytest.mark.parametrize("expression", ["score<80", "coverage<0.5", "result=bad", "category.content<1"])
def test_a_gate_that_cannot_be_evaluated_is_closed(expression: str) -> None:
    """A figure that is missing must not let a page through."""
    report = make_report(score=None, coverage=None, result=None, categories={})

    assert parse_gate(expression).failure(report) is not None


def test_the_failure_names_the_condition_and_the_figure() -> None:
    """Somebody reading a build log sees what was asked and what was found."""
    assert parse_gate("score<90").failure(make_report(score=74)) == "score<90: the score is 74"


def test_long_lists_of_findings_are_cut() -> None:
    """A gate's sentence stays readable with a hundred findings."""
    failure = parse_gate("severity=high").failure(make_report(*(make_result(f"check-{n}") for n in range(9))))

    assert failure == "severity=high: 9 findings (check-0, check-1, check-2, check-3, check-4 and 4 more)"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "is no condition"),
        ("score", "is no condition"),
        ("score<", "is no condition"),
        ("score < eighty five", "is no condition"),
        ("score<-1", "is no condition"),
        ("score<101", "from 0 to 100"),
        ("score<high", "from 0 to 100"),
        ("coverage<90", "from 0 to 1"),
        ("severity=fatal", "low, medium, high"),
        ("severity=3", "low, medium, high"),
        ("result=great", "bad, decent, good"),
        ("category.design<3", "category.NAME"),
        ("category<3", "category.NAME"),
        ("grade=a", "score, coverage"),
        ("score<80" + " " * 5000 + "x", "is no condition"),
    ],
)
def test_what_is_no_gate_is_refused_with_a_way_out(expression: str, words: str) -> None:
    """The error says what would be accepted."""
    with pytest.raises(InvalidInput, match=words):
        parse_gate(expression)
