from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.webhooks import ClaimedWebhook, DueDelivery, Kind, StoredWebhook, receiver_of

WEBHOOK = StoredWebhook(
    id=3,
    account_id=1,
    kind="email",
    url="mailto:bob@example.org",
    events=("report.failed",),
    project="",
    secret_salt=b"",
    previous_salt=None,
    previous_until_ms=None,
    failures=0,
    failing_since_ms=None,
    disabled_at_ms=None,
    disabled_reason=None,
    created_at_ms=1,
    revision=1,
)
DUE = DueDelivery(
    id=1,
    attempts=0,
    event_id="msg_1",
    type="report.failed",
    report_id=None,
    audit_id=None,
    run_number=None,
    data=b"{}",
    at_ms=1,
)


def test_an_event_that_several_webhooks_wanted_is_there_once() -> None:
    """In the order of its first delivery; each webhook keeps its own."""
    deliveries = (DUE, replace(DUE, id=2, event_id="msg_2"), replace(DUE, id=3), replace(DUE, id=4, event_id="msg_3"))
    claimed = ClaimedWebhook(webhook=WEBHOOK, deliveries=deliveries, others=(5, 7))

    assert [due.id for due in claimed.events] == [1, 2, 4]
    assert claimed.ids == (3, 5, 7)


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("email", "mailto:Bob@example.org", "mailto:bob@EXAMPLE.org", True),
        ("email", "mailto:bob@example.org", "mailto:eve@example.org", False),
        ("slack", "https://hooks.slack.com/services/T/B/x", "https://hooks.slack.com/services/T/B/x", True),
        ("slack", "https://hooks.slack.com/services/T/B/x", "https://hooks.slack.com/services/T/B/X", False),
    ],
)
def test_a_receiver_is_known_by_its_address(kind: Kind, one: str, other: str, *, same: bool) -> None:
    """Of e-mail in any case; of chat it is a secret, in which case counts."""
    assert (receiver_of(kind, one) == receiver_of(kind, other)) is same
