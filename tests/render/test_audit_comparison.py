"""A comparison of crawls for a terminal."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.render.audit_comparison import SHOWN_PAGES, render_comparison_text
from pagegrade.report.compare_audits import AuditComparison, FindingChange, PageChange, PageChanges
from tests.audit_builders import result_of

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

(ONE,) = result_of("https://example.com/").findings


def comparison(**changed: Any) -> AuditComparison:
    """A finding that is fixed, one of which nothing is known, and some pages."""
    unknown = replace(ONE, title="Missing from \x1b[31mthe sitemap", check="missing-from-sitemap")
    given: dict[str, Any] = {
        "before": 1,
        "after": 2,
        "differs_in": (),
        "rulesets": ("1", "1"),
        "scores": (95, 100),
        "exact": (95.0, 100.0),
        "findings": (
            FindingChange(kind="fixed", before=ONE, after=None, pages_fixed=2),
            FindingChange(
                kind="not_comparable", before=unknown, after=None, reason="check_not_evaluated", detail="No sitemap."
            ),
        ),
        "pages": PageChanges(
            new=tuple(f"https://example.com/{at}" for at in range(SHOWN_PAGES + 1)),
            changed=(PageChange("https://example.com/", ("title", "score")),),
            totals=(SHOWN_PAGES + 1, 0, 1),
        ),
    }
    return AuditComparison(**given | changed)


def test_people_read_what_changed_and_why_something_is_not_known() -> None:
    """With the points, and without control characters of pages."""
    said = " ".join(render_comparison_text(comparison(), width=100).split())

    assert "Crawl 1 and crawl 2 Score: 95, then 100 (95 and 100 before caps and rounding)." in said
    assert "Fixed: 1" in said
    assert "Pages have the same title [duplicate-title] +5.00 points high, 2 pages, then 0" in said
    assert "Not comparable: 1" in said
    assert "evaluated in one of the two crawls only. No sitemap." in said
    assert "New pages: 11" in said
    assert "and 1 more" in said
    assert "Changed pages: 1" in said
    assert "• https://example.com/ (title, score)" in said
    assert "gone" not in said
    assert "\x1b" not in said


def test_two_measurements_are_not_compared() -> None:
    """In words."""
    other = comparison(differs_in=("ruleset", "settings"), rulesets=("1", "2"), findings=(), pages=PageChanges())
    said = " ".join(render_comparison_text(other).split())

    assert "They are not compared. Different rules evaluated the site: 1 and 2. Different settings say" in said
