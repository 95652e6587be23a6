"""When monitors are due, and the runs that are queued then.

A schedule is a name or a cron expression, in a time zone. A named schedule is a cron expression whose minute, hour and
day come from the jitter of the monitor, so that monitors with the same schedule are spread over its whole period. The
due times of a cron expression are moved by up to ``MAX_CRON_JITTER_MS``. Days on which clocks change follow Debian's
cron: a time that is skipped is due right after the gap, a time that comes twice is due once.

Each run is queued once, in the transaction that sets the next due time. The row of the monitor is the fence: whatever
process takes a due time changes the row's revision, and a process that read it before changes nothing. A process that
dies before the commit has done nothing, and the due time is still there.

The pages of a monitor of a set of pages are looked up when it is due, and each of them has a monitor of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Final, Literal
from zoneinfo import ZoneInfo

import msgspec
from cronsim import CronSim, CronSimError
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, limit_of
from pagegrade.model.audit import OPEN_STATES
from pagegrade.model.errors import CrawlLimit, InvalidInput, QuotaExceeded, Unavailable, URLNotAllowed
from pagegrade.model.monitors import MAX_PAGES, MAX_SCHEDULE, MIN_INTERVAL_MS, Monitor, PageSet
from pagegrade.model.stored import ListQuery, Priority, Privacy, SiteQuery
from pagegrade.report.gates import merge_budgets
from pagegrade.service.accounts.quotas import check_analyses, check_browser_time, has_browser_time, quotas_of
from pagegrade.service.audits.operations import crawl_again
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.batches import create_unknown_reports, find_capacity, find_known
from pagegrade.service.reports.operations import list_all, queue_run
from pagegrade.service.reports.projects import list_projects
from pagegrade.service.reports.validation import NewReport, read_new_report
from pagegrade.service.retention import expired_before_ms
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.length import count_unfinished
from pagegrade.store.repositories import monitors as store
from pagegrade.store.repositories.accounts import load_account
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.repositories.monitors import list_due, list_far, load_monitor, save_monitor
from pagegrade.store.repositories.reports import load_report

NAMES: Final = ("hourly", "daily", "weekly", "monthly")
MAX_CRON_JITTER_MS: Final = MIN_INTERVAL_MS
_FIELDS: Final = 5
_MINUTES: Final = 60
_HOURS: Final = 24
_DAYS: Final = 28
"""Of every month."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE_MS: Final = 60_000


def check_schedule(text: str) -> str:
    """Return the canonical form of a schedule.

    Raises:
        InvalidInput: It is none, is never due, or is due more often than every 10 minutes.
    """
    words = text.lower().split() if len(text) <= MAX_SCHEDULE else []
    if len(words) == 1 and words[0] in NAMES:
        return words[0]
    if len(words) != _FIELDS:
        raise InvalidInput(
            f"Use one of {', '.join(NAMES)}, or a cron expression with five fields, such as 30 6 * * 1-5."
        )
    expression = " ".join(words)
    try:
        cron = CronSim(expression, datetime(2026, 1, 1, tzinfo=UTC))
    except CronSimError:
        fields = "minute, hour, day of the month, month, day of the week"
        raise InvalidInput(f"The cron expression cannot be read; its fields are {fields}.") from None
    if _least_gap(cron.minutes, cron.hours) * _MINUTE_MS < MIN_INTERVAL_MS:
        raise InvalidInput("A monitor may be due at most every 10 minutes.")
    if next(cron, None) is None:
        raise InvalidInput("The cron expression names a day that never comes.")
    return expression


def _least_gap(minutes: Iterable[int], hours: Iterable[int]) -> int:
    """Return the fewest minutes between two due times of a day, or of a day and the next."""
    by_minute = sorted(minutes)
    gaps = [after - before for before, after in pairwise(by_minute)]
    by_hour = sorted(hours)
    following = [*by_hour[1:], by_hour[0] + _HOURS]
    least_hours = min(after - before for before, after in zip(by_hour, following, strict=True))
    return min([*gaps, least_hours * _MINUTES - by_minute[-1] + by_minute[0]])


def next_due_ms(schedule: str, timezone: str, jitter: int, *, after_ms: int, last_due_at_ms: int | None = None) -> int:
    """Return the next due time, in milliseconds since 1970.

    Args:
        schedule: As ``check_schedule`` returns it.
        jitter: Of the monitor.
        after_ms: The due time lies after.
        last_due_at_ms: The last due time, from which the next one has the least distance; ``None``: there was none.
            One that lies ahead was written by a clock that was set back since, and does not count.
    """
    expression, offset_ms = _expression(schedule, jitter)
    least_ms = after_ms
    if last_due_at_ms is not None and last_due_at_ms <= after_ms:
        least_ms = max(after_ms, last_due_at_ms + MIN_INTERVAL_MS - 1)
    zone = UTC if timezone == "UTC" else ZoneInfo(timezone)
    start_ms = least_ms - offset_ms
    # One minute earlier, and what is not later is left out: times of a repeated hour come before their second round.
    times = CronSim(expression, (_EPOCH + timedelta(milliseconds=start_ms - _MINUTE_MS)).astimezone(zone))
    for time in times:
        due_ms = (time.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1) + offset_ms
        if due_ms > least_ms:
            return due_ms
    raise AssertionError("a schedule that was checked has a next time")


def _expression(schedule: str, jitter: int) -> tuple[str, int]:
    """Return (cron expression of a schedule, milliseconds by which its times are moved)."""
    if schedule not in NAMES:
        return schedule, jitter % MAX_CRON_JITTER_MS
    rest, second = divmod(jitter, _MINUTES)
    rest, minute = divmod(rest, _MINUTES)
    rest, hour = divmod(rest, _HOURS)
    days = {"hourly": "* * *", "daily": "* * *", "weekly": f"* * {rest % 7}", "monthly": f"{rest % _DAYS + 1} * *"}
    return f"{minute} {'*' if schedule == 'hourly' else hour} {days[schedule]}", second * 1000


DueOutcome = Literal["queued", "skipped", "put_off", "taken", "full"]
PUT_OFF_MS: Final = 60_000
"""A due time that has to wait for other work of the account is put off for so long."""
DUE_AT_ONCE: Final = 200
"""Monitors of one look."""
QUEUE_SHARE: Final = 2
"""Monitors fill at most the half of a queue, so that requests find the other half."""


class DueRun(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one due time."""

    outcome: DueOutcome
    report_id: int | None
    """Of the monitor; ``None``: it is for an audit or a set of pages."""


def find_due(tx: Transaction, now_ms: int) -> tuple[Monitor, ...]:
    """Return the ``DUE_AT_ONCE`` monitors that have been due for the longest, in that order; one query."""
    return list_due(tx, moment(tx, now_ms), DUE_AT_ONCE)


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


def load_working(tx: Transaction, account_id: int) -> Account | None:
    """Load an account; ``None`` if it is disabled, being erased, or gone."""
    account = load_account(tx, account_id)
    return None if account is None or account.disabled_at_ms is not None else account


def queue_due(
    tx: Transaction,
    monitor: Monitor,
    options: ServiceOptions,
    now_ms: int,
    *,
    urls: Sequence[str] | None = None,
    is_partial: bool = False,
    is_unread: bool = False,
) -> DueRun:
    """Queue the run of a monitor that is due, begin its crawl or look up its pages, and set its next due time.

    The due time is skipped while a run of the report or a crawl of the audit is unfinished, where the account, the
    report or the site is not available, and where a quota of the account is used up; several that were missed are one.
    It is put off while the account has too many unfinished runs or crawls, or because its sitemap was not asked for.

    Args:
        monitor: As ``find_due`` returned it; if it has changed since, nothing is done (``taken``).
        urls: Of the sitemap of the monitor; ``None``: it has none, or it could not be read.
        is_partial: The sitemap may have had pages that could not be read this time.
        is_unread: We could not ask for its sitemap now, whatever its site would have answered.

    Returns:
        What was done; ``full``: nothing, because the queue of the installation is.
    """
    hold_account(tx, monitor.account_id)
    now = moment(tx, now_ms)
    if is_unread:
        return _put_off(tx, monitor, now)
    if monitor.report_id is not None:
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
    account = load_working(tx, monitor.account_id)
    if account is None:
        return _save(tx, after, "skipped")
    if monitor.pages is not None:
        # While the account is held, nobody changes it.
        if load_monitor(tx, account.id, monitor.id) != monitor:
            return DueRun(outcome="taken", report_id=None)
        followed = follow_set(tx, account, after, options, now, urls=urls, is_partial=is_partial)
        return _save(tx, replace(followed, last_due_at_ms=monitor.due_at_ms, last_run_at_ms=now), "queued")
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


def follow_set(
    tx: Transaction,
    account: Account,
    monitor: Monitor,
    options: ServiceOptions,
    now_ms: int,
    *,
    urls: Sequence[str] | None,
    is_partial: bool = False,
) -> Monitor:
    """Give each page of the set a monitor that is due now, and take it from those that left, if we know that they did.

    As many get one as the account may have monitors. Pages of a sitemap that have no report get one, as many as the
    account may have and its part of the queue holds; the others follow the next time.

    Args:
        tx: A writing transaction that holds the account.
        account: Whose.
        monitor: Of a set of pages.
        options: Of the installation.
        now_ms: The time now.
        urls: Of the sitemap; ``None``: it could not be read, and all stays as it is.
        is_partial: It may have pages that could not be read this time; those that it had before stay, with what their
            monitors know.

    Returns:
        The monitor with the number of pages that were found; not stored.
    """
    if monitor.pages is None:
        raise ValueError("the monitor is of no set of pages")
    if monitor.pages.kind == "sitemap" and urls is None:
        return replace(monitor, unreachable_since_ms=monitor.unreachable_since_ms or now_ms)
    caller = Caller(account=account)
    ids, made = _reports_of(tx, caller, monitor.pages, options, now_ms, urls=(urls or ())[:MAX_PAGES])
    known = {page.report_id: page for page in store.list_of_parent(tx, monitor.id)}
    for report_id, page in known.items():
        if report_id not in ids and not is_partial:
            store.delete_monitor(tx, account.id, page.id)
    most = limit_of(quotas_of(account, options), "monitors")
    left = MAX_PAGES - len(known if is_partial else known.keys() & set(ids))
    if most is not None:
        left = min(left, most - store.count_used(tx, account.id))
    for report_id in islice((each for each in ids if each not in known), max(0, left)):
        store.add_monitor(
            tx,
            account_id=account.id,
            report_id=report_id,
            schedule=monitor.schedule,
            timezone=monitor.timezone,
            jitter=monitor.jitter,
            budgets=merge_budgets([budget.condition for budget in monitor.budgets], ()),
            paused=False,
            remind=monitor.remind,
            # A report that was just made is being analyzed already.
            due_at_ms=monitor.due_at_ms if report_id in made else now_ms,
            now_ms=now_ms,
            parent_id=monitor.id,
        )
    found = len(ids) if urls is None else max(len(ids), len(urls))
    if is_partial:
        found = max(found, monitor.pages_found or 0)
    return replace(monitor, pages_found=found, unreachable_since_ms=None)


def _reports_of(
    tx: Transaction, caller: Caller, pages: PageSet, options: ServiceOptions, now_ms: int, *, urls: Sequence[str]
) -> tuple[Sequence[int], frozenset[int]]:
    """Return (ids of the reports of a set of pages, those of them that were made now)."""
    if pages.kind == "sitemap":
        made = _make_reports(tx, caller, urls, options, now_ms)
        known = find_known(tx, caller, urls, options, now_ms)
        return [known[url] for url in urls if url in known], frozenset(made)
    if pages.kind == "project":
        names: Sequence[str] = (pages.value,)
    else:
        tagged = list_projects(tx, caller, per_page=MAX_PAGES, query=SiteQuery(tag=pages.value))
        names = [project.name for project in tagged.items]
    ids: list[int] = []
    for name in names:
        if len(ids) < MAX_PAGES:
            query = ListQuery(project=name, descending=False)
            ids += [report.id for report in list_all(tx, caller, query, options, now_ms, limit=AT_ONCE)]
    return ids[:MAX_PAGES], frozenset()


def _make_reports(
    tx: Transaction, caller: Caller, urls: Sequence[str], options: ServiceOptions, now_ms: int
) -> tuple[int, ...]:
    """Make reports of those of the pages that have none."""
    known = find_known(tx, caller, urls, options, now_ms)
    wanted = [url for url in urls if url not in known]
    room = find_capacity(tx, caller, options, now_ms).size if wanted else 0
    new = tuple(islice(_new_reports(caller, wanted, options), room))
    with contextlib.suppress(QuotaExceeded, Unavailable):
        return create_unknown_reports(tx, caller, new, options, now_ms, password_hash=None)
    return ()


def _new_reports(caller: Caller, urls: Sequence[str], options: ServiceOptions) -> Iterator[NewReport]:
    usual = caller.account.default_privacy
    privacy = options.default_privacy if usual is None else usual
    for url in urls:
        # Nobody chose a password for them.
        shown = Privacy.PRIVATE if privacy == Privacy.PASSWORD else privacy
        with contextlib.suppress(InvalidInput):
            yield read_new_report(url, privacy=shown, password=None, account=caller.account, options=options)
