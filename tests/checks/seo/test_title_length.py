"""Tests of the check title-length."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.title_length import title_length
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def state(text: str) -> str:
    """The state for a page with that title."""
    return outcome(title_length, f"<!doctype html><title>{text}</title>").state


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (2, "far_too_short"),
        (3, "short"),
        (9, "short"),
        (10, "ok"),
        (70, "ok"),
        (71, "long"),
        (120, "long"),
        (121, "far_too_long"),
    ],
)
def test_limits_in_characters(length: int, expected: str) -> None:
    """Each limit and one past it, in letters narrow enough not to meet the width first."""
    assert state("i" * length) == expected


def test_limit_in_pixels() -> None:
    """Wide letters are cut before they are many: 31 times W is 585 px, 32 times 604."""
    assert state("W" * 31) == "ok"
    assert state("W" * 32) == "long"


def test_wide_characters_are_measured_by_width() -> None:
    """Five Chinese characters are a title and no stub; 30 fill the line and 31 are too many."""
    assert state("京" * 4) == "short"
    assert state("京" * 5) == "ok"
    assert state("京" * 30) == "ok"
    assert state("京" * 31) == "long"


def test_graphemes_count_once() -> None:
    """Accents and emoji made of several code points are one character each."""
    family = "👨\u200d👩\u200d👧\u200d👦"

    assert state("e\u0301" * 50) == "ok"
    assert outcome(title_length, f"<title>Ten years {family}</title>").value == 11


def test_numbers_are_reported() -> None:
    """The finding names what was measured and the limits."""
    found = outcome(title_length, f"<title>{'i' * 79}</title>")

    assert found.message.startswith("The title has 79 characters")
    assert [(detail.code, detail.actual, detail.limit) for detail in found.details] == [
        ("characters", 79, 70),
        ("width_px", 351, 600),
    ]


def test_missing_title_is_left_to_its_own_check() -> None:
    """Without a title there is no length; the title has a check of its own."""
    assert isinstance(run(title_length, "<p>x"), NotApplicable)


@pytest.mark.parametrize(("title", "said"), [("Home", "only 4 characters"), ("A", "only 1 character")])
def test_the_width_of_a_short_title_is_nobodys_concern(title: str, said: str) -> None:
    """Results have room for it."""
    assert outcome(title_length, f"<title>{title}</title>").message == f"The title has {said}; use 10 to 70."
