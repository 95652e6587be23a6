from __future__ import annotations

import pytest

from pagegrade.web.http.conditional import (
    MAX_CHARACTERS,
    MAX_DATE_CHARACTERS,
    http_date,
    is_unchanged,
    may_change,
)

ETAG = '"1042-7"'
AT_MS = 1_767_225_600_500
AT = "Thu, 01 Jan 2026 00:00:00 GMT"
BEFORE = "Wed, 31 Dec 2025 23:59:59 GMT"


def test_dates_are_cut_to_the_second() -> None:
    """HTTP knows no fractions (RFC 9110 5.6.7)."""
    assert http_date(AT_MS) == AT


@pytest.mark.parametrize(
    ("if_none_match", "if_modified_since", "expected"),
    [
        (None, None, False),
        (ETAG, None, True),
        (f"W/{ETAG}", None, True),
        (f'"1-1", W/"2,2" , {ETAG}', None, True),
        ("*", None, True),
        ('"1042-6"', None, False),
        ("1042-7", None, False),
        ("", None, False),
        (None, AT, True),
        (None, BEFORE, False),
        (None, "Thursday, 01-Jan-26 00:00:00 GMT", True),
        (None, "yesterday", False),
        (None, "Thu, 99 Jan 2026 00:00:00 GMT", False),
        ('"1042-6"', AT, False),
    ],
)
def test_unchanged_is_what_the_client_has(
    if_none_match: str | None, if_modified_since: str | None, *, expected: bool
) -> None:
    """Tags compare weakly, and where there is one the date does not count (RFC 9110 13.1.2, 13.2.2)."""
    assert is_unchanged(if_none_match, if_modified_since, etag=ETAG, modified_ms=AT_MS) is expected


def test_a_date_has_no_effect_where_none_is_known() -> None:
    """A list has no time of its own."""
    assert not is_unchanged(None, AT, etag=ETAG, modified_ms=None)


@pytest.mark.parametrize(
    ("if_match", "if_none_match", "if_unmodified_since", "expected"),
    [
        (None, None, None, True),
        (ETAG, None, None, True),
        ("*", None, None, True),
        (f'"x", {ETAG}', None, None, True),
        (f"W/{ETAG}", None, None, False),
        ('"1042-6"', None, None, False),
        ("", None, None, False),
        (None, "*", None, False),
        (None, ETAG, None, False),
        (None, '"1042-6"', None, True),
        (None, None, AT, True),
        (None, None, BEFORE, False),
        (None, None, "nonsense", True),
        (ETAG, None, BEFORE, True),
    ],
)
def test_a_change_needs_the_newest_state(
    if_match: str | None, if_none_match: str | None, if_unmodified_since: str | None, *, expected: bool
) -> None:
    """Tags compare strongly for changes, and where there is one the date does not count (RFC 9110 13.1.1, 13.1.4)."""
    assert may_change(if_match, if_none_match, if_unmodified_since, etag=ETAG, modified_ms=AT_MS) is expected


def test_the_length_of_a_list_of_tags_is_bounded() -> None:
    """At the limit ours is found, and one past it the client gets everything anew, or its change is refused."""
    blanks = " " * (MAX_CHARACTERS - len(ETAG))

    assert is_unchanged(blanks + ETAG, None, etag=ETAG, modified_ms=None)
    assert not is_unchanged(blanks + " " + ETAG, None, etag=ETAG, modified_ms=None)
    assert not may_change(blanks + " " + ETAG, None, None, etag=ETAG, modified_ms=AT_MS)


def test_the_length_of_a_date_is_bounded() -> None:
    """At the limit, and one past it."""
    blanks = " " * (MAX_DATE_CHARACTERS - len(AT))

    assert is_unchanged(None, blanks + AT, etag=ETAG, modified_ms=AT_MS)
    assert not is_unchanged(None, blanks + " " + AT, etag=ETAG, modified_ms=AT_MS)
