"""The runs of a report, for reading, and the results of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, insert, select

from pagegrade.model.stored import StoredReport, StoredRun
from pagegrade.report.codec import shown_detail, unpacked_bytes
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema import tables
from pagegrade.store.schema.tables import run_details, runs

RUN_NAMES: Final = (
    "id",
    "report_id",
    "number",
    "state",
    "attempt",
    "rating",
    "score",
    "engine",
    "ruleset",
    "summary",
    "error",
    "created_at_ms",
    "started_at_ms",
    "finished_at_ms",
    "step",
)
"""Fields of ``StoredRun`` in the order in which ``RUN_COLUMNS`` reads them."""
RUN_COLUMNS: Final = tuple(runs.c[name] for name in RUN_NAMES)
GREATEST_NUMBER: Final = (1 << 31) - 1
"""Largest value of the column."""

_LOAD_RUN: Final = select(*RUN_COLUMNS).where(
    runs.c.report_id == bindparam("report"), runs.c.number == bindparam("number")
)
_LOAD_DETAIL: Final = Prepared(
    select(run_details.c.body)
    .join(runs, runs.c.id == run_details.c.run_id)
    .where(runs.c.report_id == bindparam("report"), runs.c.number == bindparam("number"))
)
# Joined with reports: SQLite reads the whole table to find pairs of values in it.
_LOAD_DETAILS: Final = (
    select(tables.reports.c.id, run_details.c.body)
    .join(runs, and_(runs.c.report_id == tables.reports.c.id, runs.c.number == tables.reports.c.run_number))
    .join(run_details, runs.c.id == run_details.c.run_id)
    .where(tables.reports.c.id.in_(bindparam("reports", expanding=True)))
)
# Joined with reports, and by number: a report may have thousands of runs.
_RECENT_SCORES: Final = (
    select(runs.c.report_id, runs.c.number, runs.c.score, runs.c.ruleset)
    .join(tables.reports, runs.c.report_id == tables.reports.c.id)
    .where(
        tables.reports.c.id.in_(bindparam("reports", expanding=True)),
        runs.c.number > tables.reports.c.run_number - bindparam("count"),
        runs.c.number <= tables.reports.c.run_number,
        runs.c.score.is_not(None),
    )
    .order_by(runs.c.report_id, runs.c.number)
)
_LATEST_COMPLETED: Final = (
    select(*RUN_COLUMNS)
    .where(runs.c.report_id == bindparam("report"), runs.c.state == "completed", runs.c.number < bindparam("before"))
    .order_by(runs.c.number.desc())
    .limit(1)
)


def run_of(row: Any) -> StoredRun:
    """Convert a row of ``RUN_COLUMNS`` to a run."""
    return StoredRun(**dict(zip(RUN_NAMES, row, strict=True)))


def list_runs(tx: Transaction, report_id: int, page: int, per_page: int) -> tuple[tuple[StoredRun, ...], int]:
    """Return (runs of a page, newest first; total number)."""
    mine = runs.c.report_id == report_id
    total = tx.execute(select(func.count()).where(mine)).scalar_one()
    skipped = (page - 1) * per_page
    if skipped >= total or skipped > GREATEST_ID:
        return (), total
    rows = tx.execute(select(*RUN_COLUMNS).where(mine).order_by(runs.c.number.desc()).limit(per_page).offset(skipped))
    return tuple(run_of(row) for row in rows), total


def load_run(tx: Transaction, report_id: int, number: int) -> StoredRun | None:
    """Load a run of a report by its number; ``None`` if it does not exist or was deleted."""
    if not 0 < number <= GREATEST_NUMBER:
        return None
    row = tx.execute(_LOAD_RUN, {"report": report_id, "number": number}).first()
    return None if row is None else run_of(row)


def latest_completed(tx: Transaction, report_id: int, *, before: int = GREATEST_NUMBER) -> StoredRun | None:
    """Return the newest successful run with a number below ``before``."""
    row = tx.execute(_LATEST_COMPLETED, {"report": report_id, "before": before}).first()
    return None if row is None else run_of(row)


def load_detail(tx: Transaction, report_id: int, number: int) -> bytes | None:
    """Load the JSON object with ``results`` and ``page`` of a run; ``None`` if there is none."""
    row = _LOAD_DETAIL.first(tx, {"report": report_id, "number": number})
    return None if row is None else shown_detail(row[0])


def load_details(tx: Transaction, reports: Iterable[StoredReport]) -> dict[int, bytes]:
    """Return report id -> JSON object with ``results`` and ``page`` of the run that the report shows, if any."""
    shown = [report.id for report in reports if report.run_number is not None]
    rows = tx.execute(_LOAD_DETAILS, {"reports": shown}) if shown else ()
    return {report_id: shown_detail(body) for report_id, body in rows}


def load_recent_scores(
    tx: Transaction, reports: Iterable[StoredReport], count: int
) -> dict[int, tuple[tuple[int, str | None], ...]]:
    """Return report id -> (score, ruleset) of the last scored runs up to the shown one, oldest first."""
    shown = [report.id for report in reports if report.run_number is not None]
    found: dict[int, list[tuple[int, str | None]]] = {}
    for report_id, _, score, ruleset in tx.execute(_RECENT_SCORES, {"reports": shown, "count": count}) if shown else ():
        found.setdefault(report_id, []).append((score, ruleset))
    return {report_id: tuple(scores) for report_id, scores in found.items()}


def save_detail(tx: Transaction, run_id: int, detail: bytes) -> None:
    """Store ``PackedReport.detail`` of a run that ends."""
    tx.execute(insert(run_details), {"run_id": run_id, "body": detail, "plain_bytes": unpacked_bytes(detail)})
