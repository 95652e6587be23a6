"""Audits of sites, their crawls, findings and pages."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import structs

from pagegrade.model.audit import (
    PAGE_STATES,
    UNKNOWN_DEPTH,
    Audit,
    Crawl,
    CrawlState,
    LinkKind,
    ProofMethod,
    ScopeKind,
    StopReason,
    withheld,
)
from pagegrade.model.audit_result import AuditResult, AuditSummary, Extent, NoGrade, Place, SiteFinding
from pagegrade.model.outcome import Importance
from pagegrade.model.stored import Privacy
from pagegrade.render.audit import withheld_object
from pagegrade.report.serialize import timestamp
from pagegrade.service.audits.consent import allowed_rate
from pagegrade.service.audits.links import ShownLink
from pagegrade.service.audits.operations import ShownCrawl, ShownPage, ShownPlace
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted, ListAnswer
from pagegrade.web.schemas.shape import URL, Amount, Count, Document, Points, Result, Timestamp, about

_NO, _YES = (False,), (True,)
_START: Final = "https://example.com/"
_REPORT: Final = "https://pagegrade.example.com"
CrawlError = Literal["internal", "analysis_failed", "analysis_not_installed"]
URLStateName = Literal["fetched", "blocked", "failed", "throttled", "not_fetched"]


class AuditSettingsDocument(Document):
    """Settings of the next crawl."""

    scope: ScopeKind = about(
        "`host`: the host and its www sibling; `domain`: the registrable domain; `folder`: the folder of the URL.",
        "host",
    )
    include: list[str] = about("Patterns of robots.txt that pages must match; none: all are in.", ["/blog/*"])
    exclude: list[str] = about("Patterns of robots.txt of pages that are left out.", ["*/print/"])
    max_pages: Count = about("URLs that are fetched, redirects and errors included.", 500)
    max_depth: Count = about("Clicks from the start.", 50)
    rate: Amount | None = about("Requests that may begin in a second; null: no limit.", 1.0)
    sitemap: bool = about("True if the sitemaps of the site are read.", *_YES)
    sitemap_url: URL | None = about("The sitemap that was given in place of a start page; null: none was.", None)
    urls: list[URL] = about(
        "The only pages that are fetched; none: those that links lead to.", ["https://example.com/a"]
    )
    access: int | None = about(
        "Id of the access profile that crawls use; 0: none; null: the oldest one for the origin of the URL.", 3, ge=0
    )


class AuditWithheld(Document):
    """Reason why a crawl has no grade."""

    kind: NoGrade = about("Kind of the reason.", "too_few_pages")
    message: str = about("The reason in one sentence.", "Fewer than five different pages could be graded.")
    fix: str = about("Step that leads to a grade.", "Allow more pages, or a wider scope.")


class AuditCrawl(Document):
    """The newest crawl of an audit."""

    number: int = about("From 1 for each audit.", 2, ge=1)
    state: CrawlState = about("State of the crawl.", "completed")
    fetched: Count = about("URLs that were fetched.", 240)
    complete: bool = about("True if every known page was asked for, and nearly all answered.", *_YES)
    stop_reason: StopReason | None = about("Why it fetches nothing more, or pauses; null: it goes on.", "done")
    error: CrawlError | None = about("Why it failed, or why its pages were not evaluated together.", None)
    withheld: AuditWithheld | None = about("Why it ended without a grade; null: it has one, or has not ended.", None)
    resume_at: Timestamp | None = about("When a crawl that the site stopped goes on.", None)
    rate: Amount | None = about("Requests that may begin in a second on the site; null: no limit.", 1.0)
    proof: ProofMethod | None = about("How the site was proved to be yours; null: it was not, or need not be.", "dns")
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")
    finished_at: Timestamp | None = about("Time of its end.", "2026-01-05T12:44:56.789Z")


class AuditDistribution(Document):
    """Pages by their result."""

    good: Count = about("Good pages.", 200)
    decent: Count = about("Decent pages.", 30)
    bad: Count = about("Bad pages.", 10)
    good_share: Amount = about("Share of good pages by their weight, 0 to 1.", 0.8, le=1)
    decent_share: Amount = about("Share of decent pages by their weight.", 0.15, le=1)
    bad_share: Amount = about("Share of bad pages by their weight.", 0.05, le=1)


class AuditCounts(Document):
    """Figures of an evaluated crawl."""

    found: Count = about("URLs in scope that are known.", 260)
    fetched: Count = about("URLs that were fetched.", 240)
    pages: Count = about("HTML pages of status 200.", 230)
    graded: Count = about("Different pages that search engines may show: those that the score is of.", 220)
    carried: Count = about(
        "Of the fetched URLs, those that had not changed: what an earlier crawl read of them was carried over.", 180
    )
    findings: Count = about("Findings of the site.", 17)
    critical: Count = about("Findings of critical importance.", 1)
    high: Count = about("Findings of high importance.", 4)
    medium: Count = about("Findings of medium importance.", 6)
    low: Count = about("Findings of low importance.", 5)
    informative: Count = about("Findings for information.", 1)


class AuditChange(Document):
    """Findings of the evaluated crawl by what became of them since an earlier one."""

    crawl: int = about("Number of the earlier crawl: the last one before that compares.", 1, ge=1)
    score: Points | None = about("Its score; null without a grade.", 81)
    new: Count = about("Findings that are new.", 1)
    worse: Count = about("Findings that more pages have.", 0)
    fixed: Count = about("Findings that are gone from all of their pages.", 2)
    better: Count = about("Findings that fewer pages have.", 1)
    still: Count = about("Findings that are as they were.", 13)
    not_comparable: Count = about("Findings of which nothing can be said.", 1)


class AuditDocument(Document):
    """A site that is crawled and graded as a whole."""

    id: int = about("Grows with every new audit; never used again.", 12, ge=1)
    object: Literal["audit"] = about("The kind of object.", "audit")
    url: URL = about("Start page, canonical.", _START)
    project: str = about("Host of the start page.", "example.com")
    state: CrawlState = about("State of the newest crawl.", "completed")
    result: Result | None = about("Of the newest crawl that was evaluated; null: there is none, or no grade.", "good")
    score: Points | None = about("0 to 100, likewise.", 84)
    withheld: AuditWithheld | None = about(
        "Why there is no score; null: there is one, or no crawl has ended yet.", None
    )
    graded_crawl: int | None = about("Number of the crawl that result, score and counts are of.", 2)
    coverage: Amount | None = about("Share of the known URLs that were fetched, 0 to 1.", 0.92, le=1)
    partial: bool | None = about("True if the score is of a part of the site only.", *_NO)
    p10: Points | None = about("A tenth of the pages score so much or less.", 55)
    distribution: AuditDistribution | None = about("Pages by their result; null: nothing was evaluated.")
    counts: AuditCounts | None = about("Figures of the evaluated crawl; null: there is none.")
    change: AuditChange | None = about("What changed since the crawl before; null: none before compares with it.")
    crawl: AuditCrawl = about("The newest crawl.")
    settings: AuditSettingsDocument = about("Settings of the next crawl.")
    privacy: Literal[0, 1, 2] = about(
        "Readers of the share page: 0 anyone with the link, 1 the account only, 2 with the password.", 0
    )
    share_url: URL | None = about(
        "URL of the share page; null: the audit is private.", f"{_REPORT}/a/9fK2vQ7xLmB3dT0aYw5cZg"
    )
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")


class AuditAnswer(Answer):
    """One audit."""

    data: AuditDocument = about("The audit.")


class AuditList(CursorListAnswer):
    """Audits."""

    data: list[AuditDocument] = about("The audits of this page.")


class DeletedAudit(Deleted):
    """Confirmation that an audit was deleted."""

    id: int = about("The deleted audit.", 12, ge=1)
    object: Literal["audit"] = about("The kind of object.", "audit")


class CrawlPattern(Document):
    """URLs of one shape."""

    pattern: str = about("The shape; empty: all others.", "/products/{n}")
    found: Count = about("URLs that are known.", 120)
    fetched: Count = about("URLs that were fetched.", 100)
    distinct: Count = about("Fetched pages with content of their own.", 97)
    put_off: bool = about("True if they are fetched after the others, or only some of them.", *_NO)


class CrawlItem(AuditCrawl):
    """A crawl with its progress."""

    object: Literal["crawl"] = about("The kind of object.", "crawl")
    found: Count = about("URLs in scope that are known.", 260)
    bytes: Count = about("Bytes that were read from the site.", 7_340_032)
    pages_per_second: Amount | None = about("While it is worked on; null: nothing was fetched yet.", 0.9)
    eta_s: Count | None = about("Seconds of work that are left, of what is known now; null: it has ended.", 22)
    result: Result | None = about("Good, decent or bad; null without a grade.", "good")
    score: Points | None = about("0 to 100; null without a grade.", 84)


class CrawlDocument(CrawlItem):
    """A crawl with the shapes of its URLs."""

    patterns: list[CrawlPattern] = about("Shapes with the most fetched pages.")


class CrawlAnswer(Answer):
    """One crawl."""

    data: CrawlDocument = about("The crawl.")


class CrawlList(ListAnswer):
    """Crawls of an audit."""

    data: list[CrawlItem] = about("The crawls of this page.")


class FindingPlace(Document):
    """A page of a finding; of links, the target with pages that link to it."""

    url: URL = about("The page, or the target.", "https://example.com/old")
    value: str = about("The thing found there; may be empty.", "404")
    count: Count = about("Pages that link to the target; 0 for a page.", 12)
    sources: list[URL] = about("Some of them.", ["https://example.com/blog/1"])


class SiteFindingDocument(Document):
    """One cause, however many pages have it."""

    id: int = about("Number in the result of the crawl, from 1.", 1, ge=1)
    object: Literal["site_finding"] = about("The kind of object.", "site_finding")
    check: str = about("Name of the check.", "broken-internal-links")
    state: str = about("State of the check.", "broken")
    severity: Importance = about("Importance.", "high")
    extent: Extent = about(
        "`site`: seen across pages; `template`: nearly all pages of one template; `pages`: pages with one cause; "
        "`various`: the rest of a check.",
        "site",
    )
    title: str = about("What it is.", "Links lead to pages that do not exist")
    message: str = about("What was found.", "Links of the site lead to errors.")
    why: str = about("Why it matters.", "Readers and crawlers end there.")
    fix: str = about("What to do.", "Correct or remove the links.")
    pages: Count = about("Pages that have it.", 12)
    share: Amount = about("Affected share, 0 to 1.", 0.05, le=1)
    lost: Amount | None = about("Points that it costs the site; null where the site has no grade.", 2.5)
    template: int | None = about("Number of the template, where nearly all of its pages have it.", None)
    counted_in: str | None = about("Check that is charged for the same cause; this one costs nothing.", None)
    fingerprint: str = about("The same in each crawl of the site.", "0f3a5c7e9b1d2f40")
    places: list[FindingPlace] = about("Some of its pages or targets.")


class SiteFindingList(ListAnswer):
    """Findings of a crawl."""

    data: list[SiteFindingDocument] = about("The findings of this page, the most expensive first.")


class FindingPageDocument(Document):
    """A page of a finding."""

    object: Literal["finding_page"] = about("The kind of object.", "finding_page")
    page: int = about("Number of the page in the crawl.", 17, ge=1)
    url: URL = about("The page.", "https://example.com/blog/1")
    target: URL | None = about("What it links to, where that is the fault.", "https://example.com/old")
    value: str | None = about("The thing found there.", "404")


class FindingPageList(ListAnswer):
    """Pages of a finding."""

    data: list[FindingPageDocument] = about("The pages of this page of the list.")


class AuditPageItem(Document):
    """A URL in scope of a crawl."""

    id: int = about("Number in the crawl, in order of discovery.", 17, ge=1)
    object: Literal["audit_page"] = about("The kind of object.", "audit_page")
    url: URL = about("The URL.", "https://example.com/blog/1")
    state: URLStateName = about("What became of it.", "fetched")
    reason: str | None = about("Why it was not fetched, or the code of the error.", None)
    status: int | None = about("HTTP status; null: there was no answer.", 200)
    depth: int | None = about("Clicks from the start page; null: no link leads there.", 2)
    content_type: str | None = about("Media type.", "text/html")
    bytes: Count | None = about("Bytes of the answer.", 18_432)
    time_ms: Amount | None = about("Time of the answer in milliseconds.", 120.5)
    title: str | None = about("Title of the page; null: it is no page, or was not read.", "Blog")
    description: str | None = about("Its description.", "News of the shop.")
    noindex: bool | None = about("True if it asks search engines not to show it.", *_NO)
    canonical: URL | None = about("Its canonical URL.", "https://example.com/blog/1")
    redirect: URL | None = about("Target of the redirect.", None)
    words: Count | None = about("Words of its main content.", 512)
    score: Points | None = about("Score of the page without its script files, style sheets and images.", 81)
    carried_from: int | None = about(
        "Number of the crawl that read it, if it has not changed since; null: this crawl read it.", None, ge=1
    )


class PageFound(Document):
    """A finding of a page."""

    check: str = about("Name of the check.", "image-alt")
    state: str = about("State of the check.", "missing")
    lost: Amount = about("Points that it costs the page.", 3.0)
    total: Count = about("Places on the page.", 4)
    examples: list[str] = about("Snippets of the first places, as the page has them.", ["<img src=a.png>"])


class PageLink(Document):
    """A link of a page."""

    url: URL = about("Other end of the link.", "https://example.com/blog/2")
    kind: LinkKind = about("Kind of the link.", "a")
    place: Literal["nav", "header", "footer", "main"] = about("Part of the page that has it.", "main")
    nofollow: bool = about("True if it asks not to be followed.", *_NO)
    text: str = about("Text of the link.", "Next post")


class AuditPageDocument(AuditPageItem):
    """A URL in scope of a crawl, with its findings and links."""

    findings: list[PageFound] = about("Its own findings.")
    links: list[PageLink] = about("The first links from it.")
    linked_by: list[PageLink] = about("The first links to it.")


class AuditPageAnswer(Answer):
    """One page of a crawl."""

    data: AuditPageDocument = about("The page.")


class AuditPageList(CursorListAnswer):
    """Pages of a crawl."""

    data: list[AuditPageItem] = about("The pages of this page of the list.")


class AuditLink(Document):
    """A link of a page of a crawl."""

    id: int = about("Grows in the order of the list.", 1, ge=1)
    object: Literal["audit_link"] = about("The kind of object.", "audit_link")
    from_page: int = about("Id of the page that has it.", 1, ge=1)
    from_url: URL = about("Its URL.", "https://example.com/")
    to_page: int | None = about("Id of the page that it leads to; null: it is no page of the site.", 17)
    to_url: URL = about("The URL that it leads to.", "https://example.com/old")
    to_state: Literal["fetched", "blocked", "failed", "throttled", "not_fetched", "outside"] = about(
        "What became of that URL; `outside`: it is not of the site.", "fetched"
    )
    to_status: int | None = about("HTTP status of that URL; null: it has none.", 404)
    kind: LinkKind = about("Kind of the link.", "a")
    place: Literal["nav", "header", "footer", "main"] = about("Part of the page that has it.", "main")
    nofollow: bool = about("True if it asks not to be followed.", *_NO)
    hreflang: str = about("Language that it names; empty: none.", "de")
    text: str = about("Text of the link.", "Old post")


class AuditLinkList(CursorListAnswer):
    """Links of a crawl."""

    data: list[AuditLink] = about("The links of this page of the list.")


def audit_object(audit: Audit, base_url: str) -> bytes:
    """The JSON object of an audit; its share page is below ``base_url``."""
    summary, settings = audit.summary, audit.settings
    members: dict[str, Any] = {
        "id": audit.id,
        "object": "audit",
        "url": audit.start_url,
        "project": audit.project,
        "state": audit.crawl.state,
        "result": None if summary is None else summary.rating,
        "score": None if summary is None else summary.score,
        "withheld": withheld_object(withheld(audit.crawl, summary)),
        "graded_crawl": audit.graded,
        "coverage": None if summary is None else round(summary.coverage, 4),
        "partial": None if summary is None else summary.partial,
        "p10": None if summary is None else summary.p10,
        "distribution": None if summary is None else msgspec.to_builtins(summary.distribution),
        "counts": None if summary is None else _counts(summary),
        "change": None if summary is None or summary.change is None else msgspec.to_builtins(summary.change),
        "crawl": _crawl(audit.crawl, summary if audit.graded == audit.crawl.number else None),
        "settings": {
            "scope": settings.scope,
            "include": settings.include,
            "exclude": settings.exclude,
            "max_pages": settings.max_pages,
            "max_depth": settings.max_depth,
            "rate": settings.rate_per_s,
            "sitemap": settings.sitemaps,
            "sitemap_url": settings.sitemap,
            "urls": settings.urls,
            "access": settings.access,
        },
        "privacy": audit.privacy,
        "share_url": None if audit.privacy == Privacy.PRIVATE else f"{base_url}{share_path(audit)}",
        "created_at": timestamp(audit.created_at_ms),
    }
    return msgspec.json.encode(members)


def share_path(audit: Audit) -> str:
    """Path of the share page of an audit."""
    return f"/a/{audit.slug}"


def _counts(summary: AuditSummary) -> dict[str, int]:
    severities = {
        name: summary.severities.get(name, 0) for name in ("critical", "high", "medium", "low", "informative")
    }
    return {
        "found": summary.found,
        "fetched": summary.fetched,
        "pages": summary.read,
        "graded": summary.graded,
        "carried": summary.carried,
        "findings": sum(severities.values()),
        **severities,
    }


def _crawl(crawl: Crawl, summary: AuditSummary | None) -> dict[str, Any]:
    return {
        "number": crawl.number,
        "state": crawl.state,
        "fetched": crawl.fetched,
        "complete": crawl.complete,
        "stop_reason": crawl.stop_reason,
        "error": crawl.error,
        "withheld": withheld_object(withheld(crawl, summary)),
        "resume_at": _moment(crawl.resume_at_ms),
        "rate": allowed_rate(crawl, crawl.start_url),
        "proof": None if crawl.facts is None else crawl.facts.proof,
        "created_at": timestamp(crawl.created_at_ms),
        "finished_at": _moment(crawl.finished_at_ms),
    }


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else timestamp(at_ms)


def result_object(audit: Audit, crawl: Crawl, result: AuditResult) -> bytes:
    """The JSON object of everything that an evaluated crawl came to, for a file."""
    about = {"audit": audit.id, "object": "audit_result", "crawl": crawl.number}
    dates = {"created_at": timestamp(crawl.created_at_ms), "finished_at": _moment(crawl.finished_at_ms)}
    return msgspec.json.format(msgspec.json.encode({**about, **dates, **structs.asdict(result)}), indent=2)


def crawl_item(shown: ShownCrawl) -> bytes:
    """The JSON object of a crawl in a list."""
    return msgspec.json.encode(_crawl_members(shown))


def crawl_object(shown: ShownCrawl) -> bytes:
    """The JSON object of a crawl with its patterns."""
    patterns = [
        {
            "pattern": one.text,
            "found": one.found,
            "fetched": one.fetched,
            "distinct": one.distinct,
            "put_off": one.lane > 0,
        }
        for one in shown.patterns
    ]
    return msgspec.json.encode({**_crawl_members(shown), "patterns": patterns})


def _crawl_members(shown: ShownCrawl) -> dict[str, Any]:
    crawl, summary = shown.crawl, shown.summary
    rate = shown.pages_per_second
    return {
        **_crawl(crawl, summary),
        "object": "crawl",
        "found": shown.found,
        "bytes": crawl.bytes,
        "pages_per_second": None if rate is None else round(rate, 2),
        "eta_s": shown.left_s,
        "result": None if summary is None else summary.rating,
        "score": None if summary is None else summary.score,
    }


def finding_object(finding: SiteFinding) -> bytes:
    """The JSON object of a finding of a site."""
    members: dict[str, Any] = {
        "id": finding.number,
        "object": "site_finding",
        "check": finding.check,
        "state": finding.state,
        "severity": finding.severity,
        "extent": finding.extent,
        "title": finding.title,
        "message": finding.message,
        "why": finding.why,
        "fix": finding.fix,
        "pages": finding.pages,
        "share": round(finding.share, 4),
        "lost": finding.lost,
        "template": finding.template,
        "counted_in": finding.counted_in,
        "fingerprint": finding.fingerprint,
        "places": [_place(place) for place in finding.places],
    }
    return msgspec.json.encode(members)


def _place(place: Place) -> dict[str, Any]:
    return {"url": place.url, "value": place.value, "count": place.count, "sources": place.sources}


def finding_page_object(place: ShownPlace) -> bytes:
    """The JSON object of a page of a finding."""
    members = {
        "object": "finding_page",
        "page": place.page_id,
        "url": place.url,
        "target": place.target,
        "value": place.value,
    }
    return msgspec.json.encode(members)


def page_item(page: ShownPage) -> bytes:
    """The JSON object of a page of a crawl in a list."""
    return msgspec.json.encode(page_members(page))


def page_object(page: ShownPage) -> bytes:
    """The JSON object of a page of a crawl with its findings and links."""
    members = {
        **page_members(page),
        "findings": [
            {"check": one.check, "state": one.state, "lost": one.lost, "total": one.total, "examples": one.examples}
            for row in page.found
            for one in row.found
        ],
        "links": [_link(row, url) for row, url in page.links],
        "linked_by": [_link(row, url) for row, url in page.linked_by],
    }
    return msgspec.json.encode(members)


def page_members(page: ShownPage) -> dict[str, Any]:
    """The members of a page of a crawl in a list."""
    stored, row = page.stored, page.row
    state, reason = PAGE_STATES[stored.state]
    is_read = row is not None and row.read
    return {
        "id": stored.url_id,
        "object": "audit_page",
        "url": stored.url,
        "state": state,
        "reason": reason or stored.error,
        "status": stored.status,
        "depth": None if stored.depth == UNKNOWN_DEPTH else stored.depth,
        "content_type": row.content_type if row is not None else None,
        "bytes": row.bytes if row is not None else None,
        "time_ms": row.time_ms if row is not None else None,
        "title": row.title if row is not None and is_read else None,
        "description": row.description if row is not None and is_read else None,
        "noindex": row.noindex if row is not None and is_read else None,
        "canonical": page.urls.get(row.canonical_id or 0) if row is not None else None,
        "redirect": page.urls.get(row.redirect_id or 0) if row is not None else None,
        "words": row.words if row is not None and is_read else None,
        "score": row.score if row is not None and is_read else None,
        "carried_from": None if row is None else row.carried_from,
    }


def link_object(link: ShownLink) -> bytes:
    """The JSON object of a link of a crawl."""
    row, target = link.row, link.target
    members = {
        "id": link.id,
        "object": "audit_link",
        "from_page": row.from_id,
        "from_url": link.source,
        "to_page": row.to_id if target.is_page else None,
        "to_url": target.url,
        "to_state": PAGE_STATES[target.state][0] if target.state in PAGE_STATES else "outside",
        "to_status": target.status,
        "kind": row.kind,
        "place": row.place,
        "nofollow": row.nofollow,
        "hreflang": row.hreflang,
        "text": row.anchor,
    }
    return msgspec.json.encode(members)


def _link(row: Any, url: str) -> dict[str, Any]:
    return {"url": url, "kind": row.kind, "place": row.place, "nofollow": row.nofollow, "text": row.anchor}
