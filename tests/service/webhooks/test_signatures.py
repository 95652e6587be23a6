from __future__ import annotations

import base64

import pytest
from msgspec.structs import replace
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from pagegrade.clock import now_ms
from pagegrade.model.webhooks import ROTATION_MS
from pagegrade.service.webhooks.signatures import (
    is_token_of,
    secret_of,
    signed_headers,
    unsubscribe_token,
    webhook_of_token,
)
from tests.store_builders import stored_webhook

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
