"""Audits of sites, their crawls and findings."""

from __future__ import annotations

from typing import Annotated, Final, Literal, cast

import msgspec
from msgspec import structs

from pagegrade.model.audit import (
    META_NAME,
    Audit,
    Crawl,
    CrawlState,
    ProofMethod,
    ScopeKind,
    StopReason,
    withheld,
)
from pagegrade.model.audit_result import (
    AuditResult,
    AuditSummary,
    Distribution,
    Extent,
    NoGrade,
    Place,
    SiteFinding,
    SummaryChange,
)
from pagegrade.model.outcome import Importance
from pagegrade.model.report import Grade
from pagegrade.model.schema import URL, Amount, Count, Points, Timestamp, about
from pagegrade.model.stored import Privacy
from pagegrade.render.audit import withheld_object
from pagegrade.report.serialize import timestamp
from pagegrade.service.audits.consent import allowed_rate, proof_of
from pagegrade.service.audits.operations import ShownCrawl, ShownPlace
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted, numbered_list
from pagegrade.web.schemas.shape import Document, extended

_NO, _YES = (False,), (True,)
_START: Final = "https://example.com/"
_REPORT: Final = "https://pagegrade.example.com"
CrawlError = Literal["internal", "analysis_failed", "analysis_not_installed"]


class AuditSettingsDocument(Document, frozen=True, kw_only=True):
    """Settings of the next crawl."""

    scope: Annotated[
        ScopeKind,
        about(
            "`host`: the host and its www sibling; `domain`: the registrable domain; `folder`: the folder of the URL.",
            "host",
        ),
    ]
    include: Annotated[
        tuple[str, ...], about("Patterns of robots.txt that pages must match; none: all are in.", ["/blog/*"])
    ]
    exclude: Annotated[tuple[str, ...], about("Patterns of robots.txt of pages that are left out.", ["*/print/"])]
    max_pages: Annotated[Count, about("URLs that are fetched, redirects and errors included.", 500)]
    max_depth: Annotated[Count, about("Clicks from the start.", 50)]
    rate: Annotated[Amount | None, about("Requests that may begin in a second; null: no limit.", 1.0)]
    sitemap: Annotated[bool, about("True if the sitemaps of the site are read.", *_YES)]
    external: Annotated[bool, about("True if the targets of links to other sites are asked for.", *_NO)]
    render: Annotated[bool, about("True if a sample of the pages is drawn in a browser.", *_NO)]
    sitemap_url: Annotated[
        URL | None, about("The sitemap that was given in place of a start page; null: none was.", None)
    ]
    urls: Annotated[
        tuple[URL, ...],
        about("The only pages that are fetched; none: those that links lead to.", ["https://example.com/a"]),
    ]
    access: Annotated[
        int | None,
        about(
            "Id of the access profile that crawls use; 0: none; null: the oldest one for the origin of the URL.",
            3,
            minimum=0,
        ),
    ]


class AuditWithheld(Document, frozen=True, kw_only=True):
    """Reason why a crawl has no grade."""

    kind: Annotated[NoGrade, about("Kind of the reason.", "too_few_pages")]
    message: Annotated[str, about("The reason in one sentence.", "Fewer than five different pages could be graded.")]
    fix: Annotated[str, about("Step that leads to a grade.", "Allow more pages, or a wider scope.")]


class AuditCrawl(Document, frozen=True, kw_only=True):
    """The newest crawl of an audit."""

    number: Annotated[int, about("From 1 for each audit.", 2, minimum=1)]
    state: Annotated[CrawlState, about("State of the crawl.", "completed")]
    fetched: Annotated[Count, about("URLs that were fetched.", 240)]
    complete: Annotated[bool, about("True if every known page was asked for, and nearly all answered.", *_YES)]
    stop_reason: Annotated[
        StopReason | None, about("Why it fetches nothing more, or pauses; null: it goes on.", "done")
    ]
    error: Annotated[CrawlError | None, about("Why it failed, or why its pages were not evaluated together.", None)]
    withheld: Annotated[
        AuditWithheld | None, about("Why it ended without a grade; null: it has one, or has not ended.", None)
    ]
    resume_at: Annotated[Timestamp | None, about("When a crawl that the site stopped goes on.", None)]
    rate: Annotated[Amount | None, about("Requests that may begin in a second on the site; null: no limit.", 1.0)]
    proof: Annotated[
        ProofMethod | None, about("How the site was proved to be yours; null: it was not, or need not be.", "dns")
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]
    finished_at: Annotated[Timestamp | None, about("Time of its end.", "2026-01-05T12:44:56.789Z")]


class AuditCounts(Document, frozen=True, kw_only=True):
    """Figures of an evaluated crawl."""

    found: Annotated[Count, about("URLs in scope that are known.", 260)]
    fetched: Annotated[Count, about("URLs that were fetched.", 240)]
    pages: Annotated[Count, about("HTML pages of status 200.", 230)]
    graded: Annotated[Count, about("Different pages that search engines may show: those that the score is of.", 220)]
    carried: Annotated[
        Count,
        about(
            "Of the fetched URLs, those that had not changed: what an earlier crawl read of them was carried over.", 180
        ),
    ]
    findings: Annotated[Count, about("Findings of the site.", 17)]
    critical: Annotated[Count, about("Findings of critical importance.", 1)]
    high: Annotated[Count, about("Findings of high importance.", 4)]
    medium: Annotated[Count, about("Findings of medium importance.", 6)]
    low: Annotated[Count, about("Findings of low importance.", 5)]
    informative: Annotated[Count, about("Findings for information.", 1)]


class AuditDocument(Document, frozen=True, kw_only=True):
    """A site that is crawled and graded as a whole."""

    id: Annotated[int, about("Grows with every new audit; never used again.", 12, minimum=1)]
    object: Annotated[Literal["audit"], about("The kind of object.", "audit")]
    url: Annotated[URL, about("Start page, canonical.", _START)]
    project: Annotated[str, about("Host of the start page.", "example.com")]
    state: Annotated[CrawlState, about("State of the newest crawl.", "completed")]
    result: Annotated[
        Grade | None, about("Of the newest crawl that was evaluated; null: there is none, or no grade.", "good")
    ]
    score: Annotated[Points | None, about("0 to 100, likewise.", 84)]
    withheld: Annotated[
        AuditWithheld | None, about("Why there is no score; null: there is one, or no crawl has ended yet.", None)
    ]
    graded_crawl: Annotated[int | None, about("Number of the crawl that result, score and counts are of.", 2)]
    coverage: Annotated[Amount | None, about("Share of the known URLs that were fetched, 0 to 1.", 0.92, maximum=1)]
    partial: Annotated[bool | None, about("True if the score is of a part of the site only.", *_NO)]
    p10: Annotated[Points | None, about("A tenth of the pages score so much or less.", 55)]
    distribution: Annotated[Distribution | None, about("Pages by their result; null: nothing was evaluated.")]
    counts: Annotated[AuditCounts | None, about("Figures of the evaluated crawl; null: there is none.")]
    change: Annotated[
        SummaryChange | None, about("What changed since the crawl before; null: none before compares with it.")
    ]
    crawl: Annotated[AuditCrawl, about("The newest crawl.")]
    settings: Annotated[AuditSettingsDocument, about("Settings of the next crawl.")]
    privacy: Annotated[
        Literal[0, 1, 2],
        about("Readers of the share page: 0 anyone with the link, 1 the account only, 2 with the password.", 0),
    ]
    share_url: Annotated[
        URL | None, about("URL of the share page; null: the audit is private.", f"{_REPORT}/a/9fK2vQ7xLmB3dT0aYw5cZg")
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]


AuditAnswer: Final = answer_with("AuditAnswer", AuditDocument, "One audit.", "The audit.")
AuditList: Final = cursor_list("AuditList", AuditDocument, "Audits.", "The audits of this page.")
DeletedAudit: Final = deleted("DeletedAudit", "audit", "an audit was deleted", "The deleted audit.", 12)


class CrawlPattern(Document, frozen=True, kw_only=True):
    """URLs of one shape."""

    pattern: Annotated[str, about("The shape; empty: all others.", "/products/{n}")]
    found: Annotated[Count, about("URLs that are known.", 120)]
    fetched: Annotated[Count, about("URLs that were fetched.", 100)]
    distinct: Annotated[Count, about("Fetched pages with content of their own.", 97)]
    put_off: Annotated[bool, about("True if they are fetched after the others, or only some of them.", *_NO)]


class CrawlItem(AuditCrawl, frozen=True, kw_only=True):
    """A crawl with its progress."""

    object: Annotated[Literal["crawl"], about("The kind of object.", "crawl")]
    found: Annotated[Count, about("URLs in scope that are known.", 260)]
    bytes: Annotated[Count, about("Bytes that were read from the site.", 7_340_032)]
    pages_per_second: Annotated[Amount | None, about("While it is worked on; null: nothing was fetched yet.", 0.9)]
    eta_s: Annotated[
        Count | None, about("Seconds of work that are left, of what is known now; null: it has ended.", 22)
    ]
    result: Annotated[Grade | None, about("Good, decent or bad; null without a grade.", "good")]
    score: Annotated[Points | None, about("0 to 100; null without a grade.", 84)]


class CrawlDocument(CrawlItem, frozen=True, kw_only=True):
    """A crawl with the shapes of its URLs."""

    patterns: Annotated[list[CrawlPattern], about("Shapes with the most fetched pages.")]


CrawlAnswer: Final = answer_with("CrawlAnswer", CrawlDocument, "One crawl.", "The crawl.")
CrawlList: Final = numbered_list("CrawlList", CrawlItem, "Crawls of an audit.", "The crawls of this page.")


class FindingPlace(Document, frozen=True, kw_only=True):
    """A page of a finding; of links, the target with pages that link to it."""

    url: Annotated[URL, about("The page, or the target.", "https://example.com/old")]
    value: Annotated[str, about("The thing found there; may be empty.", "404")]
    count: Annotated[Count, about("Pages that link to the target; 0 for a page.", 12)]
    sources: Annotated[tuple[URL, ...], about("Some of them.", ["https://example.com/blog/1"])]


class SiteFindingDocument(Document, frozen=True, kw_only=True):
    """One cause, however many pages have it."""

    id: Annotated[int, about("Number in the result of the crawl, from 1.", 1, minimum=1)]
    object: Annotated[Literal["site_finding"], about("The kind of object.", "site_finding")]
    check: Annotated[str, about("Name of the check.", "broken-internal-links")]
    state: Annotated[str, about("State of the check.", "broken")]
    severity: Annotated[Importance, about("Importance.", "high")]
    extent: Annotated[
        Extent,
        about(
            "`site`: seen across pages; `template`: nearly all pages of one template; `pages`: pages with one cause; "
            "`various`: the rest of a check.",
            "site",
        ),
    ]
    title: Annotated[str, about("What it is.", "Links lead to pages that do not exist")]
    message: Annotated[str, about("What was found.", "Links of the site lead to errors.")]
    why: Annotated[str, about("Why it matters.", "Readers and crawlers end there.")]
    fix: Annotated[str, about("What to do.", "Correct or remove the links.")]
    pages: Annotated[Count, about("Pages that have it.", 12)]
    share: Annotated[Amount, about("Affected share, 0 to 1.", 0.05, maximum=1)]
    lost: Annotated[Amount | None, about("Points that it costs the site; null where the site has no grade.", 2.5)]
    template: Annotated[int | None, about("Number of the template, where nearly all of its pages have it.", None)]
    counted_in: Annotated[str | None, about("Check that is charged for the same cause; this one costs nothing.", None)]
    fingerprint: Annotated[str, about("The same in each crawl of the site.", "0f3a5c7e9b1d2f40")]
    places: Annotated[list[FindingPlace], about("Some of its pages or targets.")]


SiteFindingList: Final = numbered_list(
    "SiteFindingList",
    SiteFindingDocument,
    "Findings of a crawl.",
    "The findings of this page, the most expensive first.",
)


class FindingPageDocument(Document, frozen=True, kw_only=True):
    """A page of a finding."""

    object: Annotated[Literal["finding_page"], about("The kind of object.", "finding_page")]
    page: Annotated[int, about("Number of the page in the crawl.", 17, minimum=1)]
    url: Annotated[URL, about("The page.", "https://example.com/blog/1")]
    target: Annotated[URL | None, about("What it links to, where that is the fault.", "https://example.com/old")]
    value: Annotated[str | None, about("The thing found there.", "404")]


FindingPageList: Final = numbered_list(
    "FindingPageList", FindingPageDocument, "Pages of a finding.", "The pages of this page of the list."
)


def audit_object(audit: Audit, base_url: str) -> bytes:
    """The JSON object of an audit; its share page is below ``base_url``."""
    summary, settings = audit.summary, audit.settings
    return msgspec.json.encode(
        AuditDocument(
            id=audit.id,
            object="audit",
            url=audit.start_url,
            project=audit.project,
            state=audit.crawl.state,
            result=None if summary is None else summary.rating,
            score=None if summary is None else summary.score,
            withheld=_withheld(audit.crawl, summary),
            graded_crawl=audit.graded,
            coverage=None if summary is None else round(summary.coverage, 4),
            partial=None if summary is None else summary.partial,
            p10=None if summary is None else summary.p10,
            distribution=None if summary is None else summary.distribution,
            counts=None if summary is None else _counts(summary),
            change=None if summary is None else summary.change,
            crawl=_crawl(audit.crawl, summary if audit.graded == audit.crawl.number else None),
            settings=AuditSettingsDocument(
                scope=settings.scope,
                include=settings.include,
                exclude=settings.exclude,
                max_pages=settings.max_pages,
                max_depth=settings.max_depth,
                rate=settings.rate_per_s,
                external=settings.external,
                render=settings.render,
                sitemap=settings.sitemaps,
                sitemap_url=settings.sitemap,
                urls=settings.urls,
                access=cast("int | None", settings.access),
            ),
            privacy=cast("Literal[0, 1, 2]", audit.privacy),
            share_url=None if audit.privacy == Privacy.PRIVATE else f"{base_url}{share_path(audit)}",
            created_at=timestamp(audit.created_at_ms),
        )
    )


def share_path(audit: Audit) -> str:
    """Path of the share page of an audit."""
    return f"/a/{audit.slug}"


def _counts(summary: AuditSummary) -> AuditCounts:
    severities = {
        name: summary.severities.get(name, 0) for name in ("critical", "high", "medium", "low", "informative")
    }
    return AuditCounts(
        found=summary.found,
        fetched=summary.fetched,
        pages=summary.read,
        graded=summary.graded,
        carried=summary.carried,
        findings=sum(severities.values()),
        **severities,
    )


def _withheld(crawl: Crawl, summary: AuditSummary | None) -> AuditWithheld | None:
    return msgspec.convert(withheld_object(withheld(crawl, summary)), AuditWithheld | None)


def _crawl(crawl: Crawl, summary: AuditSummary | None) -> AuditCrawl:
    return AuditCrawl(
        number=crawl.number,
        state=crawl.state,
        fetched=crawl.fetched,
        complete=crawl.complete,
        stop_reason=crawl.stop_reason,
        error=cast("CrawlError | None", crawl.error),
        withheld=_withheld(crawl, summary),
        resume_at=timestamp(crawl.resume_at_ms),
        rate=allowed_rate(crawl, crawl.start_url),
        proof=None if crawl.facts is None else crawl.facts.proof,
        created_at=timestamp(crawl.created_at_ms),
        finished_at=timestamp(crawl.finished_at_ms),
    )


def result_object(audit: Audit, crawl: Crawl, result: AuditResult) -> bytes:
    """The JSON object of everything that an evaluated crawl came to, for a file."""
    about = {"audit": audit.id, "object": "audit_result", "crawl": crawl.number}
    dates = {"created_at": timestamp(crawl.created_at_ms), "finished_at": timestamp(crawl.finished_at_ms)}
    return msgspec.json.format(msgspec.json.encode({**about, **dates, **structs.asdict(result)}), indent=2)


def crawl_item(shown: ShownCrawl) -> bytes:
    """The JSON object of a crawl in a list."""
    return msgspec.json.encode(_crawl_item(shown))


def crawl_object(shown: ShownCrawl) -> bytes:
    """The JSON object of a crawl with its patterns."""
    patterns = [
        CrawlPattern(
            pattern=one.text,
            found=one.found,
            fetched=one.fetched,
            distinct=one.distinct,
            put_off=one.lane > 0,
        )
        for one in shown.patterns
    ]
    return msgspec.json.encode(extended(_crawl_item(shown), CrawlDocument, patterns=patterns))


def _crawl_item(shown: ShownCrawl) -> CrawlItem:
    crawl, summary = shown.crawl, shown.summary
    rate = shown.pages_per_second
    return extended(
        _crawl(crawl, summary),
        CrawlItem,
        object="crawl",
        found=shown.found,
        bytes=crawl.bytes,
        pages_per_second=None if rate is None else round(rate, 2),
        eta_s=shown.left_s,
        result=None if summary is None else summary.rating,
        score=None if summary is None else summary.score,
    )


def finding_object(finding: SiteFinding) -> bytes:
    """The JSON object of a finding of a site."""
    return msgspec.json.encode(
        SiteFindingDocument(
            id=finding.number,
            object="site_finding",
            check=finding.check,
            state=finding.state,
            severity=finding.severity,
            extent=finding.extent,
            title=finding.title,
            message=finding.message,
            why=finding.why,
            fix=finding.fix,
            pages=finding.pages,
            share=round(finding.share, 4),
            lost=finding.lost,
            template=finding.template,
            counted_in=finding.counted_in,
            fingerprint=finding.fingerprint,
            places=[_place(place) for place in finding.places],
        )
    )


def _place(place: Place) -> FindingPlace:
    return FindingPlace(
        url=place.url,
        value=place.value,
        count=place.count,
        sources=place.sources,
    )


def finding_page_object(place: ShownPlace) -> bytes:
    """The JSON object of a page of a finding."""
    return msgspec.json.encode(
        FindingPageDocument(
            object="finding_page",
            page=place.page_id,
            url=place.url,
            target=place.target,
            value=place.value,
        )
    )


_SHOWN: Final = "0f3a5c7e9b1d2f400f3a5c7e9b1d2f40"


class AuditProofDocument(Document, frozen=True, kw_only=True):
    """Three places of which one proves that a site is yours."""

    object: Annotated[Literal["audit_proof"], about("The kind of object.", "audit_proof")]
    token: Annotated[
        str, about("The same for all audits of your account of one registrable domain; no secret.", _SHOWN)
    ]
    record: Annotated[
        str | None,
        about(
            "Name of a DNS TXT record with the token as its text; it proves all hosts of the domain. null: an address "
            "has none.",
            "_pagegrade.example.com",
        ),
    ]
    file: Annotated[
        URL,
        about(
            "URL of a text file with the token on a line of its own.", "https://example.com/.well-known/pagegrade.txt"
        ),
    ]
    meta: Annotated[str, about("Tag in the head of the start page.", f'<meta name="{META_NAME}" content="{_SHOWN}">')]
    found: Annotated[
        ProofMethod | None, about("Proof that the newest crawl found; null: it found none, or needed none.", "file")
    ]


AuditProofAnswer: Final = answer_with("AuditProofAnswer", AuditProofDocument, "The proof of an audit.", "The proof.")


def audit_proof_object(audit: Audit, key: bytes) -> bytes:
    """The JSON object of the proof for an audit; ``key`` as of ``proof_of``."""
    proof, facts = proof_of(audit.start_url, audit.account_id, key), audit.crawl.facts
    return msgspec.json.encode(
        AuditProofDocument(
            object="audit_proof",
            token=proof.token,
            record=proof.record or None,
            file=proof.file,
            meta=proof.meta,
            found=None if facts is None else facts.proof,
        )
    )
