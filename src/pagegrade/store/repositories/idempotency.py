"""Records of requests that carried an Idempotency-Key, so that a repeated request is done once.

A record is made in the transaction that does the work, so it is there exactly where the report was made. It holds
digests and the id of the report, and nothing of the report or its answer: what is deleted later leaves no copy here.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, Final

from sqlalchemy import delete, insert, select

from pagegrade.model.account import IdempotentRequest
from pagegrade.model.errors import IdempotencyKeyReused
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.installation import AgeMs, age_ms
from pagegrade.store.schema.tables import idempotency

KEPT_MS: Final = 24 * 3_600_000
"""So long a key stands for one request; then it may stand for another."""


def find_request(tx: Transaction, request: IdempotentRequest, now_ms: int) -> int | None:
    """Return the id of the report that the request made or changed before; ``None``: the request is new.

    Args:
        tx: The transaction that does the work; it holds the account (``store.locks``).

    Raises:
        IdempotencyKeyReused: The key stands for a request with another body.
    """
    here = [idempotency.c[name] == value for name, value in _columns(request).items()]
    row = tx.execute(select(idempotency).where(*here)).mappings().first()
    if row is None:
        return None
    if row["created_at_ms"] <= age_ms(tx, now_ms) - KEPT_MS:
        tx.execute(delete(idempotency).where(*here))
        return None
    if not hmac.compare_digest(bytes(row["request_sha256"]), request.request_sha256):
        raise IdempotencyKeyReused
    return int(row["report_id"])


def add_request(tx: Transaction, request: IdempotentRequest, report_id: int, now_ms: int) -> None:
    """Record which report a request made or changed, in the transaction that does it."""
    values = {
        **_columns(request),
        "request_sha256": request.request_sha256,
        "report_id": report_id,
        "created_at_ms": now_ms,
    }
    tx.execute(insert(idempotency).values(values))


def forget_requests(tx: Transaction, age: AgeMs, *, limit: int = 1_000) -> int:
    """Delete the records of keys that stand for nothing any more, oldest first; return how many rows."""
    old = idempotency.c.created_at_ms < age - KEPT_MS
    # Deleting up to the time of the last of them needs no list of keys, which have four columns.
    last = (
        select(idempotency.c.created_at_ms)
        .where(old)
        .order_by(idempotency.c.created_at_ms)
        .offset(limit - 1)
        .limit(1)
        .scalar_subquery()
    )
    bound = tx.execute(select(last)).scalar()
    until = old if bound is None else idempotency.c.created_at_ms <= bound
    return tx.execute(delete(idempotency).where(until)).rowcount


def _columns(request: IdempotentRequest) -> dict[str, Any]:
    digest = hashlib.sha256(request.idempotency_key.encode("utf-8", "surrogatepass")).digest()
    return {
        "key_id": request.key_id,
        "method": request.method,
        "path": request.path,
        "idempotency_sha256": digest,
    }
