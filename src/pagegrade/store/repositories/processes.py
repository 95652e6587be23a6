"""Processes that use a shared database: each sends regular heartbeats.

Times are those of the database (``store.engine.database.moment``), so that a wrong clock makes no process look dead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, insert, select, update

from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.schema.tables import processes

KEPT_MS: Final = 3_600_000
"""Time without a heartbeat after which a process is forgotten; it may have been suspended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process, as described by its heartbeats."""

    name: str
    """Unique among all processes that ever ran; at most 64 characters."""
    kind: str
    """``serve`` or ``worker``."""
    version: str
    host: str
    """Host name of its machine, at most 255 characters."""
    pid: int
    has_browser: bool = False
    """True if it renders pages in a browser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProcess(Process):
    """A process with a recent heartbeat."""

    started_at_ms: int
    seen_at_ms: int
    """Time of the last heartbeat."""


_COLUMNS: Final = (
    processes.c.name,
    processes.c.kind,
    processes.c.version,
    processes.c.host,
    processes.c.pid,
    processes.c.started_at_ms,
    processes.c.seen_at_ms,
    processes.c.has_browser,
)


def beat(tx: Transaction, process: Process, now_ms: int) -> None:
    """Record a heartbeat; adds processes that are unknown or were forgotten.

    Args:
        now_ms: Time of its clock.
    """
    at_ms = moment(tx, now_ms)
    seen = update(processes).where(processes.c.name == process.name).values(seen_at_ms=at_ms)
    if tx.execute(seen).rowcount == 0:
        values = {
            "name": process.name,
            "kind": process.kind,
            "version": process.version,
            "host": process.host,
            "pid": process.pid,
            "started_at_ms": at_ms,
            "seen_at_ms": at_ms,
            "has_browser": int(process.has_browser),
        }
        tx.execute(insert(processes).values(values))


def list_live(tx: Transaction, now_ms: int, silent_ms: int) -> tuple[LiveProcess, ...]:
    """Return the processes with a heartbeat in the last ``silent_ms`` milliseconds, the oldest first."""
    since_ms = moment(tx, now_ms) - silent_ms
    query = select(*_COLUMNS).where(processes.c.seen_at_ms > since_ms)
    rows = tx.execute(query.order_by(processes.c.started_at_ms, processes.c.name)).mappings()
    return tuple(LiveProcess(**{**row, "has_browser": bool(row["has_browser"])}) for row in rows)


def has_browser(tx: Transaction, now_ms: int, silent_ms: int) -> bool:
    """Return whether a process with a browser has sent a heartbeat in the last ``silent_ms`` milliseconds."""
    since_ms = moment(tx, now_ms) - silent_ms
    query = select(processes.c.name).where(processes.c.seen_at_ms > since_ms, processes.c.has_browser == 1)
    return tx.execute(query.limit(1)).first() is not None


def forget(tx: Transaction, name: str) -> None:
    """Remove a process that ends."""
    tx.execute(delete(processes).where(processes.c.name == name))


def forget_silent(tx: Transaction, now_ms: int) -> int:
    """Remove processes without a heartbeat for ``KEPT_MS``; return their number."""
    query = delete(processes).where(processes.c.seen_at_ms <= moment(tx, now_ms) - KEPT_MS)
    return int(tx.execute(query).rowcount)
