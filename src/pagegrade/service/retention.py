"""Deletes expired reports and runs in small batches while the server works."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories import installation
from pagegrade.store.repositories.installation import DeletionClock, age_ms, read_clock
from pagegrade.store.repositories.retention import BATCH, Pruned, count_reports, find_expired, prune
from pagegrade.store.repositories.retention import expired_before_ms as oldest_kept_ms

SHARE: Final = 0.01
"""Of the reports are deleted in one pass while the clock is not believed, ``LEAST`` in any case."""
LEAST: Final = 10
HOUR_MS: Final = 3_600_000
logger = logging.getLogger(__name__)


def follow_clock(tx: Transaction, now_ms: int) -> DeletionClock:
    """Note what the clock says, and log that it has jumped."""
    seen = installation.follow_clock(tx, now_ms)
    if seen.jumped and seen.behind_ms > HOUR_MS:
        reason = (
            "The clock is ahead of all that the database has seen. Nothing is deleted because of that. "
            "If the clock is right, run pagegrade prune --trust-clock; if it is not, set it."
        )
        logger.warning("clock_jumped", extra={"ahead_s": seen.behind_ms // 1000, "reason": reason})
    return seen


def expired_before_ms(tx: Transaction, options: ServiceOptions, now_ms: int) -> int | None:
    """Finished reports dated before are as good as deleted, pruned or not; ``None``: none expires.

    A clock that jumped hides none of them, as it deletes none.
    """
    if options.retention_days is None:
        return None
    return oldest_kept_ms(options.retention_days, age_ms(tx, now_ms))


async def prune_expired(
    database: Database, *, retention_days: int | None, retention_runs: int | None, now_ms: int, batch: int = BATCH
) -> Pruned:
    """Delete expired reports and runs in batches; other writers come in between.

    While the clock is ahead of what the database has seen, a small share of the reports is deleted at most.

    Args:
        retention_days: Finished reports expire so many days after their last results; ``None``: never.
        retention_runs: The newest finished runs that each report keeps, besides the one whose results it shows;
            ``None``: all.
        batch: Reports, or reports with too many runs, in one transaction.

    Raises:
        Unavailable: The database cannot be used; what was deleted until then stays deleted.
    """

    def look(tx: Transaction) -> tuple[DeletionClock, int]:
        clock = read_clock(tx, now_ms)
        return clock, max(LEAST, int(SHARE * count_reports(tx))) if clock.behind_ms else 0

    clock, most = await database.read(look)
    total = Pruned()
    after = 0
    while True:
        found = await database.read(
            partial(
                find_expired,
                retention_days=retention_days,
                retention_runs=retention_runs,
                age=clock.age_ms,
                after_report_id=after,
                batch=min(batch, most - total.reports) if most else batch,
            )
        )
        part = partial(prune, found=found, retention_days=retention_days, age=clock.age_ms, now_ms=now_ms)
        total += await database.write(part)
        after = found.after_report_id
        if not found.more or (most and total.reports >= most):
            break
    if total != Pruned():
        logger.info("pruned %d reports and %d runs", total.reports, total.runs)
    return total
