from __future__ import annotations

import pytest

from pagegrade.web.http.fields import UnreadableError
from pagegrade.web.parameters import MEMBERS, read_members, read_moment, read_url

JANUARY = 1_767_616_496_000
"""2026-01-05T12:34:56Z."""


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-05T12:34:56Z", JANUARY),
        ("2026-01-05t12:34:56z", JANUARY),
        ("2026-01-05 12:34:56.7Z", JANUARY + 700),
        (" 2026-01-05T12:34:56.123456789Z", JANUARY + 123),
        ("2026-01-05T13:34:56+01:00", JANUARY),
        ("2026-01-05T13:34:56 01:00", JANUARY),
        ("2026-01-05T07:34:56-05:00", JANUARY),
        ("1969-12-31T23:59:59.500Z", -500),
    ],
)
def test_a_point_in_time_is_read(text: str, moment: int) -> None:
    """In any zone; a plus may have become a blank on its way through a query."""
    assert read_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-01-05", "2026-01-05T12:34:56", "2026-13-01T00:00:00Z", "1767616496", "2026-01-05T25:00:00Z"],
)
def test_what_is_no_point_in_time_is_refused(text: str) -> None:
    """A date alone would be another moment in every zone."""
    with pytest.raises(UnreadableError) as caught:
        read_moment(text)

    assert caught.value.code == "not_a_time"


def test_members_come_in_the_order_of_the_report() -> None:
    """Each once, however they are written."""
    assert read_members(" url,id,,url ") == ("id", "url")
    assert read_members(",".join(reversed(MEMBERS))) == MEMBERS


def test_a_url_is_taken_in_any_spelling() -> None:
    """As it would be stored."""
    assert read_url(" EXAMPLE.com/a/../b#c") == "https://example.com/b"
    with pytest.raises(UnreadableError) as caught:
        read_url("ftp://example.com/")

    assert caught.value.code == "scheme_not_allowed"
