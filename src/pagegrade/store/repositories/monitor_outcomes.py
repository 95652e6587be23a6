"""Monitors of a report after one of its runs, or of an audit after a crawl: budgets, and what can be reached."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import bindparam, select

from pagegrade.model.audit import Crawl
from pagegrade.model.audit_result import AuditResult, AuditSummary
from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import DIGEST_MS, REMIND_MS, Budget, BudgetChange, Crossing, CrossingKind, Monitor
from pagegrade.model.rendering import Device
from pagegrade.model.report import Basis, Report
from pagegrade.model.stored import PackedReport, StoredRun
from pagegrade.model.webhooks import Event, EventType
from pagegrade.report.codec import restore_report, unpack_detail, unpack_page
from pagegrade.report.gates import (
    COMPARED_RUNS,
    PARTS,
    Evaluated,
    Gate,
    Part,
    Reachability,
    count_failure,
    evaluate_budgets,
    leave_unmeasured,
    parse_condition,
)
from pagegrade.report.serialize import timestamp
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.monitors import (
    add_crossing,
    is_silent,
    list_of_audit,
    list_of_report,
    load_monitor,
    save_monitor,
)
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.run_history import latest_completed, list_comparable, load_run
from pagegrade.store.schema.tables import reports, run_details

_REPORT: Final = select(reports.c.project, reports.c.render).where(reports.c.id == bindparam("report_id"))
_EVENT_TYPES: Final[dict[CrossingKind, EventType]] = {
    "regressed": "report.regressed",
    "recovered": "report.recovered",
    "unreachable": "monitor.unreachable",
}
_AUDIT_EVENT_TYPES: Final[dict[CrossingKind, EventType]] = {
    "regressed": "audit.regressed",
    "recovered": "audit.recovered",
    "unreachable": "monitor.unreachable",
}
DIGESTS: Final = 8
"""Messages that people get at most of one look at a set of pages; later runs were asked for by somebody else."""
_Crossed = list[tuple[CrossingKind, tuple[BudgetChange, ...]]]
_DETAIL: Final = select(run_details.c.body).where(run_details.c.run_id == bindparam("run_id"))


class _Error(msgspec.Struct):
    """The member of ``PackedReport.error`` that says what failed."""

    code: str


_read_error: Final = msgspec.json.Decoder(_Error).decode


def record_outcome(
    tx: Transaction,
    *,
    account_id: int,
    report_id: int,
    number: int,
    asked: Device | None,
    packed: PackedReport,
    now_ms: int,
) -> tuple[Crossing, ...]:
    """Evaluate the monitors of a report on a run that ends now; only while the account is held.

    People are told again of what this run shows to be still bad, as often as its monitor says, and of what became bad
    while they were to get no messages.

    Args:
        tx: The transaction that stores the outcome of the run.
        asked: Device that a browser was to imitate; ``None``: no browser was to be used.

    Returns:
        What has to be notified: at most one crossing of each kind for each monitor.
    """
    watching = [monitor for monitor in list_of_report(tx, report_id) if not monitor.paused]
    run = load_run(tx, report_id, number) if watching else None
    if run is None:
        return ()
    crossings: list[Crossing] = []
    project, render = tx.execute(_REPORT, {"report_id": report_id}).one()
    known = _Reports(tx, run, packed, is_lost=asked is not None and run.device is None, static_is_meant=render == 0)
    for monitor in watching:
        after, crossed = _evaluate(monitor, known, now_ms)
        is_quiet = is_silent(tx, account_id, monitor_id=monitor.id, project=project, at_ms=now_ms)
        is_measured = known.error_code is None and not known.is_lost
        kinds = [crossing.kind for crossing in crossed]
        after, reminds = _remind(after, kinds, now_ms, is_measured=is_measured, is_quiet=is_quiet)
        if after != monitor:
            save_monitor(tx, replace(after, updated_at_ms=now_ms))
        for crossing in crossed:
            add_crossing(tx, account_id, run.id, crossing)
            add_event(tx, replace(_event(account_id, project, crossing), told_at_ms=_told_at_ms(tx, monitor, now_ms)))
        if reminds:
            reminder = _reminder(after, project, {}, now_ms)
            add_event(tx, replace(reminder, told_at_ms=_told_at_ms(tx, monitor, now_ms)))
        crossings += crossed
    return tuple(crossings)


def _told_at_ms(tx: Transaction, monitor: Monitor, now_ms: int) -> int | None:
    """Return when people are told of a page of a set: the end of a ``DIGEST_MS`` since its pages became due.

    ``None``: it is a page by itself, or its pages became due long ago.
    """
    parent = None if monitor.parent_id is None else load_monitor(tx, monitor.account_id, monitor.parent_id)
    if parent is None or parent.last_run_at_ms is None:
        return None
    ended = (now_ms - parent.last_run_at_ms) // DIGEST_MS + 1
    return parent.last_run_at_ms + ended * DIGEST_MS if 0 < ended <= DIGESTS else None


def _event(account_id: int, project: str, crossing: Crossing) -> Event:
    """Return the event of a crossing; the outbox adds what it knows of the report and its run."""
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


def _remind(
    monitor: Monitor, crossed: Sequence[CrossingKind], now_ms: int, *, is_measured: bool, is_quiet: bool
) -> tuple[Monitor, bool]:
    """Return the monitor with the time of its last message, and whether people are to be told again.

    Args:
        monitor: As the run or crawl has left it.
        crossed: Changes for which there is an event of their own.
        is_measured: The budgets were evaluated.
        is_quiet: People get no messages about the monitor now.
    """
    if any(kind != "recovered" for kind in crossed):
        return replace(monitor, told_at_ms=0 if is_quiet else now_ms), False
    if monitor.unreachable_since_ms is None:
        if not any(budget.state == "breached" for budget in monitor.budgets):
            return replace(monitor, told_at_ms=None), False
        if not is_measured:
            return monitor, False
    told_at_ms, pause_ms = monitor.told_at_ms, REMIND_MS.get(monitor.remind)
    if told_at_ms is None:
        return replace(monitor, told_at_ms=now_ms), False  # bad without a message, as on the first run of other rules
    is_due = told_at_ms == 0 or (pause_ms is not None and now_ms - told_at_ms >= pause_ms)
    if is_quiet or not is_due:
        return monitor, False
    return replace(monitor, told_at_ms=now_ms), True


def _reminder(
    monitor: Monitor, project: str, data: Mapping[str, Any], now_ms: int, *, audit_id: int | None = None
) -> Event:
    """Return the event of a monitor that is still bad; ``data`` are more members of it."""
    breached = [budget for budget in monitor.budgets if budget.state == "breached"]
    since = [each for each in (monitor.unreachable_since_ms, *(budget.since_ms for budget in breached)) if each]
    more: dict[str, Any] = {
        "monitor_id": monitor.id,
        "still": "breached" if monitor.unreachable_since_ms is None else "unreachable",
        "since": timestamp(min(since, default=now_ms)),
        "budgets": [{"condition": budget.condition, "value": None, "limit": None} for budget in breached],
    }
    return Event(
        type="monitor.reminder",
        account_id=monitor.account_id,
        project=project,
        monitor_id=monitor.id,
        report_id=monitor.report_id,
        at_ms=now_ms,
        data={**data, **more},
        audit_id=audit_id,
    )


def _evaluate(monitor: Monitor, reports: _Reports, now_ms: int) -> tuple[Monitor, list[Crossing]]:
    """Return the monitor after the run, and what has to be notified."""
    failed = reports.error_code
    if failed is not None:
        after, crossed = _after_failure(monitor, failed, now_ms)
    elif reports.is_lost:
        after, crossed = _after(monitor, Evaluated(budgets=leave_unmeasured(monitor.budgets, now_ms)))
    else:
        gates = [parse_condition(budget.condition).gate for budget in monitor.budgets]
        changes = [gate for gate in gates if gate.change]
        evaluated = evaluate_budgets(
            reports.with_bases(monitor.budgets),
            reports.newest(_largest(gates)),
            reports.earlier(_largest(changes)) if changes else (),
            now_ms,
            basis=reports.basis,
            static_is_meant=reports.static_is_meant,
        )
        after, crossed = _after(monitor, evaluated)
    return after, [
        Crossing(
            run_number=reports.run.number,
            kind=kind,
            at_ms=now_ms,
            monitor_id=monitor.id,
            report_id=reports.run.report_id,
            budgets=budgets,
        )
        for kind, budgets in crossed
    ]


def _after_failure(monitor: Monitor, error_code: str, now_ms: int) -> tuple[Monitor, _Crossed]:
    """Return the monitor after a run or crawl that failed."""
    before = Reachability(failures=monitor.failures, since_ms=monitor.unreachable_since_ms)
    after = count_failure(before, error_code, now_ms)
    crossed: _Crossed = [("unreachable", ())] if after.since_ms is not None and before.since_ms is None else []
    return replace(monitor, failures=after.failures, unreachable_since_ms=after.since_ms), crossed


def _after(monitor: Monitor, evaluated: Evaluated) -> tuple[Monitor, _Crossed]:
    """Return the monitor after a run or crawl that reached the page."""
    crossed: _Crossed = [("regressed", evaluated.breached)] if evaluated.breached else []
    if evaluated.recovered or monitor.unreachable_since_ms is not None:
        crossed.append(("recovered", evaluated.recovered))
    return replace(monitor, budgets=evaluated.budgets, failures=0, unreachable_since_ms=None), crossed


def record_crawl(
    tx: Transaction,
    crawl: Crawl,
    project: str,
    data: Mapping[str, Any],
    now_ms: int,
    *,
    result: AuditResult | None,
    earlier: Sequence[AuditSummary] = (),
) -> bool:
    """Evaluate the monitors of an audit on a crawl that ends now, and add their events to the outbox.

    Args:
        tx: The transaction that stores the end of the crawl; only while the account is held.
        result: What its pages came to; ``None``: it failed, or was not evaluated.
        earlier: Of the crawls before that compare, the newest first.

    Returns:
        True if a monitor said that the site got worse.
    """
    is_worse = False
    for monitor in list_of_audit(tx, crawl.audit_id or 0):
        if monitor.paused:
            continue
        if result is None:
            reached = crawl.state != "failed"
            after, crossed = _after_failure(monitor, "internal" if reached else crawl.stop_reason or "internal", now_ms)
        else:
            after, crossed = _after(monitor, evaluate_budgets(monitor.budgets, result, earlier, now_ms))
        is_quiet = is_silent(tx, monitor.account_id, monitor_id=monitor.id, project=project, at_ms=now_ms)
        kinds = [kind for kind, _ in crossed]
        after, reminds = _remind(after, kinds, now_ms, is_measured=result is not None, is_quiet=is_quiet)
        if after != monitor:
            save_monitor(tx, replace(after, updated_at_ms=now_ms))
        if reminds:
            add_event(tx, _reminder(after, project, data, now_ms, audit_id=crawl.audit_id))
        for kind, budgets in crossed:
            is_worse = is_worse or kind == "regressed"
            more: dict[str, Any] = {"monitor_id": monitor.id}
            if kind != "unreachable":
                more["budgets"] = msgspec.to_builtins(budgets)
            event = Event(
                type=_AUDIT_EVENT_TYPES[kind],
                account_id=monitor.account_id,
                project=project,
                monitor_id=monitor.id,
                report_id=None,
                at_ms=now_ms,
                data={**data, **more},
                audit_id=crawl.audit_id,
            )
            add_event(tx, event)
    return is_worse


def _largest(gates: Sequence[Gate]) -> Part:
    """Return the part of a report that all the conditions need."""
    return max((gate.reads for gate in gates), key=PARTS.index, default="summary")


class _Reports:
    """The report of a run and those before it, restored as far as they are needed, once for all monitors.

    The results of checks take ten times as long as all else, and no change is about them: those of earlier runs stay
    as they are stored, because the database waits meanwhile.
    """

    def __init__(
        self, tx: Transaction, run: StoredRun, packed: PackedReport, *, is_lost: bool, static_is_meant: bool
    ) -> None:
        self.run = run
        self.is_lost = is_lost
        """The run was to use a browser, and did without."""
        self.static_is_meant = static_is_meant
        self.basis = Basis(packed.ruleset, packed.device)
        self._tx = tx
        self._packed = packed
        self._newest: dict[Part, Report] = {}
        self._earlier: dict[Part, tuple[Report, ...]] = {}

    @property
    def error_code(self) -> str | None:
        """The reason why the run failed; ``None``: it did not."""
        return None if self._packed.error is None else _read_error(self._packed.error).code

    def with_bases(self, budgets: Sequence[Budget]) -> tuple[Budget, ...]:
        """Return budgets with the basis of their state, also those that were stored without: that of the run before."""
        if all(budget.basis is not None or budget.state == "unknown" for budget in budgets):
            return tuple(budgets)
        before = latest_completed(self._tx, self.run.report_id, before=self.run.number)
        basis = None if before is None else before.basis
        return tuple(
            replace(budget, basis=basis) if budget.basis is None and budget.state != "unknown" else budget
            for budget in budgets
        )

    def newest(self, part: Part) -> Report:
        """The report of the run, with this part of it."""
        if part not in self._newest:
            packed = self._packed
            self._newest[part] = _restore(part, packed.rating, packed.score, packed.summary, packed.detail)
        return self._newest[part]

    def earlier(self, part: Part) -> tuple[Report, ...]:
        """The reports of the runs before that compare and can be read, the newest first; as ``newest``."""
        if part not in self._earlier:
            self._earlier[part] = tuple(self._read_earlier(part))
        return self._earlier[part]

    def _read_earlier(self, part: Part) -> Iterator[Report]:
        for run in list_comparable(self._tx, self.run, COMPARED_RUNS):
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
