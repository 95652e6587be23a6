"""Documents of a crawl: its pages and their links, and what differs between two crawls."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import field

from pagegrade.model.audit import PAGE_STATES, UNKNOWN_DEPTH, LinkKind
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
from pagegrade.service.audits.links import ShownLink
from pagegrade.service.audits.pages import ShownPage
from pagegrade.web.schemas.envelope import answer_with, cursor_list
from pagegrade.web.schemas.shape import Document, extended

_NO: Final = (False,)
_YES: Final = (True,)
URLStateName = Literal["fetched", "blocked", "failed", "throttled", "not_fetched"]


class AuditPageItem(Document, frozen=True, kw_only=True):
    """A URL in scope of a crawl."""

    id: Annotated[int, about("Number in the crawl, in order of discovery.", 17, minimum=1)]
    object: Annotated[Literal["audit_page"], about("The kind of object.", "audit_page")]
    url: Annotated[URL, about("The URL.", "https://example.com/blog/1")]
    state: Annotated[URLStateName, about("What became of it.", "fetched")]
    reason: Annotated[str | None, about("Why it was not fetched, or the code of the error.", None)]
    status: Annotated[int | None, about("HTTP status; null: there was no answer.", 200)]
    depth: Annotated[int | None, about("Clicks from the start page; null: no link leads there.", 2)]
    content_type: Annotated[str | None, about("Media type.", "text/html")]
    bytes: Annotated[Count | None, about("Bytes of the answer.", 18_432)]
    time_ms: Annotated[Amount | None, about("Time of the answer in milliseconds.", 120.5)]
    title: Annotated[str | None, about("Title of the page; null: it is no page, or was not read.", "Blog")]
    description: Annotated[str | None, about("Its description.", "News of the shop.")]
    noindex: Annotated[bool | None, about("True if it asks search engines not to show it.", *_NO)]
    canonical: Annotated[URL | None, about("Its canonical URL.", "https://example.com/blog/1")]
    redirect: Annotated[URL | None, about("Target of the redirect.", None)]
    words: Annotated[Count | None, about("Words of its main content.", 512)]
    score: Annotated[Points | None, about("Score of the page without its script files, style sheets and images.", 81)]
    template: Annotated[
        int | None, about("Number of its template; null: it has none, or the crawl was not evaluated.", 3, minimum=0)
    ]
    indexable: Annotated[
        bool | None,
        about("True if search engines may show it under its own URL; null: it is no page, or nothing is known.", *_YES),
    ]
    inlinks: Annotated[
        Count | None,
        about("Other pages of the site that link to it; copies count as one, links with `nofollow` do not.", 12),
    ]
    pagerank: Annotated[
        Amount | None,
        about("Its share of the PageRank of all pages, 0 to 1; each of some copies has that of all of them.", 0.0125),
    ]
    carried_from: Annotated[
        int | None,
        about(
            "Number of the crawl that read it, if it has not changed since; null: this crawl read it.", None, minimum=1
        ),
    ]


class PageFound(Document, frozen=True, kw_only=True):
    """A finding of a page."""

    check: Annotated[str, about("Name of the check.", "image-alt")]
    state: Annotated[str, about("State of the check.", "missing")]
    lost: Annotated[Amount, about("Points that it costs the page.", 3.0)]
    total: Annotated[Count, about("Places on the page.", 4)]
    examples: Annotated[
        tuple[str, ...], about("Snippets of the first places, as the page has them.", ["<img src=a.png>"])
    ]


class PageLink(Document, frozen=True, kw_only=True):
    """A link of a page."""

    url: Annotated[URL, about("Other end of the link.", "https://example.com/blog/2")]
    kind: Annotated[LinkKind, about("Kind of the link.", "a")]
    place: Annotated[Literal["nav", "header", "footer", "main"], about("Part of the page that has it.", "main")]
    nofollow: Annotated[bool, about("True if it asks not to be followed.", *_NO)]
    text: Annotated[str, about("Text of the link.", "Next post")]


class AuditPageDocument(AuditPageItem, frozen=True, kw_only=True):
    """A URL in scope of a crawl, with its findings and links."""

    findings: Annotated[list[PageFound], about("Its own findings.")]
    links: Annotated[list[PageLink], about("The first links from it.")]
    linked_by: Annotated[list[PageLink], about("The first links to it.")]


AuditPageAnswer: Final = answer_with("AuditPageAnswer", AuditPageDocument, "One page of a crawl.", "The page.")
AuditPageList: Final = cursor_list(
    "AuditPageList", AuditPageItem, "Pages of a crawl.", "The pages of this page of the list."
)


class AuditLink(Document, frozen=True, kw_only=True):
    """A link of a page of a crawl."""

    id: Annotated[int, about("Grows in the order of the list.", 1, minimum=1)]
    object: Annotated[Literal["audit_link"], about("The kind of object.", "audit_link")]
    from_page: Annotated[int, about("Id of the page that has it.", 1, minimum=1)]
    from_url: Annotated[URL, about("Its URL.", "https://example.com/")]
    to_page: Annotated[int | None, about("Id of the page that it leads to; null: it is no page of the site.", 17)]
    to_url: Annotated[URL, about("The URL that it leads to.", "https://example.com/old")]
    to_state: Annotated[
        Literal["fetched", "blocked", "failed", "throttled", "not_fetched", "outside"],
        about("What became of that URL; `outside`: it is not of the site.", "fetched"),
    ]
    to_status: Annotated[int | None, about("HTTP status of that URL; null: it has none.", 404)]
    kind: Annotated[LinkKind, about("Kind of the link.", "a")]
    place: Annotated[Literal["nav", "header", "footer", "main"], about("Part of the page that has it.", "main")]
    nofollow: Annotated[bool, about("True if it asks not to be followed.", *_NO)]
    hreflang: Annotated[str, about("Language that it names; empty: none.", "de")]
    text: Annotated[str, about("Text of the link.", "Old post")]


AuditLinkList: Final = cursor_list(
    "AuditLinkList", AuditLink, "Links of a crawl.", "The links of this page of the list."
)


def page_item(page: ShownPage) -> bytes:
    """The JSON object of a page of a crawl in a list."""
    return msgspec.json.encode(listed_page(page))


def page_object(page: ShownPage) -> bytes:
    """The JSON object of a page of a crawl with its findings and links."""
    found = [
        PageFound(check=one.check, state=one.state, lost=one.lost, total=one.total, examples=one.examples)
        for row in page.found
        for one in row.found
    ]
    links, linked_by = ([_link(row, url) for row, url in rows] for rows in (page.links, page.linked_by))
    return msgspec.json.encode(
        extended(listed_page(page), AuditPageDocument, findings=found, links=links, linked_by=linked_by)
    )


def listed_page(page: ShownPage) -> AuditPageItem:
    """The document of a page of a crawl in a list."""
    stored, row, standing = page.stored, page.row, page.standing
    state, reason = PAGE_STATES[stored.state]
    read = row if row is not None and row.read else None
    return AuditPageItem(
        id=stored.url_id,
        object="audit_page",
        url=stored.url,
        state=state,
        reason=reason or stored.error,
        status=stored.status,
        depth=None if stored.depth == UNKNOWN_DEPTH else stored.depth,
        content_type=None if row is None else row.content_type,
        bytes=None if row is None else row.bytes,
        time_ms=None if row is None else row.time_ms,
        title=None if read is None else read.title,
        description=None if read is None else read.description,
        noindex=None if read is None else read.noindex,
        canonical=None if row is None else page.urls.get(row.canonical_id or 0),
        redirect=None if row is None else page.urls.get(row.redirect_id or 0),
        words=None if read is None else read.words,
        score=None if read is None else read.score,
        template=None if standing is None else standing.template,
        indexable=None if standing is None else standing.indexable,
        inlinks=None if standing is None else standing.inlinks,
        pagerank=None if standing is None else standing.pagerank,
        carried_from=None if row is None else row.carried_from,
    )


def link_object(link: ShownLink) -> bytes:
    """The JSON object of a link of a crawl."""
    return msgspec.json.encode(listed_link(link))


def listed_link(link: ShownLink) -> AuditLink:
    """The document of a link of a crawl."""
    row, target = link.row, link.target
    return AuditLink(
        id=link.id,
        object="audit_link",
        from_page=row.from_id,
        from_url=link.source,
        to_page=row.to_id if target.is_page else None,
        to_url=target.url,
        to_state=PAGE_STATES[target.state][0] if target.state in PAGE_STATES else "outside",
        to_status=target.status,
        kind=row.kind,
        place=row.place,
        nofollow=row.nofollow,
        hreflang=row.hreflang,
        text=row.anchor,
    )


def _link(row: Any, url: str) -> PageLink:
    return PageLink(
        url=url,
        kind=row.kind,
        place=row.place,
        nofollow=row.nofollow,
        text=row.anchor,
    )


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
