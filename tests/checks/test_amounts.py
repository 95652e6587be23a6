from __future__ import annotations

import pytest

from pagegrade.checks._amounts import amount, part, rounded


@pytest.mark.parametrize(("count", "shown"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1_200, "1,200 files")])
def test_one_thing_is_no_plural(count: int, shown: str) -> None:
    """Reports are read by people."""
    assert amount(count, "file") == shown


@pytest.mark.parametrize(
    ("count", "whole", "shown"), [(0, 1, "0 of 1 file"), (1, 1, "1 of 1 file"), (1, 12, "1 of 12 files")]
)
def test_the_whole_decides_the_plural_of_a_part(count: int, whole: int, shown: str) -> None:
    """One of twelve files, one of one file."""
    assert part(count, whole, "file") == shown


@pytest.mark.parametrize(
    ("estimate", "shown"), [(0, "0"), (7, "7"), (99, "99"), (101, "100"), (21_527, "22,000"), (1_822_004, "1,800,000")]
)
def test_estimates_promise_two_digits(estimate: int, shown: str) -> None:
    """Digits that cannot be known are not printed."""
    assert rounded(estimate) == shown
