"""Numbers by which states know people: their forms, and the digits that check them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_SPANISH: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
_MIN: Final = 9
_MAX: Final = 20
_FINNISH: Final = "0123456789ABCDEFHJKLMNPRSTUVWXY"


def _sum(digits: str, weights: str) -> int:
    """The weighted sum; a weight of ten is written ``X``."""
    return sum(int(one) * (10 if weight == "X" else int(weight)) for one, weight in zip(digits, weights, strict=False))


def _is_luhn(digits: str) -> bool:
    odd = sum(map(int, digits[-1::-2]))
    return (odd + sum(sum(divmod(2 * int(one), 10)) for one in digits[-2::-2])) % 10 == 0


def _is_brazilian(digits: str) -> bool:
    if len(set(digits)) == 1:
        return False
    first = 10 * _sum(digits[:9], "X98765432") % 11 % 10
    second = 10 * (11 * int(digits[0]) + _sum(digits[1:9], "X9876543") + 2 * first) % 11 % 10
    return digits[9:] == f"{first}{second}"


def _is_norwegian(digits: str) -> bool:
    return _sum(digits, "3761894521") % 11 == 0 and _sum(digits, "54327654321") % 11 == 0


_FORMS: Final[tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]] = (
    ("sv", re.compile(r"(?:19|20)?(\d\d(?:0\d|1[0-2])[0-3]\d)[-+](\d{4})"), _is_luhn),
    ("fi", re.compile(r"([0-3]\d[01]\d{3})[-+A](\d{3}[\dA-Y])"), lambda one: _FINNISH[int(one[:9]) % 31] == one[9]),
    ("pl", re.compile(r"(\d\d(?:[02468]\d|[13579][0-2])[0-3]\d{6})"), lambda one: _sum(one, "13791379131") % 10 == 0),
    ("no", re.compile(r"([0-3]\d[01]\d{3}) ?(\d{5})"), _is_norwegian),
    ("pt", re.compile(r"(\d{3})\.(\d{3})\.(\d{3})-(\d\d)"), _is_brazilian),
    ("es", re.compile(r"(\d{8})-?([A-Z])"), lambda one: _SPANISH[int(one[:8]) % 23] == one[8]),
    (
        "ko",
        re.compile(r"(\d{6})-([1-8]\d{6})"),
        lambda one: (11 - _sum(one[:12], "234567892345") % 11) % 10 == int(one[12]),
    ),
    ("cs", re.compile(r"(\d{2}[0-35-8]\d[0-3]\d)/(\d{4})"), lambda one: int(one) % 11 == 0),
    (
        "ro",
        re.compile(r"([1-8]\d{2}[01]\d[0-3]\d{7})"),
        lambda one: _sum(one[:12], "279146358279") % 11 % 10 == int(one[12]),
    ),
    (
        "zh",
        re.compile(r"([1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}[\dX])"),
        lambda one: "10X98765432"[sum(int(d) * (2 ** (17 - n) % 11) for n, d in enumerate(one[:17])) % 11] == one[17],
    ),
)
"""Language of a country that gives such numbers, their form, and whether the digits in it are right."""


def is_national_number(text: str) -> bool:
    """Return whether a text is the number of a person in one of ten countries, by its form and its check digits."""
    text = text.strip()
    for _, form, is_right in _FORMS if _MIN <= len(text) <= _MAX else ():
        match = form.fullmatch(text)
        if match is not None and is_right("".join(match.groups())):
            return True
    return False
