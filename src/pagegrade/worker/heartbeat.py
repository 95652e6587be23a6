"""Heartbeats of a process on a shared database, which extend the leases of its runs and count the other processes.

A process without a configured public origin learns it from the servers of the installation, so that it never analyzes
the installation itself.

It uses its own thread and connection: a busy process must not look dead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Final, Literal

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.model.identity import VERSION
from pagegrade.service.container import Services
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.runs import extend_leases
from pagegrade.store.repositories.installation import Process, beat, forget, list_live, noted_origin
from pagegrade.worker.worker import BEATS_PER_LEASE, Worker

logger = logging.getLogger(__name__)

RETRY_S: Final = 1.0
"""Pause after a failed heartbeat."""
MAX_HOST: Final = 255
BROWSER_WAIT_S: Final = 60.0
"""Time that runs wait for a process with a browser before they are analyzed without one."""


@contextlib.asynccontextmanager
async def present(
    services: Services, kind: Literal["serve", "worker"], *, worker: Worker | None = None, learns_origin: bool = False
) -> AsyncIterator[None]:
    """Send heartbeats for the duration of a block in which requests are answered or runs are claimed.

    Args:
        services: Services of this process; its ``peers`` is kept current.
        kind: Kind of this process.
        worker: Keeps its runs as long as they make progress, and hears of those that it lost.
        learns_origin: Keep ``base_url`` of the options, which is never analyzed, at the origin stored by a server; it
            is set before the block is entered, if it is known by then.
    """
    if not services.database.shared:
        yield
        return
    pulse = _Pulse(services, kind, worker, learns_origin=learns_origin)
    await asyncio.to_thread(pulse.start)
    try:
        yield
    finally:
        await asyncio.to_thread(pulse.stop)


class _Pulse:
    """The thread that sends heartbeats."""

    def __init__(self, services: Services, kind: str, worker: Worker | None, *, learns_origin: bool) -> None:
        self._services = services
        self._worker = worker
        self._learns_origin = learns_origin
        self._process = Process(
            name=services.process,
            kind=kind,
            version=VERSION,
            host=platform.node()[:MAX_HOST],
            pid=os.getpid(),
            has_browser=services.options.browser is not None,
        )
        self._browser_seen_s = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="pagegrade-presence", daemon=True)
        self._lease_ms = int(services.options.lease_s * 1000)

    def start(self) -> None:
        """Send the first heartbeat, if the database can be reached, and start the thread."""
        self._sent = self._beat()
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and remove this process, if the database can be reached."""
        self._ended.set()
        self._thread.join()
        with contextlib.suppress(Unavailable):
            self._services.database.write_here(lambda tx: forget(tx, self._process.name))

    def _beat_on(self) -> None:
        pause_s = self._services.options.lease_s / BEATS_PER_LEASE
        while not self._ended.wait(pause_s if self._sent else min(RETRY_S, pause_s)):
            self._sent = self._beat()

    def _beat(self) -> bool:
        services, worker = self._services, self._worker
        runs = () if worker is None else worker.progressing()

        def work(tx: Transaction) -> tuple[set[tuple[int, int]], int, bool, str | None]:
            lost = extend_leases(tx, services.process, runs, now_ms(), self._lease_ms) if runs else set()
            beat(tx, self._process, now_ms())
            origin = noted_origin(tx) if self._learns_origin else None
            live = list_live(tx, now_ms(), self._lease_ms)
            return lost, len(live), any(one.has_browser for one in live), origin

        try:
            # On this thread's own connection: a queue of writers must not make leases expire.
            lost, services.peers, drawn, origin = services.database.write_here(work)
            if worker is not None and lost:
                worker.hear_lost(lost)
            if drawn:
                self._browser_seen_s = time.monotonic()
            services.awaits_browser = time.monotonic() - self._browser_seen_s < BROWSER_WAIT_S
            if origin is not None and origin != services.options.base_url:
                services.options = replace(services.options, base_url=origin)
        except Unavailable:
            logger.warning("presence_not_reported")
            return False
        except Exception:
            # A process without heartbeats would be considered dead, and its runs be taken by others.
            logger.exception("presence_failed")
            return False
        return True
