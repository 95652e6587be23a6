"""Reports with runs in the queue, one line each."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import text

from pagegrade.model.rendering import Device
from pagegrade.model.stored import ClaimedRun, PackedReport, Priority, StoredReport, StoredRun
from pagegrade.parse.url import host, project_of, registrable_domain
from pagegrade.report.codec import pack_report
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.admission import move_due, move_lines_of
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import enqueue_run, finish_run
from pagegrade.store.repositories.reports import add_report, load_report
from tests.database_clock import make_clock, show
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import NOW_MS

T = TypeVar("T")
LEASE_MS = 30_000
LOTS = 1_000_000


def add_queued(
    tx: Transaction,
    account_id: int,
    url: str = "https://example.com/",
    *,
    priority: int = Priority.INTERACTIVE,
    target: str | None = None,
    now_ms: int = NOW_MS,
    device: Device | None = None,
    access: int | None = None,
) -> tuple[StoredReport, StoredRun]:
    """A new report and its first run, as creating one does."""
    hold_account(tx, account_id)
    report = add_report(
        tx,
        account_id=account_id,
        url=url,
        project=project_of(url),
        privacy=0,
        password_hash=None,
        slug=secrets.token_urlsafe(16),
        now_ms=now_ms,
        access=access,
    )
    shown = registrable_domain(host(url)) if target is None else target
    run = enqueue_run(tx, report=report, priority=priority, target=shown, now_ms=now_ms, device=device)
    return report, run


@dataclass(slots=True)
class Queue:
    """A database with one account's queue, used from a test without an event loop."""

    database: Database
    account_id: int
    worker: str = "w1"

    def __post_init__(self) -> None:
        make_clock(self.database)
        show(self.database, NOW_MS)

    def add(self, url: str = "https://example.com/", *, account_id: int | None = None, **new_reports: Any) -> StoredRun:
        """A new report with a run."""
        show(self.database, new_reports.get("now_ms", NOW_MS))
        owner = self.account_id if account_id is None else account_id
        return self.database.write_here(lambda tx: add_queued(tx, owner, url, **new_reports)[1])

    def again(
        self,
        report_id: int,
        *,
        priority: int = Priority.RERUN,
        now_ms: int = NOW_MS,
    ) -> StoredRun:
        """Another run of a report."""
        report = self.report(report_id)
        return self.database.write_here(
            lambda tx: enqueue_run(
                tx,
                report=report,
                priority=priority,
                target=registrable_domain(host(report.url)),
                now_ms=now_ms,
            )
        )

    def claim(
        self,
        count: int = 1,
        *,
        now_ms: int = NOW_MS,
        target_runs: int = LOTS,
        per_minute: int = LOTS,
        suspects: bool = False,
        idle_accounts: bool = False,
        browsers: int = LOTS,
    ) -> tuple[ClaimedRun, ...]:
        """Take runs."""
        if self.database.shared:
            # What every process does once a second.
            limits = {"target_runs": target_runs, "target_runs_per_minute": per_minute}
            self.write(lambda tx: move_due(tx, now_ms, **limits), now_ms=now_ms)
        return self.write(
            lambda tx: claim_runs(
                tx,
                worker=self.worker,
                count=count,
                now_ms=now_ms,
                lease_ms=LEASE_MS,
                target_runs=target_runs,
                target_runs_per_minute=per_minute,
                suspects=suspects,
                idle_accounts=idle_accounts,
                browsers=browsers,
            ),
            now_ms=now_ms,
        )

    def finish(
        self,
        run: ClaimedRun,
        packed: PackedReport | None = None,
        *,
        now_ms: int = NOW_MS,
        target_runs: int = LOTS,
        per_minute: int = LOTS,
    ) -> tuple[int, ...]:
        """Store an outcome as a worker does; the ids of the reports that changed."""
        outcome = completed() if packed is None else packed

        def work(tx: Transaction) -> tuple[int, ...]:
            changed = finish_run(tx, run, outcome, now_ms)
            move_lines_of(tx, run.id, now_ms, target_runs=target_runs, target_runs_per_minute=per_minute)
            return changed

        return self.write(work, now_ms=now_ms)

    def write(self, work: Callable[[Transaction], T], *, now_ms: int = NOW_MS) -> T:
        """Change something at this time."""
        show(self.database, now_ms)
        return self.database.write_here(work)

    def report(self, report_id: int, account_id: int | None = None) -> StoredReport:
        """A report that must be there."""
        owner = self.account_id if account_id is None else account_id
        found = self.database.read_here(lambda tx: load_report(tx, owner, report_id))
        if found is None:
            raise AssertionError(f"report {report_id} is not there")
        return found

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement finds."""
        return [tuple(row) for row in self.database.read_here(lambda tx: tx.execute(text(statement), values).all())]

    def change(self, statement: str, **values: Any) -> None:
        """Write something by hand."""
        self.database.write_here(lambda tx: tx.execute(text(statement), values))


def completed(score: int = 81) -> PackedReport:
    """The outcome of a run that succeeded."""
    return pack_report(make_report(score=score))


def failed(code: str = "dns") -> PackedReport:
    """The outcome of a run that did not."""
    return pack_report(make_failed_report(code))
