"""The JSON objects of webhooks, deliveries and payloads."""

from __future__ import annotations

import msgspec

from pagegrade.model.webhooks import StoredDelivery
from pagegrade.web.schemas.webhook import (
    Delivery,
    Webhook,
    WebhookWithSecret,
    delivery_object,
    webhook_object,
    webhook_with_secret,
)
from tests.store_builders import stored_webhook

HOOK = stored_webhook(
    id=5, kind="slack", url="https://hooks.slack.example/services/T0/B0/secret", events=("report.failed",)
)


def test_a_webhook_shows_no_secret() -> None:
    """Neither that of its signatures, nor the path of a chat channel; every member of the description is there."""
    packed = webhook_object(HOOK)
    members = msgspec.json.decode(packed)

    assert list(members) == list(Webhook.__struct_encode_fields__)
    assert members["url"] == "https://hooks.slack.example/…"
    assert b"salt" not in packed
    assert list(msgspec.json.decode(webhook_with_secret(HOOK, None))) == list(
        WebhookWithSecret.__struct_encode_fields__
    )


def test_a_delivery_shows_the_answer_as_text() -> None:
    """Whatever bytes it was."""
    stored = StoredDelivery(
        id=1,
        event_id="msg_1",
        type="report.failed",
        report_id=None,
        audit_id=None,
        state="waiting",
        attempts=1,
        due_at_ms=1,
        attempted_at_ms=0,
        http_status=500,
        error="http_status",
        answer=b"\xff<b>",
        duration_ms=3,
        created_at_ms=0,
    )
    members = msgspec.json.decode(delivery_object(stored))

    assert list(members) == list(Delivery.__struct_encode_fields__)
    assert members["answer"] == "\ufffd<b>"
    assert members["next_attempt_at"] == "1970-01-01T00:00:00.001Z"
