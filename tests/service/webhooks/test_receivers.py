from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_network

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.webhooks import KINDS, ClaimedWebhook, DueDelivery, Kind
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.service.webhooks.deliveries import MAX_ANSWER_BYTES, Prepared, attempt
from pagegrade.service.webhooks.operations import read_webhook
from pagegrade.service.webhooks.receivers import RECEIVERS
from pagegrade.store.repositories.webhooks import AttemptOutcome
from tests.store_builders import NOW_MS, stored_webhook
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
