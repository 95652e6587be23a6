"""Assign a run to a worker; on a shared database with a lease, which other processes respect."""

from __future__ import annotations

from typing import Final

from sqlalchemy import text

from pagegrade.model.stored import ClaimedRun
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.host_slots import start_visits
from pagegrade.store.repositories.reports import mark_report
from pagegrade.store.repositories.run_history import NO_DEVICE

MAX_LEASE_MS: Final = 2 * 3_600_000
"""Longest lease; a longer one was written before the clock was set back."""
_CLAIM: Final = Prepared(
    text(
        "UPDATE runs SET state = 'running', attempt = attempt + 1, worker = :worker, lease_until_ms = :lease_until_ms, "
        "started_at_ms = :now_ms, offered = 0, step = NULL WHERE id = :id AND state = 'queued' "
        "RETURNING id, report_id, account_id, url, attempt, target, traceparent, device"
    )
)
# Runs that followed another one, and lost it, find a new leader.
_FOLLOW: Final = Prepared(
    text(
        "UPDATE runs SET leader_id = :id WHERE account_id = :account_id AND url = :url AND state = 'queued' "
        "AND COALESCE(leader_id, 0) = 0 AND device = :device "
        # Reports of one URL may be for those who are let in, or for everybody.
        "AND (SELECT COALESCE(access, -1) FROM reports WHERE reports.id = runs.report_id) "
        "= (SELECT COALESCE(access, -1) FROM reports WHERE reports.id = :report_id) "
        # Ignore rules of a report make its outcome differ from those of other reports.
        "AND NOT EXISTS (SELECT 1 FROM ignores WHERE ignores.report_id = runs.report_id) "
        "AND NOT EXISTS (SELECT 1 FROM ignores WHERE ignores.report_id = :report_id)"
    )
)


def start_run(tx: Transaction, run_id: int, *, worker: str, now_ms: int, lease_ms: int) -> ClaimedRun:
    """Assign a queued run to a worker; from now on it counts as a visit of its target.

    Args:
        tx: Transaction in which the run was found, so that no other worker can have claimed it.
        run_id: The run.
        worker: Unique name of the worker.
        now_ms: The time.
        lease_ms: Duration of the lease; at most ``MAX_LEASE_MS``. A single process needs none: whatever it does not
            execute itself, nobody does.
    """
    lease_until_ms = now_ms + min(lease_ms, MAX_LEASE_MS) if is_shared(tx) else None
    values = {"id": run_id, "worker": worker, "now_ms": now_ms, "lease_until_ms": lease_until_ms}
    ((_, report_id, account_id, url, attempt, target, traceparent, device),) = _CLAIM.rows(tx, values)
    if target:
        start_visits(tx, run_id, (target,), now_ms)
    _FOLLOW.rows(tx, {"id": run_id, "report_id": report_id, "account_id": account_id, "url": url, "device": device})
    mark_report(tx, report_id, state="running", now_ms=now_ms)
    return ClaimedRun(
        id=run_id,
        report_id=report_id,
        account_id=account_id,
        url=url,
        attempt=attempt,
        traceparent=traceparent,
        device=None if device == NO_DEVICE else device,
        target=target,
    )
