"""Webhooks and their deliveries, and what is delivered."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.audit import CrawlState, StopReason
from pagegrade.model.events import EVENT_TYPES, EventType
from pagegrade.model.quotas import QuotaName
from pagegrade.model.report import RULESET
from pagegrade.model.webhooks import DeliveryState, DisabledReason, Kind, StoredDelivery, StoredWebhook
from pagegrade.report.serialize import timestamp
from pagegrade.service.webhooks.operations import shown_url
from pagegrade.web.schemas.audit import AuditWithheld
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.rendered import Analysis, RenderedPending
from pagegrade.web.schemas.shape import URL, Count, Document, Result, Timestamp, about, sometimes

_EVENT = "report.regressed"
_NO, _YES = (False,), (True,)


class Webhook(Document):
    """A target of deliveries."""

    id: int = about("Grows with every new webhook; never used again.", 5, ge=1)
    object: Literal["webhook"] = about("The kind of object.", "webhook")
    kind: Kind = about("`webhook` for programs; the others for messages to people.", "webhook")
    url: str = about(
        "Destination of deliveries; `mailto:` for e-mail. The path of a chat channel's URL is a secret and left out.",
        "https://ci.example.com/hooks/pagegrade",
    )
    events: list[EventType] = about("Types that are sent.", list(EVENT_TYPES))
    project: str | None = about("Only events of reports and audits of this project; null: of all.", None, "example.com")
    disabled: bool = about("Nothing is sent to it.", *_NO)
    disabled_reason: DisabledReason | None = about(
        "`by_owner`; `gone`: it answered 410; `failing`: it accepted nothing for days; `unsubscribed`: by the link in "
        "a message; null: it is not disabled.",
        None,
        "failing",
    )
    failing_since: Timestamp | None = about("It accepts nothing since then; null: it does.", None)
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")


class WebhookWithSecret(Webhook):
    """A webhook as it is created or its secret is rotated."""

    secret: str | None = about(
        "Verifies signatures; in this answer only. null: it was shown before, or the kind has none.",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
    )


class Delivery(Document):
    """One event for one webhook."""

    id: int = about("Grows with every delivery; never used again.", 88, ge=1)
    object: Literal["delivery"] = about("The kind of object.", "delivery")
    webhook_id: str = about("The `webhook-id` of every attempt.", "msg_2b7c1d0e9f8a4b6c8d0e1f2a3b4c5d6e")
    type: str = about("Type of the event.", _EVENT)
    report_id: int | None = about("The report that it is about; null: none.", 1042)
    audit_id: int | None = about("The site audit that it is about; null: none.", None, 12)
    state: DeliveryState = about(
        "`waiting` for its next attempt, `delivered`, or `failed`: it is not tried again.", "delivered"
    )
    attempts: Count = about("Attempts so far.", 1)
    next_attempt_at: Timestamp | None = about("Time of the next attempt; null: there is none.", None)
    attempted_at: Timestamp | None = about(
        "Time of the last attempt; null: there was none.", "2026-01-05T12:34:57.000Z"
    )
    http_status: int | None = about("Status of the last answer; null: there was none.", 204)
    error: str | None = about(
        "Reason why the last attempt failed: `http_status`, `redirect`, `gone`, `dns`, `connect`, `tls`, `timeout`, "
        "`protocol`, `address_not_allowed` ...; null: it did not fail.",
        None,
        "timeout",
    )
    answer: str | None = about("The first 4 kB of the last answer, as text.", None, "ok")
    duration_ms: Count | None = about("Duration of the last attempt.", 41)
    created_at: Timestamp = about("Time of the event.", "2026-01-05T12:34:56.789Z")


class EventReport(Document):
    """The report that an event is about."""

    id: int = about("Id of the report.", 1042, ge=1)
    url: URL = about("Its URL.", "https://example.com/pricing")
    project: str = about("Its project.", "example.com")
    score: int | None = about("Of this run; null: none.", 74)
    result: Result | None = about("Of this run; null: none.", "decent")
    share_url: URL | None = sometimes(
        "Its share page, unless it is private.", "https://reports.example.org/r/9fK2vQ7xLmB3dT0aYw5cZg"
    )


class EventRun(Document):
    """The run that an event is about."""

    number: int = about("Within the report, from 1.", 3, ge=1)
    engine: str | None = about("Version of Pagegrade.", "0.1.0")
    ruleset: str | None = about("Version of the rules.", RULESET)


class EventChange(Document):
    """Changes since the last run of the same engine, device and rules."""

    score: int | None = about("Points; null: there is no such run, or one of the two has no score.", -4)
    new: Count | None = sometimes("New findings; null: there is no such run.", 2)
    fixed: Count | None = sometimes("Fixed findings; null: there is no such run.", 1)
    since: Count | None = sometimes("Number of that run.", 2)
    differs_in: list[Literal["engine", "device", "ruleset"]] | None = sometimes(
        "Without such a run: what keeps the last one from being compared.", ["engine"]
    )


class EventBudget(Document):
    """A budget of a monitor that was crossed."""

    condition: str = about("As it was set.", "score<80")
    value: float | str | None = about("Of this run.", 74)
    limit: float | str | None = about("Of the condition.", 80)


class EventError(Document):
    """The reason for which an analysis failed."""

    code: str | None = about("As in a report.", "dns")
    reason: str | None = about("Finer.", "dns_nxdomain")
    message: str | None = about("A sentence for people.", "The host name could not be resolved.")


class EventLinks(Document):
    """Pages for people."""

    report: URL | None = sometimes("The report.", "https://reports.example.org/reports/1042")
    webhooks: URL | None = sometimes("The webhook.", "https://reports.example.org/webhooks/5")


class EventData(Document):
    """Members depend on the type; new ones may appear at any time."""

    report: EventReport = about("The report.")
    run: EventRun = about("Its newest finished run.")
    analysis: Analysis | None = sometimes("The engine that the results of the run come from.")
    rendered: RenderedPending | None = sometimes(
        "Of a static run: the run in a browser that follows it, with an event of its own."
    )
    change: EventChange = about("The change.")
    links: EventLinks = about("Pages for people.")
    error: EventError | None = sometimes("Of `report.failed`.", {"code": "dns", "reason": None, "message": "..."})
    monitor_id: int | None = sometimes("Of events of monitors.", 7)
    budgets: list[EventBudget] | None = sometimes(
        "Of `report.regressed`, `report.recovered` and `monitor.reminder`, which has no values.",
        [{"condition": "score<80", "value": 74, "limit": 80}],
    )
    still: Literal["breached", "unreachable"] | None = sometimes("Of `monitor.reminder`: what is bad.", "breached")
    since: Timestamp | None = sometimes("Of `monitor.reminder`: since when.", "2026-01-03T08:00:00.000Z")
    truncated: bool | None = sometimes("Lists were cut so that the payload stays below 20 kB.", *_YES)


class WebhookPayload(Document):
    """Body of a delivery, below 20 kB."""

    type: EventType = about("Type of the event.", _EVENT)
    timestamp: Timestamp = about("Time of the event.", "2026-01-05T12:34:56.789Z")
    data: EventData = about("The event itself.")


class EventAudit(Document):
    """The site audit that an event is about."""

    id: int = about("Id of the audit.", 12, ge=1)
    url: URL = about("Its start page.", "https://example.com/")
    project: str = about("Its project.", "example.com")
    score: int | None = about("Of this crawl; null: none.", 71)
    result: Result | None = about("Of this crawl; null: none.", "decent")
    withheld: AuditWithheld | None = about("Why this crawl has no grade; null: it has one.", None)
    share_url: URL | None = sometimes(
        "Its share page, unless it is private.", "https://reports.example.org/a/9fK2vQ7xLmB3dT0aYw5cZg"
    )


class EventCrawl(Document):
    """The crawl that has ended."""

    number: int = about("Within the audit, from 1.", 2, ge=1)
    state: CrawlState = about("`completed` or `failed`.", "completed")
    stop_reason: StopReason | None = about("Why it fetches nothing more.", "done")
    complete: bool = about("True if every known page was asked for, and nearly all answered.", *_YES)
    fetched: Count = about("URLs that were fetched.", 240)


class EventAuditChange(Document):
    """Changes since the last crawl that compares."""

    score: int | None = about("Points; null: one of the two crawls has no score.", -4)
    since: Count = about("Number of that crawl.", 1)
    new: Count = about("New findings.", 2)
    worse: Count = about("Findings that more pages have.", 1)
    fixed: Count = about("Fixed findings.", 1)
    better: Count = about("Findings that fewer pages have.", 0)


class EventAuditLinks(Document):
    """Pages for people."""

    audit: URL = about("The audit.", "https://reports.example.org/audits/12")


class AuditEventData(Document):
    """New members may appear at any time."""

    audit: EventAudit = about("The audit.")
    crawl: EventCrawl = about("Its crawl.")
    change: EventAuditChange | None = about("The change; null: no crawl before it compares.")
    links: EventAuditLinks = about("Pages for people.")
    monitor_id: int | None = sometimes("Of events of monitors.", 7)
    budgets: list[EventBudget] | None = sometimes(
        "Of `audit.recovered`, and of `audit.regressed` where it is a monitor's.",
        [{"condition": "score<80", "value": 74, "limit": 80}],
    )
    still: Literal["breached", "unreachable"] | None = sometimes("Of `monitor.reminder`: what is bad.", "breached")
    since: Timestamp | None = sometimes("Of `monitor.reminder`: since when.", "2026-01-03T08:00:00.000Z")


class AuditWebhookPayload(Document):
    """Body of a delivery about a site audit, below 20 kB."""

    type: EventType = about("Type of the event.", "audit.regressed")
    timestamp: Timestamp = about("Time of the event.", "2026-01-05T12:34:56.789Z")
    data: AuditEventData = about("The event itself.")


class EventQuota(Document):
    """A quota of which the account has used much; each is told once in a month (UTC) at 80 and at 100 per cent."""

    name: QuotaName = about("As in the account.", "analyses_per_month")
    used: Count = about("Used so far.", 4_010)
    limit: Count = about("The most that there may be.", 5_000)
    percent: Literal[80, 100] = about("The share that was reached.", 80)


class EventQuotaLinks(Document):
    """Pages for people."""

    team: URL = about("All quotas.", "https://reports.example.org/team")


class QuotaEventData(Document):
    """New members may appear at any time."""

    quota: EventQuota = about("The quota.")
    links: EventQuotaLinks = about("Pages for people.")


class QuotaWebhookPayload(Document):
    """Body of a delivery about a quota, below 20 kB."""

    type: EventType = about("Type of the event.", "quota.low")
    timestamp: Timestamp = about("Time of the event.", "2026-01-05T12:34:56.789Z")
    data: QuotaEventData = about("The event itself.")


class WebhookAnswer(Answer):
    """One webhook."""

    data: Webhook = about("The webhook.")


class WebhookSecretAnswer(Answer):
    """One webhook with its secret."""

    data: WebhookWithSecret = about("The webhook.")


class WebhookList(CursorListAnswer):
    """Webhooks."""

    data: list[Webhook] = about("The webhooks of this page.")


class DeletedWebhook(Deleted):
    """Confirmation that a webhook was deleted."""

    id: int = about("The deleted webhook.", 5, ge=1)
    object: Literal["webhook"] = about("The kind of object.", "webhook")


class DeliveryAnswer(Answer):
    """One delivery."""

    data: Delivery = about("The delivery.")


class DeliveryList(CursorListAnswer):
    """Deliveries."""

    data: list[Delivery] = about("The deliveries of this page.")


def webhook_object(stored: StoredWebhook, **more: Any) -> bytes:
    """The JSON object of a webhook, with ``secret`` where it is given."""
    members: dict[str, Any] = {
        "id": stored.id,
        "object": "webhook",
        "kind": stored.kind,
        "url": shown_url(stored),
        "events": list(stored.events),
        "project": stored.project or None,
        "disabled": stored.disabled_at_ms is not None,
        "disabled_reason": stored.disabled_reason,
        "failing_since": _moment(stored.failing_since_ms),
        "created_at": timestamp(stored.created_at_ms),
        **more,
    }
    return msgspec.json.encode(members)


def delivery_object(stored: StoredDelivery) -> bytes:
    """The JSON object of a delivery."""
    members: dict[str, Any] = {
        "id": stored.id,
        "object": "delivery",
        "webhook_id": stored.event_id,
        "type": stored.type,
        "report_id": stored.report_id,
        "audit_id": stored.audit_id,
        "state": stored.state,
        "attempts": stored.attempts,
        "next_attempt_at": _moment(stored.due_at_ms),
        "attempted_at": _moment(stored.attempted_at_ms),
        "http_status": stored.http_status,
        "error": stored.error,
        "answer": None if stored.answer is None else stored.answer.decode("utf-8", "replace"),
        "duration_ms": stored.duration_ms,
        "created_at": timestamp(stored.created_at_ms),
    }
    return msgspec.json.encode(members)


def _moment(at_ms: int | None) -> str | None:
    return None if at_ms is None else timestamp(at_ms)
