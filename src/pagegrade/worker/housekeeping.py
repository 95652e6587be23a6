"""What is done once a minute, whether or not there is work: forget what no longer counts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.service.clock import now_ms
from pagegrade.service.retention import prune_expired
from pagegrade.service.services import Services
from pagegrade.service.sessions import forget_sessions
from pagegrade.store.idempotency import KEPT_MS, forget_answers
from pagegrade.store.visits import forget_visits

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0
FIRST_S: Final = 5.0
"""After the start, which has enough to do."""

AT_A_TIME: Final = 1_000
"""Rows of one transaction, so that other writers come in between."""

Chore = Callable[[Services], Awaitable[object]]


async def keep_house(services: Services) -> None:
    """Do every chore once a minute, until cancelled. One that fails leaves the others alone, and is tried again."""
    pause_s = FIRST_S
    while True:
        await asyncio.sleep(pause_s)
        pause_s = EVERY_S
        for chore in CHORES:
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


async def _forget_answers(services: Services) -> None:
    forgotten = AT_A_TIME
    while forgotten >= AT_A_TIME:
        forgotten = await services.database.write(lambda tx: forget_answers(tx, now_ms() - KEPT_MS, limit=AT_A_TIME))


async def _forget_sessions(services: Services) -> None:
    await services.database.write(lambda tx: forget_sessions(tx, now_ms()))


async def _prune(services: Services) -> None:
    options = services.options
    if options.retention_days is not None or options.retention_runs is not None:
        await prune_expired(
            services.database,
            retention_days=options.retention_days,
            retention_runs=options.retention_runs,
            now_ms=now_ms(),
        )


CHORES: Final[tuple[Chore, ...]] = (_forget_visits, _save_key_uses, _forget_answers, _forget_sessions, _prune)
