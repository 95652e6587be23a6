"""Numbers of people by form and check digits, and numbers of other things."""

from __future__ import annotations

import pytest

from pagegrade.parse.national_numbers import is_national_number


@pytest.mark.parametrize(
    "number",
    [
        *("811218-9876", "19811218-9876", "131052-308T", "44051401359", "529.982.247-25", "12345678Z"),
        *("11010519491231002X", "736028/5163", "1800101221144", "010107 50160", "900101-1234568"),
    ],
)
def test_numbers_of_people(number: str) -> None:
    """As they are published in descriptions of their forms; with another check digit they are none."""
    last = "Y" if number[-1] == "X" else "X" if number[-1].isalpha() else str((int(number[-1]) + 1) % 10)

    assert is_national_number(number)
    assert is_national_number(f" {number} ")
    assert not is_national_number(number[:-1] + last)
    assert not is_national_number(number + "0")


@pytest.mark.parametrize("text", ["", "556036-0793", "111.111.111-11", "2026-11-29", "+49 30 123456", "9" * 40])
def test_other_numbers(text: str) -> None:
    """Of companies and telephones, and dates."""
    assert not is_national_number(text)
