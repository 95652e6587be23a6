"""The result of an audit is shown whole, and no text of a page can do anything."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.audit_result import AuditResult, Distribution, Place, SiteCap, SiteFinding, Unevaluated
from pagegrade.render.audit import (
    SHOWN_PAGES,
    render_audit_csv,
    render_audit_html,
    render_audit_text,
    render_comparison_text,
    told_apart,
)
from pagegrade.render.prompt import render_audit_prompt
from pagegrade.report.compare_audits import AuditComparison, FindingChange, PageChange, PageChanges
from tests.audit_builders import result_of

EVIL = "<script>alert(1)</script>\x1b[2J=1+1"
FINDING = SiteFinding(
    number=1,
    extent="site",
    check="broken-internal-links",
    state="broken",
    severity="high",
    title="Pages with broken links to the site itself",
    message="Links inside the site lead to errors.",
    why="Visitors end at an error page, and search engines follow the links for nothing.",
    fix="Update the links, or remove them.",
    pages=1_200,
    share=0.31,
    lost=8.0,
    places=(Place(url="http://a.test/gone", value=EVIL, count=1_200, sources=("http://a.test/1", "javascript:1")),),
)
RESULT = AuditResult(
    url="http://a.test/",
    ruleset="2026.10",
    engine="0.1.0",
    found=2_000,
    fetched=1_500,
    read=1_400,
    graded=1_300,
    complete=False,
    coverage=0.75,
    partial=True,
    score=49,
    exact=92.0,
    rating="bad",
    no_grade="",
    caps=(SiteCap(code="server_errors", message="More than a fifth of the site is bad.", max_score=49),),
    distribution=Distribution(good=1_200, decent=80, bad=20, good_share=0.92, decent_share=0.06, bad_share=0.02),
    p10=61,
    worst=(),
    findings=(FINDING, replace(FINDING, number=2, lost=0.0, counted_in="soft-404", title=EVIL)),
    passed=("dead-ends",),
    not_applicable=("hreflang-clusters",),
    not_evaluated=(Unevaluated(check="orphan-pages", title="Orphan pages", reason="No sitemap was read."),),
    templates=(),
)
pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

(ONE,) = result_of("https://example.com/").findings


def test_text_says_score_distribution_and_findings() -> None:
    """Everything that a person needs is there, at any width, and nothing moves the cursor."""
    text = render_audit_text(RESULT, width=100)
    parts = ["49 of 100, bad", "At most 49", "1,500 of 2,000", "92% of the weight", "Fix first", "8.00", "1,200 pages"]
    parts += ["and 1,198 more", "counted in soft-404", "orphan-pages: No sitemap was read."]

    assert [part for part in parts if part not in text] == []
    assert "\x1b" not in text
    assert max(map(len, render_audit_text(RESULT, width=40).splitlines())) <= 40
    assert render_audit_text(RESULT, ascii_only=True).isascii()


def test_without_a_grade_no_score_is_shown() -> None:
    """The reason stands in its place."""
    found = (replace(FINDING, lost=None),)
    none = replace(RESULT, score=None, exact=None, rating=None, no_grade="too_few_pages", findings=found)

    assert "Fewer than five different pages" in render_audit_text(none)
    assert "of 100," not in render_audit_text(none)
    assert "Fewer than five different pages" in render_audit_html(none)
    assert "costs" not in render_audit_text(none)
    # Neither a limit of the score, nor what it is of.
    assert all(
        "At most 49" not in text and "score is" not in text
        for text in (render_audit_text(none), render_audit_html(none))
    )
    assert " points" not in render_audit_html(none).partition("</style>")[2]


def test_findings_of_one_name_are_told_apart() -> None:
    """By the first thing that each names, or its page; one that is alone needs nothing."""
    one = replace(FINDING, number=1, check="inline-css", places=(Place(url="http://a.test/1", value="<p style=x>"),))
    two = replace(one, number=2, places=(Place(url="http://a.test/2"),))
    other = replace(one, number=3, state="other")
    result = replace(RESULT, findings=(one, two, other))

    assert told_apart(result) == {1: "<p style=x>", 2: "http://a.test/2"}
    assert f"{FINDING.title}, <p style=x>: 1,200 pages" in render_audit_text(result, width=120)
    assert render_audit_html(result).count("<code><bdi>&lt;p style=x&gt;</bdi></code>") == 2


@pytest.mark.parametrize("tag", ["en", "de"])
def test_html_is_escaped_and_loads_nothing(tag: str) -> None:
    """Text of pages is text, and addresses that are no web pages are no links."""
    html = render_audit_html(RESULT, tag=tag)

    assert "<script" not in html
    assert 'href="javascript:' not in html
    assert "\x1b" not in html
    assert "default-src 'none'" in html.replace("&#39;", "'")
    assert f'lang="{tag}"' in html
    assert ("Pages with broken links" in html) == (tag == "en")


def test_every_page_of_every_finding_is_a_row() -> None:
    """Cells that look like formulas are none."""
    text = "".join(
        render_audit_csv(
            RESULT, [(1, "http://a.test/1", "http://a.test/gone", "=1+1"), (2, "http://a.test/2", None, None)]
        )
    )
    rows = text.lstrip("\ufeff").splitlines()

    assert rows[0] == "finding,check,state,title,page,target,value"
    assert len(rows) == 3
    assert ",'=1+1" in rows[1]


def test_an_access_is_named_in_text_and_document() -> None:
    """Whoever reads the result knows that others see another site."""
    result = replace(RESULT, notes=("Analyzed with access profile Staging.",))

    assert "Analyzed with access profile Staging." in render_audit_text(result, width=100)
    assert "Analyzed with access profile Staging." in render_audit_html(result)
    assert "Analyzed with access profile Staging." in (render_audit_prompt(result) or "")
    assert "Analysiert mit dem Zugangsprofil Staging." in render_audit_html(result, tag="de")


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
