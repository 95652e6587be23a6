"""Claim runs from the queue: the second of its three verbs, after ``runs.enqueue_run`` and before ``runs.finish_run``.

There are two adapters. Where one process has the database for itself, it chooses among the rows (``row_queue``); where
several share it, procrastinate delivers the runs (``procrastinate_queue``).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import text

from pagegrade.model.stored import MAX_ATTEMPTS, ClaimedRun
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.queue.procrastinate_queue import claim_jobs, has_idle_account_jobs
from pagegrade.store.queue.row_queue import claim_rows, has_idle_account_rows

# The number is written out, because an index is kept of just these rows where the queue is shared.
_SUSPECT: Final = Prepared(
    text(
        f"SELECT 1 FROM runs WHERE state = 'queued' AND attempt >= {MAX_ATTEMPTS - 1} "  # noqa: S608 - ours
        "AND (device = 'none' OR :browsers > 0) LIMIT 1"
    )
)
UNLIMITED: Final = 1_000_000
"""Stands for a number of browsers that nothing limits."""


def claim_runs(
    tx: Transaction,
    *,
    worker: str,
    count: int,
    now_ms: int,
    lease_ms: int,
    target_runs: int,
    target_runs_per_minute: int,
    suspects: bool = False,
    idle_accounts: bool = False,
    browsers: int = UNLIMITED,
) -> tuple[ClaimedRun, ...]:
    """Take up to ``count`` runs that may start now.

    The more urgent of an account go first, then the older, and accounts take turns. A target that is full is passed
    over, and whatever else waits goes ahead.

    Args:
        tx: Transaction.
        worker: Who takes them, named among all that ever ran.
        count: At most so many.
        now_ms: The time.
        lease_ms: Until when, from now, the runs are kept without another word; at most ``MAX_LEASE_MS``.
        target_runs: Runs that may be at one target at the same time.
        target_runs_per_minute: Runs that may start at one target in a minute.
        suspects: Take only runs that have one attempt left, instead of only others: every attempt so
            far ended with the death of a process, and perhaps they are to blame for it.
        idle_accounts: Take only runs of accounts that have none under way, and one of each.
        browsers: Take at most this many runs that a browser is to draw, and leave the others to other workers.
    """
    claim = claim_jobs if is_shared(tx) else claim_rows
    return claim(
        tx,
        worker=worker,
        count=count,
        now_ms=now_ms,
        lease_ms=lease_ms,
        target_runs=target_runs,
        target_runs_per_minute=target_runs_per_minute,
        suspects=suspects,
        idle_accounts=idle_accounts,
        browsers=browsers,
    )


def has_idle_account(tx: Transaction) -> bool:
    """Whether a run waits whose account has none under way; it may still have to wait for its target."""
    return has_idle_account_jobs(tx) if is_shared(tx) else has_idle_account_rows(tx)


def has_suspects(tx: Transaction, *, browsers: int = UNLIMITED) -> bool:
    """Return whether runs wait that have one attempt left; those for a browser only where ``browsers`` is above 0."""
    return _SUSPECT.first(tx, {"browsers": browsers}) is not None
