from __future__ import annotations

from msgspec.structs import replace

from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence
from pagegrade.report.bounds import (
    FEW_DETAILS,
    MAX_CHARACTERS,
    MAX_DETAIL_CHARACTERS,
    MAX_DETAIL_TEXT,
    MAX_DETAILS,
    MAX_ENTRIES,
    MAX_TEXT,
    bound_results,
)
from tests.report_builders import make_passed, make_result, make_results

ENTRY = Evidence(selector="a", url="https://example.com/")


def test_an_ordinary_report_stays_as_it_is() -> None:
    """Nothing of it is copied."""
    results = make_results()

    assert all(one is other for one, other in zip(bound_results(results), results, strict=True))


def test_entries_are_bounded_over_all_checks() -> None:
    """At the limit all are kept; past it every check loses its last ones, and the true numbers stay."""
    whole = [make_result(f"check-{number}", evidence=(ENTRY,) * MAX_EVIDENCE) for number in range(4)]
    more = [*whole, make_result("one-more", evidence=(ENTRY,))]

    assert sum(len(result.evidence) for result in whole) == MAX_ENTRIES
    assert bound_results(whole) == tuple(whole)
    assert [len(result.evidence) for result in bound_results(more)] == [100, 100, 100, 99, 1]
    assert [result.evidence_total for result in bound_results(more)] == [100] * 4 + [1]


def test_characters_are_bounded_over_all_checks() -> None:
    """At the limit, and one past it."""
    entry = Evidence(snippet="x" * (MAX_CHARACTERS // 250))
    whole = make_result(evidence=(entry,) * 100)
    other = make_result("other", evidence=whole.evidence)
    third = make_result("third", evidence=(entry,) * 50)
    longer = make_result("longer", evidence=(*third.evidence[:-1], replace(entry, reason="r")))

    assert [len(each.evidence) for each in bound_results((whole, other, third))] == [100, 100, 50]
    assert [len(each.evidence) for each in bound_results((whole, other, longer))] == [100, 99, 50]


def test_findings_come_before_what_passed() -> None:
    """Readers look for the things to fix."""
    many = (ENTRY,) * MAX_EVIDENCE
    passed = [make_passed(f"passed-{number}", evidence=many) for number in range(4)]
    bound = bound_results([*passed, make_result(evidence=many)])

    assert len(bound[-1].evidence) == 80
    assert [len(result.evidence) for result in bound[:-1]] == [80, 80, 80, 80]


def test_causes_are_bounded_over_all_checks() -> None:
    """At the limit all are kept; past it every check keeps those that pages show."""
    detail = Detail(code="c", actual="a" * MAX_DETAIL_TEXT)
    count = MAX_DETAIL_CHARACTERS // MAX_DETAIL_TEXT // MAX_DETAILS
    whole = tuple(make_result(f"check-{number}", errors=(detail,) * MAX_DETAILS) for number in range(count))
    more = (*whole, make_result("one-more", errors=(detail,)))

    assert bound_results(whole) == whole
    assert [len(result.errors) for result in bound_results(more)] == [FEW_DETAILS] * count + [1]


def test_texts_are_bounded() -> None:
    """Each at its limit, and one past it."""
    kept = make_result(
        evidence=(Evidence(url="u" * MAX_TEXT, reason="r" * MAX_TEXT),),
        errors=(Detail(code="c", actual="a" * MAX_DETAIL_TEXT, limit=1),) * MAX_DETAILS,
    )
    cut = replace(
        kept,
        evidence=(Evidence(url="u" * (MAX_TEXT + 1), reason="r" * MAX_TEXT),),
        errors=(Detail(code="c", actual="a" * (MAX_DETAIL_TEXT + 1), limit=1),) * (MAX_DETAILS + 1),
    )
    (shown,) = bound_results((cut,))

    assert bound_results((kept,)) == (kept,)
    assert shown.evidence[0].url == "u" * (MAX_TEXT - 1) + "…"
    assert shown.evidence[0].reason == "r" * MAX_TEXT
    assert len(shown.errors) == MAX_DETAILS
    assert shown.errors[0].actual == "a" * (MAX_DETAIL_TEXT - 1) + "…"


def test_what_is_not_kept_counts_only_as_far_as_it_would_be_shown() -> None:
    """Texts count with their length once cut, and causes past the number that one check may have do not count."""
    long = tuple(
        make_result(f"check-{number}", errors=(Detail(code="c", actual="a" * 5_000),) * 60) for number in range(25)
    )
    entry = Evidence(url="u" * 20_000)

    assert 25 * MAX_DETAILS * MAX_DETAIL_TEXT == MAX_DETAIL_CHARACTERS
    assert {len(result.errors) for result in bound_results(long)} == {MAX_DETAILS}
    assert len(bound_results((make_result(evidence=(entry,) * 100),))[0].evidence) == 100
