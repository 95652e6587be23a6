from __future__ import annotations

import pytest
from msgspec.structs import replace
from pydantic_core import to_json

from pagegrade.mcp.results import MAX_NAMED, MAX_SUMMARY_BYTES, compared, summarize
from pagegrade.model.outcome import Evidence
from pagegrade.report.compare import compare_reports
from tests.report_builders import make_failed_report, make_report, make_result


@pytest.mark.parametrize("findings", [0, 1, 60, 190])
def test_a_summary_is_bounded_and_counts_what_it_does_not_name(findings: int) -> None:
    """However much was found and however long the texts are."""
    found = [make_result(f"check-{number}", title="Title " * 30) for number in range(findings)]
    page = make_report(*found) if found else make_report(make_result("a", outcome="passed", lost=0.0))
    summary = summarize(replace(page, url="https://example.com/" + "a" * 1_900, final_url="\u4e00" * 900), "r1")

    assert len(to_json(summary, indent=2)) <= MAX_SUMMARY_BYTES
    assert len(summary.findings) + summary.findings_not_named == findings
    assert findings == 0 or summary.findings


def test_a_failed_analysis_says_why_and_what_to_do() -> None:
    """The reason is text that others can influence."""
    summary = summarize(make_failed_report(), "r1")

    assert (summary.state, summary.score, summary.result) == ("failed", None, None)
    assert summary.what_to_do
    assert summary.page_data[-1].startswith("error: ")


def test_a_comparison_names_some_places_and_counts_findings() -> None:
    """However many places a finding has, it is one."""
    places = tuple(Evidence(selector=f"p:nth-of-type({n})", snippet=f"<p>{n}", line=n) for n in range(MAX_NAMED + 1))
    result = make_result("image-alt", evidence=places, evidence_total=len(places), count=len(places))
    passed = make_result("image-alt", outcome="passed", lost=0.0, evidence=(), evidence_total=0)
    before, after = make_report(result), make_report(passed)

    comparison = compare_reports(before, after)
    shown = compared("r1", "r2", comparison)

    assert len(comparison.fixed) > MAX_NAMED
    assert shown.fixed_count == 1
    assert len(shown.fixed) == MAX_NAMED
    assert compared("r2", "r1", compare_reports(after, before)).new_count == shown.fixed_count
