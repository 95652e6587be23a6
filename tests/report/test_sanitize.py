from __future__ import annotations

import math

import pytest

from pagegrade.report.sanitize import clean_number, clean_text, storable


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
    """What JSON can say is left alone."""
    assert storable(value) == value
