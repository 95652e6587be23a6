"""A request that is executed once however often it is sent."""

from __future__ import annotations

import msgspec


class IdempotentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request with an Idempotency-Key."""

    key_id: int
    """API key of the caller."""
    method: str
    path: str
    """At most 200 characters."""
    idempotency_key: str
    """As sent, at most 255 characters; only its digest is stored, because clients put anything there."""
    request_sha256: bytes
    """32 bytes that stand for everything in the request that decides what it does."""
    former_sha256: bytes = b""
    """The same for a record that counted fields which were not sent as well; empty: there is no such record."""
