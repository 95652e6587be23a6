from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from pagegrade.clock import now_ms
from pagegrade.model.stored import PackedReport
from pagegrade.model.webhooks import MAX_PAYLOAD_BYTES, ROTATION_MS
from pagegrade.report.codec import pack_report
from pagegrade.service.webhooks.payload import (
    is_token_of,
    make_key,
    prepare,
    secret_of,
    signed_headers,
    unsubscribe_token,
    webhook_of_token,
)
from pagegrade.store.repositories.deliveries import claim_webhooks
from pagegrade.store.repositories.webhooks import add_webhook
from tests.queue_builders import Queue
from tests.report_builders import make_report
from tests.store_builders import NOW_MS, add_owner, make_database, stored_webhook

KEY = b"k" * 32
BODY = '{"type":"report.completed","data":{"ü":"\\u2028"}}'.encode()
HOOK = stored_webhook(id=7)


def test_receivers_verify_what_was_signed() -> None:
    """And refuse another body, another id and another secret."""
    headers = dict(signed_headers(KEY, HOOK, event_id="msg_1", body=BODY, now_ms=now_ms()))
    receiver = Webhook(secret_of(KEY, HOOK.secret_salt))
    receiver.verify(BODY, headers)

    for body, changed in ((BODY + b" ", headers), (BODY, {**headers, "webhook-id": "msg_2"})):
        with pytest.raises(WebhookVerificationError):
            receiver.verify(body, changed)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_of(KEY, b"b" * 32)).verify(BODY, headers)


def test_a_secret_has_32_bytes() -> None:
    """In the form of the specification; without the key of the installation the salt gives another."""
    secret = secret_of(KEY, HOOK.secret_salt)

    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32
    assert secret_of(b"other", HOOK.secret_salt) != secret


def test_the_previous_secret_signs_for_a_day() -> None:
    """To the millisecond."""
    rotated = replace(HOOK, secret_salt=b"b" * 32, previous_salt=HOOK.secret_salt, previous_until_ms=ROTATION_MS)

    def count(at_ms: int) -> int:
        headers = dict(signed_headers(KEY, rotated, event_id="msg_1", body=BODY, now_ms=at_ms))
        return len(headers["webhook-signature"].split(" "))

    assert (count(ROTATION_MS - 1), count(ROTATION_MS)) == (2, 1)


def test_an_unsubscription_link_is_for_one_target() -> None:
    """It cannot be made without the key, and no other target accepts it."""
    token = unsubscribe_token(KEY, HOOK)

    assert webhook_of_token(token) == HOOK.id
    assert is_token_of(token, KEY, HOOK)
    assert not is_token_of(token, b"other", HOOK)
    assert not is_token_of(token, KEY, replace(HOOK, id=8))
    assert not is_token_of(token, KEY, replace(HOOK, url="mailto:other@example.org"))
    assert not is_token_of(token[:-1] + "\ud800", KEY, HOOK)


@pytest.mark.parametrize(
    "token", ["", "7", "7-", "x-" + "a" * 32, "7-" + "a" * 31, "9" * 20 + "-" + "a" * 32, "²-" + "a" * 32]
)
def test_other_texts_are_no_links(token: str) -> None:
    """They lead to no row of the database."""
    assert webhook_of_token(token) is None


BASE_URL = "https://reports.example.org"


def outcome(score: int) -> PackedReport:
    """A run that found nothing."""
    return pack_report(make_report(score=score, results=()))


def payloads(tmp_path: Path, *outcomes: PackedReport, url: str = "https://example.com/", sql: str = "") -> list[Any]:
    """The payloads of runs of one report, in their order."""
    database = make_database(tmp_path)
    queue = Queue(database, add_owner(database)[0].id)
    database.write_here(
        lambda tx: add_webhook(
            tx, 1, kind="slack", url="https://h.example/", events=("report.completed",), project="", now_ms=1
        )
    )
    made = queue.add(url)
    for number, packed in enumerate(outcomes):
        if number:
            queue.again(made.report_id)
        (run,) = queue.claim()
        queue.finish(run, packed)
    if sql:
        queue.change(sql)
    key = database.write_here(make_key)
    later = NOW_MS + 60_000
    (claimed,) = queue.write(lambda tx: claim_webhooks(tx, worker="w", count=1, now_ms=later, lease_ms=1), now_ms=later)
    prepared = database.read_here(lambda tx: prepare(tx, claimed, key=key, base_url=BASE_URL))
    assert prepared is not None
    found = [msgspec.json.decode(msgspec.json.encode(each)) for each in prepared.payloads]
    database.close()
    return found


def test_a_payload_says_what_changed(tmp_path: Path) -> None:
    """Type, time, report, run, change and links; no content of the page."""
    first, second = payloads(tmp_path, outcome(81), outcome(77))

    assert first["timestamp"] == "2026-01-01T00:00:00.000Z"
    assert first["data"]["change"] == {"score": None, "new": None, "fixed": None}
    assert second["data"]["change"] == {"score": -4, "since": 1, "new": 0, "fixed": 0}
    assert second["data"]["run"]["number"] == 2
    assert set(second["data"]) == {"report", "run", "analysis", "change", "links"}


def test_a_private_report_has_no_share_page(tmp_path: Path) -> None:
    """Neither has one that became private after the event."""
    (payload,) = payloads(tmp_path, outcome(81), sql="UPDATE reports SET privacy = 1")

    assert "share_url" not in payload["data"]["report"]
    assert payload["data"]["links"]["report"].startswith(f"{BASE_URL}/reports/")


def test_the_longest_url_fits(tmp_path: Path) -> None:
    """With everything around it."""
    (payload,) = payloads(tmp_path, outcome(81), url="https://example.com/" + "x" * 2_028)

    assert len(msgspec.json.encode(payload)) < MAX_PAYLOAD_BYTES
