"""Tests of the figures of a result."""

from __future__ import annotations

from msgspec.structs import replace

from pagegrade.model.audit_result import SummaryChange, summary_of
from tests.audit_builders import result_of


def test_a_summary_counts_findings_by_importance() -> None:
    """Its other figures are those of the result."""
    result = result_of("https://example.com/")
    (finding,) = result.findings
    minor = replace(finding, number=2, severity="low")
    summary = summary_of(replace(result, findings=(finding, minor, replace(minor, number=3))))

    assert summary.severities == {"high": 1, "low": 2}
    assert (summary.score, summary.rating, summary.found, summary.p10) == (95, "good", 2, 70)
    assert summary.distribution == result.distribution


def test_a_site_is_worse_where_its_score_fell_or_findings_are_new() -> None:
    """Not where a new finding came with a better score, and not where nothing compares."""
    summary = summary_of(result_of("https://example.com/"))

    def is_worse(before: int | None, **counts: int) -> bool:
        return replace(summary, change=SummaryChange(crawl=1, score=before, **counts)).is_worse

    assert not summary.is_worse
    assert is_worse(96)
    assert is_worse(96, fixed=3)
    assert is_worse(95, new=1)
    assert is_worse(95, worse=1)
    assert is_worse(None, new=1)
    assert not is_worse(95, fixed=1, better=1, not_comparable=2)
    assert not is_worse(94, new=1, worse=1)
