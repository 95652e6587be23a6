"""The query string of a report page: its view, and which findings it lists, in which order, and which are open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from pagegrade.model.outcome import Importance
from pagegrade.model.report import CATEGORIES, Category, Report, Result
from pagegrade.render import view as report_view
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.render.view import CATEGORY_NAMES, IMPORTANCE_ORDER, Finding, findings

VIEWS: Final[Mapping[str, str]] = {
    "findings": N_("Findings"),
    "criteria": N_("WCAG 2.2"),
    "requests": N_("Requests"),
    "previews": N_("Previews"),
    "headers": N_("Headers and TLS"),
    "history": N_("History"),
    "score": N_("Score"),
}
"""Value of ``view`` -> its tab, in their order."""
STATUSES: Final[Mapping[str, str]] = {
    "failed": N_("Findings"),
    "ignored": N_("Ignored"),
    "not_evaluated": N_("Not evaluated"),
    "informative": N_("Good to know"),
    "not_applicable": N_("Not applicable"),
    "passed": N_("Passed"),
}
"""Value of ``status`` -> its chip; ``failed`` stands for warnings and failures."""
SORTS: Final[Mapping[str, str]] = {"impact": N_("Points"), "severity": N_("Severity"), "category": N_("Category")}
REQUEST_SORTS: Final[Mapping[str, str]] = {
    "start": N_("Start"),
    "size": N_("Size"),
    "time": N_("Time"),
    "type": N_("Type"),
    "url": N_("URL"),
}
"""Value of ``order`` -> the column that sorts the table of requests."""
SEVERITY_NAMES: Final[Mapping[Importance, str]] = {
    "critical": N_("Critical"),
    "high": N_("High"),
    "medium": N_("Medium"),
    "low": N_("Low"),
}
MAX_SEARCH: Final = 100
"""Characters of a search; the rest is ignored."""
MAX_ROWS: Final = 60
"""Findings on one page; a link leads to all of them."""
_MAX_CHECK_ID: Final = 60


class ReportQuery(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a report page, as its URL gives it."""

    path: str = ""
    """Of the page itself."""
    view: str = "findings"
    """One of ``VIEWS``."""
    category: Category | None = None
    """``None``: all."""
    severities: frozenset[Importance] = frozenset()
    """Empty: all."""
    status: str = "failed"
    """One of ``STATUSES``."""
    search: str = ""
    sort: str = "impact"
    """One of ``SORTS``."""
    order: str = "start"
    """One of ``REQUEST_SORTS``."""
    opened: str = ""
    """Id of a check whose finding is open."""
    expand: bool = False
    """Every finding is open."""
    whole: bool = False
    """More than ``MAX_ROWS`` findings are listed."""

    def url(self, **changes: object) -> str:
        """The URL of this page with some values changed; values that are the default are left out."""
        values = {name: getattr(self, name) for name in _PARAMETERS} | changes
        sent = {
            _PARAMETERS[name]: _written(value) for name, value in values.items() if value != getattr(_DEFAULT, name)
        }
        return f"{self.path}?{urlencode(sent, quote_via=quote, errors='replace')}" if sent else self.path

    def toggled(self, severity: Importance) -> str:
        """The URL with one severity added to those that are listed, or taken out of them."""
        return self.url(severities=self.severities ^ {severity}, opened="", whole=False)

    def finding(self, check: str) -> str:
        """The URL that shows the finding of a check, open."""
        found = ReportQuery(path=self.path, sort=self.sort, opened=check)
        return f"{found.url()}#f-{quote(check)}"

    def hidden(self, *without: str) -> tuple[tuple[str, str], ...]:
        """(name, value) of the parameters that a form of this page has to send besides its own."""
        return tuple(
            (parameter, _written(value))
            for name, parameter in _PARAMETERS.items()
            if name not in without and (value := getattr(self, name)) != getattr(_DEFAULT, name)
        )


_DEFAULT: Final = ReportQuery()
_PARAMETERS: Final = {
    "view": "view",
    "category": "category",
    "severities": "severity",
    "status": "status",
    "search": "search",
    "sort": "sort",
    "order": "order",
    "opened": "open",
    "expand": "expand",
    "whole": "all",
}
"""Field -> its name in a URL."""


def read_report_query(sent: Mapping[str, str], path: str) -> ReportQuery:
    """Read the query of a report page; what is not understood counts as not sent."""
    category = sent.get("category", "")
    opened = sent.get("open", "")
    severities = sent.get("severity", "")[:MAX_SEARCH].split(",")
    return ReportQuery(
        path=path,
        view=_one_of(VIEWS, sent.get("view"), "findings"),
        category=category if category in CATEGORIES else None,
        severities=frozenset(name for name in SEVERITY_NAMES if name in severities),
        status=_one_of(STATUSES, sent.get("status"), "failed"),
        search=visible(sent.get("search", ""), MAX_SEARCH),
        sort=_one_of(SORTS, sent.get("sort"), "impact"),
        order=_one_of(REQUEST_SORTS, sent.get("order"), "start"),
        opened=opened if len(opened) <= _MAX_CHECK_ID else "",
        expand=sent.get("expand") == "1",
        whole=sent.get("all") == "1",
    )


def _one_of(known: Mapping[str, str], value: str | None, default: str) -> str:
    return value if value in known else default  # type: ignore[return-value]


def _written(value: object) -> str:
    if isinstance(value, frozenset):
        return ",".join(name for name in SEVERITY_NAMES if name in value)
    return "1" if value is True else str("" if value is None else value)


class FindingGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Findings below one heading."""

    heading: str
    """A message id."""
    findings: tuple[Finding, ...]


class FindingList(msgspec.Struct, frozen=True, kw_only=True):
    """The findings that a page lists, and how many each chip would list."""

    groups: tuple[FindingGroup, ...]
    total: int
    """Findings that the query selects."""
    left_out: int
    """Those of them beyond ``MAX_ROWS``."""
    by_category: Mapping[Category, int]
    """Findings of each category, whatever else is selected."""
    by_severity: Mapping[Importance, int]
    """Findings of each severity in the selected category."""
    by_status: Mapping[str, int]
    """Results of each status in the selected category."""


def lists_findings(report: Report, query: ReportQuery) -> bool:
    """Return whether a page lists findings, and the report has some."""
    return report.error is None and query.view == "findings" and query.status == "failed" and bool(findings(report))


def list_findings(report: Report, query: ReportQuery) -> FindingList:
    """Select, sort and group the findings of a report."""
    everything = report_view.findings(report)
    in_category = [f for f in everything if query.category in {None, f.result.category}]
    selected = [
        finding
        for finding in in_category
        if (not query.severities or finding.result.importance in query.severities)
        and _mentions(query.search.casefold(), (finding.result, *finding.counted))
    ]
    limit = len(selected) if query.whole else MAX_ROWS
    ordered = sorted(selected, key=_sort_key(query.sort))
    return FindingList(
        groups=_grouped(ordered[:limit], query),
        total=len(selected),
        left_out=max(0, len(selected) - limit),
        by_category={name: sum(f.result.category == name for f in everything) for name in CATEGORIES},
        by_severity={name: sum(f.result.importance == name for f in in_category) for name in SEVERITY_NAMES},
        by_status={
            "failed": len(in_category),
            **{status: len(results_with(report, query, status)) for status in STATUSES if status != "failed"},
        },
    )


def results_with(report: Report, query: ReportQuery, status: str) -> tuple[Result, ...]:
    """The results of a status other than ``failed`` in the category that the query selects."""
    return tuple(
        result
        for result in report_view.with_outcome(report, status)
        if query.category in {None, result.category} and _mentions(query.search.casefold(), (result,))
    )


def _mentions(search: str, results: tuple[Result, ...]) -> bool:
    """Return whether a search in lower case occurs in the title, message or id of one of the results."""
    return not search or any(
        search in text.casefold()
        for result in results
        for text in (result.title, result.check_name, result.message, result.check)
    )


def _sort_key(sort: str):  # type: ignore[no-untyped-def] # noqa: ANN202 - one of three keys for ``sorted``
    if sort == "severity":
        return lambda f: IMPORTANCE_ORDER.index(f.result.importance)
    if sort == "category":
        return lambda f: list(CATEGORIES).index(f.result.category)
    return lambda _: 0


def _grouped(ordered: list[Finding], query: ReportQuery) -> tuple[FindingGroup, ...]:
    if query.sort == "impact":
        first = report_view.count_first(ordered)
        parts = [(N_("Fix first"), ordered[:first]), (N_("Then"), ordered[first:])]
    elif query.sort == "severity":
        parts = [
            (name, [f for f in ordered if f.result.importance == severity]) for severity, name in SEVERITY_NAMES.items()
        ]
    else:
        parts = [
            (CATEGORY_NAMES[category], [f for f in ordered if f.result.category == category]) for category in CATEGORIES
        ]
    return tuple(FindingGroup(heading=heading, findings=tuple(found)) for heading, found in parts if found)
