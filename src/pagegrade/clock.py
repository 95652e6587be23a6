"""The one place that reads the clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the only module that reads the clock


def now_ms() -> int:
    """The time now in milliseconds since 1970-01-01T00:00Z."""
    return time.time_ns() // 1_000_000
