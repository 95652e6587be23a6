"""Tests of the figures of a result."""

from __future__ import annotations

from msgspec import structs

from pagegrade.model.audit_result import summary_of
from tests.audit_builders import result_of


def test_a_summary_counts_findings_by_importance() -> None:
    """Its other figures are those of the result."""
    result = result_of("https://example.com/")
    (finding,) = result.findings
    minor = structs.replace(finding, number=2, severity="low")
    summary = summary_of(structs.replace(result, findings=(finding, minor, structs.replace(minor, number=3))))

    assert summary.severities == {"high": 1, "low": 2}
    assert (summary.score, summary.rating, summary.found, summary.p10) == (95, "good", 2, 70)
    assert summary.distribution == result.distribution
