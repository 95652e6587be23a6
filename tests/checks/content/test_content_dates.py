"""The traps of ``content-dates``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run


def meta(name: str, value: str) -> str:
    """One meta of Open Graph."""
    return f'<meta property="article:{name}_time" content="{value}">'


def json_ld(text: str) -> str:
    """One block of structured data."""
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    ("page", "state"),
    [
        (meta("modified", "2025-11-02"), "agree"),
        (meta("published", "2025-11-02") + meta("modified", "2025-11-02T23:00:00+02:00"), "agree"),
        (meta("published", "2025-11-03T01:00:00+02:00") + meta("modified", "2025-11-02T23:30:00Z"), "agree"),
        (meta("published", "2025-11-20") + meta("modified", "2025-11-02"), "disagree"),
        (meta("modified", "2025-11-20") + json_ld('{"dateModified": "2025-11-02"}'), "disagree"),
        (meta("modified", "2025-11-20") + json_ld('{"@graph": [{"dateModified": "2025-11-20"}]}'), "agree"),
        (meta("published", "2026-02-01"), "future"),
        (meta("published", "2026-01-06T00:00:00Z"), "agree"),
    ],
)
def test_dates_are_compared(page: str, state: str) -> None:
    """Zones count, a day is forgiven, and the report's own time is now."""
    assert outcome("content-dates", page).state == state


def test_the_first_thing_counts() -> None:
    """Comments and other articles in the same data have dates of their own."""
    data = '[{"@type": "Article", "datePublished": "2025-11-02"}, {"@type": "Comment", "dateModified": "2020-01-01"}]'
    found = outcome("content-dates", json_ld(data))

    assert (found.state, found.value) == ("agree", "2025-11-02")


@pytest.mark.parametrize(
    ("header", "state"),
    [
        ("Mon, 03 Nov 2025 10:00:00 GMT", "agree"),
        ("Fri, 21 Nov 2025 10:00:00 GMT", "agree"),
        ("Sat, 01 Nov 2025 10:00:00 GMT", "stale_header"),
        ("yesterday", "agree"),
        ("", "agree"),
    ],
)
def test_last_modified_may_be_later(header: str, state: str) -> None:
    """The page around the text changes, too; a text cannot be newer than its page."""
    page = make_artifacts(meta("modified", "2025-11-03T09:00:00Z"), headers=[("Last-Modified", header)])

    assert outcome("content-dates", page).state == state


@pytest.mark.parametrize("value", ["", "yesterday", "2025-13-40", "0001-01-01T00:00:00+23:59", "9" * 100])
def test_what_is_no_date_is_left_out(value: str) -> None:
    """Whatever it is."""
    assert isinstance(run("content-dates", meta("modified", value)), NotApplicable)
