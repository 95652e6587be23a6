from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Result
from pagegrade.report.compare import Comparison, compare_reports, fingerprint, identity
from tests.report_builders import make_failed_report, make_images, make_passed, make_report, make_result


def compare(before: Result, after: Result) -> Comparison:
    """The difference when one check said this, then that."""
    return compare_reports(make_report(before), make_report(after))


def sizes(comparison: Comparison) -> tuple[int, int, int, int]:
    """(new, fixed, still, not comparable)."""
    return (
        len(comparison.new),
        len(comparison.fixed),
        len(comparison.still),
        len(comparison.not_comparable),
    )


FAILED = make_result("image-alt", evidence=make_images(3))
PASSED = make_passed("image-alt")


def test_the_same_report_has_only_what_is_still_there() -> None:
    """Nothing changed, so nothing is new and nothing is fixed."""
    comparison = compare_reports(make_report(), make_report())

    assert comparison.new == comparison.fixed == ()
    assert len(comparison.still) > 0


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PASSED, FAILED, (3, 0, 0, 0)),
        (FAILED, PASSED, (0, 3, 0, 0)),
        (PASSED, PASSED, (0, 0, 0, 0)),
        (make_passed("image-alt", outcome="not_applicable"), FAILED, (3, 0, 0, 0)),
        (make_passed("image-alt", outcome="not_evaluated"), FAILED, (0, 0, 0, 1)),
        (FAILED, make_passed("image-alt", outcome="not_evaluated"), (0, 0, 0, 1)),
        (make_result("hsts", inherited_from="https"), make_result("hsts"), (0, 0, 0, 1)),
        (make_result("hsts", inherited_from="https"), make_result("hsts", inherited_from="https"), (0, 0, 0, 0)),
        (make_passed("other"), PASSED, (0, 0, 0, 2)),
    ],
)
def test_a_check_that_changed_its_mind_is_told(
    before: Result, after: Result, expected: tuple[int, int, int, int]
) -> None:
    """What could not be seen on one of the two days is neither new nor fixed."""
    assert sizes(compare(before, after)) == expected


def test_elements_that_move_are_still_the_same() -> None:
    """A line added above changes every line number and selector, and no finding."""
    moved = tuple(
        replace(evidence, line=(evidence.line or 0) + 40, column=1, selector=f"body > div:nth-child(9) > {n}")
        for n, evidence in enumerate(FAILED.evidence)
    )

    assert sizes(compare(FAILED, replace(FAILED, evidence=moved))) == (0, 0, 3, 0)


def test_one_more_offender_is_the_only_new_one() -> None:
    """The gate fires for what was added, not for what everybody knows."""
    comparison = compare(FAILED, make_result("image-alt", evidence=make_images(4)))

    assert sizes(comparison) == (1, 0, 3, 0)
    assert comparison.new[0].evidence == make_images(4)[3]


def test_equal_offenders_are_counted_one_by_one() -> None:
    """Two identical elements where one was are one new finding."""
    same = Evidence(snippet="<img src=a>")
    comparison = compare(make_result(evidence=(same,)), make_result(evidence=(same, same)))

    assert sizes(comparison) == (1, 0, 1, 0)


def test_a_text_that_changed_in_its_place_is_still_the_same_finding() -> None:
    """A title that was too long and is another too long title is no new problem."""
    before = make_result(evidence=(Evidence(selector="head > title", snippet="<title>Long one</title>"),))
    after = make_result(evidence=(Evidence(selector="head > title", snippet="<title>Long two</title>"),))

    assert sizes(compare(before, after)) == (0, 0, 1, 0)


def test_another_resource_in_the_same_place_is_new() -> None:
    """Replacing a broken image by another broken image mends one and breaks one."""
    before = make_result(evidence=(Evidence(selector="img", url="https://example.com/a.png"),))
    after = make_result(evidence=(Evidence(selector="img", url="https://example.com/b.png"),))

    assert sizes(compare(before, after)) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://example.com/app.3f2a91bc.js", "https://example.com/app.77ab01fe.js"),
        ("https://example.com/zebra-lantern-9b5559df3a14679f", "https://example.com/zebra-lantern-a5436482a9ba321c"),
    ],
)
def test_a_hash_in_an_address_makes_nothing_new(before: str, after: str) -> None:
    """File names change with every build, and made-up addresses with every run."""
    difference = compare(make_result(evidence=(Evidence(url=before),)), make_result(evidence=(Evidence(url=after),)))

    assert sizes(difference) == (0, 0, 1, 0)


def test_lists_that_were_cut_compare_by_their_totals() -> None:
    """What slid into the visible part of a long list was there before."""
    before = make_result(evidence=make_images(3, 10), evidence_total=10)
    after = make_result(evidence=make_images(10)[1:4], evidence_total=9)
    more = make_result(evidence=make_images(10)[1:4], evidence_total=11)

    assert sizes(compare(before, after)) == (0, 1, 3, 0)
    assert sizes(compare(before, more)) == (1, 0, 2, 0)


@pytest.mark.parametrize(
    ("state", "lost", "expected"),
    [("missing", 2.0, (1, 0, 0, 0)), ("weak", 0.5, (0, 0, 1, 0)), ("some", 9.0, (0, 0, 1, 0))],
)
def test_without_evidence_only_a_worse_state_is_new(
    state: str, lost: float, expected: tuple[int, int, int, int]
) -> None:
    """From weak to missing is news; from missing to weak is an improvement."""
    before = make_result("csp", evidence=(), state="some", lost=1.0)

    assert sizes(compare(before, make_result("csp", evidence=(), state=state, lost=lost))) == expected


def test_new_findings_are_chosen_by_severity() -> None:
    """--fail-on-new high does not care about a new low one."""
    before = make_report(make_passed("a"), make_passed("b"), make_passed("c"))
    after = make_report(
        make_result("a", importance="low"),
        make_result("b", importance="high"),
        make_result("c", importance="informative"),
    )
    comparison = compare_reports(before, after)

    assert [change.result.check for change in comparison.new_from("high")] == ["b"]
    assert [change.result.check for change in comparison.new_from("low")] == ["b", "a"]


def test_another_page_or_other_rules_are_said() -> None:
    """The scores of two rulesets do not compare, and the reader is told."""
    other = make_report(url="https://staging.example.com/")
    later = make_report(run=replace(make_report().run, ruleset="2027.1"))

    assert compare_reports(make_report(), other).same_url is False
    assert compare_reports(make_report(), later).same_ruleset is False


@pytest.mark.parametrize("failed_first", [True, False])
def test_a_failed_analysis_compares_with_nothing(*, failed_first: bool) -> None:
    """There are no findings to compare."""
    pair = (make_failed_report(), make_report())

    with pytest.raises(InvalidInput, match="failed analysis"):
        compare_reports(*(pair if failed_first else pair[::-1]))


def test_a_fingerprint_survives_moves_and_tells_pages_apart() -> None:
    """Code scanning follows a finding over time by it."""
    report, evidence = make_report(), FAILED.evidence[0]
    moved = replace(evidence, line=999, selector="main > img")

    assert fingerprint(report, FAILED, evidence) == fingerprint(report, FAILED, moved)
    assert fingerprint(report, FAILED, evidence) != fingerprint(report, FAILED, FAILED.evidence[1])
    assert fingerprint(report, FAILED, evidence) != fingerprint(make_report(url="https://b.test/"), FAILED, evidence)
    assert fingerprint(report, FAILED, None) == fingerprint(report, FAILED, None)


def test_an_evidence_without_content_is_known_by_its_place_or_value() -> None:
    """There is always something to know it by."""
    assert identity(Evidence(selector="a")) != identity(Evidence(selector="b"))
    assert identity(Evidence(value="1", reason="r")) != identity(Evidence(value="2", reason="r"))
