"""Findings of the pages of a site, each with the pages that have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.outcome import Importance
from pagegrade.model.stored import ListQuery, StoredReport
from pagegrade.parse.url import project_of
from pagegrade.report.compare import FINDINGS
from pagegrade.report.gates import SEVERITIES
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_reports, list_all
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.run_history import load_details

MAX_PAGES: Final = 1_000
"""Pages of a site whose findings are read, the ones that were analyzed last."""
_AT_ONCE: Final = 20
"""Reports whose results are in memory together."""


class _Result(msgspec.Struct):
    outcome: str
    title: str = ""
    importance: Importance = "low"
    lost: float = 0.0
    counted_in: str | None = None


class _Results(msgspec.Struct):
    results: dict[str, _Result] | None = None


_decode: Final = msgspec.json.Decoder(_Results).decode


class AffectedPage(msgspec.Struct, frozen=True):
    """A page that has a finding."""

    report_id: int
    url: str
    lost: float
    """Points."""


class SharedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding of pages of a site."""

    check: str
    title: str
    """That of the page that was analyzed last."""
    severity: Importance
    """The worst one of all these pages."""
    pages: tuple[AffectedPage, ...]
    """Those with the most points first."""

    @property
    def lost(self) -> float:
        """Points of all these pages together."""
        return sum(page.lost for page in self.pages)


class SiteFindings(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of the pages of a site."""

    project: str
    pages: int
    """Number of pages with results that were read."""
    left: int
    """Number of reports that were not read, because there are more than ``MAX_PAGES``."""
    findings: tuple[SharedFinding, ...]


def find_site_findings(
    tx: Transaction, caller: Caller, typed: str, options: ServiceOptions, now_ms: int
) -> SiteFindings:
    """Return the findings of all pages of a project: those of the most pages first, then by points.

    Args:
        typed: A host in any spelling, or a URL.

    Raises:
        NotFound: The caller has no report there.
    """
    project = project_of(typed)
    query = ListQuery(project=project, sort_by="generated_at", per_page=1)
    _, total = find_reports(tx, caller, query, options, now_ms)
    reports = list_all(tx, caller, query, options, now_ms, limit=MAX_PAGES)
    if not reports:
        raise NotFound
    read, findings = findings_of_pages(tx, reports)
    return SiteFindings(project=project, pages=read, left=total - len(reports), findings=findings)


def findings_of_pages(tx: Transaction, reports: Sequence[StoredReport]) -> tuple[int, tuple[SharedFinding, ...]]:
    """Return (number of reports with results, the findings that any of them has, as ``find_site_findings``).

    Args:
        reports: The newest first; the results of each are read, some at a time.
    """
    read = 0
    found: dict[str, tuple[str, set[Importance], list[AffectedPage]]] = {}
    for start in range(0, len(reports), _AT_ONCE):
        part = reports[start : start + _AT_ONCE]
        details = load_details(tx, part)
        for report in part:
            results = _decode(details[report.id]).results if report.id in details else None
            read += results is not None
            for check, result in (results or {}).items():
                if result.outcome in FINDINGS and result.counted_in is None:
                    _, severities, pages = found.setdefault(check, (result.title, set(), []))
                    severities.add(result.importance)
                    pages.append(AffectedPage(report.id, report.url, result.lost))
    findings = (
        SharedFinding(
            check=check,
            title=title,
            severity=max(severities, key=_RANK.index),
            pages=tuple(sorted(pages, key=lambda page: (-page.lost, page.url))),
        )
        for check, (title, severities, pages) in found.items()
    )
    return read, tuple(sorted(findings, key=lambda one: (-len(one.pages), -one.lost, one.check)))


_RANK: Final[tuple[Importance, ...]] = ("informative", *SEVERITIES)
