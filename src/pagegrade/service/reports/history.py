"""Use cases of the runs of a report: list, show, compare."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.identity import VERSION
from pagegrade.model.report import Report
from pagegrade.model.stored import StoredReport, StoredRun
from pagegrade.report.codec import restore_report
from pagegrade.report.compare import Comparison, compare_reports
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import find_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import run_history as store


class Two(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of a report, and the reports that they made."""

    before: StoredRun
    after: StoredRun
    older: Report
    newer: Report


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs that a reader chose to compare."""

    before: int | None = None
    """Number of the older run; ``None``: the last one before that compares with the newer."""
    after: int | None = None
    """Number of the newer run; ``None``: the last one that succeeded."""
    errors: Mapping[str, str]
    """``from`` or ``to`` -> code of what is wrong with it."""


class RunResults(msgspec.Struct, frozen=True, kw_only=True):
    """A run with its results."""

    run: StoredRun
    detail: bytes | None
    """JSON object with ``results`` and ``page``; ``None``: there are none."""


class ComparedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """Changes between two runs of a report."""

    report_id: int
    before: int
    """Number of the older run."""
    after: int
    """Number of the newer run."""
    comparison: Comparison


def list_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    page: int = 1,
    per_page: int = 10,
) -> Listed[StoredRun]:
    """A page of the runs of a report, newest first.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    found, total = store.list_runs(tx, report.id, page, per_page)
    return Listed(items=found, total=total)


def show_run(
    tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int, *, number: int
) -> RunResults:
    """A run of a report with its results.

    Raises:
        NotFound: There is no such report, or it has no such run.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    run = store.load_run(tx, report.id, number)
    if run is None:
        raise NotFound
    return RunResults(run=run, detail=store.load_detail(tx, report.id, number))


def compare_runs(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    before: int | None = None,
    after: int | None = None,
) -> ComparedRuns:
    """Compare two runs of a report.

    Args:
        tx: Any transaction.
        caller: Whose report it must be.
        report_id: Any number.
        options: Of the installation.
        now_ms: The time now.
        before: Number of the older run; ``None``: the last one before that compares with the newer, or where there is
            none, the last one that succeeded.
        after: Number of the newer run; ``None``: the last one that succeeded.

    Raises:
        NotFound: There is no such report.
        ValidationFailed: A run is not there, did not succeed, or there are no two.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    two = find_two(tx, report, before=before, after=after)
    return ComparedRuns(
        report_id=report.id,
        before=two.before.number,
        after=two.after.number,
        comparison=compare_reports(two.older, two.newer),
    )


def find_two(tx: Transaction, report: StoredReport, *, before: int | None = None, after: int | None = None) -> Two:
    """Two runs of a report that can be compared.

    Args:
        tx: Any transaction.
        report: One that its reader may see.
        before: Number of the older run; ``None``: the last one before that compares with the newer, or where there is
            none, the last one that succeeded.
        after: Number of the newer run; ``None``: the last one that succeeded.

    Raises:
        ValidationFailed: A run is not there, did not succeed, or there are no two.
    """
    newer = store.latest_completed(tx, report.id) if after is None else store.load_run(tx, report.id, after)
    if newer is None and after is None:
        raise _unusable("to", "no_run", "No analysis of this report has succeeded yet.")
    new, newer = _report_of(tx, report, newer, "to", after)
    older = (
        store.latest_comparable(tx, newer) or store.latest_completed(tx, report.id, before=newer.number)
        if before is None
        else store.load_run(tx, report.id, before)
    )
    if older is None and before is None:
        raise _unusable("from", "no_run", "No earlier analysis of this report has succeeded.")
    old, older = _report_of(tx, report, older, "from", before)
    return Two(before=older, after=newer, older=old, newer=new)


def report_of_run(report: StoredReport, run: StoredRun, detail: bytes | None) -> Report:
    """The report as a finished run made it.

    Args:
        report: Which one.
        run: Completed or failed.
        detail: JSON of ``results`` and ``page`` of that run; ``None`` when none is kept.
    """
    return restore_report(
        url=report.url,
        project=report.project,
        state=run.state,
        rating=run.rating,
        score=run.score,
        summary=run.summary,
        detail=detail,
        error=run.error,
        engine=run.engine or VERSION,
        generated_at_ms=run.created_at_ms if run.finished_at_ms is None else run.finished_at_ms,
    )


def _report_of(
    tx: Transaction, report: StoredReport, run: StoredRun | None, field: str, number: int | None
) -> tuple[Report, StoredRun]:
    """The report as that run made it, and the run, which is there."""
    if run is None:
        raise _unusable(field, "unknown_run", f"The report has no run {number}.")
    detail = store.load_detail(tx, report.id, run.number)
    if run.state != "completed" or detail is None:
        raise _unusable(field, "not_comparable", f"Run {run.number} has no results to compare.")
    return report_of_run(report, run, detail), run


def _unusable(field: str, code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field=field, place="query", code=code, message=message)])
