"""Reports by criterion: the document, the table and EARL."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from pagegrade.model.report import ManualOutcome, ManualResult, Report
from pagegrade.render.conformance import (
    COLUMNS,
    conformance_sheet,
    render_conformance,
    render_criteria,
    render_earl,
    render_statement,
)
from pagegrade.render.criteria import CRITERIA
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report

STATEMENT_PARTS = ("Compliance status", "Content that is not accessible", "Preparation of this statement")


def failing(url: str = "https://example.com/pricing") -> Report:
    """A report with an image without an alternative text and a declared language."""
    return make_report(
        make_result("image-alt", state="missing", title="Images without alternative text", count=3),
        make_passed("html-lang", state="declared"),
        url=url,
    )


def text_of(document: str) -> str:
    """The text that a reader sees."""
    return re.sub(r"\s+", " ", re.sub(r"<style>.*?</style>|<[^>]*>", " ", document, flags=re.DOTALL))


def test_the_table_has_a_row_for_every_criterion_of_every_page() -> None:
    """With its clauses, its status and the checks that decided it."""
    text = render_criteria([failing(), failing("https://example.com/about")])
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))

    assert len(rows) == 2 * len(CRITERIA)
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["criterion"], rows[0]["en_301_549"], rows[0]["section_508"]) == ("1.1.1", "9.1.1.1", "E205.4")
    assert (rows[0]["status"], rows[0]["found"]) == ("failed", "image-alt: Images without alternative text: 3")
    assert {row["passed_checks"] for row in rows if row["criterion"] == "3.1.1"} == {"html-lang"}


def test_earl_asserts_failures_and_never_that_a_criterion_is_met() -> None:
    """Only checks pass: of a criterion without failures automatic tests cannot tell."""
    graph = json.loads(render_earl([failing()]))["@graph"]
    outcomes = {
        node["earl:test"]["@id"]: node["earl:result"]["earl:outcome"]["@id"]
        for node in graph
        if node["@type"] == ["earl:Assertion"]
    }
    criteria = {test: outcome for test, outcome in outcomes.items() if test.startswith("WCAG22:")}

    assert len(criteria) == len(CRITERIA)
    assert criteria["WCAG22:non-text-content"] == "earl:failed"
    assert criteria["WCAG22:language-of-page"] == "earl:cantTell"
    assert "earl:passed" not in criteria.values()
    assert sorted(outcomes[test] for test in outcomes.keys() - criteria.keys()) == ["earl:failed", "earl:passed"]


def test_earl_keeps_reports_on_the_same_page_apart() -> None:
    """Two addresses that end on one page are two subjects; the third page keeps its address as a name."""
    end = "https://example.com/end"
    pages = [replace(failing(f"https://example.com/{name}"), final_url=end) for name in ("old", "new")]
    pages.append(failing("https://example.com/about"))
    graph = json.loads(render_earl(pages))["@graph"]
    subjects = {node["@id"]: node["dct:identifier"] for node in graph if node["@type"] == ["earl:TestSubject"]}
    asserted = Counter(node["earl:subject"]["@id"] for node in graph if node["@type"] == ["earl:Assertion"])

    assert list(subjects.values()) == [end, end, pages[2].final_url]
    assert list(subjects) == ["urn:pagegrade:page:1", "urn:pagegrade:page:2", pages[2].final_url]
    assert asserted.keys() == subjects.keys()
    assert len(set(asserted.values())) == 1


def test_earl_points_at_what_was_found() -> None:
    """With the selectors of the evidence; and every reference leads to a node."""
    graph = json.loads(render_earl([failing(), failing("https://example.com/about")]))["@graph"]
    named = {node["@id"] for node in graph if "@id" in node}
    assertions = [node for node in graph if node["@type"] == ["earl:Assertion"]]
    pointers = [node["earl:result"]["earl:pointer"] for node in assertions if "earl:pointer" in node["earl:result"]]

    assert {node[f"earl:{part}"]["@id"] for node in assertions for part in ("subject", "assertedBy")} <= named
    assert [pointer[0]["ptr:expression"] for pointer in pointers] == ["head > title", "head > title"]


def test_the_document_has_the_parts_of_a_conformance_report() -> None:
    """Pages, method, the meaning of the words, both levels; and that no person has evaluated anything."""
    document = render_conformance([failing()])
    text = text_of(document)

    assert [f"level {level}" in text for level in ("A", "AA")] == [True, True]
    assert "EN 301 549 V3.2.1" in text
    assert "Section 508" in text
    assert "No person has evaluated these pages." in text
    assert "2 of 55 criteria A and AA evaluated by machine" in text
    assert len(re.findall(r'<th scope="row"><a href="https://www.w3.org/WAI/WCAG22/', document)) == len(CRITERIA)
    assert "Images without alternative text: 3" in text


def test_the_worst_page_decides_over_all() -> None:
    """And the page on which it fails is named."""
    good = make_report(make_passed("image-alt", state="described"), url="https://example.com/good")
    text = text_of(render_conformance([good, failing("https://example.com/bad")]))
    row = text.partition("1.1.1 Non-text Content")[2].partition("1.2.1")[0]

    assert "Failed" in row
    assert "https://example.com/bad" in row
    assert "https://example.com/good" not in row


def test_a_page_that_was_not_seen_is_in_the_document() -> None:
    """With the reason; nothing is evaluated."""
    text = text_of(render_conformance([make_failed_report()]))

    assert "Passed by automatic tests (0)" in text
    assert "Failed (0)" in text


@pytest.mark.parametrize("render", [render_conformance, render_criteria, render_earl, render_statement])
def test_text_of_pages_stays_text(render: Callable[[Sequence[Report]], str]) -> None:
    """Whatever a report holds, the document has no element of it, and a terminal no command."""
    written = render([poisoned_report("\x1b[2J<img src=x onerror=alert(1)>")])

    assert "\x1b" not in written
    assert render not in {render_conformance, render_statement} or "<img" not in written


def test_the_document_is_translated() -> None:
    """Names of criteria and results, in German."""
    text = text_of(render_conformance([failing()], tag="de"))

    assert "1.1.1 Nicht-Text-Inhalt" in text
    assert "Fehlgeschlagen (1)" in text


def test_a_statement_names_what_fails_and_where() -> None:
    """The clause and the page; whether the whole is partially compliant is left to a person."""
    good = make_report(make_passed("image-alt", state="described"), url="https://example.com/good")
    text = text_of(render_statement([good, failing("https://example.com/bad")]))
    status, found, prepared = (text.partition(heading)[2] for heading in STATEMENT_PARTS)

    assert "[partially compliant, not compliant]" in status.partition(STATEMENT_PARTS[1])[0]
    assert "1.1.1 Non-text Content (EN 301 549, 9.1.1.1)" in " ".join(found.split())
    assert "https://example.com/bad" in found.partition(STATEMENT_PARTS[2])[0]
    assert "https://example.com/good" not in found.partition(STATEMENT_PARTS[2])[0]
    assert prepared.count("of 55 criteria A and AA evaluated by machine") == 2


def test_a_statement_never_says_by_itself_that_a_site_complies() -> None:
    """Automatic tests that find nothing leave all statuses open, and every criterion to a person."""
    text = text_of(render_statement([make_report(make_passed("image-alt", state="described"))]))
    left = text.partition("To be evaluated by a person")[2]

    assert "[fully compliant, partially compliant, not compliant: only a person can tell]" in text
    assert "because of what is listed below" not in text
    assert "1.2.4 Captions (Live)" in left
    assert "need to be confirmed as well" in left


def test_a_statement_of_a_page_that_was_not_seen_claims_nothing() -> None:
    """All criteria are open, and the page is listed with the reason."""
    text = text_of(render_statement([make_failed_report()]))

    assert "only a person can tell" in text
    assert text.partition("To be evaluated by a person")[2].count("Not evaluated here") > 10


def test_a_statement_is_translated() -> None:
    """With gaps inside of the sentences."""
    text = text_of(render_statement([failing()], tag="de"))

    assert "Diese Website ist wegen der unten aufgeführten Punkte mit EN 301 549" in text
    assert "[teilweise vereinbar, nicht vereinbar]" in text


def recorded(
    criterion: str, outcome: ManualOutcome, *, note: str = "Seen by hand.", stale: bool = False
) -> ManualResult:
    """A result by a person."""
    return ManualResult(
        criterion=criterion,
        outcome=outcome,
        note=note,
        evidence="",
        author="Alice",
        at_ms=1_767_225_600_000,
        page_sha256=b"",
        is_stale=stale,
    )


@pytest.mark.parametrize(
    ("criterion", "outcome", "stale", "status", "earl"),
    [
        ("1.2.2", "passed", False, "confirmed", "earl:passed"),
        ("1.2.2", "failed", False, "failed", "earl:failed"),
        ("1.2.2", "not_applicable", False, "excluded", "earl:inapplicable"),
        ("1.2.2", "passed", True, "needs_person", None),
        ("3.1.1", "failed", False, "failed", "earl:failed"),
        ("1.1.1", "passed", False, "failed", "earl:passed"),
    ],
)
def test_a_person_decides_what_tests_cannot(
    criterion: str, outcome: ManualOutcome, *, stale: bool, status: str, earl: str | None
) -> None:
    """Unless the page has changed since, or tests found a failure for certain; EARL has both, each with who says it."""
    report = replace(failing(), manual=(recorded(criterion, outcome, stale=stale),))
    rows = csv.DictReader(io.StringIO(render_criteria([report]).removeprefix("\ufeff")))
    row = next(row for row in rows if row["criterion"] == criterion)
    graph = json.loads(render_earl([report]))["@graph"]
    by_person = [node for node in graph if node.get("earl:mode") == {"@id": "earl:manual"}]
    said = [node["earl:result"]["earl:outcome"]["@id"] for node in by_person]

    assert (row["status"], row["manual"], row["manual_stale"]) == (status, outcome, "yes" if stale else "no")
    assert row["manual_at"] == "2026-01-01T00:00:00.000Z"
    assert said == ([] if earl is None else [earl])


def test_a_document_says_how_many_criteria_persons_evaluated() -> None:
    """And not that no person did; the worst page decides."""
    confirmed = replace(failing(), manual=(recorded("1.2.2", "passed"), recorded("1.2.3", "not_applicable")))
    other = replace(failing("https://example.com/about"), manual=(recorded("1.2.2", "failed", note="No subtitles."),))
    alone, both = (text_of(render_conformance(reports)) for reports in ([confirmed], [confirmed, other]))
    statement = text_of(render_statement([confirmed, other]))

    assert "Passed, by a person (1)" in alone
    assert "Does not apply, by a person (1)" in alone
    assert "Persons evaluated 2 criteria, whose rows name them" in alone
    assert "No person has evaluated these pages" not in alone
    assert "Passed, by a person (0)" in both
    assert "Failed, recorded by Alice on 2026-01-01. No subtitles." in both
    assert "No subtitles." in statement
    assert "No person has evaluated these pages" in text_of(render_conformance([failing()]))


def test_a_remark_about_the_other_pages_says_so() -> None:
    """Below the result of one page it would be taken for a remark about that page."""
    seen = replace(failing(), manual=(recorded("1.2.2", "failed"),))
    other = failing("https://example.com/about")
    both, alone = (text_of(render_conformance(reports)) for reports in ([seen, other], [seen]))

    assert "Seen by hand. Other pages No automatic test decides it." in both
    assert "Other pages" not in alone


@pytest.mark.parametrize(
    ("sites", "heading"),
    [
        (("a.example",), "a.example"),
        (("a.example", "a.example"), "a.example"),
        (("a.example", "b.example"), "a.example and 1 more site"),
        (("a.example", "b.example", "c.example"), "a.example and 2 more sites"),
    ],
    ids=["one", "one of two pages", "two", "three"],
)
def test_the_heading_names_the_sites(sites: tuple[str, ...], heading: str) -> None:
    """In the document and in its PDF; a reader of pages of several sites does not take them for one."""
    reports = [replace(failing(), project=site) for site in sites]

    assert f'<h1 id="title">Accessibility conformance report: {heading}</h1>' in render_conformance(reports)
    assert conformance_sheet(reports)["title"] == f"Accessibility conformance report: {heading}"
