"""Steps of a run under way, stored so that the page of its report can show them.

Only analyses that take longer than ``QUIET_S`` store any: the others are over before a person reads the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from pagegrade.gather.run import Settled
from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import ClaimedRun, Step
from pagegrade.service.container import Services
from pagegrade.store.queue.runs import set_step

QUIET_S: Final = 1.0
"""Seconds of an analysis in which no step is stored."""
logger = logging.getLogger(__name__)


def ignore_progress() -> None:
    """Ignore that a run made progress."""


class StepNotes:
    """The steps of one run; at most one write each, the last one known."""

    def __init__(self, services: Services, run: ClaimedRun, advance: Callable[[], None] = ignore_progress) -> None:
        """Prepare the notes.

        Args:
            services: Of this process.
            run: Whose steps are stored.
            advance: Called with every step and every gatherer that has settled.
        """
        self._advance = advance
        self._services = services
        self._run = run
        self._loop = asyncio.get_running_loop()
        self._from = self._loop.time() + QUIET_S
        self._step: Step = "page"
        self._writing: asyncio.Task[None] | None = None

    def reach(self, step: Step) -> None:
        """Take the step that the run has come to; it is stored in the background."""
        self._step = step
        self._advance()
        if self._writing is None or self._writing.done():
            self._writing = self._loop.create_task(self._write())

    def with_gatherers(self, settled: Settled) -> Settled:
        """Follow the gatherers of the run, and pass on what they settle."""

        def passed_on(name: str, seconds: float, code: str | None) -> None:
            if name == "document" and code is None:
                self.reach("files")
            elif name == "resources" and self._run.device is not None and self._step == "files":
                self.reach("browser")
            self._advance()
            settled(name, seconds, code)

        return passed_on

    async def end(self) -> None:
        """Store nothing more."""
        if self._writing is not None:
            self._writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writing

    async def _write(self) -> None:
        await asyncio.sleep(self._from - self._loop.time())
        stored: Step | None = None
        while stored != self._step:
            stored = self._step
            try:
                await self._services.database.write(partial(set_step, run=self._run, step=stored))
            except Unavailable:
                # No one waits for it, and the outcome is what counts.
                logger.info("step_not_stored", extra={"run": self._run.id})
        self._services.changes.notify(self._run.report_id)
