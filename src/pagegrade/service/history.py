"""Use cases of the runs of a report: list, show, compare."""

from __future__ import annotations

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.report import Report
from pagegrade.model.stored import StoredReport, StoredRun
from pagegrade.report.compare import compare_reports
from pagegrade.report.json import report_from_dict
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports import Listed, find_report
from pagegrade.service.representation import ABSENT, comparison_object, run_object
from pagegrade.store import history as store
from pagegrade.store.database import Transaction


def list_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    page: int = 1,
    per_page: int = 10,
) -> Listed:
    """A page of the runs of a report, newest first.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    found, total = store.list_runs(tx, report.id, page, per_page)
    return Listed(items=tuple(run_object(run, detail=ABSENT) for run in found), total=total)


def show_run(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, number: int
) -> bytes:
    """A run of a report, whole: a JSON object.

    Raises:
        NotFound: There is no such report, or it has no such run.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    run = store.load_run(tx, report.id, number)
    if run is None:
        raise NotFound
    return run_object(run, detail=store.load_detail(tx, report.id, number))


def compare_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    before: int | None = None,
    after: int | None = None,
) -> bytes:
    """What changed between two runs of a report: a JSON object.

    Args:
        tx: Any transaction.
        caller: Whose report it must be.
        report_id: Any number.
        options: Of the installation.
        now_ms: The time now.
        before: Number of the older run; ``None``: the last one that succeeded before the newer.
        after: Number of the newer run; ``None``: the last one that succeeded.

    Raises:
        NotFound: There is no such report.
        ValidationFailed: A run is not there, did not succeed, or there are no two.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    newer = store.latest_completed(tx, report.id) if after is None else store.load_run(tx, report.id, after)
    if newer is None and after is None:
        raise _unusable("to", "no_run", "No analysis of this report has succeeded yet.")
    new = _report_of(tx, report, newer, "to", after)
    end = 0 if newer is None else newer.number
    older = (
        store.latest_completed(tx, report.id, before=end) if before is None else store.load_run(tx, report.id, before)
    )
    if older is None and before is None:
        raise _unusable("from", "no_run", "No earlier analysis of this report has succeeded.")
    old = _report_of(tx, report, older, "from", before)
    return comparison_object(report.id, 0 if older is None else older.number, end, compare_reports(old, new))


def _report_of(tx: Transaction, report: StoredReport, run: StoredRun | None, field: str, number: int | None) -> Report:
    """The report as that run made it."""
    if run is None:
        raise _unusable(field, "unknown_run", f"The report has no run {number}.")
    detail = store.load_detail(tx, report.id, run.number)
    if run.state != "completed" or detail is None:
        raise _unusable(field, "not_comparable", f"Run {run.number} has no results to compare.")
    members = msgspec.json.decode(run_object(run, detail=detail))
    made = {
        "object": "report",
        "url": report.url,
        "project": report.project,
        "generated_at": members["finished_at"] or members["created_at"],
    }
    return report_from_dict({**members, **made})


def _unusable(field: str, code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field=field, place="query", code=code, message=message)])
