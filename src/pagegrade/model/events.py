"""Events of an account that its webhooks and messages report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

EventType = Literal[
    "report.completed",
    "report.failed",
    "report.regressed",
    "report.recovered",
    "monitor.unreachable",
    "monitor.reminder",
    "audit.completed",
    "audit.failed",
    "audit.regressed",
    "audit.recovered",
    "quota.low",
    "webhook.disabled",
    "webhook.test",
]
EVENT_TYPES: Final[tuple[EventType, ...]] = (
    "report.completed",
    "report.failed",
    "report.regressed",
    "report.recovered",
    "monitor.unreachable",
    "monitor.reminder",
    "audit.completed",
    "audit.failed",
    "audit.regressed",
    "audit.recovered",
    "quota.low",
)
"""Types that a webhook can subscribe to; ``webhook.test`` is sent on request, ``webhook.disabled`` to
people only."""
URGENCY: Final[tuple[EventType, ...]] = (
    "webhook.test",
    "webhook.disabled",
    "report.regressed",
    "monitor.unreachable",
    "audit.regressed",
    "monitor.reminder",
    "audit.failed",
    "report.failed",
    "quota.low",
    "report.recovered",
    "audit.recovered",
    "audit.completed",
    "report.completed",
)
"""All types in the order in which a message names them."""
MAX_PAYLOAD_BYTES: Final = 20_000
"""Size of the JSON that is delivered; lists of an event that are longer are cut, and it says ``truncated``."""


class Event(msgspec.Struct, frozen=True):
    """Something that happened to a report, a monitor, an audit or the account itself.

    The outbox adds the members ``report``, ``run`` and ``change`` of the report's newest finished run to ``data``.
    """

    type: EventType
    account_id: int
    project: str
    """Of the report or audit; webhooks may be limited to one project."""
    monitor_id: int | None
    report_id: int | None
    """``None``: the event is about no report."""
    at_ms: int
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """More members of the payload, as JSON values: ``{"monitor_id": 7, "budgets": [...]}``."""
    audit_id: int | None = None
    """``None``: the event is about no audit."""
