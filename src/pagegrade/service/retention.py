"""Delete what has had its time, a little at a time, beside the work of the server."""

from __future__ import annotations

import logging
from functools import partial

from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.retention import BATCH, Pruned, find_expired, prune

logger = logging.getLogger(__name__)


async def prune_expired(
    database: Database, *, retention_days: int | None, retention_runs: int | None, now_ms: int, batch: int = BATCH
) -> Pruned:
    """Delete all that has had its time; other writers come in between.

    Args:
        database: Whose reports.
        retention_days: Finished reports expire so many days after their last results; ``None``: never.
        retention_runs: The newest finished runs that each report keeps, besides the one whose results it shows;
            ``None``: all.
        now_ms: The time now, in milliseconds since 1970.
        batch: Reports, or reports with too many runs, in one transaction.

    Raises:
        Unavailable: The database cannot be used; what was deleted until then stays deleted.
    """
    total = Pruned()
    after = 0
    while True:
        found = await database.read(
            partial(
                find_expired,
                retention_days=retention_days,
                retention_runs=retention_runs,
                now_ms=now_ms,
                after_report_id=after,
                batch=batch,
            )
        )
        total += await database.write(partial(prune, found=found, retention_days=retention_days, now_ms=now_ms))
        after = found.after_report_id
        if not found.more:
            break
    if total != Pruned():
        logger.info("pruned %d reports and %d runs", total.reports, total.runs)
    return total
