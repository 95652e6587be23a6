"""Wait for a report or a crawl to finish while the client is connected."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.service.audits.operations import is_crawled
from pagegrade.service.container import Services
from pagegrade.service.reports.operations import is_finished
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.request import Request

LOOK_EVERY_S: Final = 1.0
"""Polling interval without notifications: another process may have finished the run, or this one may shut down."""
LOOK_SELDOM_S: Final = 5.0
"""Polling interval while notifications arrive; it only matters if one is lost, which is rare."""


async def wait_until_finished(
    request: Request, work: UnitOfWork, services: Services, report_id: int, seconds: float
) -> None:
    """Return when the report is finished or gone, the time is over, the client hung up or the process is to stop.

    It returns early as well if connections are running out.

    Args:
        request: The request that waits; its body was read.
        work: Of the request.
        services: Services of the process.
        report_id: Report of the caller.
        seconds: Maximum wait time; 0 returns at once.
    """
    if seconds <= 0:
        return
    with services.changes.watch(report_id) as changed:
        await _wait(
            request,
            work,
            services,
            seconds,
            changed=changed,
            is_over=lambda: work.read(is_finished, report_id),
            pause_s=lambda: _pause_s(services),
        )


async def wait_until_crawled(
    request: Request, work: UnitOfWork, services: Services, audit_id: int, seconds: float
) -> None:
    """Return when no crawl of the audit is under way, as ``wait_until_finished``; no event tells of their end."""
    if seconds <= 0:
        return
    await _wait(
        request,
        work,
        services,
        seconds,
        changed=asyncio.Event(),
        is_over=lambda: work.read(is_crawled, audit_id),
        pause_s=lambda: LOOK_EVERY_S,
    )


async def has_left(request: Request) -> bool:
    """Return true if the client hung up, without waiting for that; the body of the request was read."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0):
            await _listen(request, asyncio.Event())
    return request.gone


async def _wait(
    request: Request,
    work: UnitOfWork,
    services: Services,
    seconds: float,
    *,
    changed: asyncio.Event,
    is_over: Callable[[], Awaitable[bool]],
    pause_s: Callable[[], float],
) -> None:
    until = time.monotonic() + seconds
    with services.waits.hold(work.caller.account.id, changed) as wait:
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(_listen(request, changed))
            try:
                while not request.gone and not services.draining:
                    changed.clear()
                    if wait.is_over:
                        break
                    left = until - time.monotonic()
                    if left <= 0 or await _is_over(is_over):
                        break
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(left, pause_s())):
                            await changed.wait()
            finally:
                listening.cancel()


def _pause_s(services: Services) -> float:
    if not services.changes.hears_others:
        return LOOK_EVERY_S
    # Hundreds of requests may have started to wait at the same moment; jitter spreads their queries.
    return LOOK_SELDOM_S * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


async def _is_over(ask: Callable[[], Awaitable[bool]]) -> bool:
    try:
        return await ask()
    except Unavailable:
        # The database may be back in time; if not, the next read raises the error.
        return False


async def _listen(request: Request, changed: asyncio.Event) -> None:
    """Detect a disconnect of the client: no other event can follow the body."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    request.gone = True
    changed.set()
