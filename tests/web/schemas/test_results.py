"""Pieces of the JSON of reports and runs."""

from __future__ import annotations

import msgspec

from pagegrade.web.schemas.results import ABSENT, NO_SUMMARY, DetailBytes, integer, moment, result_members
from pagegrade.web.schemas.run import RunItem


def members(detail: DetailBytes) -> dict[str, object]:
    """The members of what has no results yet."""
    found: dict[str, object] = msgspec.json.decode(b"{" + b"".join(result_members(NO_SUMMARY, detail, 3))[1:] + b"}")
    return found


def test_what_is_not_asked_for_is_left_out() -> None:
    """An item of a list has no results; a whole object has null until there are some."""
    item, whole = members(ABSENT), members(None)

    assert set(item) <= set(RunItem.__struct_encode_fields__)
    assert set(whole) - set(item) == {"results", "page", "rendered"}
    assert whole["run"] is None


def test_a_missing_number_or_time_is_null() -> None:
    """Zero is a number, and 1970 is a time."""
    assert (integer(None), integer(0)) == (b"null", b"0")
    assert (moment(None), moment(0)) == (b"null", b'"1970-01-01T00:00:00.000Z"')
