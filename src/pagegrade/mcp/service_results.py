"""Results of the tools of a service, made of answers of its API; ``page_data`` as in ``pagegrade.mcp.server``."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from pydantic import BaseModel, Field

from pagegrade.checks import all_checks
from pagegrade.client.types import (
    AuditComparisonDocument,
    AuditDocument,
    Comparison,
    FindingPageList,
    ListedReport,
    Monitor,
    Report,
    SiteFindingList,
)
from pagegrade.mcp.server import (
    MAX_NAMED,
    MAX_NOT_EVALUATED,
    CategoryScores,
    FindingSummary,
    NotEvaluated,
    Untrusted,
    drop_excess,
)
from pagegrade.model.report import Failure
from pagegrade.model.stored import UNFINISHED
from pagegrade.render import view
from pagegrade.render.escape import visible
from pagegrade.report.serialize import report_from_dict

_URL_CHARS = 500

State = Literal["queued", "running", "completed", "failed"]


class ServiceReportSummary(BaseModel):
    """A report of the service in short: its grade and the findings that cost most."""

    report: int = Field(description="Id of the report, for get_report, analyze_again and compare_runs.")
    state: State = Field(description="queued or running: call get_report to wait for the analysis.")
    score: int | None = Field(description="0 to 100; null: failed, or no grade.")
    result: str | None = Field(description="good, decent or bad; null: failed, or no grade.")
    error: str | None = Field(description="Code of the failure; null: the analysis did not fail.")
    withheld: str | None = Field(description="Kind of the reason for a missing grade; null: there is none.")
    what_to_do: str | None = Field(description="How to get a grade where there is none.")
    engine: str = Field(description="static, or rendered: the page was also drawn in a browser.")
    pending_run: int | None = Field(
        description="Number of the run in a browser that follows this static one; call get_report later for its "
        "results, which do not compare with these; null: none follows."
    )
    share_url: str = Field(description="Page of the report for people.")
    categories: CategoryScores
    findings: list[FindingSummary] = Field(description="The findings that cost most, the first one most.")
    findings_not_named: int = Field(description="Number of further findings.")
    passed: int = Field(description="Number of checks that passed.")
    not_evaluated: NotEvaluated
    not_evaluated_count: int = Field(description="Number of all of them.")
    page_data: Untrusted


class ServiceReportLine(BaseModel):
    """A report in a list."""

    report: int
    state: State
    score: int | None
    result: str | None
    analyzed_at: str | None = Field(description="RFC 3339, UTC.")
    page_data: Untrusted


class ServiceComparison(BaseModel):
    """The difference between two runs of a report."""

    report: int
    before: int = Field(description="Number of the older run.")
    after: int = Field(description="Number of the newer run.")
    score_before: int | None
    score_after: int | None
    fixed: list[str] = Field(description="Checks with findings that only the older run has.")
    fixed_count: int = Field(description="Number of these findings, each once.")
    new: list[str] = Field(description="Checks with findings that only the newer run has.")
    new_count: int = Field(description="Number of these findings, each once.")
    still_count: int = Field(description="Findings of both runs.")
    not_comparable: list[str] = Field(description="Checks of which nothing can be said.")
    not_compared: str | None = Field(
        description="Why nothing was compared: other engine, device or rules; null: the runs were compared."
    )


class SiteComparison(BaseModel):
    """Comparison of two crawls of a site."""

    audit: int
    before: int = Field(description="Number of the older crawl.")
    after: int = Field(description="Number of the newer crawl.")
    score_before: int | None
    score_after: int | None
    counts: dict[str, int] = Field(description="Number of findings by what became of them.")
    findings: list[str] = Field(description="What is not as it was: kind, title, check, pages then and now.")
    pages: dict[str, int] = Field(description="Pages that are new, gone and changed.")
    not_compared: str | None = Field(description="Why nothing was compared; null: the crawls were compared.")


class MonitorBudget(BaseModel):
    """A condition that is a breach when it holds."""

    condition: str
    state: Literal["unknown", "ok", "breached"]
    unmeasured_since: str | None = Field(
        description="RFC 3339, UTC: since when no browser was there to measure it; null: the last run measured it."
    )


class ServiceMonitor(BaseModel):
    """A schedule on which a report or an audit is made again, with budgets."""

    monitor: int = Field(description="Id of the monitor.")
    report: int | None = Field(description="Id of the report; null: it is for an audit.")
    audit: int | None = Field(description="Id of the audit; null: it is for a report.")
    schedule: str
    timezone: str
    budgets: list[MonitorBudget]
    paused: bool
    next_run_at: str | None = Field(description="RFC 3339, UTC; null: it is paused.")
    last_run_at: str | None = Field(description="RFC 3339, UTC; null: it has not been due yet.")
    unreachable_since: str | None = Field(description="RFC 3339, UTC; null: the page can be reached.")


class AuditSummary(BaseModel):
    """The audit of a site in short: how far its crawl is, and what the last evaluated one came to."""

    audit: int = Field(description="Id of the audit, for the other tools about audits.")
    state: str = Field(description="State of the newest crawl: completed, failed and canceled are its ends.")
    crawl: int = Field(description="Number of the newest crawl.")
    fetched: int = Field(description="URLs that it has fetched.")
    graded_crawl: int | None = Field(description="Number of the crawl that what follows is of; null: none yet.")
    score: int | None = Field(description="0 to 100, of the site; null: no grade.")
    result: str | None = Field(description="good, decent or bad; null: no grade.")
    withheld: str | None = Field(description="Why there is no grade, and what to do; null: there is one, or none yet.")
    partial: bool | None = Field(description="True: the crawl did not reach the whole site.")
    share_url: str | None = Field(description="Page of the result for people; null: the audit is private.")
    pages: int | None = Field(description="Pages that were read.")
    carried: int | None = Field(description="URLs that had not changed, whose findings an earlier crawl made.")
    findings: dict[str, int] = Field(description="Severity -> findings; one cause is one, however many pages have it.")
    page_data: Untrusted


class SiteFindingLine(BaseModel):
    """A finding of a site without its pages."""

    finding: int = Field(description="Number of the finding, for list_finding_pages.")
    check: str = Field(description="Id of the check; explain_check documents it.")
    title: str
    severity: str
    pages: int = Field(description="Pages that have it; list_finding_pages names them.")
    points: float | None = Field(description="Points of the score of the site that it costs; null: no grade.")
    template: bool = Field(description="True: nearly all pages of one template have it, so it is repaired there once.")
    fix: str
    counted_in: str | None = Field(description="Check that is charged for the same cause; null: none.")
    page_data: Untrusted


class SiteFindings(BaseModel):
    """Findings of a site, the most expensive first."""

    audit: int
    findings: list[SiteFindingLine]
    total: int = Field(description="Number of all findings that were asked for.")
    not_known: str | None = Field(description="Why nothing is known, which is not the same as none; null: it is known.")


class FindingPages(BaseModel):
    """Pages of a finding: one line each, with what was found there and where it leads."""

    audit: int
    finding: int
    total: int = Field(description="Number of all pages of the finding.")
    page_data: Untrusted


def summarize(report: Report) -> ServiceReportSummary:
    """A summary of at most ``pagegrade.mcp.server.MAX_SUMMARY_BYTES``."""
    found = _findings(report)
    results = report["results"] or {}
    unknown = [check for check, result in results.items() if result["outcome"] == "not_evaluated"]
    page, counts = report["page"], report["counts"]
    data = [_url(report)]
    data += [f"title: {visible(page['title'], 120)}"] if page is not None and page["title"] else []
    if report["final_url"] not in {None, report["url"]}:
        data.append(f"final url: {visible(str(report['final_url']), _URL_CHARS)}")
    run = report["run"]
    if run is not None and "access" in run:
        data.append(f"access profile: {visible(run['access']['name'], 100)}")
    advice = None
    if report["error"] is not None:
        failure = msgspec.convert(report["error"], Failure)
        advice = view.what_to_do(failure)
        data.append(f"error: {view.what_happened(failure)}")
    elif report["withheld"] is not None:
        advice = report["withheld"]["fix"]
        data.append(f"seen: {visible(report['withheld']['message'], 300)}")
    summary = ServiceReportSummary(
        report=report["id"],
        state=report["state"],
        score=report["score"],
        result=report["result"],
        error=None if report["error"] is None else report["error"]["code"],
        withheld=None if report["withheld"] is None else report["withheld"]["kind"],
        what_to_do=None if advice is None else visible(advice, 400),
        engine=report["analysis"]["engine"],
        pending_run=_pending_run(report),
        share_url=report["share_url"],
        categories=CategoryScores(**{name: one["score"] for name, one in report["categories"].items()}),
        findings=found,
        findings_not_named=len(found),
        passed=0 if counts is None else counts["passed"],
        not_evaluated=unknown[:MAX_NOT_EVALUATED],
        not_evaluated_count=len(unknown),
        page_data=data,
    )
    summary.findings_not_named = drop_excess(summary, summary.findings)
    return summary


def _url(report: Report | ListedReport) -> str:
    """The URL, which may be one of a sitemap, and so text of its site."""
    return f"url: {visible(report['url'], _URL_CHARS)}"


def _pending_run(report: Report) -> int | None:
    rendered: Any = report["rendered"]
    return rendered["run"] if rendered is not None and rendered.get("state") == "pending" else None


def _findings(report: Report) -> list[FindingSummary]:
    """The findings as everywhere; titles are names of checks, in which no page has a word."""
    if report["state"] in UNFINISHED or not report["results"]:
        return []
    catalogue = all_checks()
    return [
        FindingSummary(
            check=finding.result.check,
            title=catalogue[finding.result.check].title if finding.result.check in catalogue else finding.result.check,
            category=finding.result.category,
            severity=finding.result.importance,
            points=None if report["score"] is None else round(finding.lost, 1),
            places=max(finding.result.evidence_total, len(finding.result.evidence)),
        )
        for finding in view.findings(report_from_dict(report))
    ]


def line_of(report: ListedReport) -> ServiceReportLine:
    """A report as a list shows it."""
    return ServiceReportLine(
        report=report["id"],
        state=report["state"],
        score=report["score"],
        result=report["result"],
        analyzed_at=report["generated_at"],
        page_data=[_url(report)],
    )


def monitor_of(monitor: Monitor) -> ServiceMonitor:
    """A monitor with the state of its budgets."""
    return ServiceMonitor(
        monitor=monitor["id"],
        report=monitor["report_id"],
        audit=monitor["audit_id"],
        schedule=monitor["schedule"],
        timezone=monitor["timezone"],
        budgets=[
            MonitorBudget(condition=one["condition"], state=one["state"], unmeasured_since=one["unmeasured_since"])
            for one in monitor["budgets"]
        ],
        paused=monitor["paused"],
        next_run_at=monitor["next_run_at"],
        last_run_at=monitor["last_run_at"],
        unreachable_since=monitor["unreachable_since"],
    )


def compared(comparison: Comparison) -> ServiceComparison:
    """The comparison of two runs."""
    found: dict[str, Any] = dict(comparison)

    def checks(name: str) -> list[str]:
        return list(dict.fromkeys(one["check"] for one in found[name]))[:MAX_NAMED]

    def count(name: str) -> int:
        """As pages count them: those that are counted in another with it, however many places have it."""
        # A service of an older version does not say in which.
        return len({one.get("counted_in") or one["check"] for one in found[name]})

    return ServiceComparison(
        report=found["report_id"],
        before=found["from"],
        after=found["to"],
        score_before=found["score_before"],
        score_after=found["score_after"],
        fixed=checks("fixed"),
        fixed_count=count("fixed"),
        new=checks("new"),
        new_count=count("new"),
        still_count=count("still"),
        not_comparable=checks("not_comparable"),
        not_compared=found["reason"],
    )


def compared_crawls(comparison: AuditComparisonDocument) -> SiteComparison:
    """The comparison of two crawls of a site."""
    found: dict[str, Any] = dict(comparison)
    titles = [
        f"{one['kind']}: {visible(one['title'], 120)} [{one['check']}]"
        f", {(one['before'] or _NOWHERE)['pages']} pages, then {(one['after'] or _NOWHERE)['pages']}"
        for one in found["findings"]
        if one["kind"] != "still"
    ]
    return SiteComparison(
        audit=found["audit_id"],
        before=found["from"],
        after=found["to"],
        score_before=found["score_before"],
        score_after=found["score_after"],
        counts=found["counts"],
        findings=titles[:MAX_NAMED],
        pages={name: found["pages"][name]["total"] for name in ("new", "gone", "changed")},
        not_compared=found["reason"],
    )


_NOWHERE = {"pages": 0}


def audit_summary(audit: AuditDocument) -> AuditSummary:
    """An audit in short."""
    counts, withheld = audit["counts"], audit["withheld"] or audit["crawl"]["withheld"]
    severities = ("critical", "high", "medium", "low", "informative")
    found: dict[str, Any] = {} if counts is None else dict(counts)
    return AuditSummary(
        audit=audit["id"],
        state=audit["state"],
        crawl=audit["crawl"]["number"],
        fetched=audit["crawl"]["fetched"],
        graded_crawl=audit["graded_crawl"],
        score=audit["score"],
        result=audit["result"],
        withheld=None if withheld is None else f"{withheld['message']} {withheld['fix']}",
        partial=audit["partial"],
        share_url=audit["share_url"],
        pages=None if counts is None else counts["pages"],
        carried=None if counts is None else counts["carried"],
        findings={name: found[name] for name in severities if name in found},
        page_data=[f"url: {visible(audit['url'], _URL_CHARS)}"],
    )


def site_findings(audit: int, listed: SiteFindingList) -> SiteFindings:
    """The findings of a page of the list."""
    unknown = [one["message"] for one in listed.get("warnings", ()) if one["code"] == "not_evaluated"]
    return SiteFindings(
        audit=audit,
        findings=[
            SiteFindingLine(
                finding=one["id"],
                check=one["check"],
                title=visible(one["title"], 120),
                severity=one["severity"],
                pages=one["pages"],
                points=one["lost"],
                template=one["template"] is not None,
                fix=visible(one["fix"], 400),
                counted_in=one["counted_in"],
                page_data=[
                    visible(one["message"], 300),
                    *(
                        f"{visible(place['url'], _URL_CHARS)} {visible(place['value'], 100)}"
                        for place in one["places"][:1]
                    ),
                ],
            )
            for one in listed["data"]
        ],
        total=listed["meta"]["total"],
        not_known=unknown[0] if unknown else None,
    )


def finding_pages(audit: int, finding: int, listed: FindingPageList) -> FindingPages:
    """The pages of a page of the list."""
    lines = []
    for one in listed["data"]:
        parts = [visible(one["url"], _URL_CHARS)]
        parts += [f"leads to {visible(one['target'], _URL_CHARS)}"] if one["target"] else []
        parts += [f"has {visible(one['value'], 200)}"] if one["value"] else []
        lines.append(", ".join(parts))
    return FindingPages(audit=audit, finding=finding, total=listed["meta"]["total"], page_data=lines)
