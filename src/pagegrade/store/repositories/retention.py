"""Retention: find and delete expired data, and measure the size of the database.

Finding expired data reads a lot and locks nothing; it is deleted in small batches, so that other writes do not wait
long for the single writer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import bindparam, delete, func, select

from pagegrade.model.stored import UNFINISHED
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.counts import uncount_details
from pagegrade.store.repositories.host_slots import forget_visits
from pagegrade.store.repositories.idempotency import forget_requests
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.repositories.reports import delete_reports
from pagegrade.store.schema.tables import accounts, reports, run_details, runs

DAY_MS: Final = 86_400_000
BATCH: Final = 200
"""Reports or runs deleted in one transaction: takes tens of milliseconds."""
_FINISHED: Final = runs.c.state.notin_(UNFINISHED)
_OLD: Final = select(reports.c.id).where(
    reports.c.dated_at_ms < bindparam("before_ms"), reports.c.state.notin_(UNFINISHED)
)


class Expired(msgspec.Struct, frozen=True, kw_only=True):
    """Expired data, or the first part of it."""

    reports: tuple[int, ...] = ()
    runs: tuple[int, ...] = ()
    after_report_id: int = 0
    """Id after which the search for runs continues."""
    more: bool = False
    """There may be more; search again after deleting these."""


class Pruned(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of deleted rows."""

    reports: int = 0
    runs: int = 0
    """Runs of reports that are kept."""
    visits: int = 0
    answers: int = 0
    """Records of requests with an Idempotency-Key."""

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(
            reports=self.reports + other.reports,
            runs=self.runs + other.runs,
            visits=self.visits + other.visits,
            answers=self.answers + other.answers,
        )


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the data in bytes and rows."""

    database_bytes: int
    free_bytes: int
    """Unused space inside the database, which is filled before the file grows; 0 if unknown."""
    log_bytes: int
    """Size of the write-ahead log that is not part of the database file yet; 0 on a shared server."""
    reports: int
    runs: int
    details_bytes: int
    """Compressed results and pages."""
    details_plain_bytes: int


def expired_before_ms(retention_days: int | None, age: AgeMs) -> int | None:
    """Return the time before which reports have expired; ``None`` without expiry."""
    return None if retention_days is None else age - retention_days * DAY_MS


def find_expired(
    tx: Transaction,
    *,
    retention_days: int | None,
    retention_runs: int | None,
    age: AgeMs,
    after_report_id: int = 0,
    batch: int = BATCH,
) -> Expired:
    """Return a batch of expired data; reads only.

    Args:
        retention_days: Finished reports expire this many days after their last results; ``None`` for never.
        retention_runs: Number of newest finished runs that each report keeps, besides the one whose results it shows;
            ``None`` for all.
        after_report_id: Search only runs of reports after this id.
        batch: Maximum number of reports, or of reports whose runs are returned if fewer reports have expired.
    """
    before_ms = expired_before_ms(retention_days, age)
    old = () if before_ms is None else _find_reports(tx, before_ms, batch)
    if len(old) == batch or retention_runs is None:
        return Expired(reports=old, after_report_id=after_report_id, more=len(old) == batch)
    with_many = tuple(
        tx.execute(
            select(runs.c.report_id)
            .where(runs.c.report_id > after_report_id)
            .group_by(runs.c.report_id)
            .having(func.count() > retention_runs)
            .order_by(runs.c.report_id)
            .limit(batch)
        ).scalars()
    )
    return Expired(
        reports=old,
        runs=_find_runs(tx, tuple(each for each in with_many if each not in old), retention_runs),
        after_report_id=with_many[-1] if with_many else after_report_id,
        more=len(with_many) == batch,
    )


def count_reports(tx: Transaction) -> int:
    """Return the number of reports of all accounts."""
    return int(tx.execute(select(func.count()).select_from(reports)).scalar_one())


def count_expired(tx: Transaction, *, retention_days: int | None, retention_runs: int | None, age: AgeMs) -> Pruned:
    """Count the rows that pruning would delete now; reads only, but all rows."""
    before_ms = expired_before_ms(retention_days, age)
    gone = () if before_ms is None else _find_reports(tx, before_ms, None)
    expired = set(gone)
    found = 0
    after = 0
    while retention_runs is not None:
        part = find_expired(tx, retention_days=None, retention_runs=retention_runs, age=age, after_report_id=after)
        owners = tx.execute(select(runs.c.report_id).where(runs.c.id.in_(part.runs))).scalars()
        found += sum(report_id not in expired for report_id in owners)
        after = part.after_report_id
        if not part.more:
            break
    return Pruned(reports=len(gone), runs=found)


def prune(tx: Transaction, found: Expired, *, retention_days: int | None, age: AgeMs, now_ms: int) -> Pruned:
    """Delete expired rows, if they still are, and other data past its retention."""
    before_ms = expired_before_ms(retention_days, age)
    _hold_owners(tx, found)
    deleted = 0
    if found.reports and before_ms is not None:
        deleted = delete_reports(tx, _still_expired(tx, found.reports, before_ms))
    dropped = 0
    if found.runs:
        shown = select(reports.c.id).where(reports.c.id == runs.c.report_id, reports.c.run_number == runs.c.number)
        which = (runs.c.id.in_(found.runs), ~shown.exists())
        uncount_details(tx, *which)
        dropped = tx.execute(delete(runs).where(*which)).rowcount
    return Pruned(
        reports=deleted,
        runs=dropped,
        visits=forget_visits(tx, now_ms),
        answers=forget_requests(tx, age),
    )


def _hold_owners(tx: Transaction, found: Expired) -> None:
    """Lock the accounts whose reports and runs were found, in the same order everywhere."""
    of_reports = select(reports.c.account_id).where(reports.c.id.in_(found.reports))
    of_runs = select(runs.c.account_id).where(runs.c.id.in_(found.runs))
    for account_id in sorted(tx.execute(of_reports.union(of_runs)).scalars()):
        hold_account(tx, account_id)


def measure(tx: Transaction) -> Sizes:
    """Measure the size of the data; reads an index entry for every run, so too slow for every request."""
    database_bytes, free_bytes, log_bytes = _measure_server(tx) if is_shared(tx) else _measure_files(tx)
    packed, plain = tx.execute(
        select(
            func.coalesce(func.sum(func.length(run_details.c.body)), 0),
            func.coalesce(func.sum(run_details.c.plain_bytes), 0),
        )
    ).one()
    return Sizes(
        database_bytes=database_bytes,
        free_bytes=free_bytes,
        log_bytes=log_bytes,
        reports=count_reports(tx),
        runs=int(tx.execute(select(func.count()).select_from(runs)).scalar_one()),
        details_bytes=int(packed),
        details_plain_bytes=int(plain),
    )


def _measure_files(tx: Transaction) -> tuple[int, int, int]:
    pages, page_bytes, free = (
        int(tx.exec_driver_sql(f"PRAGMA {name}").scalar_one()) for name in ("page_count", "page_size", "freelist_count")
    )
    # A connection that has sorted something lists a temporary database, too.
    listed = tx.exec_driver_sql("PRAGMA database_list").mappings()
    path = next(str(row["file"]) for row in listed if row["name"] == "main")
    log = Path(f"{path}-wal")
    return pages * page_bytes, free * page_bytes, log.stat().st_size if log.exists() else 0


def _measure_server(tx: Transaction) -> tuple[int, int, int]:
    """Measure the database; the log belongs to the whole server, and free space in tables needs an extension."""
    return int(tx.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one()), 0, 0


def _find_reports(tx: Transaction, before_ms: int, limit: int | None) -> tuple[int, ...]:
    """Return reports dated before, account by account, because their index begins with the account."""
    found: list[int] = []
    for account_id in tx.execute(select(accounts.c.id)).scalars().all():
        mine = _OLD.where(reports.c.account_id == account_id)
        if limit is not None:
            mine = mine.limit(limit - len(found))
        found += tx.execute(mine, {"before_ms": before_ms}).scalars()
        if len(found) == limit:
            break
    return tuple(found)


def _still_expired(tx: Transaction, report_ids: tuple[int, ...], before_ms: int) -> tuple[int, ...]:
    """Return the reports that were not analyzed again since they were found."""
    return tuple(tx.execute(_OLD.where(reports.c.id.in_(report_ids)), {"before_ms": before_ms}).scalars())


def _find_runs(tx: Transaction, report_ids: tuple[int, ...], keep: int) -> tuple[int, ...]:
    """Return finished runs of these reports beyond the newest ``keep``, without the runs that are shown."""
    rows = tx.execute(
        select(runs.c.id, runs.c.report_id, runs.c.number, reports.c.run_number)
        .join_from(runs, reports, reports.c.id == runs.c.report_id)
        .where(runs.c.report_id.in_(report_ids), _FINISHED)
        .order_by(runs.c.report_id, runs.c.number.desc())
    )
    seen: dict[int, int] = {}
    found = []
    for run_id, report_id, number, shown in rows:
        seen[report_id] = seen.get(report_id, 0) + 1
        if seen[report_id] > keep and number != shown:
            found.append(run_id)
    return tuple(found)
