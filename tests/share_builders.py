"""Stored reports whose analysis has ended, as share pages show them."""

from __future__ import annotations

import secrets

from msgspec.structs import replace

from pagegrade.model.account import Account
from pagegrade.model.report import Report
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.parse.url import project_of
from pagegrade.report.codec import pack_report
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import enqueue_run, finish_run
from pagegrade.store.repositories.reports import add_report, load_report
from tests.report_builders import make_report

URL = "https://shop.example/pricing?token=s3cr3t-R4nd0m"
DAY_MS = 86_400_000


def add_shared(
    database: Database,
    account: Account,
    *,
    now_ms: int,
    url: str = URL,
    privacy: Privacy = Privacy.PUBLIC,
    password_hash: str | None = None,
    outcome: Report | None = None,
) -> StoredReport:
    """A report of the account, with the outcome of its first run; ``None``: the run still waits."""

    def work(tx: Transaction) -> StoredReport:
        report = add_report(
            tx,
            account_id=account.id,
            url=url,
            project=project_of(url),
            privacy=privacy,
            password_hash=password_hash,
            slug=secrets.token_urlsafe(16),
            now_ms=now_ms,
        )
        enqueue_run(tx, report=report, priority=0, target="", now_ms=now_ms)
        return report

    report = database.write_here(work)
    return report if outcome is None else finish(database, report, outcome, now_ms=now_ms)


def run_again(database: Database, report: StoredReport, *, now_ms: int) -> StoredReport:
    """The report with another run that waits."""
    database.write_here(lambda tx: enqueue_run(tx, report=report, priority=0, target="", now_ms=now_ms))
    return reload(database, report)


def finish(database: Database, report: StoredReport, outcome: Report, *, now_ms: int) -> StoredReport:
    """The report after its waiting run has ended like this."""

    def work(tx: Transaction) -> None:
        claimed = claim_runs(
            tx, worker="test", count=9, now_ms=now_ms, lease_ms=30_000, target_runs=9, target_runs_per_minute=99
        )
        for run in claimed:
            finish_run(tx, run, pack_report(outcome), now_ms)

    database.write_here(work)
    return reload(database, report)


def reload(database: Database, report: StoredReport) -> StoredReport:
    """The report as it is now."""
    found = database.read_here(lambda tx: load_report(tx, report.account_id, report.id))
    if found is None:
        raise AssertionError("the report is gone")
    return found


def seen(url: str = URL) -> Report:
    """A completed report on the address, which quotes it."""
    plain = make_report()
    results = (replace(plain.results[0], message=f"The address is {url}."), *plain.results[1:])
    return replace(plain, url=url, final_url=url, project=project_of(url), results=results)
