"""Periodic tasks, about once a minute: delete data that is no longer needed."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.accounts.sessions import forget_sessions
from pagegrade.service.container import Services
from pagegrade.service.erasure import finish_erasure
from pagegrade.service.retention import prune_expired
from pagegrade.store.queue.procrastinate_queue import find_forgotten
from pagegrade.store.repositories.accounts import list_erasing
from pagegrade.store.repositories.deliveries import KEPT_MS as EVENTS_KEPT_MS
from pagegrade.store.repositories.deliveries import forget_events
from pagegrade.store.repositories.host_slots import forget_visits
from pagegrade.store.repositories.idempotency import KEPT_MS, forget_requests
from pagegrade.store.repositories.processes import forget_silent
from pagegrade.store.repositories.rate_windows import PIECE_PAGES, silence_to_forget, sweep_counters

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0
FIRST_S: Final = 5.0
"""Delay after the start, which is busy enough."""

ENOUGH: Final = 2
"""Number of processes of a shared database that run shared tasks; one might be ending."""
AT_A_TIME: Final = 1_000
"""Maximum number of rows of one transaction, so that other writers do not wait long."""

COUNTERS: Final = 1_000_000
"""Maximum number of counter rows, some 300 MB; beyond it the least recently used ones are deleted."""

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
                logger.warning("chore_put_off", extra={"chore": chore.__name__})
            except Exception:
                logger.exception("chore_failed", extra={"chore": chore.__name__})


async def _forget_visits(services: Services) -> None:
    await services.database.write(lambda tx: forget_visits(tx, now_ms()))


async def _save_key_uses(services: Services) -> None:
    await services.key_uses.save(services.database)


async def _find_forgotten(services: Services) -> None:
    if not services.database.shared:
        return
    found = await services.database.write(
        lambda tx: find_forgotten(tx, now_ms(), target_runs_per_minute=services.options.target_runs_per_minute)
    )
    if found:
        logger.warning("runs_without_job", extra={"count": found})


async def _forget_idempotent_requests(services: Services) -> None:
    forgotten = AT_A_TIME
    while forgotten >= AT_A_TIME:
        forgotten = await services.database.write(lambda tx: forget_requests(tx, now_ms() - KEPT_MS, limit=AT_A_TIME))


async def _forget_events(services: Services) -> None:
    before_ms = now_ms() - EVENTS_KEPT_MS
    forgotten = AT_A_TIME
    while forgotten >= AT_A_TIME:
        forgotten = await services.database.write(lambda tx: forget_events(tx, before_ms, limit=AT_A_TIME))


async def _forget_sessions(services: Services) -> None:
    await services.database.write(lambda tx: forget_sessions(tx, now_ms()))


async def _forget_counters(services: Services) -> None:
    """Delete expired counters, in pieces, so that other transactions do not wait."""
    if not services.database.shared:
        return
    left = await _sweep(services, None)
    if left > COUNTERS:
        part = 1 - COUNTERS / left
        silent_s = await services.database.write(lambda tx: silence_to_forget(tx, part))
        if silent_s is not None:
            await _sweep(services, silent_s)


async def _sweep(services: Services, silent_s: float | None) -> int:
    """Delete expired counters; return the number of remaining ones."""
    page = left = 0
    while True:
        swept = await services.database.write(partial(sweep_counters, page=page, silent_s=silent_s))
        if swept is None:
            return left
        left += swept[1]
        page += PIECE_PAGES


async def _forget_processes(services: Services) -> None:
    if services.database.shared:
        await services.database.write(lambda tx: forget_silent(tx, now_ms()))


async def _finish_erasures(services: Services) -> None:
    """Continue the erasure of accounts that was requested and not completed."""
    for account_id in await services.database.read(list_erasing):
        await finish_erasure(services, account_id)


async def _prune(services: Services) -> None:
    options = services.options
    if options.retention_days is not None or options.retention_runs is not None:
        await prune_expired(
            services.database,
            retention_days=options.retention_days,
            retention_runs=options.retention_runs,
            now_ms=now_ms(),
        )


def _is_our_turn(services: Services) -> bool:
    """Return whether to run shared tasks: about ``ENOUGH`` processes are chosen at random each time."""
    return random.random() * services.peers < ENOUGH  # noqa: S311 - no secret


CHORES: Final[tuple[Chore, ...]] = (
    _forget_visits,
    _save_key_uses,
    _find_forgotten,
    _forget_idempotent_requests,
    _forget_events,
    _forget_sessions,
    _forget_counters,
    _forget_processes,
    _finish_erasures,
    _prune,
)
OWN: Final[frozenset[Chore]] = frozenset({_save_key_uses})
"""Tasks that each process runs for itself."""
