"""Periodic tasks: about once a minute delete data that is no longer needed; about once a second move lines of runs.

Every few seconds the runs of monitors that are due are queued, and their crawls begun.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.model.monitors import Monitor
from pagegrade.service.accounts.quotas import find_low, warn_of_quotas
from pagegrade.service.accounts.sessions import forget_sessions
from pagegrade.service.administration import finish_erasure
from pagegrade.service.container import SITEMAP_WAIT_S, SITEMAPS_AT_ONCE, Services
from pagegrade.service.monitors.due_runs import DUE_AT_ONCE, find_due, find_too_far, load_working, queue_due
from pagegrade.service.retention import follow_clock, prune_expired
from pagegrade.service.sitemaps import FoundURLs, read_sitemap_urls
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import find_forgotten, move_due
from pagegrade.store.repositories.accounts import list_erasing
from pagegrade.store.repositories.host_slots import forget_visits
from pagegrade.store.repositories.idempotency import forget_requests
from pagegrade.store.repositories.installation import age_ms, forget_silent
from pagegrade.store.repositories.members import forget_actions
from pagegrade.store.repositories.monitors import forget_silences, save_monitor
from pagegrade.store.repositories.rate_limit import forget_buckets
from pagegrade.store.repositories.webhooks import bound_due_times, forget_events, list_accounts_wanting

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0
LINES_EVERY_S: Final = 1.0
MONITORS_EVERY_S: Final = 5.0
"""Intervals of the looks at lines and at monitors, of all processes together (``jitter.repeat``)."""
FIRST_S: Final = 5.0
"""Delay after the start, which is busy enough."""

ENOUGH: Final = 2
"""Number of processes of a shared database that run shared tasks; one might be ending."""
AT_A_TIME: Final = 1_000
"""Maximum number of rows of one transaction, so that other writers do not wait long."""

BUCKETS: Final = 1_000_000
"""Maximum number of rate limit buckets in use, some 150 MB; beyond it those that are full the soonest are deleted."""
BUCKETS_AT_A_TIME: Final = 10_000
"""Each time the whole table is read, so more than of other rows."""

Chore = Callable[[Services], Awaitable[object]]


async def run_housekeeping(services: Services) -> None:
    """Run the tasks about once a minute until canceled; a task that fails is retried and does not affect the others."""
    pause_s = FIRST_S
    while True:
        await asyncio.sleep(pause_s)
        pause_s = EVERY_S
        ours = _is_our_turn(services)
        for chore in CHORES:
            if not ours and chore not in OWN:
                continue
            try:
                await chore(services)
            except Unavailable:
                logger.warning("chore_put_off", extra={"chore": _name_of(chore)})
            except Exception:
                logger.exception("chore_failed", extra={"chore": _name_of(chore)})


async def move_lines(services: Services) -> None:
    """Offer the runs that may start by now, on a shared queue."""
    limits = {
        "target_runs": services.options.target_runs,
        "target_runs_per_minute": services.options.target_runs_per_minute,
    }
    if await services.database.write(lambda tx: move_due(tx, now_ms(), **limits)):
        services.wake()


def _name_of(chore: Chore) -> str:
    """Return the name of a task for the log; of one that is made for a function, that of the function."""
    named: Any = chore.keywords["forget"] if isinstance(chore, partial) else chore
    return str(named.__name__)


async def _follow_clock(services: Services) -> None:
    await services.database.write(partial(follow_clock, now_ms=now_ms()))


async def _bound_due_times(services: Services) -> None:
    """Bring back what a clock that was ahead has put off for longer than its schedule allows."""
    monitors = await services.database.read(lambda tx: find_too_far(tx, now_ms()))

    def work(tx: Transaction) -> int:
        saved = [save_monitor(tx, monitor) for monitor in monitors]
        return len(saved) - saved.count(None) + bound_due_times(tx, now_ms())

    found = await services.database.write(work)
    if found:
        logger.warning("due_times_too_far_ahead", extra={"count": found})


async def _forget_visits(services: Services) -> None:
    await services.database.write(lambda tx: forget_visits(tx, now_ms()))


async def _save_key_uses(services: Services) -> None:
    await services.key_uses.save(services.database)


async def _find_forgotten(services: Services) -> None:
    if not services.database.shared:
        return
    found = await services.database.write(lambda tx: find_forgotten(tx, now_ms()))
    if found:
        logger.warning("runs_without_job", extra={"count": found})


async def _forget_aged(services: Services, forget: Callable[..., int]) -> None:
    """Delete rows that have had their time, in pieces, so that other transactions do not wait."""
    forgotten = AT_A_TIME
    while forgotten >= AT_A_TIME:
        forgotten = await services.database.write(lambda tx: forget(tx, age_ms(tx, now_ms()), limit=AT_A_TIME))


async def _forget_sessions(services: Services) -> None:
    await services.database.write(lambda tx: forget_sessions(tx, now_ms()))


async def _forget_buckets(services: Services) -> None:
    """Delete buckets of rate limits that are full, or too many, in pieces, so that other transactions do not wait."""
    forgotten = BUCKETS_AT_A_TIME if services.database.shared else 0
    while forgotten >= BUCKETS_AT_A_TIME:
        forgotten = await services.database.write(partial(forget_buckets, most=BUCKETS, limit=BUCKETS_AT_A_TIME))


async def _forget_processes(services: Services) -> None:
    if services.database.shared:
        await services.database.write(lambda tx: forget_silent(tx, now_ms()))


async def _finish_erasures(services: Services) -> None:
    """Continue the erasure of accounts that was requested and not completed."""
    for account_id in await services.database.read(list_erasing):
        await finish_erasure(services, account_id)


async def _warn_of_quotas(services: Services) -> None:
    """Tell accounts that want to know of it what they have nearly used."""
    database, options = services.database, services.options
    for account_id in await database.read(lambda tx: list_accounts_wanting(tx, "quota.low")):
        now = now_ms()
        if await database.read(partial(find_low, account_id=account_id, options=options, now_ms=now)):
            await database.write(partial(warn_of_quotas, account_id=account_id, options=options, now_ms=now))


async def _prune(services: Services) -> None:
    options = services.options
    if options.retention_days is not None or options.retention_runs is not None:
        await prune_expired(
            services.database,
            retention_days=options.retention_days,
            retention_runs=options.retention_runs,
            now_ms=now_ms(),
        )


async def _empty_log(services: Services) -> None:
    """Last, so that what was deleted a moment ago leaves the log, too."""
    await services.database.empty_log()


def _is_our_turn(services: Services) -> bool:
    """Return whether to run shared tasks: about ``ENOUGH`` processes are chosen at random each time."""
    return random.random() * services.peers < ENOUGH  # noqa: S311 - no secret


CHORES: Final[tuple[Chore, ...]] = (
    _follow_clock,
    _bound_due_times,
    _forget_visits,
    _save_key_uses,
    _find_forgotten,
    partial(_forget_aged, forget=forget_requests),
    partial(_forget_aged, forget=forget_events),
    partial(_forget_aged, forget=forget_actions),
    partial(_forget_aged, forget=forget_silences),
    _forget_sessions,
    _forget_buckets,
    _forget_processes,
    _finish_erasures,
    _warn_of_quotas,
    _prune,
    _empty_log,
)
OWN: Final[frozenset[Chore]] = frozenset({_save_key_uses})
"""Tasks that each process runs for itself."""


async def schedule_monitors(services: Services) -> None:
    """Queue the runs of all monitors that are due."""
    while await queue_due_monitors(services) == DUE_AT_ONCE:
        pass


async def _read_sitemaps(services: Services, due: Sequence[Monitor]) -> dict[int, FoundURLs | None]:
    """Return id of a monitor -> its sitemap, without pages if it cannot be read; ``None``: we could not ask for it.

    One of an account after the other, of two accounts at the same time, so that people find slots for theirs. Those
    that cannot begin within ``SITEMAP_WAIT_S`` have to wait for another look: other monitors wait for this one. Which
    accounts begin is drawn by lot each time, so that none is kept waiting by what others have.
    """
    loop = asyncio.get_running_loop()
    until_s = loop.time() + SITEMAP_WAIT_S
    at_once = asyncio.Semaphore(SITEMAPS_AT_ONCE)
    lines: defaultdict[int, asyncio.Semaphore] = defaultdict(partial(asyncio.Semaphore, 1))

    async def read(monitor: Monitor, url: str) -> tuple[int, FoundURLs | None]:
        async with lines[monitor.account_id], at_once:
            if loop.time() > until_s:
                return monitor.id, None
            try:
                found = await read_sitemap_urls(services, url, account_id=monitor.account_id)
            except InvalidInput:
                return monitor.id, FoundURLs()
            except Unavailable:
                return monitor.id, None
            except Exception:
                # One strange sitemap must not keep the others waiting.
                logger.exception("sitemap_failed", extra={"monitor": monitor.id})
                return monitor.id, None
            return monitor.id, None if found.failure == "busy" else found

    sets = [(each, each.pages.value) for each in due if each.pages is not None and each.pages.kind == "sitemap"]
    accounts = {each.account_id for each, _ in sets}
    working = await services.database.read(lambda tx: {each for each in accounts if load_working(tx, each)})
    lots = {each: random.random() for each in working}  # noqa: S311 - no secret
    wanted = sorted((one for one in sets if one[0].account_id in lots), key=lambda one: lots[one[0].account_id])
    # Not gathered: of several that are canceled, the group waits for all, which end their child processes.
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(*each)) for each in wanted]
    return dict(task.result() for task in tasks)


async def queue_due_monitors(services: Services) -> int:
    """Queue the runs of monitors that are due, up to ``DUE_AT_ONCE``; return how many were settled."""
    due = await services.database.read(lambda tx: find_due(tx, now_ms()))
    sitemaps = await _read_sitemaps(services, due)
    settled = 0
    for monitor in due:
        found = sitemaps.get(monitor.id, FoundURLs())
        try:
            done = await services.database.write(
                partial(
                    queue_due,
                    monitor=monitor,
                    options=services.options,
                    now_ms=now_ms(),
                    urls=(found and found.urls) or None,
                    is_partial=found is not None and found.is_partial,
                    is_unread=found is None,
                )
            )
        except Unavailable:
            raise
        except Exception:
            # One strange row must not keep the others waiting.
            logger.exception("monitor_failed", extra={"monitor": monitor.id})
            continue
        services.observation.monitor_due(
            outcome=done.outcome, monitor=monitor.id, report=monitor.report_id, audit=monitor.audit_id
        )
        if done.outcome == "full":
            break
        settled += 1
        if done.outcome != "queued":
            continue
        if monitor.pages is not None:
            services.wake()
        elif done.report_id is None:
            services.wake_crawls()
        else:
            services.changes.notify(done.report_id)
            services.wake()
    return settled
