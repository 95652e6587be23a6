"""Add jobs for parked runs whose wait time is over, on a shared queue, about once a second overall."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.store.queue.procrastinate_queue import offer_parked

logger = logging.getLogger(__name__)

EVERY_S: Final = 1.0
ENOUGH: Final = 3
"""Number of processes that may do it at their own interval; with more processes the interval grows, so that the
number of queries stays the same."""


async def offer_in_time(services: Services) -> None:
    """Add jobs for parked runs that are due, until canceled."""
    while True:
        await asyncio.sleep(_pause_s(services.peers))
        try:
            offered = await services.database.write(lambda tx: offer_parked(tx, now_ms()))
        except Unavailable:
            continue
        except Exception:
            # A row that causes an error must not stop the queue.
            logger.exception("offering_failed")
            continue
        if offered:
            services.wake()


def _pause_s(peers: int) -> float:
    return EVERY_S * max(1.0, peers / ENOUGH) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
