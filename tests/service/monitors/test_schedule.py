from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import MAX_JITTER, MAX_SCHEDULE, MIN_INTERVAL_MS
from pagegrade.service.monitors.schedule import NAMES, check_schedule, next_due_ms

ZONES = ("Europe/Prague", "America/New_York", "Australia/Lord_Howe")
"""Lord Howe Island moves its clocks by half an hour."""


def ms(text: str) -> int:
    """Milliseconds since 1970 of a moment."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def due_times(schedule: str, zone: str, start: str, end: str) -> list[str]:
    """Due times between two moments, as the clocks of the zone show them."""
    found: list[str] = []
    at, last = ms(start), None
    while True:
        at = last = next_due_ms(check_schedule(schedule), zone, 0, after_ms=at, last_due_at_ms=last)
        if at > ms(end):
            return found
        local = datetime.fromtimestamp(at / 1000, ZoneInfo(zone))
        found.append(local.strftime("%d %H:%M %Z"))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        *((name, name) for name in NAMES),
        (" Daily ", "daily"),
        ("*/10 * * * *", "*/10 * * * *"),
        ("30  6 * * MON-FRI", "30 6 * * mon-fri"),
        ("0 0 29 2 *", "0 0 29 2 *"),
        ("0,50 23 * * *", "0,50 23 * * *"),
        ("0 12 L * *", "0 12 l * *"),
    ],
)
def test_schedules_have_one_form(text: str, canonical: str) -> None:
    """It is read as the same schedule."""
    assert check_schedule(text) == canonical
    assert check_schedule(canonical) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yearly",
        "@daily",
        "* * * * *",
        "*/9 * * * *",
        "0,55 * * * *",
        "0,5 3 * * *",
        "0 * * * * *",
        "0 0 30 2 *",
        "61 * * * *",
        "0 24 * * *",
        "a b c d e",
        "0 0 * *",
        f"{'0,' * MAX_SCHEDULE}0 0 * * *",
    ],
)
def test_what_is_no_schedule_is_refused(text: str) -> None:
    """So is what is never due, or more often than every ten minutes."""
    with pytest.raises(InvalidInput):
        check_schedule(text)


@given(st.text(alphabet="0123456789*/,-#L WMONJAN", max_size=MAX_SCHEDULE))
def test_any_text_is_a_schedule_or_refused(text: str) -> None:
    """And a schedule has a next time, ten minutes apart at least."""
    try:
        schedule = check_schedule(text)
    except InvalidInput:
        return
    first = next_due_ms(schedule, "UTC", 0, after_ms=ms("2026-01-01T00:00Z"))
    second = next_due_ms(schedule, "UTC", 0, after_ms=first, last_due_at_ms=first)

    assert second - first >= MIN_INTERVAL_MS


def test_a_time_that_is_skipped_is_due_after_the_gap() -> None:
    """Once, as of Debian's cron; in three zones."""
    assert due_times("30 2 * * *", ZONES[0], "2026-03-28T00:00Z", "2026-03-30T12:00Z") == [
        *("28 02:30 CET", "29 03:00 CEST", "30 02:30 CEST"),
    ]
    assert due_times("30 2 * * *", ZONES[1], "2026-03-07T06:00Z", "2026-03-09T12:00Z") == [
        *("07 02:30 EST", "08 03:00 EDT", "09 02:30 EDT"),
    ]
    assert due_times("15 2 * * *", ZONES[2], "2026-10-02T20:00+11:00", "2026-10-05T12:00+11:00") == [
        *("03 02:15 +1030", "04 02:30 +11", "05 02:15 +11"),
    ]


def test_a_time_that_comes_twice_is_due_once() -> None:
    """The first time; also when the second one is asked for in between."""
    assert due_times("30 2 * * *", ZONES[0], "2026-10-24T00:00Z", "2026-10-26T12:00Z") == [
        *("24 02:30 CEST", "25 02:30 CEST", "26 02:30 CET"),
    ]
    assert due_times("30 1 * * *", ZONES[1], "2026-10-31T05:00Z", "2026-11-02T12:00Z") == [
        *("31 01:30 EDT", "01 01:30 EDT", "02 01:30 EST"),
    ]
    assert due_times("45 1 * * *", ZONES[2], "2026-04-04T00:00+11:00", "2026-04-06T12:00+10:30") == [
        *("04 01:45 +11", "05 01:45 +11", "06 01:45 +1030"),
    ]
    between = next_due_ms("30 2 * * *", ZONES[0], 0, after_ms=ms("2026-10-25T02:15+01:00"))

    assert between == ms("2026-10-26T02:30+01:00")


@pytest.mark.parametrize("zone", ZONES)
def test_schedules_of_every_hour_follow_real_time(zone: str) -> None:
    """On days of any length."""
    for start in ("2026-03-07T00:00Z", "2026-04-04T00:00Z", "2026-10-03T00:00Z", "2026-10-24T00:00Z"):
        at = first = ms(start)
        times = []
        while at < first + 10 * 86_400_000:
            at = next_due_ms("hourly", zone, 0, after_ms=at)
            times.append(at)
        # Where clocks move by half an hour, the minute 0 comes after 30 or 90 minutes.
        assert {after - before for before, after in pairwise(times)} <= {3_600_000, 1_800_000, 5_400_000}
        assert len(times) in {240, 241}


@given(
    schedule=st.sampled_from([*NAMES, "*/10 * * * *", "0 0 * * *", "30 2 * * 1-5", "30 1 * * *"]),
    zone=st.sampled_from(["UTC", *ZONES]),
    jitter=st.integers(0, MAX_JITTER - 1),
    start=st.integers(ms("2026-01-01T00:00Z"), ms("2027-01-01T00:00Z")),
)
def test_due_times_grow(schedule: str, zone: str, jitter: int, start: int) -> None:
    """By ten minutes at least, and what comes after a moment does not depend on how one got there."""
    first = next_due_ms(schedule, zone, jitter, after_ms=start)
    second = next_due_ms(schedule, zone, jitter, after_ms=first, last_due_at_ms=first)

    assert start < first
    assert second - first >= MIN_INTERVAL_MS
    assert next_due_ms(schedule, zone, jitter, after_ms=first - 1) == first


@pytest.mark.parametrize(("schedule", "period"), [("hourly", 60), ("daily", 24 * 60), ("weekly", 7 * 24 * 60)])
def test_monitors_are_spread_over_the_period(schedule: str, period: int) -> None:
    """No minute has many more of them than the others."""
    random = Random(1)  # noqa: S311 - no secret
    count = 3_000
    start = datetime(2026, 1, 5, tzinfo=UTC)
    minutes = Counter(
        (next_due_ms(schedule, "UTC", random.randrange(MAX_JITTER), after_ms=ms(start.isoformat())) // 60_000)
        for _ in range(count)
    )

    assert max(minutes.values()) < count / period + 6 * (count / period) ** 0.5 + 6
    assert max(minutes) - min(minutes) > 0.9 * period


def test_a_cron_expression_at_midnight_is_spread_over_ten_minutes() -> None:
    """And stays the same for each monitor."""
    random = Random(1)  # noqa: S311 - no secret
    midnight = ms("2026-01-06T00:00Z")
    jitters = [random.randrange(MAX_JITTER) for _ in range(1_000)]
    times = [next_due_ms("0 0 * * *", "UTC", jitter, after_ms=midnight - 1) - midnight for jitter in jitters]
    next_day = midnight + int(timedelta(days=1) / timedelta(milliseconds=1))
    again = [next_due_ms("0 0 * * *", "UTC", jitter, after_ms=next_day - 1) - next_day for jitter in jitters]

    assert min(times) >= 0
    assert max(times) < MIN_INTERVAL_MS
    assert len({time // 60_000 for time in times}) == 10
    assert times == again
