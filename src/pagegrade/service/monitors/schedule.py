"""Due times of monitors: named schedules and cron expressions, in a time zone, spread by a jitter.

A named schedule is a cron expression whose minute, hour and day come from the jitter of the monitor, so that monitors
with the same schedule are spread over its whole period. The due times of a cron expression are moved by up to
``MAX_CRON_JITTER_MS``. Days on which clocks change follow Debian's cron: a time that is skipped is due right after the
gap, a time that comes twice is due once.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import MAX_SCHEDULE, MIN_INTERVAL_MS

NAMES: Final = ("hourly", "daily", "weekly", "monthly")
MAX_CRON_JITTER_MS: Final = MIN_INTERVAL_MS
_FIELDS: Final = 5
_MINUTES: Final = 60
_HOURS: Final = 24
_DAYS: Final = 28
"""Of every month."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE_MS: Final = 60_000


def check_schedule(text: str) -> str:
    """Return the canonical form of a schedule.

    Raises:
        InvalidInput: It is none, is never due, or is due more often than every 10 minutes.
    """
    words = text.lower().split() if len(text) <= MAX_SCHEDULE else []
    if len(words) == 1 and words[0] in NAMES:
        return words[0]
    if len(words) != _FIELDS:
        raise InvalidInput(
            f"Use one of {', '.join(NAMES)}, or a cron expression with five fields, such as 30 6 * * 1-5."
        )
    expression = " ".join(words)
    try:
        cron = CronSim(expression, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError:
        fields = "minute, hour, day of the month, month, day of the week"
        raise InvalidInput(f"The cron expression cannot be read; its fields are {fields}.") from None
    if _least_gap(cron.minutes, cron.hours) * _MINUTE_MS < MIN_INTERVAL_MS:
        raise InvalidInput("A monitor may be due at most every 10 minutes.")
    if next(cron, None) is None:
        raise InvalidInput("The cron expression names a day that never comes.")
    return expression


def _least_gap(minutes: Iterable[int], hours: Iterable[int]) -> int:
    """Return the fewest minutes between two due times of a day, or of a day and the next."""
    by_minute = sorted(minutes)
    gaps = [after - before for before, after in pairwise(by_minute)]
    by_hour = sorted(hours)
    following = [*by_hour[1:], by_hour[0] + _HOURS]
    least_hours = min(after - before for before, after in zip(by_hour, following, strict=True))
    return min([*gaps, least_hours * _MINUTES - by_minute[-1] + by_minute[0]])


def next_due_ms(schedule: str, timezone: str, jitter: int, *, after_ms: int, last_due_at_ms: int | None = None) -> int:
    """Return the next due time, in milliseconds since 1970.

    Args:
        schedule: As ``check_schedule`` returns it.
        timezone: IANA name.
        jitter: Of the monitor.
        after_ms: The due time lies after.
        last_due_at_ms: The last due time, from which the next one has the least distance; ``None``: there was none.
            One that lies ahead was written by a clock that was set back since, and does not count.
    """
    expression, offset_ms = _expression(schedule, jitter)
    least_ms = after_ms
    if last_due_at_ms is not None and last_due_at_ms <= after_ms:
        least_ms = max(after_ms, last_due_at_ms + MIN_INTERVAL_MS - 1)
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)
    start_ms = least_ms - offset_ms
    # One minute earlier, and what is not later is left out: times of a repeated hour come before their second round.
    times = CronSim(expression, (_EPOCH + timedelta(milliseconds=start_ms - _MINUTE_MS)).astimezone(zone))
    for time in times:
        due_ms = (time.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1) + offset_ms
        if due_ms > least_ms:
            return due_ms
    raise AssertionError("a schedule that was checked has a next time")


def _expression(schedule: str, jitter: int) -> tuple[str, int]:
    """Return (cron expression of a schedule, milliseconds by which its times are moved)."""
    if schedule not in NAMES:
        return schedule, jitter % MAX_CRON_JITTER_MS
    rest, second = divmod(jitter, _MINUTES)
    rest, minute = divmod(rest, _MINUTES)
    rest, hour = divmod(rest, _HOURS)
    days = {"hourly": "* * *", "daily": "* * *", "weekly": f"* * {rest % 7}", "monthly": f"{rest % _DAYS + 1} * *"}
    return f"{minute} {'*' if schedule == 'hourly' else hour} {days[schedule]}", second * 1000
