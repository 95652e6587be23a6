"""Queues the runs and begins the crawls of monitors when they are due: one query every few seconds while none is."""

from __future__ import annotations

import logging
from functools import partial

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.service.monitors.due_runs import AT_ONCE, find_due, queue_due

logger = logging.getLogger(__name__)


async def schedule_monitors(services: Services) -> None:
    """Queue the runs of all monitors that are due."""
    while await queue_due_monitors(services) == AT_ONCE:
        pass


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
