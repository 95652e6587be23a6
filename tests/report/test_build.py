"""The report is put together from verdicts without losing or inventing anything."""

from __future__ import annotations

import pytest

from pagegrade.checks import all_checks
from pagegrade.checks._run import Evaluated, evaluate
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Saving
from pagegrade.model.report import Result
from pagegrade.report.build import MAX_VALUE, count_results, page_facts, result_of
from pagegrade.report.sanitize import clean
from tests.builders import make_artifacts, make_document, make_response

TITLE = all_checks()["title"]


def result(verdict: Outcome | NotApplicable | NotRun, *, counted_in: str | None = None, lost: float = 0.0) -> Result:
    """The line of the report for a verdict of the title check."""
    evaluated: Evaluated = evaluate(TITLE, verdict)
    return result_of(TITLE, evaluated, price=3.0, lost=lost, counted_in=counted_in)


def test_finding_carries_everything_a_person_needs() -> None:
    """The reason, the fix and the place."""
    line = result(
        Outcome(
            "missing", value="v", evidence=(Evidence(line=3),), details=(Detail(code="missing", actual=0, limit=1),)
        ),
        lost=3.0,
    )

    assert (line.check, line.category, line.outcome, line.state, line.passed) == (
        "title",
        "seo",
        "failed",
        "missing",
        False,
    )
    assert line.message == TITLE.state("missing").message
    assert (line.name, line.title) == (TITLE.title, TITLE.state("missing").title)
    assert (line.why, line.fix) == (TITLE.state("missing").why, TITLE.state("missing").fix)
    assert (line.count, line.saving) == (None, None)
    assert (line.price, line.lost, line.evidence_total) == (3.0, 3.0, 1)
    assert line.learn_more == TITLE.sources[0]


def test_what_passed_has_the_name_of_its_check_and_no_advice() -> None:
    """There is nothing to do."""
    line = result(Outcome("ok", value="Chairs"))

    assert (line.name, line.title, line.why, line.fix) == (TITLE.title, TITLE.title, "", "")


@pytest.mark.parametrize(
    ("name", "verdict", "count"),
    [
        ("link-name", Outcome("nameless", total=400, loss=1.0), 400),
        ("image-alt", Outcome("missing", total=9, count=4, loss=1.0), 4),
        ("title", Outcome("several", total=2), None),
        ("image-alt", Outcome("described", total=2), None),
    ],
)
def test_titles_that_name_things_come_with_their_number(name: str, verdict: Outcome, count: int | None) -> None:
    """All offenders, or those that the title is about where lesser faults are listed with them."""
    check = all_checks()[name]
    line = result_of(check, evaluate(check, verdict), price=1.0, lost=0.0, counted_in=None)

    assert line.count == count


def test_a_saving_comes_with_the_finding() -> None:
    """With its unit."""
    check = all_checks()["asset-compression"]
    saving = Saving(113_000, "bytes")
    line = result_of(check, evaluate(check, Outcome("mostly", saving=saving)), price=1.0, lost=0.1, counted_in=None)

    assert line.saving == saving


def test_message_of_the_outcome_wins_over_the_state() -> None:
    """Numbers make it clearer."""
    assert result(Outcome("missing", message="It has 0 titles.")).message == "It has 0 titles."


def test_total_is_the_true_number() -> None:
    """More offenders than are shown are still counted."""
    assert result(Outcome("several", evidence=(Evidence(line=1),), total=400)).evidence_total == 400


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (NotApplicable("There is nothing."), "not_applicable: There is nothing."),
        (NotRun("timeout", "Too slow."), "timeout: Too slow."),
        (NotRun("budget"), "budget"),
    ],
)
def test_unevaluated_check_says_why(verdict: NotApplicable | NotRun, reason: str) -> None:
    """No state, no verdict, a reason."""
    line = result(verdict)

    assert line.reason == reason
    assert line.state is None
    assert line.passed is None


def test_finding_names_its_cause_and_where_it_is_counted() -> None:
    """It stays a finding of its own."""
    line = result(Outcome("missing"), counted_in="title-length")

    assert line.outcome == "failed"
    assert (line.cause, line.counted_in, line.lost) == ("title", "title-length", 0.0)


def test_counts_agree_with_the_lines() -> None:
    """Findings by importance, the others by outcome."""
    lines = [result(Outcome("missing")), result(Outcome("several")), result(Outcome("ok")), result(NotRun("x"))]
    counts, by_category = count_results(lines)

    assert (counts.high, counts.passed, counts.not_evaluated) == (2, 1, 1)
    assert by_category["seo"] == (1, 2)


def test_findings_of_one_cause_are_counted_once() -> None:
    """As reports list them: a finding that is counted in another stands with that one."""
    counts, by_category = count_results(
        [result(Outcome("missing"), lost=3.0), result(Outcome("missing"), counted_in="title-length")]
    )

    assert counts.high == 1
    assert by_category["seo"] == (0, 1)


def test_strings_of_pages_are_cut_and_storable() -> None:
    """No NUL, no lone surrogate, no novel."""
    assert clean("a\0b\ud800", 10) == "a\ufffdb\ufffd"
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("x" * 11, 10) == "x" * 9 + "…"
    assert len(str(result(Outcome("ok", value="y" * 9999)).value)) == MAX_VALUE


def test_page_facts_contain_the_way_to_the_page() -> None:
    """Hops with their targets, sizes, requests, title and language."""
    hop = make_response(url="http://example.com/", status=301, headers=[("Location", "https://example.com/")])
    html = "<html lang=en><title> A  b </title><img src=a><img src=a><img src=b srcset='c 2x'>"
    artifacts = make_artifacts(html, hops=[hop])
    facts = page_facts(artifacts, make_document(html))

    assert facts.redirects[0].location == "https://example.com/"
    assert (facts.title, facts.language, facts.requests) == ("A b", "en", 2)
    assert facts.bytes == len(html)


@pytest.mark.parametrize(("total", "number"), [(None, ": 2"), (9, "")])
def test_milder_findings_are_named_with_their_number_where_all_are_listed(total: int | None, number: str) -> None:
    """Six scripts and two pictures are eight entries of one list, and the text says which are which."""
    check = all_checks()["mixed-content"]
    entries = (Evidence(line=1), *(Evidence(line=line, state="passive") for line in (2, 3)))
    evaluated = evaluate(check, Outcome("active", evidence=entries, total=total, count=1))
    line = result_of(check, evaluated, price=8.0, lost=8.0, counted_in=None)

    assert line.count == 1
    assert f"Also found: Images and media loaded over plain HTTP{number}. Change" in line.fix
