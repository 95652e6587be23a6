"""Signatures of deliveries, and the secrets that they are made with.

A secret is derived from the salt of its webhook with a key of the installation, so that the table of webhooks, a
backup of it or a page never holds one.

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Final

from pagegrade.model.webhooks import StoredWebhook

KEY_NAME: Final = "webhooks"
"""Row of ``installation`` with the key."""
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - no secret
_UNSUBSCRIBE: Final = b"unsubscribe "


def secret_of(key: bytes, salt: bytes) -> str:
    """The secret as its owner stores it: ``whsec_`` and base64 of 32 bytes."""
    return SECRET_PREFIX + base64.b64encode(_secret_bytes(key, salt)).decode("ascii")


def signed_headers(
    key: bytes, webhook: StoredWebhook, *, event_id: str, body: bytes, now_ms: int
) -> tuple[tuple[str, str], ...]:
    """The three headers of a delivery; until a day after a rotation there is a signature with either secret."""
    timestamp = str(now_ms // 1000)
    content = b".".join((event_id.encode(), timestamp.encode(), body))
    salts = [webhook.secret_salt]
    if webhook.previous_salt is not None and now_ms < (webhook.previous_until_ms or 0):
        salts.append(webhook.previous_salt)
    made = (hmac.digest(_secret_bytes(key, salt), content, hashlib.sha256) for salt in salts)
    signatures = " ".join(f"v1,{base64.b64encode(each).decode('ascii')}" for each in made)
    return (("webhook-id", event_id), ("webhook-timestamp", timestamp), ("webhook-signature", signatures))


def unsubscribe_token(key: bytes, webhook: StoredWebhook) -> str:
    """Text of a link that ends the messages of one target without signing in.

    No other link can be made from it, and it does nothing once the owner has changed the address.
    """
    target = b"%d " % webhook.id + webhook.secret_salt + webhook.url.encode("utf-8", "surrogatepass")
    proof = hmac.digest(key, _UNSUBSCRIBE + target, hashlib.sha256)
    return f"{webhook.id}-{base64.urlsafe_b64encode(proof[:24]).decode('ascii')}"


def webhook_of_token(token: str) -> int | None:
    """Number of the target that a token claims to be for; ``None``: it cannot be one."""
    number, dash, proof = token.partition("-")
    is_token = bool(dash) and number.isascii() and number.isdecimal() and len(number) <= 19 and len(proof) == 32  # noqa: PLR2004 - 24 bytes
    return int(number) if is_token else None


def is_token_of(token: str, key: bytes, webhook: StoredWebhook) -> bool:
    """Return whether a token was made for this target."""
    return hmac.compare_digest(token.encode("utf-8", "surrogatepass"), unsubscribe_token(key, webhook).encode())


def _secret_bytes(key: bytes, salt: bytes) -> bytes:
    return hmac.digest(key, salt, hashlib.sha256)
