from __future__ import annotations

from email.utils import formatdate

import pytest

from pagegrade.service.webhooks.sending import RETRY_S, Reply, outcome_of, read_retry_after, texts_of
from pagegrade.store.repositories.deliveries import MAX_PAUSE_MS

NOW_MS = 1_767_225_600_000


def test_the_schedule_is_that_of_the_specification() -> None:
    """Each pause, with nothing and with a fifth added; after ten attempts the delivery has failed."""
    reply = Reply(http_status=500, error="http_status")
    waits = []
    for chance in (0.0, 1.0):
        made = [outcome_of(reply, attempts=n, failures=0, now_ms=0, duration_ms=1, chance=chance) for n in range(9)]
        waits.append([(each.retry_at_ms or 0) // 1000 for each in made])
    last = outcome_of(reply, attempts=9, failures=9, now_ms=0, duration_ms=1)

    assert waits[0] == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] == list(RETRY_S)
    assert waits[1] == [6, 360, 2_160, 8_640, 21_600, 43_200, 60_480, 86_400, 103_680]
    assert (last.state, last.retry_at_ms) == ("failed", None)


def test_success_and_the_end() -> None:
    """410 ends it for good, and what cannot succeed is not tried again."""
    delivered = outcome_of(Reply(http_status=200), attempts=3, failures=3, now_ms=0, duration_ms=7)
    gone = outcome_of(Reply(http_status=410, error="gone"), attempts=0, failures=0, now_ms=0, duration_ms=1)
    refused = outcome_of(Reply(error="smtp_refused", permanent=True), attempts=0, failures=0, now_ms=0, duration_ms=1)

    assert (delivered.state, delivered.pause_until_ms, delivered.duration_ms) == ("delivered", None, 7)
    assert (gone.state, gone.gone) == ("failed", True)
    assert (refused.state, refused.gone) == ("failed", False)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_receiver_with_too_much_to_do_gets_a_pause(status: int) -> None:
    """A minute at least, and as long as it asks for, up to a bound."""

    def pause(seconds: float | None) -> tuple[int, int]:
        reply = Reply(http_status=status, error="http_status", retry_after_s=seconds)
        made = outcome_of(reply, attempts=0, failures=0, now_ms=0, duration_ms=1, chance=0)
        return made.pause_until_ms or 0, made.retry_at_ms or 0

    assert pause(None) == (60_000, 60_000)
    assert pause(90) == (90_000, 90_000)
    assert pause(10.0**9) == (MAX_PAUSE_MS, MAX_PAUSE_MS)


def test_failures_in_a_row_slow_a_webhook_down() -> None:
    """From 5 seconds, doubled each time, to 10 minutes."""
    reply = Reply(error="timeout")
    made = [
        outcome_of(reply, attempts=0, failures=n, now_ms=0, duration_ms=1).pause_until_ms for n in (0, 1, 6, 7, 999)
    ]

    assert made == [5_000, 10_000, 320_000, 600_000, 600_000]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("9" * 30, MAX_PAUSE_MS / 1000),
        ("-5", None),
        ("soon", None),
        ("²", None),
        ("Mon, 01 Jan 99999999999999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2030 00:00:00 +" + "9" * 60, None),
        (formatdate(NOW_MS / 1000 + 30, usegmt=True), 30.0),
        (formatdate(NOW_MS / 1000 - 30, usegmt=True), 0.0),
    ],
)
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    """Seconds or a date (RFC 9110 10.2.3); anything else counts as none."""
    assert read_retry_after(value, NOW_MS) == seconds


def test_messages_are_in_the_language_of_the_account() -> None:
    """In English where there is no other."""
    assert [texts_of(tag).tag for tag in ("de", "de-AT", "fr", "")] == ["de", "de", "en", "en"]
