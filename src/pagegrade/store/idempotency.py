"""Answers to requests that carried an Idempotency-Key, so that a repeated request is done once.

A row is made in the transaction that does the work, and the answer is added once it is known. The row says who is
answering: a process, and which of its requests. A process that dies in between leaves a row without an answer: the next
request of the same key takes it over, with the report that was made. From then on the row is that request's: what the
one before may still come up with, should it only have slept, is not stored.

Where several processes share a database, one that lives (``store.processes``) is left to finish.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, delete, insert, select, update

from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused
from pagegrade.report.packing import pack_detail, unpack_detail
from pagegrade.store.database import Transaction, is_shared
from pagegrade.store.processes import is_alive
from pagegrade.store.tables import idempotency

KEPT_MS: Final = 24 * 3_600_000
"""So long a key stands for one request; then it may stand for another."""
RETRY_AFTER_S: Final = 2
NOBODY: Final = ""
"""Who is answering once the one who was has given up."""
_SEPARATOR: Final = "/"


@dataclass(frozen=True, slots=True)
class Begun:
    """This request is to be done now."""

    report_id: int | None
    """The report a process made that died before it could answer: answer with it as it is; ``None``: make it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """The request was done before; this was the answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def name_answerer(process: str) -> str:
    """A name for one request of a process, which no other has.

    Args:
        process: Name of this process among all that ever ran; at most 40 characters.
    """
    return f"{process}{_SEPARATOR}{secrets.token_hex(8)}"


def begin_answer(
    tx: Transaction,
    *,
    key_id: int,
    method: str,
    path: str,
    idempotency_key: str,
    request_sha256: bytes,
    answerer: str,
    silent_ms: int,
    now_ms: int,
) -> Begun | Replay:
    """Begin to answer a request, or find that it was answered.

    That this process is answering the same request already, the caller knows and does not come.

    Args:
        tx: The transaction that does the work; it holds the account (``store.holding``).
        key_id: API key of the caller.
        method: Of the request.
        path: Of the request; at most 200 characters.
        idempotency_key: As sent; at most 255 characters.
        request_sha256: Of everything in the request that decides what it does.
        answerer: Of ``name_answerer``, for this request.
        silent_ms: Another process that has not told of itself for so long is dead.
        now_ms: The time now, in milliseconds since 1970.

    Raises:
        IdempotencyInProgress: Another process is answering the same request.
        IdempotencyKeyReused: The key stands for a request with another body.
    """
    here = _row(key_id, method, path, idempotency_key)
    row = tx.execute(select(idempotency).where(*here)).mappings().first()
    if row is not None and row["created_at_ms"] <= now_ms - KEPT_MS:
        tx.execute(delete(idempotency).where(*here))
        row = None
    if row is None:
        values = {
            "key_id": key_id,
            "method": method,
            "path": path,
            "idempotency_key": idempotency_key,
            "request_sha256": request_sha256,
            "process": answerer,
            "created_at_ms": now_ms,
        }
        tx.execute(insert(idempotency).values(values))
        return Begun(None)
    if row["request_sha256"] != request_sha256:
        raise IdempotencyKeyReused
    if row["status"] is not None:
        return Replay(row["status"], json.loads(row["headers"]), unpack_detail(row["body"]))
    owner = row["process"].partition(_SEPARATOR)[0]
    ours = answerer.partition(_SEPARATOR)[0]
    if owner != ours and is_shared(tx) and is_alive(tx, owner, now_ms, silent_ms):
        raise IdempotencyInProgress(retry_after_s=RETRY_AFTER_S)
    tx.execute(update(idempotency).where(*here).values(process=answerer))
    return Begun(row["report_id"])


def set_report(tx: Transaction, *, key_id: int, method: str, path: str, idempotency_key: str, report_id: int) -> None:
    """Note which report the request made, in the transaction that makes it."""
    here = _row(key_id, method, path, idempotency_key)
    tx.execute(update(idempotency).where(*here).values(report_id=report_id))


def save_answer(
    tx: Transaction,
    *,
    key_id: int,
    method: str,
    path: str,
    idempotency_key: str,
    answerer: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
) -> bool:
    """Keep the answer for whoever asks again; ``False``: the request is somebody else's by now, and nothing is kept."""
    its = _unanswered(key_id, method, path, idempotency_key, answerer)
    values: dict[str, Any] = {
        "status": status,
        "headers": json.dumps(dict(headers), ensure_ascii=True),
        "body": pack_detail(body),  # a finished report has some 60 kB
    }
    return tx.execute(update(idempotency).where(*its).values(values)).rowcount == 1


def give_up_answer(
    tx: Transaction, *, key_id: int, method: str, path: str, idempotency_key: str, answerer: str
) -> bool:
    """Let any process answer at once what this request began and does not answer; ``False``: it is not its any more."""
    its = _unanswered(key_id, method, path, idempotency_key, answerer)
    return tx.execute(update(idempotency).where(*its).values(process=NOBODY)).rowcount == 1


def forget_answers(tx: Transaction, older_than_ms: int, *, limit: int = 1_000) -> int:
    """Delete what was kept since before a point in time, oldest first; how many rows.

    Args:
        tx: The transaction.
        older_than_ms: Milliseconds since 1970.
        limit: About so many at most.
    """
    old = idempotency.c.created_at_ms < older_than_ms
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


def _row(key_id: int, method: str, path: str, idempotency_key: str) -> tuple[ColumnElement[bool], ...]:
    return (
        idempotency.c.key_id == key_id,
        idempotency.c.method == method,
        idempotency.c.path == path,
        idempotency.c.idempotency_key == idempotency_key,
    )


def _unanswered(
    key_id: int, method: str, path: str, idempotency_key: str, answerer: str
) -> tuple[ColumnElement[bool], ...]:
    here = _row(key_id, method, path, idempotency_key)
    return (*here, idempotency.c.process == answerer, idempotency.c.status.is_(None))
