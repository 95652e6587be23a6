"""The comparison of two crawls of an audit."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import field

from pagegrade.model.audit_result import SiteFinding
from pagegrade.model.outcome import Importance
from pagegrade.model.schema import URL, Amount, Count, Points, about
from pagegrade.render.audit import why_crawls_differ, why_not_comparable
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditDifference,
    ChangeKind,
    ChangeReason,
    FindingChange,
    PageAspect,
)
from pagegrade.web.schemas.envelope import answer_with
from pagegrade.web.schemas.shape import Document

_YES = (True,)


class ComparedFinding(Document, frozen=True, kw_only=True):
    """A finding in one of the two crawls."""

    id: Annotated[int, about("Number in the result of that crawl.", 3, minimum=1)]
    pages: Annotated[Count, about("Pages that have it.", 12)]
    lost: Annotated[Amount | None, about("Points that it costs the site; null where the site has no grade.", 2.5)]


class IncomparableReason(Document, frozen=True, kw_only=True):
    """Reason why nothing can be said of a finding."""

    kind: Annotated[ChangeReason, about("Kind of the reason.", "not_seen")]
    message: Annotated[str, about("The reason in a sentence.", "Not all of its pages were seen in both crawls.")]
    detail: Annotated[str, about("Why the check was not evaluated, where that is the reason; else empty.", "")]


class SiteFindingChange(Document, frozen=True, kw_only=True):
    """Change of one finding of a site."""

    kind: Annotated[
        ChangeKind,
        about("`new`, `fixed`, `still`; `worse` and `better`: more or fewer pages have it; `not_comparable`.", "fixed"),
    ]
    check: Annotated[str, about("Name of the check.", "broken-internal-links")]
    state: Annotated[str, about("State of the check.", "broken")]
    severity: Annotated[Importance, about("Importance, as it is now or was.", "high")]
    title: Annotated[str, about("What it is.", "Links lead to pages that do not exist")]
    fingerprint: Annotated[str, about("The same in each crawl of the site.", "0f3a5c7e9b1d2f40")]
    before: Annotated[ComparedFinding | None, about("In the older crawl; null: it is not there.")]
    after: Annotated[ComparedFinding | None, about("In the newer crawl; null: it is not there.")]
    pages_new: Annotated[Count, about("Pages that have it now and were known to be without it.", 0)]
    pages_fixed: Annotated[Count, about("Pages that had it and are known to be without it now.", 12)]
    pages_unclear: Annotated[Count, about("Pages that have it in one crawl, of which the other one says nothing.", 0)]
    reason: Annotated[IncomparableReason | None, about("Why it is not comparable; null: it is.")]


class ListedURLs(Document, frozen=True, kw_only=True):
    """Pages of one kind of change."""

    total: Annotated[Count, about("Number of all of them.", 2)]
    urls: Annotated[tuple[URL, ...], about("The first 100.", ["https://example.com/blog/2"])]


class ChangedPage(Document, frozen=True, kw_only=True):
    """A page that is not what it was."""

    url: Annotated[URL, about("The page.", "https://example.com/pricing")]
    aspects: Annotated[tuple[PageAspect, ...], about("What of it changed.", ["title", "content"])]


class ChangedPages(Document, frozen=True, kw_only=True):
    """Pages that are not what they were."""

    total: Annotated[Count, about("Number of all of them.", 1)]
    pages: Annotated[tuple[ChangedPage, ...], about("The first 100.")]


class PageChangesDocument(Document, frozen=True, kw_only=True):
    """Pages that came, went and changed."""

    new: Annotated[ListedURLs, about("Pages that the older crawl, which was complete, did not come across.")]
    gone: Annotated[
        ListedURLs, about("Pages that answer 404 or 410, or that a complete newer crawl did not come across.")
    ]
    changed: Annotated[ChangedPages, about("Pages that both crawls fetched.")]


class AuditComparisonDocument(Document, frozen=True, kw_only=True):
    """Comparison of two crawls of a site."""

    object: Annotated[Literal["audit_comparison"], about("The kind of object.", "audit_comparison")]
    audit_id: Annotated[int, about("The audit whose crawls are compared.", 12, minimum=1)]
    from_: Annotated[int, about("Number of the older crawl.", 1, minimum=1)] = field(name="from")
    to: Annotated[int, about("Number of the newer crawl.", 2, minimum=1)]
    comparable: Annotated[bool, about("True if they compare; if not, there are no findings and pages.", *_YES)]
    differs_in: Annotated[tuple[AuditDifference, ...], about("Why they do not compare; empty if they do.", [])]
    reason: Annotated[str | None, about("The same in sentences; null if they compare.", None)]
    score_before: Annotated[Points | None, about("Score of the older crawl.", 81)]
    score_after: Annotated[Points | None, about("Score of the newer crawl.", 84)]
    uncapped_score_before: Annotated[Amount | None, about("Score of the older crawl before caps and rounding.", 81.2)]
    uncapped_score_after: Annotated[Amount | None, about("The same of the newer crawl.", 83.7)]
    counts: Annotated[
        dict[ChangeKind, Count],
        about(
            "Number of findings by what became of them.",
            {"new": 1, "worse": 0, "fixed": 2, "better": 1, "still": 13, "not_comparable": 1},
        ),
    ]
    findings: Annotated[
        tuple[SiteFindingChange, ...], about("All findings: new ones first, then as `kind` lists them.")
    ]
    pages: Annotated[PageChangesDocument, about("Pages that came, went and changed.")]


AuditComparisonAnswer: Final = answer_with(
    "AuditComparisonAnswer", AuditComparisonDocument, "Comparison of two crawls.", "The comparison."
)


def audit_comparison_object(audit_id: int, comparison: AuditComparison) -> bytes:
    """The JSON object of what changed from one crawl of an audit to another."""
    pages = comparison.pages
    pages_changed = tuple(ChangedPage(url=one.url, aspects=one.aspects) for one in pages.changed)
    new, gone, changed = pages.totals
    document = AuditComparisonDocument(
        object="audit_comparison",
        audit_id=audit_id,
        from_=comparison.before,
        to=comparison.after,
        comparable=not comparison.differs_in,
        differs_in=comparison.differs_in,
        reason=why_crawls_differ(comparison) or None,
        score_before=comparison.scores[0],
        score_after=comparison.scores[1],
        uncapped_score_before=comparison.exact[0],
        uncapped_score_after=comparison.exact[1],
        counts=comparison.counts,
        findings=tuple(map(_change, comparison.findings)),
        pages=PageChangesDocument(
            new=ListedURLs(total=new, urls=pages.new),
            gone=ListedURLs(total=gone, urls=pages.gone),
            changed=ChangedPages(total=changed, pages=pages_changed),
        ),
    )
    return msgspec.json.encode(document)


def _change(change: FindingChange) -> SiteFindingChange:
    finding, reason = change.finding, None
    if change.reason is not None:
        reason = IncomparableReason(kind=change.reason, message=why_not_comparable(change), detail=change.detail)
    return SiteFindingChange(
        kind=change.kind,
        check=finding.check,
        state=finding.state,
        severity=finding.severity,
        title=finding.title,
        fingerprint=finding.fingerprint,
        before=_side(change.before),
        after=_side(change.after),
        pages_new=change.pages_new,
        pages_fixed=change.pages_fixed,
        pages_unclear=change.pages_unclear,
        reason=reason,
    )


def _side(finding: SiteFinding | None) -> ComparedFinding | None:
    return None if finding is None else ComparedFinding(id=finding.number, pages=finding.pages, lost=finding.lost)
