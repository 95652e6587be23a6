"""The JSON object of a comparison has the members that its description names."""

from __future__ import annotations

import msgspec
import pytest

from pagegrade.report.compare_audits import AuditComparison, FindingChange, PageChange, PageChanges
from pagegrade.web.schemas.audit_comparison import AuditComparisonDocument, audit_comparison_object
from tests.audit_builders import result_of

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")


def test_a_comparison_is_as_it_is_described() -> None:
    """Including a finding on one side only, and one with a reason."""
    (one,) = result_of("https://example.com/").findings
    comparison = AuditComparison(
        before=1,
        after=2,
        differs_in=(),
        rulesets=("1", "1"),
        scores=(95, None),
        exact=(95.0, None),
        findings=(
            FindingChange(kind="new", before=None, after=one, pages_new=2),
            FindingChange(
                kind="not_comparable", before=one, after=None, reason="not_seen", pages_unclear=2, detail="No sitemap."
            ),
        ),
        pages=PageChanges(changed=(PageChange("https://example.com/", ("status",)),), totals=(0, 0, 1)),
    )
    made = msgspec.json.decode(audit_comparison_object(12, comparison))
    new, unknown = made["findings"]

    assert msgspec.json.decode(msgspec.json.encode(msgspec.convert(made, AuditComparisonDocument))) == made
    assert (made["audit_id"], made["from"], made["to"], made["score_after"]) == (12, 1, 2, None)
    assert (new["kind"], new["before"], new["after"]) == ("new", None, {"id": 1, "pages": 2, "lost": 5.0})
    assert (unknown["reason"]["kind"], unknown["reason"]["detail"]) == ("not_seen", "No sitemap.")
    assert (made["counts"]["new"], made["pages"]["changed"]["total"]) == (1, 1)
    assert made["pages"]["changed"]["pages"] == [{"url": "https://example.com/", "aspects": ["status"]}]


def test_programs_are_told_why_two_measurements_are_not_compared() -> None:
    """In words and by name."""
    other = AuditComparison(
        before=1,
        after=2,
        differs_in=("ruleset", "settings"),
        rulesets=("1", "2"),
        scores=(95, 95),
        exact=(95.0, 95.0),
    )
    made = msgspec.json.decode(audit_comparison_object(12, other))

    assert (made["comparable"], made["differs_in"]) == (False, ["ruleset", "settings"])
    assert "Different rules" in made["reason"]
