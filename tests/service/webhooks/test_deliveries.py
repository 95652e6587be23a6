from __future__ import annotations

import asyncio
import base64
from collections.abc import Sequence
from email.utils import formatdate
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from pagegrade.clock import now_ms
from pagegrade.model.account import Account
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import PackedReport
from pagegrade.model.webhooks import KINDS, MAX_PAYLOAD_BYTES, ROTATION_MS, ClaimedWebhook, DueDelivery, Kind
from pagegrade.report.codec import pack_report
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.service.webhooks.deliveries import (
    MAX_ANSWER_BYTES,
    RECEIVERS,
    RETRY_S,
    Prepared,
    Reply,
    attempt,
    is_token_of,
    make_key,
    outcome_of,
    prepare,
    read_retry_after,
    secret_of,
    signed_headers,
    texts_of,
    unsubscribe_token,
    webhook_of_token,
)
from pagegrade.service.webhooks.operations import read_webhook
from pagegrade.store.repositories.webhooks import MAX_PAUSE_MS, AttemptOutcome, add_webhook, claim_webhooks
from tests.queue_builders import Queue
from tests.report_builders import make_report
from tests.store_builders import NOW_MS, add_owner, make_database, stored_webhook
from tests.webhook_receiver import ADDRESSES, OK, SECRETS, Receiver, answer, check_published, receiving

LOOPBACK = ServiceOptions(analyze=AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),)))
HOST = "https://push.example"
ALICE = Account(id=1, name="Alice", email="alice@example.org", created_at_ms=NOW_MS)
PAYLOAD = {"type": "webhook.test", "timestamp": "2026-01-01T00:00:00.000Z", "data": {}}


def due(event_id: str) -> DueDelivery:
    """A test event."""
    return DueDelivery(
        id=1,
        attempts=0,
        event_id=event_id,
        type="webhook.test",
        report_id=None,
        audit_id=None,
        run_number=None,
        data=b"{}",
        at_ms=1,
    )


def send(
    kind: str, *groups: Sequence[str], said: bytes = OK, options: ServiceOptions = LOOPBACK
) -> tuple[Receiver, list[AttemptOutcome]]:
    """Attempt a message for each group of events at a receiver of a kind."""

    async def script() -> tuple[Receiver, list[AttemptOutcome]]:
        async with receiving(said) as receiver:
            url = f"http://127.0.0.1:{receiver.port}{ADDRESSES[kind]}"
            webhook = stored_webhook(kind=kind, url=url)
            outcomes: list[AttemptOutcome] = []
            for events in groups or (("msg_1",),):
                claimed = ClaimedWebhook(webhook=webhook, deliveries=tuple(map(due, events)))
                prepared = Prepared(key=b"k", account=ALICE, payloads=(PAYLOAD,) * len(events))
                outcomes += await attempt(claimed, prepared, options, now_ms=NOW_MS)
        return receiver, outcomes

    return asyncio.run(script())


def test_every_kind_with_a_body_has_its_receiver() -> None:
    """All but the two that are sent in another way."""
    assert set(RECEIVERS) == set(KINDS) - {"webhook", "email"}


@pytest.mark.parametrize("kind", ADDRESSES)
def test_a_request_is_what_the_receiver_publishes(kind: str) -> None:
    """Method, path, headers and body; the token is in no URL where a header takes it."""
    receiver, (outcome,) = send(kind)
    (request,) = receiver.received

    check_published(kind, request)

    assert (outcome.state, outcome.http_status) == ("delivered", 204)


def test_a_repetition_for_matrix_is_the_same_transaction() -> None:
    """With another event in it, it is another: the server would drop it otherwise."""
    receiver, _ = send("matrix", ("msg_1",), ("msg_1",), ("msg_1", "msg_2"))
    first, second, third = (request.line for request in receiver.received)

    assert first == second != third


@pytest.mark.parametrize("kind", ADDRESSES)
def test_an_answer_that_repeats_a_secret_is_not_kept(kind: str) -> None:
    """Also where it is cut in the middle of it; another answer is kept."""
    for secret in SECRETS[kind]:
        for body in (f"no such thing: {secret}", "x" * (MAX_ANSWER_BYTES - 9) + secret):
            token = "110201543:" + secret if kind == "telegram" else secret
            _, (outcome,) = send(kind, said=answer(400, body.replace(secret, token).encode()))

            assert (outcome.state, outcome.http_status, outcome.answer) == ("retry", 400, b"")
    _, (kept,) = send(kind, said=answer(400, b"chat not found"))

    assert kept.answer == b"chat not found"


@pytest.mark.parametrize("kind", ADDRESSES)
def test_no_receiver_is_beyond_the_guard(kind: str) -> None:
    """As for every other URL, at its entry and at each attempt."""
    receiver, (outcome,) = send(kind, options=ServiceOptions())

    assert (outcome.state, outcome.error, receiver.received) == ("retry", "address_not_allowed", [])
    for host in ("http://10.0.0.1", "http://169.254.169.254", "http://[::1]"):
        with pytest.raises(ValidationFailed) as caught:
            read_webhook(kind=kind, url=host + ADDRESSES[kind], events=None, project=None, options=ServiceOptions())
        assert [each.code for each in caught.value.violations] == ["address_not_allowed"]


@pytest.mark.parametrize("kind", ADDRESSES)
def test_a_redirect_is_not_followed(kind: str) -> None:
    """The secret would go to wherever it leads."""
    receiver, (outcome,) = send(kind, said=answer(307, b"", "Location: http://127.0.0.1:1/"))

    assert (outcome.error, len(receiver.received)) == ("redirect", 1)


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("ntfy", "/"),
        ("ntfy", "/a/b"),
        ("ntfy", "/" + "t" * 65),
        ("ntfy", "/topic?auth=x"),
        ("ntfy", "/topic?token=%0d%0aX:y"),
        ("ntfy", "/topic?token=" + "t" * 513),
        ("gotify", "/message"),
        ("gotify", "/stream?token=x"),
        ("gotify", "/message?token=a&token=b"),
        ("telegram", "/bot1:abc/sendMessage"),
        ("telegram", "/bot1:abc/sendPhoto?chat_id=1"),
        ("telegram", "/bot1:abc/sendMessage?chat_id=1&parse_mode=Markdown"),
        ("telegram", "/botabc/sendMessage?chat_id=1"),
        ("telegram", "/bot1:abc/sendMessage?chat_id=" + "1" * 21),
        ("matrix", "/_matrix/client/v3/rooms/!r:h/send/m.room.message"),
        ("matrix", "/_matrix/client/v3/rooms/!r:h/state/m.room.message?access_token=x"),
        ("matrix", "/_matrix/client/v3/rooms/!r:h/x/send/m.room.message?access_token=x"),
    ],
)
def test_another_address_is_refused_with_an_example(kind: Kind, path: str) -> None:
    """Before it is stored."""
    with pytest.raises(ValidationFailed) as caught:
        read_webhook(kind=kind, url=HOST + path, events=None, project=None, options=ServiceOptions())
    (violation,) = caught.value.violations

    assert (violation.field, violation.code) == ("url", "not_a_receiver")
    assert violation.message.startswith("Must be like https://")


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("ntfy", "/" + "t" * 64),
        ("ntfy", "/topic?token=" + "t" * 512),
        ("gotify", "/push/message?token=x"),
        ("telegram", "/bot1:abc/sendMessage?chat_id=@channel"),
        ("telegram", "/bot1:abc/sendMessage?chat_id=" + "1" * 20),
        ("matrix", "/_matrix/client/v3/rooms/%21r%3Ah/send/m.room.message?access_token=x"),
    ],
)
def test_every_form_of_an_address_is_taken(kind: Kind, path: str) -> None:
    """At the limits, too."""
    made = read_webhook(kind=kind, url=HOST + path, events=None, project=None, options=ServiceOptions())

    assert RECEIVERS[kind].destination(made.url, "t").url.startswith(HOST)


def test_ntfy_needs_no_token() -> None:
    """Topics of a public server are open; then nothing is sent for it."""
    made = RECEIVERS["ntfy"].destination(f"{HOST}/topic", "t")

    assert (made.headers, made.members) == ((), {"topic": "topic"})
    assert made.without_secrets(b'{"topic":"topic"}') == b""
    assert replace(made, secrets=()).without_secrets(b"topic") == b"topic"


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


def test_the_schedule_is_that_of_the_specification() -> None:
    """Each pause, with nothing and with a fifth added; after ten attempts the delivery has failed."""
    reply = Reply(http_status=500, error="http_status")
    waits = []
    for chance in (0.0, 1.0):
        made = [outcome_of(reply, attempts=n, failures=0, now_ms=0, duration_ms=1, chance=chance) for n in range(9)]
        waits.append([(each.retry_at_ms or 0) // 1000 for each in made])
    last = outcome_of(reply, attempts=9, failures=9, now_ms=0, duration_ms=1)

    assert waits[0] == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] == list(RETRY_S)
    assert waits[1] == [6, 360, 2_160, 8_640, 21_600, 43_200, 60_480, 86_400, 103_680]
    assert (last.state, last.retry_at_ms) == ("failed", None)


def test_success_and_the_end() -> None:
    """410 ends it for good, and what cannot succeed is not tried again."""
    delivered = outcome_of(Reply(http_status=200), attempts=3, failures=3, now_ms=0, duration_ms=7)
    gone = outcome_of(Reply(http_status=410, error="gone"), attempts=0, failures=0, now_ms=0, duration_ms=1)
    refused = outcome_of(Reply(error="smtp_refused", permanent=True), attempts=0, failures=0, now_ms=0, duration_ms=1)

    assert (delivered.state, delivered.pause_until_ms, delivered.duration_ms) == ("delivered", None, 7)
    assert (gone.state, gone.gone) == ("failed", True)
    assert (refused.state, refused.gone) == ("failed", False)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_receiver_with_too_much_to_do_gets_a_pause(status: int) -> None:
    """A minute at least, and as long as it asks for, up to a bound."""

    def pause(seconds: float | None) -> tuple[int, int]:
        reply = Reply(http_status=status, error="http_status", retry_after_s=seconds)
        made = outcome_of(reply, attempts=0, failures=0, now_ms=0, duration_ms=1, chance=0)
        return made.pause_until_ms or 0, made.retry_at_ms or 0

    assert pause(None) == (60_000, 60_000)
    assert pause(90) == (90_000, 90_000)
    assert pause(10.0**9) == (MAX_PAUSE_MS, MAX_PAUSE_MS)


def test_failures_in_a_row_slow_a_webhook_down() -> None:
    """From 5 seconds, doubled each time, to 10 minutes."""
    reply = Reply(error="timeout")
    made = [
        outcome_of(reply, attempts=0, failures=n, now_ms=0, duration_ms=1).pause_until_ms for n in (0, 1, 6, 7, 999)
    ]

    assert made == [5_000, 10_000, 320_000, 600_000, 600_000]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("120", 120.0),
        (" 7 ", 7.0),
        ("9" * 30, MAX_PAUSE_MS / 1000),
        ("-5", None),
        ("soon", None),
        ("²", None),
        ("Mon, 01 Jan 99999999999999 00:00:00 GMT", None),
        ("Mon, 01 Jan 2030 00:00:00 +" + "9" * 60, None),
        (formatdate(NOW_MS / 1000 + 30, usegmt=True), 30.0),
        (formatdate(NOW_MS / 1000 - 30, usegmt=True), 0.0),
    ],
)
def test_retry_after_is_read(value: str | None, seconds: float | None) -> None:
    """Seconds or a date (RFC 9110 10.2.3); anything else counts as none."""
    assert read_retry_after(value, NOW_MS) == seconds


def test_messages_are_in_the_language_of_the_account() -> None:
    """In English where there is no other."""
    assert [texts_of(tag).tag for tag in ("de", "de-AT", "fr", "")] == ["de", "de", "en", "en"]
