"""Random delays of processes that share a database: before they look for a run, and between looks at what is due.

All processes are notified of a run that one of them queued. About ``DRAWN`` random processes look for the run soon; the
others later, if it is still queued. A process that claims a run and sees more of them sends another notification: so as
many processes look as are needed, and a hundred idle processes do not query the database at the same moment.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services

logger = logging.getLogger(__name__)

DRAWN: Final = 8
SOON_S: Final = 0.005
"""Interval between the processes that look soon."""
LATER_S: Final = 0.25
EACH_LATER_S: Final = 0.02
LATEST_S: Final = 3.0
"""The others look after ``LATER_S``, at intervals of ``EACH_LATER_S``: together some fifty times a second."""
ENOUGH: Final = 3
"""Number of processes that may look at what is due at their own interval; with more processes the interval grows, so
that the number of queries stays the same."""


def turn_s(peers: int) -> float:
    """Return the delay in seconds before looking.

    Args:
        peers: Approximate number of notified processes.
    """
    if random.random() * peers < DRAWN:  # noqa: S311 - no secret
        return random.uniform(0, SOON_S * min(DRAWN, peers))  # noqa: S311
    return min(LATEST_S, random.uniform(LATER_S, LATER_S + EACH_LATER_S * peers))  # noqa: S311


async def repeat(services: Services, work: Callable[[Services], Awaitable[object]], *, every_s: float) -> None:
    """Do work of the whole installation in turn with its other processes, until canceled.

    A failure is logged, and does not end it.
    """
    while True:
        await asyncio.sleep(pause_s(services.peers, every_s))
        try:
            await work(services)
        except Unavailable:
            continue
        except Exception:
            # The next look may succeed; without one, the work would never be done again by this process.
            logger.exception("look_failed", extra={"work": work.__name__})


def pause_s(peers: int, every_s: float) -> float:
    """Return the pause in seconds before the next look, of a process that would look every ``every_s`` alone."""
    return every_s * max(1.0, peers / ENOUGH) * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
