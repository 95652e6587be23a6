"""Queues the runs and begins the crawls of monitors when they are due: one query every few seconds while none is."""

from __future__ import annotations

import asyncio
import logging
import random
from functools import partial
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.service.monitors.due_runs import AT_ONCE, find_due, queue_due

logger = logging.getLogger(__name__)

EVERY_S: Final = 5.0
ENOUGH: Final = 3
"""So many processes may look each in their own time; more of them look less often, so that all together ask the
database no more than these."""


async def schedule_monitors(services: Services) -> None:
    """Look for monitors that are due, until cancelled."""
    while True:
        await asyncio.sleep(EVERY_S * max(1.0, services.peers / ENOUGH) * random.uniform(0.5, 1.5))  # noqa: S311
        try:
            while await queue_due_monitors(services) == AT_ONCE:
                pass
        except Unavailable:
            continue
        except Exception:
            # The next look may succeed; without one, no monitor of this process would ever run again.
            logger.exception("schedule_failed")


async def queue_due_monitors(services: Services) -> int:
    """Queue the runs of monitors that are due, up to ``AT_ONCE``; return how many were settled."""
    due = await services.database.read(lambda tx: find_due(tx, now_ms()))
    settled = 0
    for monitor in due:
        try:
            done = await services.database.write(
                partial(queue_due, monitor=monitor, options=services.options, now_ms=now_ms())
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
        if done.report_id is None:
            services.wake_crawls()
        else:
            services.changes.notify(done.report_id)
            services.wake()
    return settled
