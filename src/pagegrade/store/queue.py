"""How long the queue is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import text

from pagegrade.store.database import Transaction
from pagegrade.store.prepared import Prepared

_DEPTH: Final = text("SELECT COUNT(*), MIN(id) FROM runs WHERE state = :state")
_CREATED: Final = text("SELECT created_at_ms FROM runs WHERE id = :id")
_COUNT: Final = Prepared(text("SELECT COUNT(*) FROM runs WHERE state IN ('queued', 'running')"))
_COUNT_OF: Final = Prepared(
    text("SELECT COUNT(*) FROM runs WHERE state IN ('queued', 'running') AND account_id = :account_id")
)


@dataclass(frozen=True, slots=True)
class QueueState:
    """How long the queue is."""

    depth: int
    """Runs that wait."""
    running: int
    oldest_ms: int
    """For how long the one that was asked for first has been waiting; 0 when none waits."""


def queue_state(tx: Transaction, now_ms: int) -> QueueState:
    """How long the queue is."""
    depth, first_id = tx.execute(_DEPTH, {"state": "queued"}).one()
    running, _ = tx.execute(_DEPTH, {"state": "running"}).one()
    created_at_ms = now_ms if first_id is None else tx.execute(_CREATED, {"id": first_id}).scalar_one()
    return QueueState(depth=depth, running=running, oldest_ms=max(0, now_ms - created_at_ms))


def count_unfinished(tx: Transaction, account_id: int | None) -> int:
    """Runs that wait or are under way, of one account or (``None``) of all."""
    ((found,),) = _COUNT.rows(tx, {}) if account_id is None else _COUNT_OF.rows(tx, {"account_id": account_id})
    return int(found)
