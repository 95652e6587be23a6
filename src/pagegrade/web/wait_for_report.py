"""Waits for a report to be finished, as long as somebody is there to hear of it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from typing import Final

from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import UNFINISHED
from pagegrade.store.repositories.reports import load_report
from pagegrade.web.context import Call

LOOK_EVERY_S: Final = 1.0
"""How often to look without being told: another process may have finished the run, or this one may want to stop."""
LOOK_SELDOM_S: Final = 5.0
"""The same while others tell what they do: only a notice that was lost, which hardly ever happens, costs so much."""


async def wait_until_finished(call: Call, report_id: int, seconds: float) -> None:
    """Return when the report is finished or gone, the time is over, the client hung up or the process is to stop.

    Args:
        call: Who waits; its body was read.
        report_id: Of a report of the caller.
        seconds: 0 does not wait at all.
    """
    if seconds <= 0:
        return
    until = time.monotonic() + seconds
    with call.services.changes.watch(report_id) as changed:
        async with asyncio.TaskGroup() as group:
            listening = group.create_task(_listen(call, changed))
            try:
                while not call.gone and not call.services.draining:
                    changed.clear()
                    left = until - time.monotonic()
                    if left <= 0 or await _is_finished(call, report_id):
                        break
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(min(left, _pause_s(call))):
                            await changed.wait()
            finally:
                listening.cancel()


def _pause_s(call: Call) -> float:
    if not call.services.changes.hears_others:
        return LOOK_EVERY_S
    # Hundreds may have begun to wait at the same moment, and shall not look at the same moment ever after.
    return LOOK_SELDOM_S * random.uniform(0.8, 1.2)  # noqa: S311 - no secret


async def _is_finished(call: Call, report_id: int) -> bool:
    try:
        stored = await call.read(lambda tx, caller: load_report(tx, caller.account.id, report_id))
    except Unavailable:
        # It may be back before the time is over; if not, whoever reads the report then says so.
        return False
    return stored is None or stored.state not in UNFINISHED


async def _listen(call: Call, changed: asyncio.Event) -> None:
    """Notice that the client hangs up: the only thing that can still come after the body."""
    while (await call.receive())["type"] != "http.disconnect":
        pass
    call.gone = True
    changed.set()
