"""Waits for a report to be finished, as long as somebody is there to hear of it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.service.reports.operations import is_finished
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.request import Request

LOOK_EVERY_S: Final = 1.0
"""How often to look without being told: another process may have finished the run, or this one may want to stop."""
LOOK_SELDOM_S: Final = 5.0
"""The same while others tell what they do: only a notice that was lost, which hardly ever happens, costs so much."""


async def wait_until_finished(
    request: Request, work: UnitOfWork, services: Services, report_id: int, seconds: float
) -> None:
    """Return when the report is finished or gone, the time is over, the client hung up or the process is to stop.

    Args:
        request: The request that waits; its body was read.
        work: Of the request.
        services: Of the process.
        report_id: Of a report of the caller.
        seconds: 0 does not wait at all.
    """
    if seconds <= 0:
        return
    until = time.monotonic() + seconds
    with services.changes.watch(report_id) as changed:
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(_listen(request, changed))
            try:
                while not request.gone and not services.draining:
                    changed.clear()
                    left = until - time.monotonic()
                    if left <= 0 or await _is_finished(work, report_id):
                        break
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(left, _pause_s(services))):
                            await changed.wait()
            finally:
                listening.cancel()


def _pause_s(services: Services) -> float:
    if not services.changes.hears_others:
        return LOOK_EVERY_S
    # Hundreds may have begun to wait at the same moment, and shall not look at the same moment ever after.
    return LOOK_SELDOM_S * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


async def _is_finished(work: UnitOfWork, report_id: int) -> bool:
    try:
        return await work.read(is_finished, report_id)
    except Unavailable:
        # It may be back before the time is over; if not, whoever reads the report then says so.
        return False


async def _listen(request: Request, changed: asyncio.Event) -> None:
    """Notice that the client hangs up: the only thing that can still come after the body."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    request.gone = True
    changed.set()
