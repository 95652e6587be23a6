"""Sets of pages that one monitor is for: looked up when it is due, with a monitor for each page of them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, limit_of
from pagegrade.model.errors import InvalidInput, QuotaExceeded, Unavailable
from pagegrade.model.monitors import MAX_PAGES, Monitor, PageSet
from pagegrade.model.stored import ListQuery, Privacy, SiteQuery
from pagegrade.report.gates import merge_budgets
from pagegrade.service.accounts.quotas import quotas_of
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.batches import create_unknown_reports, find_capacity, find_known
from pagegrade.service.reports.operations import list_all
from pagegrade.service.reports.projects import list_projects
from pagegrade.service.reports.validation import NewReport, read_new_report
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import monitors as store


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
