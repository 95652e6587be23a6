"""The runs of a report, for reading: the results of each, and the pictures of the run that the report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import and_, bindparam, func, insert, select, text

from pagegrade.model.rendering import Device
from pagegrade.model.report import Basis
from pagegrade.model.stored import PackedPicture, StoredReport, StoredRun
from pagegrade.report.codec import shown_detail, unpacked_bytes
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema import tables
from pagegrade.store.schema.tables import run_details, run_pictures, runs

NO_DEVICE: Final = "none"
"""Value in place of the device for runs without a browser."""
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
    "device",
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
_shown: Final = runs.alias("shown")
# Joined with reports, and by number: a report may have thousands of runs.
_RECENT_SCORES: Final = (
    select(runs.c.report_id, runs.c.score)
    .join(tables.reports, runs.c.report_id == tables.reports.c.id)
    .join(_shown, and_(_shown.c.report_id == tables.reports.c.id, _shown.c.number == tables.reports.c.run_number))
    .where(
        *(runs.c[name] == _shown.c[name] for name in Basis._fields),
        tables.reports.c.id.in_(bindparam("reports", expanding=True)),
        runs.c.number > tables.reports.c.run_number - bindparam("count"),
        runs.c.number <= tables.reports.c.run_number,
        runs.c.score.is_not(None),
    )
    .order_by(runs.c.report_id, runs.c.number)
)
_COMPARABLE: Final = (
    select(*RUN_COLUMNS)
    .where(
        runs.c.report_id == bindparam("report"),
        runs.c.state == "completed",
        runs.c.number < bindparam("before"),
        *(runs.c[name] == bindparam(name) for name in Basis._fields),
    )
    .order_by(runs.c.number.desc())
    .limit(bindparam("count"))
)
_LATEST_FINISHED: Final = (
    select(*RUN_COLUMNS)
    .where(runs.c.report_id == bindparam("report"), runs.c.state.in_(("completed", "failed")))
    .order_by(runs.c.number.desc())
    .limit(1)
)
_LATEST_COMPLETED: Final = (
    select(*RUN_COLUMNS)
    .where(runs.c.report_id == bindparam("report"), runs.c.state == "completed", runs.c.number < bindparam("before"))
    .order_by(runs.c.number.desc())
    .limit(1)
)


def run_of(row: Any) -> StoredRun:
    """Convert a row of ``RUN_COLUMNS`` to a run."""
    members = dict(zip(RUN_NAMES, row, strict=True))
    return StoredRun(**members | {"device": device_of(members["device"])})


def device_of(value: Any) -> Device | None:
    """Return the device that a column of runs stands for; ``None``: no browser."""
    return None if value == NO_DEVICE else value


def same_basis(one: str, other: str) -> str:
    """Return the SQL condition that two rows of ``runs``, by their aliases, compare; both must be completed."""
    return " AND ".join(f"{one}.{name} = {other}.{name}" for name in Basis._fields)


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


def latest_finished(tx: Transaction, report_id: int) -> StoredRun | None:
    """Return the newest run that has ended."""
    row = tx.execute(_LATEST_FINISHED, {"report": report_id}).first()
    return None if row is None else run_of(row)


def latest_comparable(tx: Transaction, run: StoredRun) -> StoredRun | None:
    """Return the newest run before a completed one that compares with it."""
    rows = list_comparable(tx, run, 1)
    return rows[0] if rows else None


def list_comparable(tx: Transaction, run: StoredRun, count: int) -> tuple[StoredRun, ...]:
    """Return the newest runs before a completed one that compare with it, the newest first."""
    sent = {"report": run.report_id, "before": run.number, "ruleset": run.ruleset, "device": run.device or NO_DEVICE}
    return tuple(map(run_of, tx.execute(_COMPARABLE, {**sent, "count": count})))


def load_detail(tx: Transaction, report_id: int, number: int) -> bytes | None:
    """Load the JSON object with ``results`` and ``page`` of a run; ``None`` if there is none."""
    row = _LOAD_DETAIL.first(tx, {"report": report_id, "number": number})
    return None if row is None else shown_detail(row[0])


def load_details(tx: Transaction, reports: Iterable[StoredReport]) -> dict[int, bytes]:
    """Return report id -> JSON object with ``results`` and ``page`` of the run that the report shows, if any."""
    shown = [report.id for report in reports if report.run_number is not None]
    rows = tx.execute(_LOAD_DETAILS, {"reports": shown}) if shown else ()
    return {report_id: shown_detail(body) for report_id, body in rows}


def load_recent_scores(tx: Transaction, reports: Iterable[StoredReport], count: int) -> dict[int, tuple[int, ...]]:
    """Return report id -> scores of the runs that compare with the shown one, of the last ``count``, oldest first."""
    shown = [report.id for report in reports if report.run_number is not None]
    found: dict[int, list[int]] = {}
    for report_id, score in tx.execute(_RECENT_SCORES, {"reports": shown, "count": count}) if shown else ():
        found.setdefault(report_id, []).append(score)
    return {report_id: tuple(scores) for report_id, scores in found.items()}


def save_detail(tx: Transaction, run_id: int, detail: bytes) -> None:
    """Store ``PackedReport.detail`` of a run that ends."""
    tx.execute(insert(run_details), {"run_id": run_id, "body": detail, "plain_bytes": unpacked_bytes(detail)})


_DROP: Final = Prepared(
    text(
        "DELETE FROM run_pictures WHERE run_id IN (SELECT id FROM runs WHERE report_id = :report_id) "
        "RETURNING LENGTH(body)"
    )
)
_LOAD: Final = (
    select(run_pictures.c.body)
    .join(runs, runs.c.id == run_pictures.c.run_id)
    .where(
        runs.c.report_id == bindparam("report"),
        runs.c.number == bindparam("number"),
        run_pictures.c.name == bindparam("picture"),
    )
)


def save_pictures(tx: Transaction, run_id: int, pictures: Sequence[PackedPicture]) -> None:
    """Keep the pictures of a run that ends now."""
    if pictures:
        tx.execute(
            insert(run_pictures),
            [{"run_id": run_id, "name": picture.name, "body": picture.body} for picture in pictures],
        )


def drop_pictures(tx: Transaction, report_id: int) -> int:
    """Delete the pictures of a report, which another run is about to replace; return their size in bytes."""
    return sum(size for (size,) in _DROP.rows(tx, {"report_id": report_id}))


def load_picture(tx: Transaction, report_id: int, number: int, name: str) -> bytes | None:
    """Return a picture of a run of a report; ``None`` when there is none."""
    body: bytes | None = tx.execute(_LOAD, {"report": report_id, "number": number, "picture": name}).scalar()
    return None if body is None else bytes(body)
