"""Batches: reports that were created with one request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import ColumnElement, delete, func, insert, select

from pagegrade.model.stored import UNFINISHED, State
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import batch_reports, batches, reports

_COLUMNS: Final = (batches.c.id, batches.c.refused, batches.c.created_at_ms)


class StoredBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch."""

    id: int
    refused: bytes
    """JSON array of the rejected URLs."""
    created_at_ms: int


class BatchReport(msgspec.Struct, frozen=True, kw_only=True):
    """State of a report of a batch."""

    id: int
    url: str
    state: State
    rating: int | None
    score: int | None


def add_batch(tx: Transaction, account_id: int, report_ids: Sequence[int], *, refused: bytes, now_ms: int) -> int:
    """Store a batch of reports of the account and return its id."""
    new = insert(batches).values(account_id=account_id, refused=refused, created_at_ms=now_ms).returning(batches.c.id)
    number: int = tx.execute(new).scalar_one()
    rows = [
        {"batch_id": number, "position": position, "report_id": report_id}
        for position, report_id in enumerate(report_ids)
    ]
    if rows:
        tx.execute(insert(batch_reports), rows)
    return number


def load_batch(tx: Transaction, account_id: int, batch_id: int) -> StoredBatch | None:
    """Load a batch of this account; ``None`` if it does not exist."""
    if not 0 < batch_id <= GREATEST_ID:
        return None
    row = tx.execute(select(*_COLUMNS).where(batches.c.id == batch_id, batches.c.account_id == account_id)).first()
    return None if row is None else StoredBatch(id=row[0], refused=row[1], created_at_ms=row[2])


def list_batches(tx: Transaction, account_id: int, page: int, per_page: int) -> tuple[tuple[StoredBatch, ...], int]:
    """Return (batches of a page, newest first; total number)."""
    mine = batches.c.account_id == account_id
    total: int = tx.execute(select(func.count()).select_from(batches).where(mine)).scalar_one()
    skipped = (page - 1) * per_page
    if skipped >= total:
        return (), total
    rows = tx.execute(select(*_COLUMNS).where(mine).order_by(batches.c.id.desc()).limit(per_page).offset(skipped))
    return tuple(StoredBatch(id=row[0], refused=row[1], created_at_ms=row[2]) for row in rows), total


def load_batch_reports(
    tx: Transaction, batch_ids: Sequence[int], *, expired_before_ms: int | None
) -> dict[int, list[BatchReport]]:
    """Return batch -> its remaining reports, in the order of the request."""
    found: dict[int, list[BatchReport]] = {number: [] for number in batch_ids}
    rows = tx.execute(
        select(
            batch_reports.c.batch_id,
            reports.c.id,
            reports.c.url,
            reports.c.state,
            reports.c.rating,
            reports.c.score,
            reports.c.dated_at_ms,
        )
        .join(reports, reports.c.id == batch_reports.c.report_id)
        .where(batch_reports.c.batch_id.in_(tuple(batch_ids)))
        .order_by(batch_reports.c.batch_id, batch_reports.c.position)
    )
    for batch_id, number, url, state, rating, score, dated_at_ms in rows:
        if state in UNFINISHED or dated_at_ms >= (expired_before_ms or 0):
            report = BatchReport(id=number, url=url, state=state, rating=rating, score=score)
            found[batch_id].append(report)
    return found


def delete_batch(tx: Transaction, account_id: int, batch_id: int) -> bool:
    """Delete a batch of this account, without its reports; return whether it existed."""
    if not 0 < batch_id <= GREATEST_ID:
        return False
    which: tuple[ColumnElement[bool], ...] = (batches.c.id == batch_id, batches.c.account_id == account_id)
    return tx.execute(delete(batches).where(*which)).rowcount == 1
