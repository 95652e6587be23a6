"""Where several processes share a queue: offers the runs that waited for their time, about once a second in all."""

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
"""So many processes may do it each in their own time; more of them do it less often, so that all together ask the
database no more than these."""


async def offer_in_time(services: Services) -> None:
    """Offer what is due, until cancelled."""
    while True:
        await asyncio.sleep(_pause_s(services.peers))
        try:
            offered = await services.database.write(lambda tx: offer_parked(tx, now_ms()))
        except Unavailable:
            continue
        except Exception:
            # A queue that stands still because of one strange row would be worse than a line in the log.
            logger.exception("offering_failed")
            continue
        if offered:
            services.wake()


def _pause_s(peers: int) -> float:
    return EVERY_S * max(1.0, peers / ENOUGH) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
