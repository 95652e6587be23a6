"""Runs of monitors that are due: each is queued once, in the transaction that sets the next due time.

The row of the monitor is the fence: whatever process takes a due time changes the row's revision, and a process that
read it before changes nothing. A process that dies before the commit has done nothing, and the due time is still there.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account
from pagegrade.model.audit import OPEN_STATES
from pagegrade.model.errors import CrawlLimit, QuotaExceeded, URLNotAllowed
from pagegrade.model.monitors import Monitor
from pagegrade.model.stored import Priority
from pagegrade.service.accounts.quotas import check_analyses, check_browser_time, has_browser_time
from pagegrade.service.audits.operations import crawl_again
from pagegrade.service.monitors.schedule import next_due_ms
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.operations import queue_run
from pagegrade.service.retention import expired_before_ms
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.repositories.accounts import list_erasing, load_account
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.repositories.monitors import list_due, list_far, load_monitor, save_monitor
from pagegrade.store.repositories.reports import load_report

DueOutcome = Literal["queued", "skipped", "put_off", "taken", "full"]
PUT_OFF_MS: Final = 60_000
"""A due time of an account with too many unfinished runs is put off for so long."""
AT_ONCE: Final = 200
"""Monitors of one look."""
QUEUE_SHARE: Final = 2
"""Monitors fill at most the half of a queue, so that requests find the other half."""


class DueRun(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one due time."""

    outcome: DueOutcome
    report_id: int | None
    """Of the monitor; ``None``: it is for an audit."""


def find_due(tx: Transaction, now_ms: int) -> tuple[Monitor, ...]:
    """Return the ``AT_ONCE`` monitors that have been due for the longest, in that order; one query."""
    return list_due(tx, moment(tx, now_ms), AT_ONCE)


def find_too_far(tx: Transaction, now_ms: int) -> tuple[Monitor, ...]:
    """Return the monitors whose due time lies farther ahead than their schedule allows, with the next that it has.

    Such a time was written by a clock that was set back since: the monitor would be silent until then.
    """
    now = moment(tx, now_ms)
    found = []
    for monitor in list_far(tx, now):
        due_at_ms = next_due_ms(monitor.schedule, monitor.timezone, monitor.jitter, after_ms=now)
        # The next time may be left out, because the one before was just before it.
        latest_ms = next_due_ms(monitor.schedule, monitor.timezone, monitor.jitter, after_ms=due_at_ms)
        if monitor.due_at_ms > latest_ms:
            found.append(replace(monitor, due_at_ms=due_at_ms, updated_at_ms=now))
    return tuple(found)


def queue_due(tx: Transaction, monitor: Monitor, options: ServiceOptions, now_ms: int) -> DueRun:
    """Queue the run of a monitor that is due, or begin its crawl, and set its next due time.

    The due time is skipped while a run of the report or a crawl of the audit is unfinished, where the account, the
    report or the site is not available, and where a quota of the account is used up; several that were missed are one.
    It is put off while the account has too many unfinished runs or crawls.

    Args:
        tx: A writing transaction.
        monitor: As ``find_due`` returned it; if it has changed since, nothing is done (``taken``).
        options: Of the installation.
        now_ms: The time now.

    Returns:
        What was done; ``full``: nothing, because the queue of the installation is.
    """
    hold_account(tx, monitor.account_id)
    now = moment(tx, now_ms)
    if monitor.audit_id is None:
        if count_unfinished(tx, None) * QUEUE_SHARE >= options.queue:
            return DueRun(outcome="full", report_id=monitor.report_id)
        if count_unfinished(tx, monitor.account_id) * QUEUE_SHARE >= options.account_queue:
            return _put_off(tx, monitor, now)
    after = replace(
        monitor,
        due_at_ms=next_due_ms(
            monitor.schedule,
            monitor.timezone,
            monitor.jitter,
            after_ms=now,
            last_due_at_ms=monitor.due_at_ms,
        ),
        updated_at_ms=now,
    )
    account = load_account(tx, monitor.account_id)
    if account is None or account.disabled_at_ms is not None or monitor.account_id in list_erasing(tx):
        return _save(tx, after, "skipped")
    if monitor.audit_id is not None:
        return _begin_crawl(tx, account, monitor, after=after, options=options, now=now)
    expired = expired_before_ms(tx, options, now_ms)
    report = load_report(tx, monitor.account_id, monitor.report_id or 0, expired_before_ms=expired)
    if report is None or report.is_under_way:
        return _save(tx, after, "skipped")
    try:
        check_analyses(tx, account, options, now, wanted=1)
        if report.render == 1:
            check_browser_time(tx, account, options, now)
    except QuotaExceeded:
        return _save(tx, after, "skipped")
    done = _save(tx, replace(after, last_due_at_ms=monitor.due_at_ms, last_run_at_ms=now), "queued")
    if done.outcome == "queued":
        queue_run(
            tx,
            report,
            Priority.BULK,
            options=options,
            now_ms=now,
            is_awaited=False,
            may_draw=has_browser_time(tx, account, options, now),
        )
    return done


def _begin_crawl(
    tx: Transaction, account: Account, monitor: Monitor, *, after: Monitor, options: ServiceOptions, now: int
) -> DueRun:
    """Begin the crawl of a monitor, which is ``after`` once its due time is settled."""
    # While the account is held, nobody changes it.
    if load_monitor(tx, account.id, monitor.id) != monitor:
        return DueRun(outcome="taken", report_id=None)
    audit = load_audit(tx, account.id, monitor.audit_id or 0)
    if audit is None or audit.crawl.state in OPEN_STATES:
        return _save(tx, after, "skipped")
    try:
        crawl_again(tx, account, audit, options, now)
    except CrawlLimit:
        return _put_off(tx, monitor, now)
    except (QuotaExceeded, URLNotAllowed):
        return _save(tx, after, "skipped")
    return _save(tx, replace(after, last_due_at_ms=monitor.due_at_ms, last_run_at_ms=now), "queued")


def _put_off(tx: Transaction, monitor: Monitor, now: int) -> DueRun:
    return _save(tx, replace(monitor, due_at_ms=now + PUT_OFF_MS, updated_at_ms=now), "put_off")


def _save(tx: Transaction, monitor: Monitor, outcome: DueOutcome) -> DueRun:
    saved = save_monitor(tx, monitor)
    return DueRun(outcome="taken" if saved is None else outcome, report_id=monitor.report_id)
