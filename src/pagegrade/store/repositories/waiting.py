"""Runs of an account that wait ahead of one of its runs, and how long its runs take."""

from __future__ import annotations

from typing import Final

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared

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
