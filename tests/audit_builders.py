"""Audits of accounts for tests, as the use cases make them."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Any, Final

from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import Audit, Crawl, NewURL, SettledURL, StopReason, URLState
from pagegrade.model.audit_result import AuditResult, Distribution, Place, SiteFinding
from pagegrade.parse.urls.identity import keyed_hash
from pagegrade.service.audits.compare import change_since_last
from pagegrade.service.audits.operations import AuditFields, create_audit, read_settings
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.audits import save_result
from pagegrade.store.repositories.crawl_segments import (
    FindingPage,
    LinkRow,
    PageRow,
    StandingRow,
    add_segments,
    pack_findings,
    pack_segment,
    pack_standings,
)
from pagegrade.store.repositories.crawl_urls import add_urls, settle_urls
from pagegrade.store.repositories.crawls import advance_crawl, claim_crawl, end_crawl

OPTIONS: Final = ServiceOptions(
    analyze=AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),)), crawls=2, account_crawls=1
)


def make_audit(database: Database, caller: Caller, url: str = "https://example.com/", **fields: Any) -> Audit:
    """A new audit."""
    start, settings = read_settings(AuditFields(url=url, **fields), OPTIONS)
    return database.write_here(lambda tx: create_audit(tx, caller, start, settings, options=OPTIONS, now_ms=now_ms()))


def claim(database: Database, *, at_ms: int | None = None, account_crawls: int = 1) -> Crawl | None:
    """The crawl that a worker goes on with."""
    at = now_ms() if at_ms is None else at_ms
    return database.write_here(lambda tx: claim_crawl(tx, now_ms=at, lease_ms=60_000, account_crawls=account_crawls))


def fill(database: Database, crawl: Crawl | None, result: AuditResult | None = None) -> None:
    """Evaluate a claimed crawl of two pages, of which one links to the other and has one finding.

    Args:
        database: Of the crawl.
        crawl: The crawl.
        result: What it comes to; ``None``: ``result_of`` its start page.
    """
    if crawl is None:
        raise AssertionError("no crawl was claimed")

    def work(tx: Any) -> None:
        start, other = crawl.start_url, f"{crawl.start_url}other"
        counted = replace(crawl, urls=2, fetched=2, segments=1)
        advance_crawl(tx, counted, now_ms())
        add_urls(
            tx,
            crawl.id,
            [
                NewURL(at, keyed_hash(url, crawl.secret), 0, 0, at - 1, 0, URLState.WAITING, url)
                for at, url in enumerate((start, other), 1)
            ],
        )
        settle_urls(
            tx,
            crawl.id,
            [SettledURL(at, URLState.FETCHED, 0, 0, 200, None, at, 0) for at in (1, 2)],
        )
        rows = [
            PageRow(page_id=1, read=True, title="Start", words=200, score=90),
            PageRow(page_id=2, read=True, title="Other", words=100, score=70, canonical_id=1),
        ]
        links = [LinkRow(1, 2, "a", nofollow=False, place="main", anchor="Other", hreflang="")]
        add_segments(tx, crawl.id, 0, {"pages": pack_segment(rows), "links": pack_segment(links)})
        end_crawl(tx, counted, "analyzing", reason="done", complete=True, now_ms=now_ms())

    database.write_here(work)
    again = claim(database)
    if again is None:
        raise AssertionError("the crawl is not to be analyzed")
    pages = pack_findings([(1, FindingPage(1, 2, "Welcome")), (1, FindingPage(2, None, "Welcome"))])
    rows = [StandingRow(1, 0, 0.75, 0, indexable=True), StandingRow(2, 1, 0.25, 1, indexable=False)]
    made = result or result_of(again.start_url)
    change = database.read_here(lambda tx: change_since_last(tx, again, made, pages))
    database.write_here(
        lambda tx: save_result(tx, again, made, pages, now_ms(), standings=pack_standings(rows), change=change)
    )


def ungraded(url: str) -> AuditResult:
    """A result with one finding, of too few pages for a grade."""
    found = result_of(url)
    (finding,) = found.findings
    return replace(
        found,
        score=None,
        exact=None,
        rating=None,
        no_grade="too_few_pages",
        findings=(replace(finding, lost=None),),
    )


def fail(database: Database, crawl: Crawl | None, *, reason: StopReason | None, error: str | None = None) -> None:
    """End a claimed crawl without a result."""
    if crawl is None:
        raise AssertionError("no crawl was claimed")
    database.write_here(
        lambda tx: end_crawl(tx, crawl, "failed", reason=reason, complete=False, now_ms=now_ms(), error=error)
    )


def result_of(url: str) -> AuditResult:
    """A result with one finding."""
    finding = SiteFinding(
        number=1,
        extent="site",
        check="duplicate-title",
        state="duplicate",
        severity="high",
        title="Pages have the same title",
        message="Two pages have one title.",
        why="Titles name pages.",
        fix="Name them apart.",
        pages=2,
        share=1.0,
        lost=5.0,
        places=(Place(url=url, value="Welcome"),),
        fingerprint="0123456789abcdef",
    )
    return AuditResult(
        url=url,
        ruleset="1",
        engine="1",
        found=2,
        fetched=2,
        read=2,
        graded=2,
        complete=True,
        coverage=1.0,
        partial=False,
        score=95,
        exact=95.0,
        rating="good",
        no_grade="",
        caps=(),
        distribution=Distribution(good=1, decent=1, good_share=0.5, decent_share=0.5),
        p10=70,
        worst=(),
        findings=(finding,),
        passed=(),
        not_applicable=(),
        not_evaluated=(),
        templates=(),
    )
