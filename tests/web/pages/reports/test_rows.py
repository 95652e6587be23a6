"""A report as a row."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.stored import StoredReport
from pagegrade.render.i18n import texts_for
from pagegrade.web.pages.reports.rows import FAILURES, row_of, short_url, state_object

TEXTS = texts_for("en")


def stored(**more: Any) -> StoredReport:
    """A report that went well."""
    values: dict[str, Any] = {
        "id": 7,
        "account_id": 1,
        "url": "https://example.com/a",
        "project": "example.com",
        "privacy": 0,
        "password_hash": None,
        "password_version": 0,
        "slug": "s",
        "state": "completed",
        "rating": 3,
        "score": 88,
        "run_number": 1,
        "summary": None,
        "error": None,
        "generated_at_ms": 5_000,
        "created_at_ms": 1_000,
        "updated_at_ms": 5_000,
        "revision": 1,
    }
    return StoredReport(**{**values, **more})


def test_a_row_says_everything_in_words() -> None:
    """Result, score, state and privacy, and when the results were made."""
    row = row_of(stored(), TEXTS, {7: "A title"})

    assert (row.url, row.title, row.project) == ("example.com/a", "A title", "example.com")
    assert (row.grade, row.grade_words, row.score_words) == ("good", "Good", "88 of 100")
    assert (row.state_words, row.privacy_words, row.at_ms) == ("Analyzed", "Anyone with the link", 5_000)
    assert not row.is_live


def test_a_row_under_way_promises_nothing() -> None:
    """It has no result yet, and the date of its making."""
    row = row_of(stored(state="queued", rating=None, score=None, generated_at_ms=None), TEXTS, {})

    assert (row.grade, row.grade_words, row.score_words, row.title) == ("none", "Not yet", "", "")
    assert (row.is_live, row.at_ms) == (True, 1_000)


@pytest.mark.parametrize("error", [b'{"code":"blocked"}', b'{"code":"brand_new"}', b"no JSON", b"[]"])
def test_a_failed_row_says_why(error: bytes) -> None:
    """In words, whatever was kept."""
    row = row_of(stored(state="failed", rating=None, score=None, error=error), TEXTS, {})

    assert row.grade_words == "No grade"
    assert row.failure == FAILURES["blocked" if b"blocked" in error else "internal"]


def test_every_failure_has_words() -> None:
    """None is forgotten."""
    assert set(FAILURES) == set(FAILURE_CODES)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.com/", "example.com"),
        ("http://example.com/", "http://example.com/"),
        ("https://example.com/a/", "example.com/a/"),
        ("https://example.com/" + "x" * 300, "example.com/" + "x" * 127 + "…"),
        ("https://example.com/\u202egpj", "example.com/\\u202egpj"),
    ],
)
def test_urls_are_short_and_harmless(url: str, shown: str) -> None:
    """As people write them; what cannot be seen is spelled out."""
    assert short_url(url) == shown


def test_a_page_gets_values_ready_to_show() -> None:
    """And what to say aloud, once there is something."""
    done = state_object(stored(), TEXTS, 5_000)
    failed = state_object(stored(state="failed", score=None, rating=None, error=b'{"code":"dns"}'), TEXTS, 5_000)
    running = state_object(stored(state="running", rating=None, score=None), TEXTS, 5_000)
    partial = state_object(stored(rating=None, score=None), TEXTS, 5_000)

    assert done["said"] == "example.com/a is analyzed: 88 of 100, Good."
    assert failed["said"] == "The analysis of example.com/a failed. The name of the site was not found."
    assert (running["said"], running["finished"], running["state_words"]) == ("", False, "Being analyzed")
    assert partial["said"] == "example.com/a is analyzed."


def test_a_row_shows_its_trend_its_change_and_its_findings() -> None:
    """Without a second score there is no line, and without a change no sign."""
    summary = b'{"counts":{"critical":1,"high":0,"medium":12,"passed":9}}'
    row = row_of(stored(summary=summary), TEXTS, {}, (70, 88), change=18)
    first = row_of(stored(), TEXTS, {}, (88,))

    assert row.severities == (("critical", "Critical", 1), ("medium", "Medium", 12))
    assert (row.change, row.spark.count(",")) == (18, 2)
    assert first.severities == ()
    assert (first.change, first.spark) == (None, "")
