from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.report import Report
from pagegrade.render.finding_list import (
    MAX_ROWS,
    MAX_SEARCH,
    ReportQuery,
    list_findings,
    read_report_query,
    results_with,
)
from tests.report_builders import make_passed, make_report, make_result

PATH = "/reports/7"
NAMES = ("view", "category", "severity", "status", "search", "sort", "order", "open", "expand", "all")


def report_of(*lost: float, **more: object) -> Report:
    """A report with one finding for each number of points."""
    results = [make_result(f"check-{number:03}", lost=points, **more) for number, points in enumerate(lost)]
    return make_report(*results)


def checks(report: Report, **query: object) -> list[str]:
    """The findings that a query lists, in order."""
    listed = list_findings(report, ReportQuery(path=PATH, **query))  # type: ignore[arg-type]
    return [finding.result.check for group in listed.groups for finding in group.findings]


@given(st.dictionaries(st.sampled_from(NAMES), st.text(max_size=150)))
def test_whatever_was_sent_is_a_query_whose_url_reads_as_the_same(sent: dict[str, str]) -> None:
    """Parameters that are not understood count as not sent, and a link to the page's own state leads to that state."""
    query = read_report_query(sent, PATH)
    again = read_report_query(dict(parse_qsl(query.url().partition("?")[2])), PATH)

    assert again == query
    assert len(query.search) <= MAX_SEARCH


def test_the_plain_page_has_no_query() -> None:
    """Values that are the default are left out of URLs and forms."""
    query = read_report_query({}, PATH)

    assert query.url() == PATH
    assert query.hidden() == ()


def test_a_form_keeps_the_other_filters() -> None:
    """A search keeps the category and the severities, and starts without an open finding."""
    query = read_report_query({"category": "seo", "severity": "low,high", "open": "h1", "search": "a"}, PATH)

    assert query.hidden("search", "opened") == (("category", "seo"), ("severity", "high,low"))


def test_a_severity_is_added_and_taken_away() -> None:
    """Its chip is a switch."""
    query = read_report_query({"severity": "high"}, PATH)

    assert query.toggled("low") == f"{PATH}?severity=high%2Clow"
    assert query.toggled("high") == PATH


def test_the_link_to_a_finding_forgets_the_filters() -> None:
    """Else it could lead to a list without the finding."""
    query = read_report_query({"category": "seo", "search": "x", "view": "score"}, PATH)

    assert query.finding("h1") == f"{PATH}?open=h1#f-h1"


def test_filters_select_by_category_severity_and_text() -> None:
    """Text is searched in titles, messages and ids, in any case."""
    report = make_report(
        make_result("h1", category="seo", importance="medium", title="Add a main heading"),
        make_result("csp", category="security", importance="low", message="No POLICY at all."),
        make_result("tls", category="security", importance="high"),
    )

    assert sorted(checks(report, category="security")) == ["csp", "tls"]
    assert checks(report, severities=frozenset({"low"})) == ["csp"]
    assert checks(report, search="policy") == ["csp"]
    assert checks(report, search="MAIN HEAD") == ["h1"]
    assert checks(report, search="nothing") == []


def test_findings_are_sorted_and_grouped_as_asked() -> None:
    """By points with the first five apart, by severity, or by category."""
    report = make_report(
        make_result("a", category="security", importance="low", lost=9),
        make_result("b", category="seo", importance="high", lost=1),
    )
    headings = [g.heading for g in list_findings(report_of(*[1.0] * 7), ReportQuery()).groups]

    assert checks(report) == ["a", "b"]
    assert checks(report, sort="severity") == ["b", "a"]
    assert checks(report, sort="category") == ["b", "a"]
    assert headings == ["Fix first", "Then"]


@pytest.mark.parametrize(("count", "left_out"), [(MAX_ROWS, 0), (MAX_ROWS + 1, 1)])
def test_a_page_lists_so_many_findings_and_says_how_many_are_left(count: int, left_out: int) -> None:
    """A link leads to the whole list."""
    report = report_of(*[1.0] * count)
    listed = list_findings(report, ReportQuery())

    assert (listed.total, listed.left_out) == (count, left_out)
    assert len(checks(report)) == MAX_ROWS
    assert len(checks(report, whole=True)) == count


def test_counts_are_those_of_the_lists_behind_them() -> None:
    """Every chip lists as many as it says, and categories add up to all findings."""
    report = make_report()
    everything = list_findings(report, ReportQuery())

    assert sum(everything.by_category.values()) == len(checks(report, whole=True))
    for category in (None, "seo", "security"):
        query = ReportQuery(category=category)
        listed = list_findings(report, query)
        assert listed.by_status["failed"] == len(checks(report, category=category)) == sum(listed.by_severity.values())
        for status in ("not_evaluated", "informative", "not_applicable", "passed"):
            assert listed.by_status[status] == len(results_with(report, query, status))


def test_a_search_finds_passed_checks_too() -> None:
    """In the list that is shown."""
    report = make_report(make_passed())
    name = next(result.check_name for result in report.results)

    assert len(results_with(report, ReportQuery(search=name.upper()), "passed")) == 1
    assert results_with(report, ReportQuery(search="no such check"), "passed") == ()
