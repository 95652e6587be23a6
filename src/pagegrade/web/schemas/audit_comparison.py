"""The comparison of two crawls of an audit."""

from __future__ import annotations

from typing import Literal

import msgspec
from pydantic import Field

from pagegrade.model.audit import Audit
from pagegrade.model.outcome import Importance
from pagegrade.render.audit_comparison import comparison_members
from pagegrade.report.compare_audits import AuditComparison, AuditDifference, ChangeKind, ChangeReason, PageAspect
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import URL, Amount, Count, Document, Points, about

_YES = (True,)


class ComparedFinding(Document):
    """A finding in one of the two crawls."""

    id: int = about("Number in the result of that crawl.", 3, ge=1)
    pages: Count = about("Pages that have it.", 12)
    lost: Amount | None = about("Points that it costs the site; null where the site has no grade.", 2.5)


class IncomparableReason(Document):
    """Reason why nothing can be said of a finding."""

    kind: ChangeReason = about("Kind of the reason.", "not_seen")
    message: str = about("The reason in a sentence.", "Not all of its pages were seen in both crawls.")
    detail: str = about("Why the check was not evaluated, where that is the reason; else empty.", "")


class SiteFindingChange(Document):
    """Change of one finding of a site."""

    kind: ChangeKind = about(
        "`new`, `fixed`, `still`; `worse` and `better`: more or fewer pages have it; `not_comparable`.", "fixed"
    )
    check: str = about("Name of the check.", "broken-internal-links")
    state: str = about("State of the check.", "broken")
    severity: Importance = about("Importance, as it is now or was.", "high")
    title: str = about("What it is.", "Links lead to pages that do not exist")
    fingerprint: str = about("The same in each crawl of the site.", "0f3a5c7e9b1d2f40")
    before: ComparedFinding | None = about("In the older crawl; null: it is not there.")
    after: ComparedFinding | None = about("In the newer crawl; null: it is not there.")
    pages_new: Count = about("Pages that have it now and were known to be without it.", 0)
    pages_fixed: Count = about("Pages that had it and are known to be without it now.", 12)
    pages_unclear: Count = about("Pages that have it in one crawl, of which the other one says nothing.", 0)
    reason: IncomparableReason | None = about("Why it is not comparable; null: it is.")


class ListedURLs(Document):
    """Pages of one kind of change."""

    total: Count = about("Number of all of them.", 2)
    urls: list[URL] = about("The first 100.", ["https://example.com/blog/2"])


class ChangedPage(Document):
    """A page that is not what it was."""

    url: URL = about("The page.", "https://example.com/pricing")
    aspects: list[PageAspect] = about("What of it changed.", ["title", "content"])


class ChangedPages(Document):
    """Pages that are not what they were."""

    total: Count = about("Number of all of them.", 1)
    pages: list[ChangedPage] = about("The first 100.")


class PageChangesDocument(Document):
    """Pages that came, went and changed."""

    new: ListedURLs = about("Pages that the older crawl, which was complete, did not come across.")
    gone: ListedURLs = about("Pages that answer 404 or 410, or that a complete newer crawl did not come across.")
    changed: ChangedPages = about("Pages that both crawls fetched.")


class AuditComparisonDocument(Document):
    """Comparison of two crawls of a site."""

    object: Literal["audit_comparison"] = about("The kind of object.", "audit_comparison")
    audit_id: int = about("The audit whose crawls are compared.", 12, ge=1)
    from_: int = Field(alias="from", description="Number of the older crawl.", examples=[1], ge=1)
    to: int = about("Number of the newer crawl.", 2, ge=1)
    comparable: bool = about("True if they compare; if not, there are no findings and pages.", *_YES)
    differs_in: list[AuditDifference] = about("Why they do not compare; empty if they do.", [])
    reason: str | None = about("The same in sentences; null if they compare.", None)
    score_before: Points | None = about("Score of the older crawl.", 81)
    score_after: Points | None = about("Score of the newer crawl.", 84)
    uncapped_score_before: Amount | None = about("Score of the older crawl before caps and rounding.", 81.2)
    uncapped_score_after: Amount | None = about("The same of the newer crawl.", 83.7)
    counts: dict[ChangeKind, Count] = about(
        "Number of findings by what became of them.",
        {"new": 1, "worse": 0, "fixed": 2, "better": 1, "still": 13, "not_comparable": 1},
    )
    findings: list[SiteFindingChange] = about("All findings: new ones first, then as `kind` lists them.")
    pages: PageChangesDocument = about("Pages that came, went and changed.")


class AuditComparisonAnswer(Answer):
    """Comparison of two crawls."""

    data: AuditComparisonDocument = about("The comparison.")


def audit_comparison_object(audit: Audit, comparison: AuditComparison) -> bytes:
    """The JSON object of what changed from one crawl of an audit to another."""
    return msgspec.json.encode({"object": "audit_comparison", "audit_id": audit.id, **comparison_members(comparison)})
