"""Webhooks and their deliveries, and what is delivered."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from pagegrade.model.account import QuotaName
from pagegrade.model.audit import CrawlState, StopReason
from pagegrade.model.report import RULESET, Grade
from pagegrade.model.schema import URL, Count, Timestamp, about
from pagegrade.model.webhooks import (
    EVENT_TYPES,
    DeliveryState,
    DisabledReason,
    EventType,
    Kind,
    StoredDelivery,
    StoredWebhook,
)
from pagegrade.report.serialize import Analysis, timestamp
from pagegrade.service.webhooks.operations import shown_url
from pagegrade.web.schemas.audit import AuditWithheld
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.report import RenderedPending
from pagegrade.web.schemas.shape import Document, extended

_EVENT = "report.regressed"
_NO, _YES = (False,), (True,)


class Webhook(Document, frozen=True, kw_only=True):
    """A target of deliveries."""

    id: Annotated[int, about("Grows with every new webhook; never used again.", 5, minimum=1)]
    object: Annotated[Literal["webhook"], about("The kind of object.", "webhook")]
    kind: Annotated[Kind, about("`webhook` for programs; the others for messages to people.", "webhook")]
    url: Annotated[
        str,
        about(
            "Destination of deliveries; `mailto:` for e-mail. The path of a chat channel's URL is a secret and left "
            "out.",
            "https://ci.example.com/hooks/pagegrade",
        ),
    ]
    events: Annotated[list[EventType], about("Types that are sent.", list(EVENT_TYPES))]
    project: Annotated[
        str | None, about("Only events of reports and audits of this project; null: of all.", None, "example.com")
    ]
    disabled: Annotated[bool, about("Nothing is sent to it.", *_NO)]
    disabled_reason: Annotated[
        DisabledReason | None,
        about(
            "`by_owner`; `gone`: it answered 410; `failing`: it accepted nothing for days; `unsubscribed`: by the "
            "link in a message; null: it is not disabled.",
            None,
            "failing",
        ),
    ]
    failing_since: Annotated[Timestamp | None, about("It accepts nothing since then; null: it does.", None)]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]


class WebhookWithSecret(Webhook, frozen=True, kw_only=True):
    """A webhook as it is created or its secret is rotated."""

    secret: Annotated[
        str | None,
        about(
            "Verifies signatures; in this answer only. null: it was shown before, or the kind has none.",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
        ),
    ]


class Delivery(Document, frozen=True, kw_only=True):
    """One event for one webhook."""

    id: Annotated[int, about("Grows with every delivery; never used again.", 88, minimum=1)]
    object: Annotated[Literal["delivery"], about("The kind of object.", "delivery")]
    webhook_id: Annotated[str, about("The `webhook-id` of every attempt.", "msg_2b7c1d0e9f8a4b6c8d0e1f2a3b4c5d6e")]
    type: Annotated[str, about("Type of the event.", _EVENT)]
    report_id: Annotated[int | None, about("The report that it is about; null: none.", 1042)]
    audit_id: Annotated[int | None, about("The site audit that it is about; null: none.", None, 12)]
    state: Annotated[
        DeliveryState,
        about("`waiting` for its next attempt, `delivered`, or `failed`: it is not tried again.", "delivered"),
    ]
    attempts: Annotated[Count, about("Attempts so far.", 1)]
    next_attempt_at: Annotated[Timestamp | None, about("Time of the next attempt; null: there is none.", None)]
    attempted_at: Annotated[
        Timestamp | None, about("Time of the last attempt; null: there was none.", "2026-01-05T12:34:57.000Z")
    ]
    http_status: Annotated[int | None, about("Status of the last answer; null: there was none.", 204)]
    error: Annotated[
        str | None,
        about(
            "Reason why the last attempt failed: `http_status`, `redirect`, `gone`, `dns`, `connect`, `tls`, "
            "`timeout`, `protocol`, `address_not_allowed` ...; null: it did not fail.",
            None,
            "timeout",
        ),
    ]
    answer: Annotated[str | None, about("The first 4 kB of the last answer, as text.", None, "ok")]
    duration_ms: Annotated[Count | None, about("Duration of the last attempt.", 41)]
    created_at: Annotated[Timestamp, about("Time of the event.", "2026-01-05T12:34:56.789Z")]


class EventReport(Document, frozen=True, kw_only=True):
    """The report that an event is about."""

    id: Annotated[int, about("Id of the report.", 1042, minimum=1)]
    url: Annotated[URL, about("Its URL.", "https://example.com/pricing")]
    project: Annotated[str, about("Its project.", "example.com")]
    score: Annotated[int | None, about("Of this run; null: none.", 74)]
    result: Annotated[Grade | None, about("Of this run; null: none.", "decent")]
    share_url: (
        Annotated[
            URL | None,
            about("Its share page, unless it is private.", "https://reports.example.org/r/9fK2vQ7xLmB3dT0aYw5cZg"),
        ]
        | UnsetType
    ) = UNSET


class EventRun(Document, frozen=True, kw_only=True):
    """The run that an event is about."""

    number: Annotated[int, about("Within the report, from 1.", 3, minimum=1)]
    engine: Annotated[str | None, about("Version of Pagegrade.", "0.1.0")]
    ruleset: Annotated[str | None, about("Version of the rules.", RULESET)]


class EventChange(Document, frozen=True, kw_only=True):
    """Changes since the last run of the same engine, device and rules."""

    score: Annotated[int | None, about("Points; null: there is no such run, or one of the two has no score.", -4)]
    new: Annotated[Count | None, about("New findings; null: there is no such run.", 2)] | UnsetType = UNSET
    fixed: Annotated[Count | None, about("Fixed findings; null: there is no such run.", 1)] | UnsetType = UNSET
    since: Annotated[Count | None, about("Number of that run.", 2)] | UnsetType = UNSET
    differs_in: (
        Annotated[
            list[Literal["engine", "device", "ruleset"]] | None,
            about("Without such a run: what keeps the last one from being compared.", ["engine"]),
        ]
        | UnsetType
    ) = UNSET


class EventBudget(Document, frozen=True, kw_only=True):
    """A budget of a monitor that was crossed."""

    condition: Annotated[str, about("As it was set.", "score<80")]
    value: Annotated[float | str | None, about("Of this run.", 74)]
    limit: Annotated[float | str | None, about("Of the condition.", 80)]


class EventError(Document, frozen=True, kw_only=True):
    """The reason for which an analysis failed."""

    code: Annotated[str | None, about("As in a report.", "dns")]
    reason: Annotated[str | None, about("Finer.", "dns_nxdomain")]
    message: Annotated[str | None, about("A sentence for people.", "The host name could not be resolved.")]


class EventLinks(Document, frozen=True, kw_only=True):
    """Pages for people."""

    report: Annotated[URL | None, about("The report.", "https://reports.example.org/reports/1042")] | UnsetType = UNSET
    webhooks: Annotated[URL | None, about("The webhook.", "https://reports.example.org/webhooks/5")] | UnsetType = UNSET


class EventData(Document, frozen=True, kw_only=True):
    """Members depend on the type; new ones may appear at any time."""

    report: Annotated[EventReport, about("The report.")]
    run: Annotated[EventRun, about("Its newest finished run.")]
    analysis: Annotated[Analysis | None, about("The engine that the results of the run come from.")] | UnsetType = UNSET
    rendered: (
        Annotated[
            RenderedPending | None,
            about("Of a static run: the run in a browser that follows it, with an event of its own."),
        ]
        | UnsetType
    ) = UNSET
    change: Annotated[EventChange, about("The change.")]
    links: Annotated[EventLinks, about("Pages for people.")]
    error: (
        Annotated[EventError | None, about("Of `report.failed`.", {"code": "dns", "reason": None, "message": "..."})]
        | UnsetType
    ) = UNSET
    monitor_id: Annotated[int | None, about("Of events of monitors.", 7)] | UnsetType = UNSET
    budgets: (
        Annotated[
            list[EventBudget] | None,
            about(
                "Of `report.regressed`, `report.recovered` and `monitor.reminder`, which has no values.",
                [{"condition": "score<80", "value": 74, "limit": 80}],
            ),
        ]
        | UnsetType
    ) = UNSET
    still: (
        Annotated[Literal["breached", "unreachable"] | None, about("Of `monitor.reminder`: what is bad.", "breached")]
        | UnsetType
    ) = UNSET
    since: (
        Annotated[Timestamp | None, about("Of `monitor.reminder`: since when.", "2026-01-03T08:00:00.000Z")] | UnsetType
    ) = UNSET
    truncated: (
        Annotated[bool | None, about("Lists were cut so that the payload stays below 20 kB.", *_YES)] | UnsetType
    ) = UNSET


class WebhookPayload(Document, frozen=True, kw_only=True):
    """Body of a delivery, below 20 kB."""

    type: Annotated[EventType, about("Type of the event.", _EVENT)]
    timestamp: Annotated[Timestamp, about("Time of the event.", "2026-01-05T12:34:56.789Z")]
    data: Annotated[EventData, about("The event itself.")]


class EventAudit(Document, frozen=True, kw_only=True):
    """The site audit that an event is about."""

    id: Annotated[int, about("Id of the audit.", 12, minimum=1)]
    url: Annotated[URL, about("Its start page.", "https://example.com/")]
    project: Annotated[str, about("Its project.", "example.com")]
    score: Annotated[int | None, about("Of this crawl; null: none.", 71)]
    result: Annotated[Grade | None, about("Of this crawl; null: none.", "decent")]
    withheld: Annotated[AuditWithheld | None, about("Why this crawl has no grade; null: it has one, or goes on.", None)]
    share_url: (
        Annotated[
            URL | None,
            about("Its share page, unless it is private.", "https://reports.example.org/a/9fK2vQ7xLmB3dT0aYw5cZg"),
        ]
        | UnsetType
    ) = UNSET


class EventCrawl(Document, frozen=True, kw_only=True):
    """The crawl that has ended or pauses."""

    number: Annotated[int, about("Within the audit, from 1.", 2, minimum=1)]
    state: Annotated[CrawlState, about("`completed`, `failed` or `paused`.", "completed")]
    stop_reason: Annotated[StopReason | None, about("Why it fetches nothing more.", "done")]
    complete: Annotated[bool, about("True if every known page was asked for, and nearly all answered.", *_YES)]
    fetched: Annotated[Count, about("URLs that were fetched.", 240)]


class EventAuditChange(Document, frozen=True, kw_only=True):
    """Changes since the last crawl that compares."""

    score: Annotated[int | None, about("Points; null: one of the two crawls has no score.", -4)]
    since: Annotated[Count, about("Number of that crawl.", 1)]
    new: Annotated[Count, about("New findings.", 2)]
    worse: Annotated[Count, about("Findings that more pages have.", 1)]
    fixed: Annotated[Count, about("Fixed findings.", 1)]
    better: Annotated[Count, about("Findings that fewer pages have.", 0)]


class EventAuditLinks(Document, frozen=True, kw_only=True):
    """Pages for people."""

    audit: Annotated[URL, about("The audit.", "https://reports.example.org/audits/12")]


class AuditEventData(Document, frozen=True, kw_only=True):
    """New members may appear at any time."""

    audit: Annotated[EventAudit, about("The audit.")]
    crawl: Annotated[EventCrawl, about("Its crawl.")]
    change: Annotated[EventAuditChange | None, about("The change; null: no crawl before it compares.")]
    links: Annotated[EventAuditLinks, about("Pages for people.")]
    monitor_id: Annotated[int | None, about("Of events of monitors.", 7)] | UnsetType = UNSET
    budgets: (
        Annotated[
            list[EventBudget] | None,
            about(
                "Of `audit.recovered`, and of `audit.regressed` where it is a monitor's.",
                [{"condition": "score<80", "value": 74, "limit": 80}],
            ),
        ]
        | UnsetType
    ) = UNSET
    still: (
        Annotated[Literal["breached", "unreachable"] | None, about("Of `monitor.reminder`: what is bad.", "breached")]
        | UnsetType
    ) = UNSET
    since: (
        Annotated[Timestamp | None, about("Of `monitor.reminder`: since when.", "2026-01-03T08:00:00.000Z")] | UnsetType
    ) = UNSET


class AuditWebhookPayload(Document, frozen=True, kw_only=True):
    """Body of a delivery about a site audit, below 20 kB."""

    type: Annotated[EventType, about("Type of the event.", "audit.regressed")]
    timestamp: Annotated[Timestamp, about("Time of the event.", "2026-01-05T12:34:56.789Z")]
    data: Annotated[AuditEventData, about("The event itself.")]


class EventQuota(Document, frozen=True, kw_only=True):
    """A quota of which the account has used much; each is told once in a month (UTC) at 80 and at 100 per cent."""

    name: Annotated[QuotaName, about("As in the account.", "analyses_per_month")]
    used: Annotated[Count, about("Used so far.", 4_010)]
    limit: Annotated[Count, about("The most that there may be.", 5_000)]
    percent: Annotated[Literal[80, 100], about("The share that was reached.", 80)]


class EventQuotaLinks(Document, frozen=True, kw_only=True):
    """Pages for people."""

    team: Annotated[URL, about("All quotas.", "https://reports.example.org/team")]


class QuotaEventData(Document, frozen=True, kw_only=True):
    """New members may appear at any time."""

    quota: Annotated[EventQuota, about("The quota.")]
    links: Annotated[EventQuotaLinks, about("Pages for people.")]


class QuotaWebhookPayload(Document, frozen=True, kw_only=True):
    """Body of a delivery about a quota, below 20 kB."""

    type: Annotated[EventType, about("Type of the event.", "quota.low")]
    timestamp: Annotated[Timestamp, about("Time of the event.", "2026-01-05T12:34:56.789Z")]
    data: Annotated[QuotaEventData, about("The event itself.")]


WebhookAnswer: Final = answer_with("WebhookAnswer", Webhook, "One webhook.", "The webhook.")
WebhookSecretAnswer: Final = answer_with(
    "WebhookSecretAnswer", WebhookWithSecret, "One webhook with its secret.", "The webhook."
)
WebhookList: Final = cursor_list("WebhookList", Webhook, "Webhooks.", "The webhooks of this page.")
DeletedWebhook: Final = deleted("DeletedWebhook", "webhook", "a webhook was deleted", "The deleted webhook.", 5)
DeliveryAnswer: Final = answer_with("DeliveryAnswer", Delivery, "One delivery.", "The delivery.")
DeliveryList: Final = cursor_list("DeliveryList", Delivery, "Deliveries.", "The deliveries of this page.")


def webhook_object(stored: StoredWebhook) -> bytes:
    """The JSON object of a webhook."""
    return msgspec.json.encode(_webhook(stored))


def webhook_with_secret(stored: StoredWebhook, secret: str | None) -> bytes:
    """The JSON object of a webhook with its secret; ``None``: it was shown before, or the kind has none."""
    return msgspec.json.encode(extended(_webhook(stored), WebhookWithSecret, secret=secret))


def _webhook(stored: StoredWebhook) -> Webhook:
    return Webhook(
        id=stored.id,
        object="webhook",
        kind=stored.kind,
        url=shown_url(stored),
        events=list(stored.events),
        project=stored.project or None,
        disabled=stored.disabled_at_ms is not None,
        disabled_reason=stored.disabled_reason,
        failing_since=timestamp(stored.failing_since_ms),
        created_at=timestamp(stored.created_at_ms),
    )


def delivery_object(stored: StoredDelivery) -> bytes:
    """The JSON object of a delivery."""
    return msgspec.json.encode(
        Delivery(
            id=stored.id,
            object="delivery",
            webhook_id=stored.event_id,
            type=stored.type,
            report_id=stored.report_id,
            audit_id=stored.audit_id,
            state=stored.state,
            attempts=stored.attempts,
            next_attempt_at=timestamp(stored.due_at_ms),
            attempted_at=timestamp(stored.attempted_at_ms),
            http_status=stored.http_status,
            error=stored.error,
            answer=None if stored.answer is None else stored.answer.decode("utf-8", "replace"),
            duration_ms=stored.duration_ms,
            created_at=timestamp(stored.created_at_ms),
        )
    )
