"""Return runs that nobody executes any more to the queue, or fail them.

On a shared database these are the runs whose lease has expired. A single process knows its own runs, and all others
belong to the process before it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import text

from pagegrade.model.errors import FAILURE_CODES, Unavailable
from pagegrade.model.identity import VERSION
from pagegrade.model.report import Failure, Report, RunFacts
from pagegrade.model.stored import MAX_ATTEMPTS, PackedReport
from pagegrade.parse.url import project_of
from pagegrade.report.codec import pack_report
from pagegrade.store.engine.database import Transaction, is_shared, moment, savepoint
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.locks import try_account, try_place
from pagegrade.store.queue.lease import MAX_LEASE_MS
from pagegrade.store.queue.runs import finish_attempt, requeue_attempt
from pagegrade.store.repositories.host_slots import end_dead_visits, end_visits, hasten_lines

logger = logging.getLogger(__name__)

_RUNNING: Final = text(
    "SELECT id, report_id, account_id, url, attempt, worker, lease_until_ms FROM runs WHERE state = 'running'"
)

_OVER: Final = Prepared(
    text(
        "SELECT 1 FROM runs WHERE id = :id AND attempt = :attempt AND state = 'running' "
        "AND COALESCE(lease_until_ms, 0) NOT BETWEEN :now_ms AND :far_ms FOR UPDATE SKIP LOCKED"
    )
)


def reap_runs(tx: Transaction, *, live: Collection[tuple[int, int]], now_ms: int) -> tuple[int, ...]:
    """Return runs that nobody executes any more to the queue; fail those without attempts left.

    Args:
        tx: Transaction.
        live: (id, attempt) of the runs of this process, which are never taken, whatever the clock says.
        now_ms: The time.

    Returns:
        Ids of the reports that changed.
    """
    if not try_place(tx, "reaping"):
        return ()
    shared = is_shared(tx)
    now_ms = moment(tx, now_ms)
    changed: list[int] = []
    for row in tx.execute(_RUNNING).all():
        kept = shared and now_ms <= (row.lease_until_ms or 0) <= now_ms + MAX_LEASE_MS
        if kept or (row.id, row.attempt) in live:
            continue
        # The holder of the account's lock may be finishing this very run. Do not wait for it: the next round finds the
        # run again, and others can be returned now.
        if shared and not (try_account(tx, row.account_id) and _is_over(tx, row, now_ms)):
            continue
        # One row that cannot be changed must not prevent the others from being returned.
        try:
            # Unavailable if the database has ended the whole transaction: then nothing can be done now.
            with savepoint(tx, "reaping"):
                changed += _reap(tx, row, now_ms)
        except Unavailable:
            raise
        except Exception:
            logger.exception("run_not_reaped", extra={"run": row.id})
    end_dead_visits(tx, {run_id for run_id, _ in live}, now_ms)
    return tuple(changed)


def _is_over(tx: Transaction, row: Any, now_ms: int) -> bool:
    """Return whether the lease is still expired; within this transaction it cannot be extended any more."""
    values = {"id": row.id, "attempt": row.attempt, "now_ms": now_ms, "far_ms": now_ms + MAX_LEASE_MS}
    return _OVER.first(tx, values) is not None


def _reap(tx: Transaction, row: Any, now_ms: int) -> tuple[int, ...]:
    hasten_lines(tx, end_visits(tx, row.id, now_ms))
    if row.attempt >= MAX_ATTEMPTS:
        return finish_attempt(tx, row.id, row.attempt, _exhausted(row, now_ms), now_ms, before="running")
    report_id = requeue_attempt(tx, row.id, row.attempt, now_ms, now_ms, uncounted=0)
    return () if report_id is None else (report_id,)


def _exhausted(row: Any, now_ms: int) -> PackedReport:
    """Return the outcome of a run whose attempts all ended with a crash of the worker."""
    report = Report(
        url=row.url,
        final_url=None,
        project=project_of(row.url),
        state="failed",
        run=RunFacts(engine=VERSION),
        error=Failure(
            code="internal",
            message=f"The analysis was started {MAX_ATTEMPTS} times and never came to an end.",
            reason="retries_exhausted",
            retryable=FAILURE_CODES["internal"][0],
        ),
        generated_at=datetime.fromtimestamp(now_ms / 1000, UTC),
    )
    return pack_report(report)
