from __future__ import annotations

import math

import msgspec
import pytest

from pagegrade.model.outcome import Detail, Evidence
from pagegrade.report.sanitize import clean_number, clean_text, encode_storable, storable, storable_json


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
