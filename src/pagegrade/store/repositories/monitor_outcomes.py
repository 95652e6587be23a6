"""Monitors of a report after one of its runs: their budgets, and whether the page can be reached."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, select

from pagegrade.model.errors import InvalidInput
from pagegrade.model.events import Event, EventType
from pagegrade.model.monitors import BudgetChange, Crossing, CrossingKind, Monitor
from pagegrade.model.report import Report
from pagegrade.model.stored import PackedReport
from pagegrade.report.budgets import Reachability, count_failure, evaluate_budgets, parse_condition
from pagegrade.report.codec import restore_report, unpack_detail, unpack_page
from pagegrade.report.gates import COMPARED_RUNS, PARTS, Gate, Part
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.monitors import add_crossing, list_of_report, save_monitor
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.run_history import RUN_COLUMNS, run_of
from pagegrade.store.schema.tables import reports, run_details, runs

_EARLIER: Final = (
    select(*RUN_COLUMNS)
    .where(runs.c.report_id == bindparam("report_id"), runs.c.state == "completed", runs.c.number < bindparam("before"))
    .order_by(runs.c.number.desc())
    .limit(COMPARED_RUNS)
)
_PROJECT: Final = select(reports.c.project).where(reports.c.id == bindparam("report_id"))
_EVENT_TYPES: Final[dict[CrossingKind, EventType]] = {
    "regressed": "report.regressed",
    "recovered": "report.recovered",
    "unreachable": "monitor.unreachable",
}
_DETAIL: Final = select(run_details.c.body).where(run_details.c.run_id == bindparam("run_id"))


class _Error(msgspec.Struct):
    """The member of ``PackedReport.error`` that says what failed."""

    code: str


_read_error: Final = msgspec.json.Decoder(_Error).decode


def record_outcome(
    tx: Transaction, *, account_id: int, report_id: int, run_id: int, number: int, packed: PackedReport, now_ms: int
) -> tuple[Crossing, ...]:
    """Evaluate the monitors of a report on a run that ends now; only while the account is held.

    Args:
        tx: The transaction that stores the outcome of the run.
        account_id: Of the report.
        report_id: Whose run it is.
        run_id: Of the run.
        number: Of the run within the report.
        packed: The outcome.
        now_ms: The time.

    Returns:
        What has to be notified: at most one crossing of each kind for each monitor.
    """
    watching = [monitor for monitor in list_of_report(tx, report_id) if not monitor.paused]
    if not watching:
        return ()
    crossings: list[Crossing] = []
    known = _Reports(tx, report_id, number, packed)
    for monitor in watching:
        after, crossed = _evaluate(monitor, known, number, now_ms)
        if after != monitor:
            save_monitor(tx, replace(after, updated_at_ms=now_ms))
        for crossing in crossed:
            add_crossing(tx, account_id, run_id, crossing)
            add_event(tx, _event(tx, account_id, crossing))
        crossings += crossed
    return tuple(crossings)


def _event(tx: Transaction, account_id: int, crossing: Crossing) -> Event:
    """Return the event of a crossing; the outbox adds what it knows of the report and its run."""
    project = tx.execute(_PROJECT, {"report_id": crossing.report_id}).scalar_one()
    data: dict[str, Any] = {"monitor_id": crossing.monitor_id}
    if crossing.kind != "unreachable":
        data["budgets"] = msgspec.to_builtins(crossing.budgets)
    return Event(
        type=_EVENT_TYPES[crossing.kind],
        account_id=account_id,
        project=project,
        monitor_id=crossing.monitor_id,
        report_id=crossing.report_id,
        at_ms=crossing.at_ms,
        data=data,
    )


def _evaluate(monitor: Monitor, reports: _Reports, number: int, now_ms: int) -> tuple[Monitor, list[Crossing]]:
    """Return the monitor after the run, and what has to be notified."""

    def crossing(kind: CrossingKind, budgets: tuple[BudgetChange, ...] = ()) -> Crossing:
        return Crossing(
            run_number=number,
            kind=kind,
            at_ms=now_ms,
            monitor_id=monitor.id,
            report_id=monitor.report_id,
            budgets=budgets,
        )

    failed = reports.error_code
    if failed is not None:
        before = Reachability(failures=monitor.failures, since_ms=monitor.unreachable_since_ms)
        after = count_failure(before, failed, now_ms)
        crossed = [crossing("unreachable")] if after.since_ms is not None and before.since_ms is None else []
        return replace(monitor, failures=after.failures, unreachable_since_ms=after.since_ms), crossed
    gates = [parse_condition(budget.condition).gate for budget in monitor.budgets]
    report = reports.newest(_largest(gates))
    changes = [gate for gate in gates if gate.change]
    earlier = reports.earlier(_largest(changes)) if changes else ()
    evaluated = evaluate_budgets(monitor.budgets, report, earlier, now_ms)
    crossed = [crossing("regressed", evaluated.breached)] if evaluated.breached else []
    if evaluated.recovered or monitor.unreachable_since_ms is not None:
        crossed.append(crossing("recovered", evaluated.recovered))
    return replace(monitor, budgets=evaluated.budgets, failures=0, unreachable_since_ms=None), crossed


def _largest(gates: Sequence[Gate]) -> Part:
    """Return the part of a report that all the conditions need."""
    return max((gate.reads for gate in gates), key=PARTS.index, default="summary")


class _Reports:
    """The report of a run and those before it, restored as far as they are needed, once for all monitors.

    The results of checks take ten times as long as all else, and no change is about them: those of earlier runs stay
    as they are stored, because the database waits meanwhile.
    """

    def __init__(self, tx: Transaction, report_id: int, number: int, packed: PackedReport) -> None:
        self._tx = tx
        self._report_id = report_id
        self._number = number
        self._packed = packed
        self._newest: dict[Part, Report] = {}
        self._earlier: dict[Part, tuple[Report, ...]] = {}

    @property
    def error_code(self) -> str | None:
        """The reason why the run failed; ``None``: it did not."""
        return None if self._packed.error is None else _read_error(self._packed.error).code

    def newest(self, part: Part) -> Report:
        """The report of the run, with this part of it."""
        if part not in self._newest:
            packed = self._packed
            self._newest[part] = _restore(part, packed.rating, packed.score, packed.summary, packed.detail)
        return self._newest[part]

    def earlier(self, part: Part) -> tuple[Report, ...]:
        """The reports of the completed runs before that can be read, the newest first; as ``newest``."""
        if part not in self._earlier:
            self._earlier[part] = tuple(self._read_earlier(part))
        return self._earlier[part]

    def _read_earlier(self, part: Part) -> Iterator[Report]:
        rows = self._tx.execute(_EARLIER, {"report_id": self._report_id, "before": self._number}).all()
        for run in map(run_of, rows):
            read = part != "summary"
            detail = self._tx.execute(_DETAIL, {"run_id": run.id}).scalar_one_or_none() if read else None
            # A run of long ago that is damaged must not fail the one that ends now.
            with contextlib.suppress(InvalidInput):
                yield _restore(part, run.rating, run.score, run.summary, detail)


def _restore(part: Part, rating: int | None, score: int | None, summary: bytes | None, detail: bytes | None) -> Report:
    unpacked = None
    if detail is not None and part != "summary":
        unpacked = unpack_detail(detail) if part == "results" else unpack_page(detail)
    return restore_report(
        url="https://example.invalid/",
        project="example.invalid",
        state="completed",
        rating=rating,
        score=score,
        summary=summary,
        detail=unpacked,
        error=None,
        engine="",
        generated_at_ms=0,
    )
