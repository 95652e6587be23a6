"""Length of the queue: of all runs, by what they wait for, and ahead of one run of an account."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec
from sqlalchemy import String, bindparam, text

from pagegrade.model.stored import Priority
from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.queue.admission import AT_ACCOUNT
from pagegrade.store.repositories.host_slots import full_targets

Reason = Literal["worker", "browser", "account", "target", "leader"]
"""Cause of a wait: a worker, one with a browser, earlier runs of its account, its target, which is busy, or an
identical run, whose outcome it takes over."""
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
_DEPTH: Final = text("SELECT COUNT(*), MIN(id) FROM runs WHERE state = :state")
_WAITING: Final = text("SELECT priority, COUNT(*) FROM runs WHERE state = 'queued' GROUP BY priority")
# In the order in which they keep a run from starting.
_REASONS: Final = text(
    "SELECT CASE WHEN leader_id IS NOT NULL THEN 'leader' "  # noqa: S608 - our own words
    "WHEN available_at_ms > :now_ms OR target IN :full THEN 'target' "
    f"WHEN offered = 1 AND share = {AT_ACCOUNT} THEN 'account' "
    "WHEN device <> 'none' THEN 'browser' ELSE 'worker' END AS reason, COUNT(*) "
    "FROM runs WHERE state = 'queued' GROUP BY reason"
).bindparams(bindparam("full", expanding=True, type_=String))
_CREATED: Final = text("SELECT created_at_ms FROM runs WHERE id = :id")
_COUNT: Final = Prepared(text("SELECT COUNT(*) FROM runs WHERE state IN ('queued', 'running')"))
_COUNT_OF: Final = Prepared(
    text("SELECT COUNT(*) FROM runs WHERE state IN ('queued', 'running') AND account_id = :account_id")
)
# Every request for a report counts these; each report has at most one unfinished run. PostgreSQL visits every row
# that it counts, so there the counts of reports are added up instead; of reports whose run follows by itself, few wait.
_KEPT: Final = Prepared(
    text(
        "SELECT COALESCE(SUM(count), 0) + (SELECT COUNT(*) FROM reports WHERE pending_run IS NOT NULL) "
        "FROM report_counts WHERE project = '' AND state IN ('queued', 'running')"
    )
)
_KEPT_OF: Final = Prepared(
    text(
        "SELECT COALESCE(SUM(count), 0) "
        "+ (SELECT COUNT(*) FROM reports WHERE account_id = :account_id AND pending_run IS NOT NULL) "
        "FROM report_counts WHERE account_id = :account_id AND project = '' "
        "AND state IN ('queued', 'running')"
    )
)


class QueueState(msgspec.Struct, frozen=True):
    """Length of the queue."""

    depth: int
    """Number of queued runs."""
    running: int
    oldest_ms: int
    """Waiting time of the oldest queued run in milliseconds; 0 without one."""


def queue_state(tx: Transaction, now_ms: int) -> QueueState:
    """Return the length of the queue."""
    depth, first_id = tx.execute(_DEPTH, {"state": "queued"}).one()
    running, _ = tx.execute(_DEPTH, {"state": "running"}).one()
    created_at_ms = now_ms if first_id is None else tx.execute(_CREATED, {"id": first_id}).scalar_one()
    return QueueState(depth=depth, running=running, oldest_ms=max(0, now_ms - created_at_ms))


def count_waiting(tx: Transaction) -> dict[Priority, int]:
    """Return the number of queued runs by priority; all priorities are present."""
    found = {Priority(priority): int(count) for priority, count in tx.execute(_WAITING)}
    return {priority: found.get(priority, 0) for priority in Priority}


def count_by_reason(tx: Transaction, now_ms: int, *, target_runs: int, per_minute: int) -> dict[Reason, int]:
    """Return the number of queued runs by what they wait for next; all reasons are present.

    Args:
        tx: Transaction.
        now_ms: The time.
        target_runs: Maximum number of concurrent runs at one target.
        per_minute: Maximum number of runs started at one target per minute.
    """
    now_ms = moment(tx, now_ms)
    full = full_targets(tx, now_ms, target_runs=target_runs, per_minute=per_minute)
    rows = tx.execute(_REASONS, {"now_ms": now_ms, "full": sorted(full)}).all()
    return dict.fromkeys(REASONS, 0) | {reason: int(count) for reason, count in rows}


def count_unfinished(tx: Transaction, account_id: int | None) -> int:
    """Return the number of unfinished runs of one account, or of all (``None``)."""
    one, every = (_KEPT_OF, _KEPT) if is_shared(tx) else (_COUNT_OF, _COUNT)
    ((found,),) = every.rows(tx, {}) if account_id is None else one.rows(tx, {"account_id": account_id})
    return int(found)


LAST_RUNS: Final = 20
"""Runs that the usual time is taken from."""
_AHEAD: Final = Prepared(
    text(
        "SELECT COUNT(*) FROM runs AS ahead JOIN runs AS mine ON mine.id = :run_id WHERE ahead.state = 'queued' "
        "AND ahead.account_id = mine.account_id AND ahead.leader_id IS NULL AND (ahead.priority < mine.priority "
        "OR (ahead.priority = mine.priority AND ahead.id < mine.id))"
    )
)
_TIMES: Final = Prepared(
    text(
        "SELECT finished_at_ms - started_at_ms FROM runs WHERE account_id = :account_id AND state = 'completed' "
        "AND started_at_ms IS NOT NULL AND finished_at_ms IS NOT NULL ORDER BY finished_at_ms DESC LIMIT :count"
    )
)


def count_ahead(tx: Transaction, run_id: int) -> int:
    """Return the number of runs of the same account that start before this one, which waits."""
    row = _AHEAD.first(tx, {"run_id": run_id})
    return 0 if row is None else int(row[0])


def usual_duration_ms(tx: Transaction, account_id: int) -> int | None:
    """Return the median time of the newest results of an account; ``None`` while it has none."""
    times = sorted(int(time) for (time,) in _TIMES.rows(tx, {"account_id": account_id, "count": LAST_RUNS}))
    return times[len(times) // 2] if times else None
