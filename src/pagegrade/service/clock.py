"""The one place that reads the clock."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - this is the edge that everybody else is told to ask
