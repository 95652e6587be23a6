"""Takes runs from the queue and brings each to its end, a few at a time, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from pagegrade.gather.resolver import Resolver
from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import ClaimedRun
from pagegrade.service.children import Children
from pagegrade.service.clock import now_ms
from pagegrade.service.logs import about
from pagegrade.service.running import perform_run
from pagegrade.service.services import Services
from pagegrade.store.reaping import reap_runs
from pagegrade.store.runs import claim_runs, extend_leases, has_suspects, is_under_way, release_run
from pagegrade.store.visits import end_visits
from pagegrade.worker.housekeeping import keep_house

logger = logging.getLogger(__name__)

POLL_S: Final = 1.0
"""Runs that wait for their time, or were queued by another process, are found so often."""
BEATS_PER_LEASE: Final = 4


@dataclass(slots=True)
class _Held:
    """A run that this process is working on."""

    run: ClaimedRun
    task: asyncio.Task[None] | None = None
    lost: bool = field(default=False)
    """It is somebody else's by now, or gone."""


class Worker:
    """``await worker.run()`` works until ``worker.stop()``; one for each process.

    What dies with this process is picked up by the next one: a run is given back only by those who know that they hold
    it, and taken back by whoever sees that its lease is over.
    """

    def __init__(self, services: Services, *, slots: int | None = None, resolver: Resolver | None = None) -> None:
        """Prepare; nothing runs yet.

        Args:
            services: Of this process; its ``wake`` becomes this worker's.
            slots: Runs at the same time; ``None``: as the options say. With 0, nothing is run, and the dead and the
                outdated are still cleared away.
            resolver: Where addresses come from; ``None`` for DNS.
        """
        self._services = services
        self._slots = services.options.workers if slots is None else slots
        self._resolver = resolver
        self._held: dict[tuple[int, int], _Held] = {}
        self._lock = threading.Lock()
        """Guards ``_held`` between the loop and the thread of the heartbeat."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._suspects = True
        """Runs may be waiting that are on their last attempt."""
        self._stopping = False
        self._at_once = False
        self._ended = threading.Event()
        services.wake = self.wake

    @property
    def busy(self) -> int:
        """How many runs are under way."""
        return len(self._held)

    def wake(self) -> None:
        """Look into the queue now; from any thread."""
        if self._loop is not None:
            # The loop may be gone when a thread has been slow.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._woken.set)

    def stop(self, *, at_once: bool = False) -> None:
        """Take no further run and end when those under way have, or when the grace is over.

        Args:
            at_once: Without any grace.
        """
        self._stopping = True
        self._at_once = self._at_once or at_once
        self.wake()

    async def run(self) -> None:
        """Work until told to stop. Runs that are not finished then go back into the queue, as if never started."""
        self._loop = asyncio.get_running_loop()
        heart = threading.Thread(target=self._beat, name="pagegrade-heartbeat", daemon=True)
        heart.start()
        try:
            await self._reap(starting=True)
            async with contextlib.AsyncExitStack() as stack:
                children = await stack.enter_async_context(Children()) if self._slots else None
                async with asyncio.TaskGroup() as group:
                    house = group.create_task(keep_house(self._services), name="housekeeping")
                    await self._claim_until_told(group, children)
                    house.cancel()
                    await self._end_runs()
        finally:
            self._ended.set()
            # The database may be slow to answer it, but not for ever.
            await asyncio.to_thread(heart.join, self._services.options.lease_s)

    async def _claim_until_told(self, group: asyncio.TaskGroup, children: Children | None) -> None:
        loop = asyncio.get_running_loop()
        reap_every_s = max(POLL_S, self._services.options.lease_s / 2)
        reap_at = loop.time() + reap_every_s
        while not self._stopping:
            self._woken.clear()
            self._services.worked_at_s = time.monotonic()
            free = self._slots - len(self._held)
            if children is not None and free > 0:
                for run in await self._take(free):
                    held = _Held(run)
                    with self._lock:
                        self._held[run.id, run.attempt] = held
                    held.task = group.create_task(self._work(held, children), name=f"run-{run.id}")
            # In turn with claiming: a run that was claimed a moment ago must be known as live before anybody reaps.
            if loop.time() >= reap_at:
                await self._reap(starting=False)
                reap_at = loop.time() + reap_every_s
            await self._wait(POLL_S)

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    async def _take(self, free: int) -> tuple[ClaimedRun, ...]:
        """The runs to start now: many, or one that may be to blame for the death of processes, alone.

        So it takes nobody down with it who happens to be worked on at the same time.
        """
        if self._suspects:
            if self._held:
                return ()
            alone = await self._claim(1, suspects=True)
            if alone:
                return alone
            # Those that have to wait for their target are tried again whenever nothing else is under way.
            self._suspects = await self._has_suspects()
        return await self._claim(free)

    async def _has_suspects(self) -> bool:
        try:
            return await self._services.database.read(has_suspects)
        except Unavailable:
            return True

    async def _claim(self, count: int, *, suspects: bool = False) -> tuple[ClaimedRun, ...]:
        options = self._services.options
        try:
            claimed = await self._services.database.write(
                lambda tx: claim_runs(
                    tx,
                    worker=self._services.process,
                    count=count,
                    now_ms=now_ms(),
                    lease_ms=int(options.lease_s * 1000),
                    target_runs=options.target_runs,
                    target_runs_per_minute=options.target_runs_per_minute,
                    suspects=suspects,
                )
            )
        except Unavailable:
            return ()
        except Exception:
            # A queue that stands still because of one strange row would be worse than a line in the log every second.
            logger.exception("claim_failed")
            return ()
        for run in claimed:
            self._services.changes.tell(run.report_id)
        return claimed

    async def _work(self, held: _Held, children: Children) -> None:
        run = held.run
        try:
            if self._stopping:
                # It was claimed in the moment in which we were told to stop.
                await self._let_go(held, visited=False)
            else:
                with about(run=run.id, report=run.report_id), self._services.changes.watch(run.report_id) as changed:
                    watch = asyncio.get_running_loop().create_task(self._watch(held, changed), name=f"watch-{run.id}")
                    try:
                        await perform_run(self._services, run, children=children, resolver=self._resolver)
                    finally:
                        watch.cancel()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            await self._let_go(held, visited=True)
        except Unavailable:
            await self._let_go(held, visited=False)
        except Exception:
            # The lease runs out and the run is started again, at most so often as any other.
            logger.exception("run_not_finished", extra={"run": run.id})
        finally:
            with self._lock:
                del self._held[run.id, run.attempt]
            self.wake()

    async def _watch(self, held: _Held, changed: asyncio.Event) -> None:
        """Stop working on a run as soon as its report is deleted, instead of at the next heartbeat."""
        run = held.run
        while True:
            await changed.wait()
            changed.clear()
            with contextlib.suppress(Unavailable):
                if not await self._services.database.read(lambda tx: is_under_way(tx, run)):
                    self._drop({(run.id, run.attempt)})
                    return

    async def _let_go(self, held: _Held, *, visited: bool) -> None:
        """Give a run back that was not finished; one that was lost only leaves its target."""
        run = held.run
        try:
            if held.lost:
                await self._services.database.write(lambda tx: end_visits(tx, run.id, now_ms()))
            else:
                await self._services.database.write(lambda tx: release_run(tx, run, now_ms(), visited=visited))
        except Unavailable:
            logger.warning("run_not_released", extra={"run": run.id})
        self._services.changes.tell(run.report_id)

    async def _end_runs(self) -> None:
        """Wait for what is under way, at most for the grace; then cancel it."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._services.options.grace_s
        while self._held and not self._at_once and loop.time() < until:
            self._woken.clear()
            await self._wait(min(POLL_S, max(0.0, until - loop.time())))
        for held in tuple(self._held.values()):
            if held.task is not None:
                held.task.cancel()

    async def _reap(self, *, starting: bool) -> None:
        live = frozenset(self._held)
        worker = None if starting else self._services.process
        try:
            changed = await self._services.database.write(
                lambda tx: reap_runs(tx, live=live, now_ms=now_ms(), worker=worker)
            )
        except Unavailable:
            logger.warning("reaping_put_off")
            return
        except Exception:
            logger.exception("reaping_failed")
            return
        if changed:
            self._suspects = True
            logger.warning("runs_reaped", extra={"count": len(changed)})
        for report_id in changed:
            self._services.changes.tell(report_id)

    def _beat(self) -> None:
        """The heartbeat's thread: a loop that is kept busy must not lose its leases."""
        lease_s = self._services.options.lease_s
        while not self._ended.wait(lease_s / BEATS_PER_LEASE):
            with self._lock:
                runs = tuple(held.run for held in self._held.values())
            if not runs:
                continue
            try:
                lost = self._extend(runs, lease_s)
            except Exception:
                logger.warning("heartbeat_failed", exc_info=True)
                continue
            if lost and self._loop is not None:
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._drop, lost)

    def _extend(self, runs: tuple[ClaimedRun, ...], lease_s: float) -> set[tuple[int, int]]:
        database, process = self._services.database, self._services.process
        promise = database.submit(lambda tx: extend_leases(tx, process, runs, now_ms(), int(lease_s * 1000)))
        return promise.result(timeout=lease_s)

    def _drop(self, lost: set[tuple[int, int]]) -> None:
        """Stop working on runs that are no longer ours."""
        for key in lost:
            held = self._held.get(key)
            if held is not None and held.task is not None:
                held.lost = True
                held.task.cancel()
