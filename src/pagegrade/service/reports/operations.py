"""Use cases of reports: create, change, delete, show, list. Each is one transaction, and the caller's own reports only.

Whatever is not there, not the caller's, or has expired is the same ``NotFound``.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, limit_of
from pagegrade.model.errors import Condition, NotFound, QuotaExceeded, Unavailable, refuse_if_changed
from pagegrade.model.identity import VERSION
from pagegrade.model.rendering import Device
from pagegrade.model.stored import UNFINISHED, ListQuery, Position, Priority, Privacy, StoredReport, StoredRun
from pagegrade.parse.url import project_of
from pagegrade.service.access.operations import find_access
from pagegrade.service.accounts.access import require_project
from pagegrade.service.accounts.quotas import (
    check_analyses,
    check_browser_time,
    check_count,
    has_browser_time,
    quotas_of,
)
from pagegrade.service.id_lists import Listed
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.shares import sharing_after
from pagegrade.service.reports.validation import (
    ENGINE_NEXT_TIME,
    MADE_PRIVATE,
    SHOWS_MORE,
    NewReport,
    ReportChange,
    RequestWarning,
)
from pagegrade.service.retention import expired_before_ms
from pagegrade.service.runs.politeness import politeness_target
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.queue.runs import enqueue_run
from pagegrade.store.repositories import report_list
from pagegrade.store.repositories import reports as store
from pagegrade.store.repositories.counts import count_matching, load_counts
from pagegrade.store.repositories.installation import has_browser
from pagegrade.store.repositories.run_history import load_detail, load_details
from pagegrade.store.repositories.search import bounded_search

T = TypeVar("T")
READ_AT_ONCE: Final = 500
"""Reports of one query of ``list_all``."""
SLUG_BYTES: Final = 16
"""128 bits, 22 characters."""
DEFAULT_DEVICE: Final[Device] = "mobile"
RETRY_AFTER_S: Final = 30
"""Seconds in ``Retry-After`` when the queue is full: about the duration of an analysis."""


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A report after a change."""

    report: StoredReport
    run: StoredRun | None = None
    """The one that was asked for, or joined; ``None``: none was."""
    warnings: tuple[RequestWarning, ...] = ()


class ReportResults(msgspec.Struct, frozen=True, kw_only=True):
    """A report with its results."""

    report: StoredReport
    detail: bytes | None
    """JSON object with ``results`` and ``page``; ``None``: there are none."""


ReportItem = StoredReport | ReportResults
"""A report in a list, with or without its results."""


def create_report(
    tx: Transaction,
    caller: Caller,
    new_report: NewReport,
    options: ServiceOptions,
    now_ms: int,
    *,
    password_hash: str | None = None,
) -> Stored:
    """Store a new report and queue its first run.

    Args:
        new_report: What ``read_new_report`` gave.
        password_hash: Of ``new_report.password``; ``None`` exactly where that is.

    Raises:
        QuotaExceeded: The account has as many reports or unfinished runs as it may have.
        Unavailable: The queue is full.
    """
    if (new_report.password is None) != (password_hash is None):
        raise ValueError("the hash must be of the password that was sent")
    check_capacity(tx, caller.account, options, now_ms)
    if new_report.render == 1:
        check_browser_time(tx, caller.account, options, now_ms)
    priority = Priority.INTERACTIVE
    return store_report(tx, caller, new_report, options, now_ms, password_hash=password_hash, priority=priority)


def check_capacity(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int, *, wanted: int = 1) -> None:
    """Check that the account may have so many more reports now.

    Raises:
        QuotaExceeded: The account would have more reports, analyses in this month or unfinished runs than it may.
        Unavailable: The queue has no free slots for them.
    """
    if limit_of(quotas_of(account, options), "reports") is not None:
        check_count(account, options, "reports", used=count_reports(tx, account.id, options, now_ms), wanted=wanted)
    _check_queue(tx, account, options, now_ms, wanted=wanted)


def store_report(
    tx: Transaction,
    caller: Caller,
    new_report: NewReport,
    options: ServiceOptions,
    now_ms: int,
    *,
    password_hash: str | None,
    priority: Priority,
) -> Stored:
    """Store a new report after ``check_capacity``, and queue its first run; takes the arguments of ``create_report``.

    Raises:
        OtherProject: The key of the caller is limited to another project.
    """
    project = project_of(new_report.target.url)
    require_project(caller, project)
    url, privacy, warnings = new_report.target.url, new_report.privacy, new_report.warnings
    access, is_used = find_access(tx, caller, url, new_report.access)
    if is_used and privacy is Privacy.PUBLIC:
        privacy = Privacy.PUBLIC if new_report.chose_privacy else Privacy.PRIVATE
        warnings = (*warnings, SHOWS_MORE if new_report.chose_privacy else MADE_PRIVATE)
    report = store.add_report(
        tx,
        account_id=caller.account.id,
        url=url,
        project=project,
        privacy=privacy,
        password_hash=password_hash,
        slug=secrets.token_urlsafe(SLUG_BYTES),
        now_ms=now_ms,
        render=new_report.render,
        device=new_report.device,
        access=access,
    )
    run = queue_run(
        tx,
        report,
        priority,
        options=options,
        now_ms=now_ms,
        traceparent=caller.traceparent,
        may_draw=has_browser_time(tx, caller.account, options, now_ms),
    )
    return Stored(report=_read(tx, caller, report.id, None), run=run, warnings=warnings)


def shares_access(tx: Transaction, caller: Caller, report: StoredReport, change: ReportChange) -> bool:
    """Return whether a change shows to anyone with a link what needs an access profile, and did not before.

    Raises:
        ValidationFailed: The caller has no such profile for the URL.
    """
    privacy = report.privacy if change.privacy is None else change.privacy
    if privacy != Privacy.PUBLIC:
        return False
    access, is_used = _access_after(tx, caller, report, change)
    return is_used and (report.privacy != Privacy.PUBLIC or report.access != access)


def any_shares_access(tx: Transaction, caller: Caller, reports: Sequence[StoredReport]) -> bool:
    """Return whether one of the reports does, once all are public."""
    return any(shares_access(tx, caller, report, ReportChange(privacy=Privacy.PUBLIC)) for report in reports)


def _access_after(
    tx: Transaction, caller: Caller, report: StoredReport, change: ReportChange
) -> tuple[int | None, bool]:
    """As ``find_access``, for a report after a change that concerns it; else its access as it is, and false."""
    if change.access is None and change.privacy is not Privacy.PUBLIC:
        return report.access, False
    return find_access(tx, caller, report.url, report.access if change.access is None else change.access[0])


def update_report(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    change: ReportChange,
    password_hash: str | None = None,
    changed_tag: Condition[StoredReport] = None,
) -> Stored:
    """Change the settings of a report and, where asked for, queue another run; a change to nothing changes nothing.

    Args:
        change: What ``read_change`` gave.
        password_hash: Of ``change.password``, where ``change.needs_hash``.

    Raises:
        NotFound: There is no such report.
        PreconditionFailed: The report has changed.
        ValidationFailed: Privacy 2 without any password.
        QuotaExceeded: The account has as many analyses in this month, or unfinished runs, as it may have.
        Unavailable: The queue is full.
    """
    expired = expired_before_ms(tx, options, now_ms)
    report = _read(tx, caller, report_id, expired)
    refuse_if_changed(report, changed_tag)
    shared = sharing_after(report, change, password_hash)
    privacy, warnings = shared.privacy, shared.warnings
    access, is_used = _access_after(tx, caller, report, change)
    if is_used and change.access is not None and privacy is Privacy.PUBLIC and report.access != access:
        privacy = Privacy.PRIVATE if change.privacy is None else privacy
        warnings = (*warnings, MADE_PRIVATE if change.privacy is None else SHOWS_MORE)
    elif is_used and change.privacy is Privacy.PUBLIC:
        warnings = (*warnings, SHOWS_MORE)
    rendering = (
        report.render if change.render is None else change.render,
        report.device if change.device is None else change.device,
    )
    if change.run and report.is_under_way and rendering != (report.render, report.device):
        warnings = (*warnings, ENGINE_NEXT_TIME)
    report = store.save_settings(
        tx,
        report,
        privacy=privacy,
        password_hash=shared.password_hash,
        password_version=shared.password_version,
        rendering=rendering,
        access=(access,),
        now_ms=now_ms,
    )
    run: StoredRun | None = None
    if change.run:
        if not report.is_under_way:
            _check_queue(tx, caller.account, options, now_ms)
        if report.render == 1:
            check_browser_time(tx, caller.account, options, now_ms)
        run = queue_run(
            tx,
            report,
            Priority.RERUN,
            options=options,
            now_ms=now_ms,
            traceparent=caller.traceparent,
            may_draw=has_browser_time(tx, caller.account, options, now_ms),
        )
        report = _read(tx, caller, report_id, None)
    return Stored(report=report, run=run, warnings=warnings)


def delete_report(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    changed_tag: Condition[StoredReport] = None,
) -> StoredReport:
    """Delete a report with its runs, its share link and what they stored; return the report as it was.

    A run under way finds its row gone when it ends, and its outcome is dropped.

    Raises:
        NotFound: There is no such report.
        PreconditionFailed: ``changed_tag`` says that the client does not know the report as it is now.
    """
    report = _read(tx, caller, report_id, expired_before_ms(tx, options, now_ms))
    refuse_if_changed(report, changed_tag)
    store.delete_report(tx, caller.account.id, report_id)
    return report


def delete_reports(tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int) -> None:
    """Delete those of the reports that the caller still has."""
    for report_id in ids:
        with contextlib.suppress(NotFound):
            delete_report(tx, caller, report_id, options, now_ms)


def rerun_reports(tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int) -> None:
    """Queue another run of each of the reports, all or none; raises as ``update_report``."""
    for report_id in ids:
        update_report(tx, caller, report_id, options, now_ms, change=ReportChange(run=True))


def share_reports(
    tx: Transaction, caller: Caller, ids: Sequence[int], options: ServiceOptions, now_ms: int, *, privacy: Privacy
) -> None:
    """Let others see those of the reports that the caller still has, or not; ``privacy`` needs no password."""
    for report_id in ids:
        with contextlib.suppress(NotFound):
            update_report(tx, caller, report_id, options, now_ms, change=ReportChange(privacy=privacy))


def is_finished(tx: Transaction, caller: Caller, report_id: int) -> bool:
    """Return true if no analysis of the report is under way, or the caller has no such report."""
    report = store.load_report(tx, caller.account.id, report_id)
    return report is None or not caller.may_use(report.project) or report.state not in UNFINISHED


def find_report(tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int) -> StoredReport:
    """A report of the caller.

    Raises:
        NotFound: There is no such report.
    """
    return _read(tx, caller, report_id, expired_before_ms(tx, options, now_ms))


def find_stored(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    warnings: tuple[RequestWarning, ...] = (),
) -> Stored:
    """Return a report as an earlier request changed it; raises as ``find_report``."""
    return Stored(report=find_report(tx, caller, report_id, options, now_ms), warnings=warnings)


def show_report(tx: Transaction, caller: Caller, report_id: int, options: ServiceOptions, now_ms: int) -> ReportResults:
    """A report of the caller with its results.

    Raises:
        NotFound: There is no such report.
    """
    return _with_results(tx, find_report(tx, caller, report_id, options, now_ms))


def show_unless(
    tx: Transaction,
    caller: Caller,
    report_id: int,
    options: ServiceOptions,
    now_ms: int,
    *,
    is_known: Callable[[StoredReport], bool],
) -> StoredReport | ReportResults:
    """A report of the caller with its results; without them where the client has this state of it already.

    Raises:
        NotFound: There is no such report.
    """
    report = find_report(tx, caller, report_id, options, now_ms)
    return report if is_known(report) else _with_results(tx, report)


def _with_results(tx: Transaction, report: StoredReport) -> ReportResults:
    detail = None if report.run_number is None else load_detail(tx, report.id, report.run_number)
    return ReportResults(report=report, detail=detail)


def list_reports(
    tx: Transaction,
    caller: Caller,
    query: ListQuery,
    options: ServiceOptions,
    now_ms: int,
    *,
    with_results: bool = False,
) -> Listed[ReportItem]:
    """A page of the caller's reports.

    Args:
        caller: Whose reports are listed, whatever account the query names.
        query: ``project`` may be a host or a URL, as typed.
        with_results: Read the results of each report too.
    """
    found, total = find_reports(tx, caller, query, options, now_ms)
    return _listed(tx, found, total, with_results=with_results)


def list_all(
    tx: Transaction, caller: Caller, query: ListQuery, options: ServiceOptions, now_ms: int, *, limit: int
) -> list[StoredReport]:
    """Return the caller's reports that a query finds, whatever page it names; at most ``limit``."""
    items: list[StoredReport] = []
    with bounded_search(tx) if query.search else contextlib.nullcontext():
        for number in range(1, limit // READ_AT_ONCE + 1):
            page = replace(query, page=number, per_page=READ_AT_ONCE)
            found, _ = find_reports(tx, caller, page, options, now_ms)
            items += found
            if len(found) < READ_AT_ONCE:
                break
    return items


def _listed(tx: Transaction, found: tuple[StoredReport, ...], total: int, *, with_results: bool) -> Listed[ReportItem]:
    if with_results:
        details = load_details(tx, found)
        whole = tuple(ReportResults(report=each, detail=details.get(each.id)) for each in found)
        return Listed(items=whole, total=total)
    return Listed(items=found, total=total, version=f"{VERSION} {' '.join([each.etag for each in found])}")


class Walked(msgspec.Struct, frozen=True, kw_only=True):
    """Some reports of a list that is read from position to position."""

    listed: Listed[ReportItem]
    before: Position | None
    """Cursor of the previous items; ``None`` if there are none."""
    after: Position | None
    """Cursor of the next items; ``None`` if there are none."""
    total: int | None
    """Items of the whole list, where they were counted."""


def walk_reports(
    tx: Transaction,
    caller: Caller,
    query: ListQuery,
    options: ServiceOptions,
    now_ms: int,
    *,
    position: Position | None,
    count: bool,
    with_results: bool = False,
) -> Walked:
    """Some of the caller's reports from a position on; asked like ``list_reports``."""
    window, total = report_list.list_window(tx, _asked(tx, caller, query, options, now_ms), position, count=count)
    listed = _listed(tx, window.reports, total or 0, with_results=with_results)
    return Walked(listed=listed, before=window.before, after=window.after, total=total)


def find_reports(
    tx: Transaction, caller: Caller, query: ListQuery, options: ServiceOptions, now_ms: int
) -> tuple[tuple[StoredReport, ...], int]:
    """(the reports on a page of the caller's list, how many there are on all pages); asked like ``list_reports``."""
    return report_list.list_reports(tx, _asked(tx, caller, query, options, now_ms))


def _asked(tx: Transaction, caller: Caller, query: ListQuery, options: ServiceOptions, now_ms: int) -> ListQuery:
    project = None if query.project is None else project_of(query.project)
    if caller.project is not None:
        # Nothing is of the project "".
        project = caller.project if project in {None, caller.project} else ""
    return replace(
        query,
        account_id=caller.account.id,
        project=project,
        expired_before_ms=expired_before_ms(tx, options, now_ms),
    )


def _read(tx: Transaction, caller: Caller, report_id: int, expired: int | None) -> StoredReport:
    report = store.load_report(tx, caller.account.id, report_id, expired_before_ms=expired)
    if report is None or not caller.may_use(report.project):
        raise NotFound
    return report


def count_reports(tx: Transaction, account_id: int, options: ServiceOptions, now_ms: int) -> int:
    """Count the account's reports, without those that have expired."""
    expired = expired_before_ms(tx, options, now_ms)
    if expired is None:
        return count_matching(load_counts(tx, account_id))
    return report_list.list_reports(tx, ListQuery(account_id=account_id, expired_before_ms=expired))[1]


def _check_queue(tx: Transaction, account: Account, options: ServiceOptions, now_ms: int, *, wanted: int = 1) -> None:
    check_analyses(tx, account, options, now_ms, wanted=wanted)
    if count_unfinished(tx, account.id) + wanted > options.account_queue:
        raise QuotaExceeded(
            f"The account may have {options.account_queue} unfinished analyses and has them; wait for some to end.",
            retry_after_s=RETRY_AFTER_S,
        )
    if count_unfinished(tx, None) + wanted > options.queue:
        raise Unavailable("The queue is full; try again soon.", retry_after_s=RETRY_AFTER_S)


def queue_run(
    tx: Transaction,
    report: StoredReport,
    priority: Priority,
    *,
    options: ServiceOptions,
    now_ms: int,
    traceparent: str | None = None,
    is_awaited: bool = True,
    may_draw: bool = True,
) -> StoredRun:
    """Queue a run of a report, whatever waits already.

    Where the installation decides whether a browser draws the page, a static run comes first, and the one in a browser
    follows it by itself; ``is_awaited`` is false if no client waits, so that the run in a browser alone is enough, and
    ``may_draw`` if the account has no more time of the browser.
    """
    target = politeness_target(report.url, options.analyze.allow_networks)
    device = _device_of(tx, report, options, now_ms) if may_draw else None
    follows = is_awaited and report.render is None and options.render == "auto"
    return enqueue_run(
        tx,
        report=report,
        priority=priority,
        target=target,
        now_ms=now_ms,
        traceparent=traceparent,
        device=None if follows else device,
        follow_device=device if follows else None,
    )


def _device_of(tx: Transaction, report: StoredReport, options: ServiceOptions, now_ms: int) -> Device | None:
    """Return the device that a browser is to imitate for a report; ``None``: static analysis."""
    wanted = options.render == "always" if report.render is None else report.render == 1
    if report.render is None and options.render == "auto":
        silent_ms = int(options.lease_s * 1000)
        wanted = options.browser is not None or (is_shared(tx) and has_browser(tx, now_ms, silent_ms))
    return (report.device or DEFAULT_DEVICE) if wanted else None
