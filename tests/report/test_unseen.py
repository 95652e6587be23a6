from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from pagegrade.model.report import CategoryScore, Report, Result
from pagegrade.report.serialize import analysis_of
from pagegrade.report.unseen import Unseen, unseen_by_browser
from tests.report_builders import make_report, make_result


def unseen(check: str, price: float, **more: Any) -> Result:
    """A check that only a browser can evaluate."""
    usual: dict[str, Any] = {"outcome": "not_evaluated", "state": None, "lost": 0.0, "category": "performance"}
    return make_result(check, price=price, reason="no_browser: The page was not drawn.", **{**usual, **more})


def report(*results: Result, taken: float = 0.0, score: int | None = 90) -> Report:
    """A static report of which one category lost some points."""
    category = CategoryScore(score=90, result="good", passed=1, failed=1, taken=taken, lost=taken, budget=40)
    return make_report(*results, score=score, categories={"performance": category})


def test_checks_of_one_cause_cost_once() -> None:
    """And less what is charged for the cause already."""
    found = unseen_by_browser(report(unseen("a", 8.0, cause="x"), unseen("b", 3.0, cause="x"), unseen("c", 1.0)))
    charged = make_result("d", cause="x", lost=2.0, price=3.0, outcome="failed", category="performance")

    assert found == Unseen(checks=3, max_points=9)
    assert unseen_by_browser(report(charged, unseen("a", 8.0, cause="x"), taken=2.0)) == Unseen(checks=1, max_points=6)


def test_a_category_takes_no_more_than_its_budget() -> None:
    """Nor a page more than it has."""
    assert unseen_by_browser(report(unseen("a", 25.0), unseen("b", 25.0), taken=30.0)) == Unseen(
        checks=2, max_points=10
    )
    assert unseen_by_browser(report(unseen("a", 25.0), score=12)) == Unseen(checks=1, max_points=12)


def test_nothing_is_open_with_a_browser_without_a_score_and_for_other_reasons() -> None:
    """A check that failed for another reason is no matter of the browser."""
    other = replace(unseen("a", 8.0), reason="timeout: It took too long.")

    assert unseen_by_browser(report(other)) is None
    assert unseen_by_browser(report(unseen("a", 8.0), score=None)) is None
    assert unseen_by_browser(report()) is None


def test_the_json_says_how_far_the_score_can_fall() -> None:
    """The members are absent where nothing is open."""
    assert to_builtins(analysis_of(report(unseen("a", 8.0)))) == {
        "engine": "static",
        "device": None,
        "unseen_checks": 1,
        "unseen_points": 8,
    }
    assert to_builtins(analysis_of(report())) == {"engine": "static", "device": None}
