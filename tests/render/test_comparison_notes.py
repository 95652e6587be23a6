from __future__ import annotations

from msgspec.structs import replace

from pagegrade.model.report import RULESET
from pagegrade.render.comparison_notes import change_title, comparison_notes
from pagegrade.report.compare import Change, compare_reports
from tests.report_builders import make_report, make_result


def test_reasons_why_scores_do_not_compare_are_sentences() -> None:
    """Other rules, another URL and another target; nothing is added where all is the same."""
    report = make_report(score=76)
    other = replace(report, url="https://example.com/other", run=replace(report.run, ruleset="2027.1"))

    assert comparison_notes(compare_reports(report, report)) == ["Score 76 → 76."]
    assert comparison_notes(compare_reports(report, replace(other, run=report.run))) == [
        "Score 76 → 76.",
        "The baseline is about another URL.",
    ]
    assert comparison_notes(compare_reports(report, other)) == [
        "The two are not compared.",
        f"Different rules evaluated the page: {RULESET} and 2027.1.",
    ]


def test_place_that_changed_is_named_without_the_number_of_all() -> None:
    """One image of three that was fixed is not "Images without alternative text: 3" under "Fixed"."""
    result = make_result("image-alt", title="Images without alternative text", count=3)
    place = result.evidence[0]

    assert change_title(Change(result, place)) == "Images without alternative text"
    assert change_title(Change(result, None)) == "Images without alternative text: 3"
