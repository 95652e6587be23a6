from __future__ import annotations

import math

import msgspec
import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence
from pagegrade.report.sanitize import (
    FEW_DETAILS,
    MAX_CHARACTERS,
    MAX_DETAIL_CHARACTERS,
    MAX_DETAIL_TEXT,
    MAX_DETAILS,
    MAX_ENTRIES,
    MAX_TEXT,
    bound_results,
    clean_number,
    clean_text,
    encode_storable,
    storable,
    storable_json,
)
from tests.report_builders import make_passed, make_result, make_results

ENTRY = Evidence(selector="a", url="https://example.com/")


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [("a\x00b", "a�b"), ("\ud800", "�"), ("x\udfffy", "x�y"), ("a\u2028b", "a\u2028b"), ("😀\n", "😀\n")],
)
def test_only_what_cannot_be_stored_is_replaced(dirty: str, clean: str) -> None:
    """NUL and lone surrogates go; everything else, however odd, stays."""
    assert clean_text(dirty) == clean


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_cannot_say_become_nothing(number: float) -> None:
    """NaN and the infinities are no JSON."""
    assert clean_number(number) is None
    assert storable(number) is None


def test_hidden_places_are_cleaned_too() -> None:
    """However deep, and in the names."""
    assert storable({"a\x00": [{"b": ("\ud800", math.nan)}]}) == {"a�": [{"b": ["�", None]}]}


@pytest.mark.parametrize("value", ["text", 3, 2.5, None, True, {"a": [1, {"b": "c"}]}])
def test_ordinary_values_pass(value: object) -> None:
    """Values that JSON can hold are left alone."""
    assert storable(value) == value


@pytest.mark.parametrize(
    "value",
    [
        {"a": "plain", "b": ("tuple", 1, 2.5, None, True), "c": {"d": [float("nan"), float("inf"), 1e300]}},
        {"nul": "a\x00b", "\x00": ["\\u0000"]},
        {"surrogate": "\ud800", "good": "\U0001f600 é"},
        {"large": 10**30, "small": -(2**63)},
        [],
        "text\x00",
    ],
)
def test_values_for_json_are_cleaned_alike(value: object) -> None:
    """However they are looked through."""
    assert storable_json(value) == storable(value)


@pytest.mark.parametrize(("text", "shown"), [("plain", "plain"), ("a\x00b", "a\ufffdb"), ("\ud800", "\ufffd")])
def test_evidence_and_causes_are_cleaned_as_the_json_they_become(text: str, shown: str) -> None:
    """The encoder writes them as they are, or leaves them to the search; nothing empty is written."""
    value = {"evidence": (Evidence(snippet=text, line=0),), "errors": (Detail(code="c", actual=text, limit=math.nan),)}
    expected = {"evidence": [{"line": 0, "snippet": shown}], "errors": [{"code": "c", "actual": shown, "limit": None}]}

    assert storable_json(value) == expected
    assert msgspec.json.decode(encode_storable(value)) == expected


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
