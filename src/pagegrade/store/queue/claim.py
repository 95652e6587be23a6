"""Claim runs from the queue: the second operation after ``runs.enqueue_run`` and before ``runs.finish_run``.

There are two adapters. With a single process, runs are selected among the rows (``row_queue``); on a shared database,
procrastinate delivers them (``procrastinate_queue``).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import text

from pagegrade.model.stored import MAX_ATTEMPTS, ClaimedRun
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.queue.procrastinate_queue import claim_jobs, has_jobs
from pagegrade.store.queue.row_queue import claim_rows, has_idle_account_rows

# The number is a literal, because a shared queue has a partial index of these rows.
_SUSPECT: Final = Prepared(
    text(
        f"SELECT 1 FROM runs WHERE state = 'queued' AND attempt >= {MAX_ATTEMPTS - 1} "  # noqa: S608 - ours
        "AND (device = 'none' OR :browsers > 0) LIMIT 1"
    )
)
UNLIMITED: Final = 1_000_000
"""Number of browsers that stands for no limit."""


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
    """Claim up to ``count`` runs that may start now.

    Within an account, more urgent and then older runs come first, and accounts take turns. Runs whose target is full
    are skipped.

    Args:
        tx: Transaction.
        worker: Unique name of the worker.
        count: Maximum number of runs.
        now_ms: The time.
        lease_ms: Duration of the lease; at most ``MAX_LEASE_MS``.
        target_runs: Maximum number of concurrent runs at one target.
        target_runs_per_minute: Maximum number of runs started at one target per minute.
        suspects: Claim only runs with one attempt left, instead of only others: every previous attempt ended with a
            crash of the process, which these runs may have caused.
        idle_accounts: Claim only runs of accounts without a run under way, and one of each.
        browsers: Maximum number of claimed runs that need a browser; other workers claim the rest.
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
    """Return whether an account without a run under way has a queued run; its target may still be full."""
    return has_jobs(tx, browsers=UNLIMITED, idle_accounts=True) if is_shared(tx) else has_idle_account_rows(tx)


def has_suspects(tx: Transaction, *, browsers: int = UNLIMITED) -> bool:
    """Return whether runs with one attempt left are queued; those for a browser count only if ``browsers`` > 0."""
    return _SUSPECT.first(tx, {"browsers": browsers}) is not None
