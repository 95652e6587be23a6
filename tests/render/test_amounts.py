from __future__ import annotations

import pytest

from pagegrade.render.amounts import format_bytes, format_ms
from pagegrade.render.i18n import texts_for


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(1), "1 byte"),
        (format_bytes(48_211), "48.2 kB"),
        (format_bytes(3_100_000), "3.1 MB"),
        (format_ms(0.44), "0.4 ms"),
        (format_ms(41.2), "41 ms"),
        (format_ms(1840), "1.8 s"),
    ],
)
def test_amounts_have_the_unit_that_people_read(text: str, expected: str) -> None:
    """Powers of 1000, one decimal."""
    assert text == expected


def test_numbers_are_written_as_in_the_language() -> None:
    """The unit is the same."""
    german = texts_for("de")

    assert format_bytes(48_211, german) == f"{german.number(48.2, digits=1)} kB"
