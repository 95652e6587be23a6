"""Move the lines of runs whose time has come, on a shared queue, about once a second overall."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import move_due

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0
ENOUGH: Final = 3
"""Number of processes that may do it at their own interval; with more processes the interval grows, so that the
number of queries stays the same."""


async def move_in_time(services: Services) -> None:
    """Offer the runs that may start by now, until canceled."""
    while True:
        await asyncio.sleep(_pause_s(services.peers))
        try:
            offered = await services.database.write(lambda tx: _move(tx, services.options))
        except Unavailable:
            continue
        except Exception:
            # A row that causes an error must not stop the queue.
            logger.exception("offering_failed")
            continue
        if offered:
            services.wake()


def _move(tx: Transaction, options: ServiceOptions) -> int:
    return move_due(
        tx,
        now_ms(),
        target_runs=options.target_runs,
        target_runs_per_minute=options.target_runs_per_minute,
    )


def _pause_s(peers: int) -> float:
    return EVERY_S * max(1.0, peers / ENOUGH) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
