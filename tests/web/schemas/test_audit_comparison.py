"""The JSON object of a comparison has the members that its description names."""

from __future__ import annotations

from typing import Any

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
            FindingChange(kind="not_comparable", before=one, after=None, reason="not_seen", pages_unclear=2),
        ),
        pages=PageChanges(changed=(PageChange("https://example.com/", ("status",)),), totals=(0, 0, 1)),
    )

    class Of:
        id = 12

    audit: Any = Of()
    made = msgspec.json.decode(audit_comparison_object(audit, comparison))
    read = msgspec.convert(made, AuditComparisonDocument)

    assert msgspec.to_builtins(read) == made
    assert (made["audit_id"], made["from"], made["to"], made["score_after"]) == (12, 1, 2, None)
