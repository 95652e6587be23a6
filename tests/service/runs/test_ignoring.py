"""Ignore rules and what they do to a report."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import Report, Result
from pagegrade.report.compare import compare_reports
from pagegrade.report.gates import parse_gate
from pagegrade.report.serialize import report_from_dict, report_to_dict
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.builders import make_artifacts

PAGE = (
    "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page about cats</title></head><body>"
    '<h1>Cats</h1><div class="banner"><img src="/a.png"><img src="/b.png"></div>'
)
RULE = IgnoreRule(check="image-alt", reason="The banner is replaced in May.", author="Ann", id=7)


def result_of(report: Report, check: str = "image-alt") -> Result:
    """The result of one check."""
    return next(result for result in report.results if result.check == check)


def evaluate(*rules: IgnoreRule, page: str = PAGE) -> Report:
    """The report on a page under some rules."""
    return evaluate_artifacts(make_artifacts(page), ignores=rules)


def test_an_ignored_finding_costs_nothing_and_says_why() -> None:
    """The report says how many points the rules hold back, and what the finding would cost."""
    plain, report = evaluate(), evaluate(RULE)
    before, result = result_of(plain), result_of(report)

    assert (result.outcome, result.lost, result.passed) == ("ignored", 0.0, None)
    assert result.reason == "ignored: The banner is replaced in May."
    assert result.ignored is not None
    assert (result.ignored.outcome, result.ignored.points) == (before.outcome, before.lost)
    assert (result.ignored.rules, result.ignored.author) == ((7,), "Ann")
    assert result.evidence == before.evidence
    assert report.ignored is not None
    assert plain.score is not None
    assert report.score == plain.score + (report.ignored.points or 0)
    assert plain.ignored is None
    assert plain.counts.medium - report.counts.medium == 1


def test_only_the_ignored_finding_changes() -> None:
    """All other results, and the coverage, are those of a report without rules."""
    plain, report = evaluate(), evaluate(RULE)

    assert [one for one in plain.results if one.check != "image-alt"] == [
        one for one in report.results if one.check != "image-alt"
    ]
    assert plain.coverage == report.coverage


def test_a_cap_of_an_ignored_finding_does_not_apply() -> None:
    """Otherwise it would still cost points."""
    page = PAGE.replace("<meta charset=utf-8>", '<meta charset=utf-8><meta name=robots content="noindex">')
    capped = {cap.check for cap in evaluate(page=page).caps}
    check = min(capped)
    report = evaluate(IgnoreRule(check=check, reason="A staging page."), page=page)

    assert check in capped
    assert check not in {cap.check for cap in report.caps}


def test_rules_apply_in_any_combination_without_lowering_the_score() -> None:
    """One rule for each finding leaves a score of 100 and no cap."""
    plain = evaluate()
    rules = []
    last = plain.score or 0
    for result in plain.results:
        if result.passed is False:
            rules.append(IgnoreRule(check=result.check, reason="Known."))
            score = evaluate(*rules).score
            assert score is not None
            assert score >= last
            last = score

    assert last == 100


@pytest.mark.parametrize(
    ("change", "ignored"),
    [
        ({}, True),
        ({"selector": ".banner"}, True),
        ({"selector": "div img"}, True),
        ({"selector": ".footer"}, False),
        ({"url_pattern": "*.png"}, True),
        ({"url_pattern": "*/a.png"}, False),
        ({"selector": ".banner", "url_pattern": "*.jpg"}, False),
        ({"places": 2}, True),
        ({"places": 1}, False),
        ({"project": "example.com"}, True),
        ({"project": "example.org"}, False),
        ({"check": "title"}, False),
    ],
)
def test_a_rule_covers_what_it_names(change: dict[str, object], *, ignored: bool) -> None:
    """Every place of the finding must be covered."""
    report = evaluate(replace(RULE, **change))

    assert (result_of(report).outcome == "ignored") is ignored


def test_rules_cover_a_finding_together() -> None:
    """Each of its places by one of them; the reasons are those of all."""
    rules = [IgnoreRule(check="image-alt", reason=f"Reason {name}.", url_pattern=f"*/{name}.png") for name in "ab"]
    result = result_of(evaluate(*rules))

    assert result.reason == "ignored: Reason a. Reason b."


def test_a_selector_of_a_report_can_be_copied() -> None:
    """As it stands in the evidence."""
    page = PAGE.replace('<img src="/b.png">', "")
    selector = result_of(evaluate(page=page)).evidence[0].selector

    assert result_of(evaluate(replace(RULE, selector=selector), page=page)).outcome == "ignored"
    assert result_of(evaluate(replace(RULE, selector=selector))).outcome != "ignored"


@pytest.mark.parametrize(("days", "ignored"), [(-1, False), (0, False), (1, True)])
def test_a_finding_comes_back_when_its_rule_has_expired(days: int, *, ignored: bool) -> None:
    """The time is that of the page, so that the same artifacts give the same report."""
    artifacts = make_artifacts(PAGE)
    rule = replace(RULE, expires_at=artifacts.gathered_at.astimezone(UTC) + timedelta(days=days))
    report = evaluate_artifacts(artifacts, ignores=[rule])

    assert (result_of(report).outcome == "ignored") is ignored


def test_a_finding_comes_back_when_its_state_is_worse() -> None:
    """States are ordered from best to worst; a better one than accepted is ignored as well."""
    state = result_of(evaluate()).state

    assert result_of(evaluate(replace(RULE, state=state))).outcome == "ignored"
    assert result_of(evaluate(replace(RULE, state="passed"))).outcome != "ignored"
    assert result_of(evaluate(replace(RULE, state="of_an_older_version"))).outcome != "ignored"


def test_ignored_findings_fail_no_gate() -> None:
    """Neither by severity nor by score."""
    gate = parse_gate("severity>=high")
    plain = evaluate()
    rules = [
        IgnoreRule(check=result.check, reason="Known.")
        for result in plain.results
        if result.passed is False and result.importance in {"high", "critical"}
    ]

    assert gate.failure(plain) is not None
    assert gate.failure(evaluate(*rules)) is None


def test_a_comparison_takes_no_ignored_finding_for_fixed() -> None:
    """Nor for new once it is no longer ignored, unless it shows something else."""
    plain, ignored = evaluate(), evaluate(RULE)
    more = evaluate(page=PAGE + '<img src="/c.png">')
    fixed = evaluate(page=PAGE.replace("<img ", '<img alt="A cat" '))

    def found(before: Report, after: Report, kind: str) -> set[str]:
        return {change.result.check for change in getattr(compare_reports(before, after), kind)}

    assert "image-alt" not in found(plain, ignored, "fixed")
    assert [one.reason for one in compare_reports(plain, ignored).not_comparable if one.check == "image-alt"] == [
        "The finding is ignored in the newer report."
    ]
    assert "image-alt" in found(ignored, plain, "still")
    assert "image-alt" not in found(ignored, plain, "new")
    assert "image-alt" in found(ignored, more, "new")
    assert "image-alt" in found(ignored, fixed, "fixed")
    assert compare_reports(ignored, ignored).new == ()


def test_a_report_with_ignored_findings_survives_its_json() -> None:
    """With the expiry of the rule."""
    rule = replace(RULE, expires_at=datetime(2999, 1, 1, tzinfo=UTC))
    report = evaluate(rule)

    assert report_from_dict(report_to_dict(report)) == report
