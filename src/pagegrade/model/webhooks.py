"""Webhooks of accounts, the events that they and messages report, and their deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

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
    "audit.paused",
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
    "audit.paused",
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
    "audit.paused",
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
    told_at_ms: int | None = None
    """When people get it in one message with what else happened to the pages of a monitor; ``None``: as usual."""


Kind = Literal["webhook", "slack", "discord", "teams", "email", "ntfy", "gotify", "telegram", "matrix"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
MESSAGE_KINDS: Final[frozenset[Kind]] = frozenset(KINDS) - {"webhook"}
"""Kinds whose deliveries are read by people: several events become one message."""
MAX_WEBHOOKS: Final = 20
"""Of an account."""
ROTATION_MS: Final = 24 * 3_600_000
"""Deliveries are signed with the previous secret, too, for so long after a rotation."""
DeliveryState = Literal["waiting", "delivered", "failed"]
DisabledReason = Literal["by_owner", "gone", "failing", "unsubscribed"]


class StoredWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A target of deliveries."""

    id: int
    account_id: int
    kind: Kind
    url: str
    """The target; ``mailto:`` and an address for e-mail. Of chats and push services it is a secret of its own."""
    events: tuple[EventType, ...]
    project: str
    """Only events of reports and audits of this project; empty: of any."""
    secret_salt: bytes
    """The secret is derived from it with a key of the installation; alone it signs nothing."""
    previous_salt: bytes | None
    """Of the secret before the last rotation."""
    previous_until_ms: int | None
    failures: int
    """Attempts that failed since the last one that succeeded."""
    failing_since_ms: int | None
    disabled_at_ms: int | None
    """``None``: it is in use."""
    disabled_reason: DisabledReason | None
    created_at_ms: int
    revision: int
    """Grows with every change that a reader could see."""


class StoredDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """One event for one webhook."""

    id: int
    event_id: str
    """The ``webhook-id`` of every attempt."""
    type: EventType
    report_id: int | None
    audit_id: int | None
    state: DeliveryState
    attempts: int
    due_at_ms: int | None
    """Time of the next attempt; ``None``: there is none."""
    attempted_at_ms: int | None
    http_status: int | None
    """Of the last answer; ``None``: there was none."""
    error: str | None
    """Code of the failure of the last attempt; ``None``: it did not fail."""
    answer: bytes | None
    """The first 4 kB of the body of the last answer."""
    duration_ms: int | None
    created_at_ms: int


class DueDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery to be attempted now."""

    id: int
    attempts: int
    """Made before."""
    event_id: str
    type: EventType
    report_id: int | None
    audit_id: int | None
    run_number: int | None
    data: bytes
    """JSON object."""
    at_ms: int
    """Time of the event."""


class ClaimedWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook that this process sends to until its lease ends."""

    webhook: StoredWebhook
    deliveries: tuple[DueDelivery, ...]
    """One for a webhook; all that are due for a message, which is about all of them."""
    others: tuple[int, ...] = ()
    """Ids of the account's other webhooks with the same receiver, whose deliveries are part of the message."""

    @property
    def ids(self) -> tuple[int, ...]:
        """Ids of all webhooks that are held."""
        return self.webhook.id, *self.others

    @property
    def events(self) -> tuple[DueDelivery, ...]:
        """One delivery of each event, in the order in which they happened: several webhooks may have wanted one."""
        first: dict[str, DueDelivery] = {}
        for due in self.deliveries:
            first.setdefault(due.event_id, due)
        return tuple(sorted(first.values(), key=lambda due: due.at_ms))


def receiver_of(kind: Kind, url: str) -> tuple[Kind, str]:
    """Return whom the messages of a webhook reach; webhooks with the same receiver share them."""
    return kind, url.lower() if kind == "email" else url
