"""Claim runs from the queue and execute several at a time until stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import threading
import time
from collections.abc import Collection
from typing import Final

from pagegrade.clock import now_ms
from pagegrade.gather.browser.options import VISIT_S
from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import ClaimedRun
from pagegrade.observability.logs import about
from pagegrade.sandbox.memory import map_large_blocks, trim_memory
from pagegrade.sandbox.pool import Children
from pagegrade.service.container import Services
from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.queue.claim import UNLIMITED, claim_runs, has_idle_account, has_suspects
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.store.queue.runs import is_under_way, release_run, set_patient
from pagegrade.store.repositories.crawls import release_every_crawl
from pagegrade.store.repositories.host_slots import end_visits, hasten_lines, hide_orphaned_visits
from pagegrade.store.repositories.webhooks import release_every_webhook
from pagegrade.store.schema.migrate import is_current
from pagegrade.worker.deliver import deliver_events
from pagegrade.worker.execute import CountedTasks, perform_run
from pagegrade.worker.housekeeping import (
    LINES_EVERY_S,
    MONITORS_EVERY_S,
    move_lines,
    run_housekeeping,
    schedule_monitors,
)
from pagegrade.worker.jitter import repeat, turn_s
from pagegrade.worker.slice import do_crawls
from pagegrade.worker.slots import SPARE_PER_SLOT, Held, count_free_slots, give_up_slots

logger = logging.getLogger(__name__)

POLL_S: Final = 1.0
"""Polling interval for runs whose wait time is over, or that another process queued."""
QUIET_POLL_S: Final = 4.0
"""Polling interval while notifications of other processes arrive. One that is lost with its connection delays a run by
as much, and by a fifth more: less than five seconds."""
AGAIN_S: Final = 0.1
"""Pause (up to four times as long) before polling again after a conflict: usually the other process claims the runs."""
BEATS_PER_LEASE: Final = 4
"""Heartbeats (``heartbeat``) in the duration of a lease."""
STALL_S: Final = 200.0
"""Time without progress, beyond that of a visit by a browser, after which a run is given up: its longest other step is
to wait for a child (``pool.WAIT_S``) and to be evaluated, twice if that child is lost."""

TRIM_PAUSE_S: Final = 2.0
"""Delay between the end of a run and the release of memory; runs that end meanwhile share it."""


class _Trimmer:
    """Releases memory after work, rarely and in a thread; for one event loop."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._trimming: asyncio.Future[None] | None = None

    def work_ended(self) -> None:
        """Schedule a release after work that may have freed much memory."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TRIM_PAUSE_S, self._trim)

    def close(self) -> None:
        """Cancel a scheduled release."""
        if self._timer is not None:
            self._timer.cancel()

    def _trim(self) -> None:
        self._timer = None
        self._trimming = asyncio.get_running_loop().run_in_executor(None, trim_memory)


class Worker:
    """Executes runs with ``await worker.run()`` until ``worker.stop()``; one for each process.

    On a shared database it works within ``heartbeat.present``, which extends the leases of its runs.

    Runs of a crashed process are recovered: on a shared database, any process takes a run back once its lease has
    expired; a single process takes back at its start what the one before it left.
    """

    def __init__(self, services: Services, *, slots: int | None = None) -> None:
        """Prepare the worker; ``run`` starts it.

        Args:
            services: Services of this process; its ``wake`` becomes this worker's.
            slots: Concurrent runs; ``None`` for the configured number. With 0, no runs are executed, but those of dead
                processes and outdated data are still handled.
        """
        self._services = services
        self._slots = services.options.workers if slots is None else slots
        self._held: dict[tuple[int, int], Held] = {}
        self._lock = threading.Lock()
        """Guards ``_held`` between the event loop and the heartbeat thread."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._turn: tuple[float, asyncio.Handle] | None = None
        """Time and timer of the next poll after a notification."""
        self._suspects = True
        """True if runs with one attempt left may be queued."""
        self._abandoned = False
        """True in a single process if a run may say that it is executed, and is not."""
        self._outdated = False
        """True if the schema is of a later version that this one cannot use."""
        self._stopping = False
        self._at_once = False
        self._delivering: asyncio.Task[None] | None = None
        """Task that sends events to webhooks."""
        self._stop_delivering = asyncio.Event()
        self._trimmer = _Trimmer()
        services.wake = self.wake
        services.runs_that_draw = self._runs_that_draw

    @property
    def _free(self) -> int:
        """Number of slots that no run has; less than 0 while spare ones are taken."""
        return count_free_slots(self._slots, tuple(self._held.values()))

    @property
    def _spare(self) -> int:
        """Number of further runs that may start here now, including those of accounts without a run under way."""
        return self._slots * SPARE_PER_SLOT + self._free

    def _runs_that_draw(self) -> int:
        return sum(held.run.device is not None for held in tuple(self._held.values()))

    @property
    def _free_browsers(self) -> int:
        """Return the number of further runs with a browser that may be claimed.

        If no process has a browser, they are analyzed without one, and their reports say so.
        """
        options = self._services.options
        if options.browser is not None:
            return max(0, options.browsers - self._runs_that_draw() - self._services.crawls_that_draw)
        return 0 if self._services.awaits_browser else UNLIMITED

    @property
    def _delivers(self) -> bool:
        """True while the sender of events is running."""
        return self._delivering is not None and not self._delivering.done()

    @property
    def busy(self) -> int:
        """Number of runs under way."""
        return len(self._held)

    def wake(self) -> None:
        """Poll the queue now, and notify other processes; from any thread."""
        self._look()
        self._services.notify_job()

    def hear_job(self) -> None:
        """Schedule a poll after a notification of another process; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take_turn)

    def _look(self) -> None:
        if self._loop is not None:
            # The loop may be closed if a thread was slow.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._woken.set)

    def _take_turn(self) -> None:
        # Without free slots there is nothing to look for; and one poll finds everything that was queued before it.
        if self._spare <= 0:
            return
        loop = asyncio.get_running_loop()
        at_s = loop.time() + turn_s(self._services.peers)
        if self._turn is not None:
            set_for_s, timer = self._turn
            if set_for_s <= at_s:
                return
            timer.cancel()

        def look() -> None:
            self._turn = None
            self._woken.set()

        # The time is stored beside it: uvloop's handle for a time in the past has none.
        self._turn = at_s, loop.call_at(at_s, look)

    def stop(self, *, at_once: bool = False) -> None:
        """Claim no further runs, and end when those under way have ended or the grace period is over.

        Args:
            at_once: Skip the grace period.
        """
        self._stopping = True
        self._at_once = self._at_once or at_once
        self._look()

    async def run(self) -> None:
        """Work until stopped. Unfinished runs are then returned to the queue as if never started."""
        self._loop = asyncio.get_running_loop()
        map_large_blocks()
        try:
            await self._reap()
            if not self._services.database.shared:
                # Where that fails, they go on when their leases have expired.
                with contextlib.suppress(Unavailable):
                    await self._services.database.write(_release_claims)
            async with contextlib.AsyncExitStack() as stack:
                children = (
                    await stack.enter_async_context(Children(self._services.options.parsers)) if self._slots else None
                )
                async with asyncio.TaskGroup() as group:
                    chores = [
                        group.create_task(run_housekeeping(self._services), name="housekeeping"),
                        group.create_task(
                            repeat(self._services, schedule_monitors, every_s=MONITORS_EVERY_S), name="monitors"
                        ),
                    ]
                    if self._services.database.shared:
                        moving = repeat(self._services, move_lines, every_s=LINES_EVERY_S)
                        chores.append(group.create_task(moving, name="lines"))
                    if self._slots:
                        stop = self._stop_delivering
                        delivering = deliver_events(self._services, stop=stop)
                        if children is not None:
                            crawling = do_crawls(self._services, children)
                            chores.append(group.create_task(crawling, name="crawls"))
                        self._delivering = group.create_task(delivering, name="delivering")
                        self._delivering.add_done_callback(lambda _: self._look())
                    await self._claim_until_stopped(group, children)
                    self._stop_delivering.set()
                    for chore in chores:
                        chore.cancel()
                    await self._end_runs()
        finally:
            self._trimmer.close()

    async def _claim_until_stopped(self, group: asyncio.TaskGroup, children: Children | None) -> None:
        loop = asyncio.get_running_loop()
        reap_every_s = max(POLL_S, self._services.options.lease_s / 2)
        reap_at = loop.time() + reap_every_s
        while not self._stopping:
            self._woken.clear()
            self._services.worked_at_s = time.monotonic()
            await self._free_slots()
            free = self._free
            pause_s = self._pause_s()
            if children is not None and free > 0:
                taken = await self._take(free)
                self._start(taken, group, children)
                if await self._has_more():
                    if taken:
                        self._services.notify_job()
                    if len(taken) < free:
                        pause_s = random.uniform(AGAIN_S, 4 * AGAIN_S)  # noqa: S311 - no secret
            if children is not None and self._free <= 0:
                self._start(await self._take_of_idle_accounts(), group, children)
                # Soon: a run may have given up its slot by then.
                pause_s = min(pause_s, POLL_S)
            # In turn with claiming: a run that was just claimed must be in ``live`` before others are taken back.
            if not self._services.database.shared:
                self.progressing()
                if self._abandoned:
                    await self._reap()
            elif loop.time() >= reap_at:
                await self._reap()
                # Another process may have returned a run with one attempt left. This is queried and not assumed: while
                # one is queued, nothing else is started here.
                self._suspects = self._suspects or await self._has_suspects()
                reap_at = loop.time() + reap_every_s
            await self._wait(pause_s)

    def _start(self, taken: tuple[ClaimedRun, ...], group: asyncio.TaskGroup, children: Children) -> None:
        for run in taken:
            held = Held(run)
            with self._lock:
                self._held[run.id, run.attempt] = held
            held.task = group.create_task(self._work(held, children), name=f"run-{run.id}")

    async def _free_slots(self) -> None:
        """Let runs that wait for their sites give up their slots, and store which have."""
        runs = tuple(self._held.values())
        give_up_slots(self._slots, runs)
        changed = [held for held in runs if held.gave_up_slot != held.stored_patient]
        if not changed:
            return
        patient = [held.run for held in changed if held.gave_up_slot]
        others = [held.run for held in changed if not held.gave_up_slot]

        def store(tx: Transaction) -> None:
            set_patient(tx, patient, others)

        with contextlib.suppress(Unavailable):
            await self._services.database.write(store)
            for held in changed:
                held.stored_patient = held.run in patient

    def _pause_s(self) -> float:
        if not self._services.changes.hears_others:
            return POLL_S
        # With jitter, so that the processes of an installation do not poll at the same moment.
        return QUIET_POLL_S * random.uniform(0.8, 1.2)  # noqa: S311 - no secret

    async def _has_more(self) -> bool:
        """Return whether queued runs were not claimed: without free slots here, or after a conflict with a process."""
        database = self._services.database
        if not database.shared or self._suspects or self._outdated:
            return False
        try:
            return await database.read(lambda tx: has_jobs(tx, browsers=self._free_browsers))
        except Unavailable:
            return False

    async def _wait(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()

    async def _take(self, free: int) -> tuple[ClaimedRun, ...]:
        """Claim the runs to start now: several, or a single one that may have caused crashes.

        A run that may crash the process is executed alone, so that it affects no other runs.
        """
        if self._suspects:
            # One that was given up and cannot be ended would keep everything waiting for ever.
            if any(not held.stalled for held in self._held.values()):
                return ()
            alone = await self._claim(1, suspects=True)
            if alone:
                return alone
            # Runs that wait for their target are tried again whenever nothing else is under way.
            self._suspects = await self._has_suspects()
        return await self._claim(free)

    async def _take_of_idle_accounts(self) -> tuple[ClaimedRun, ...]:
        """Claim the next runs of accounts without a run under way, while all slots are taken."""
        # A run that must be executed alone waits until those under way have ended.
        if self._spare <= 0 or self._suspects:
            return ()
        try:
            if not await self._services.database.read(has_idle_account):
                return ()
        except Unavailable:
            return ()
        return await self._claim(self._spare, idle_accounts=True)

    async def _has_suspects(self) -> bool:
        try:
            return await self._services.database.read(lambda tx: has_suspects(tx, browsers=self._free_browsers))
        except Unavailable:
            return self._suspects

    async def _claim(
        self, count: int, *, suspects: bool = False, idle_accounts: bool = False
    ) -> tuple[ClaimedRun, ...]:
        options = self._services.options
        browsers = self._free_browsers

        def work(tx: Transaction) -> tuple[ClaimedRun, ...] | None:
            # A later version that changed the schema may use columns that this one ignores.
            if is_shared(tx) and not is_current(tx):
                return None
            return claim_runs(
                tx,
                worker=self._services.process,
                count=count,
                now_ms=now_ms(),
                lease_ms=int(options.lease_s * 1000),
                target_runs=options.target_runs,
                target_runs_per_minute=options.target_runs_per_minute,
                suspects=suspects,
                idle_accounts=idle_accounts,
                browsers=browsers,
            )

        try:
            claimed = await self._services.database.write(work)
        except Unavailable:
            return ()
        except Exception:
            # A row that causes an error must not stop the queue; the error is logged every second.
            logger.exception("claim_failed")
            return ()
        if claimed is None:
            if not self._outdated:
                logger.error("schema_changed", extra={"reason": "A later version changed the tables; install it."})
            self._outdated = True
            return ()
        self._outdated = False
        for run in claimed:
            self._services.changes.notify(run.report_id)
        return claimed

    async def _work(self, held: Held, children: Children) -> None:
        run = held.run
        try:
            if self._stopping:
                # It was claimed while the worker was being stopped.
                await self._let_go(held, visited=False)
            else:
                with about(run=run.id, report=run.report_id), self._services.changes.watch(run.report_id) as changed:
                    watch = asyncio.get_running_loop().create_task(self._watch(held, changed), name=f"watch-{run.id}")
                    try:
                        await perform_run(
                            self._services,
                            run,
                            children=CountedTasks(children.for_account(run.account_id), held.count_tasks),
                            advance=held.advance,
                        )
                    finally:
                        watch.cancel()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
            # The attempt of a run that made no progress counts: it was abandoned.
            if not held.stalled or held.lost:
                await self._let_go(held, visited=True)
        except Unavailable:
            await self._let_go(held, visited=True)
        except Exception:
            # It is started again, within the usual number of attempts.
            logger.exception("run_not_finished", extra={"run": run.id})
            self._abandon()
        finally:
            with self._lock:
                del self._held[run.id, run.attempt]
            self._services.browser_freed.set()
            self._trimmer.work_ended()
            self._look()

    async def _watch(self, held: Held, changed: asyncio.Event) -> None:
        """Stop a run as soon as its report is deleted.

        Where that is not notified, the next heartbeat finds it; without heartbeats, looking as often does.
        """
        run = held.run
        every_s = None if self._services.database.shared else self._services.options.lease_s / BEATS_PER_LEASE
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(every_s):
                    await changed.wait()
            changed.clear()
            with contextlib.suppress(Unavailable):
                if not await self._services.database.read(lambda tx: is_under_way(tx, run)):
                    self._drop({(run.id, run.attempt)})
                    return

    async def _let_go(self, held: Held, *, visited: bool) -> None:
        """Return an unfinished run to the queue; a lost run only leaves its target."""
        run = held.run
        try:
            if held.lost:
                await self._services.database.write(lambda tx: _leave(tx, run))
            else:
                await self._services.database.write(lambda tx: release_run(tx, run, now_ms(), visited=visited))
        except Unavailable:
            logger.warning("run_not_released", extra={"run": run.id})
            self._abandon()
        self._services.changes.notify(run.report_id)
        self._services.notify_job()

    async def _end_runs(self) -> None:
        """Wait for the runs under way within the grace period, then cancel them."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._services.options.grace_s
        while (self._held or self._delivers) and not self._at_once and loop.time() < until:
            self._woken.clear()
            await self._wait(min(POLL_S, max(0.0, until - loop.time())))
        if self._delivering is not None:
            self._delivering.cancel()
        for held in tuple(self._held.values()):
            if held.task is not None:
                held.task.cancel()

    def _abandon(self) -> None:
        """Leave a run of this process to be taken back: a shared database knows by its lease when it is due."""
        self._abandoned = not self._services.database.shared
        self._look()

    async def _reap(self) -> None:
        with self._lock:
            live = frozenset(key for key, held in self._held.items() if not held.stalled)
        self._abandoned = False
        try:
            changed = await self._services.database.write(lambda tx: reap_runs(tx, live=live, now_ms=now_ms()))
        except Exception as error:
            self._abandoned = not self._services.database.shared
            if isinstance(error, Unavailable):
                logger.warning("reaping_put_off")
            else:
                logger.exception("reaping_failed")
            return
        if changed:
            self._suspects = True
            logger.warning("runs_reaped", extra={"count": len(changed)})
            self.wake()
        for report_id in changed:
            self._services.changes.notify(report_id)

    def progressing(self) -> tuple[ClaimedRun, ...]:
        """Return the runs under way, and give up those that have made no progress for too long; from any thread.

        They are canceled, and counted as stalled for as long as they are here all the same.
        """
        options = self._services.options
        limit_s = STALL_S + options.analyze.budget_s + VISIT_S
        now_s = time.monotonic()
        with self._lock:
            fresh = [key for key, held in self._held.items() if not held.stalled and now_s - held.progress_s > limit_s]
            for key in fresh:
                self._held[key].stalled = True
            self._services.stalled_runs = sum(held.stalled for held in self._held.values())
            runs = tuple(held.run for held in self._held.values() if not held.stalled)
        for run_id, _ in fresh:
            logger.error("run_stalled", extra={"run": run_id, "seconds": round(limit_s)})
        if fresh and self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._cancel, tuple(fresh))
                self._loop.call_soon_threadsafe(self._abandon)
        return runs

    def hear_lost(self, lost: Collection[tuple[int, int]]) -> None:
        """Cancel runs, by (id, attempt), that no longer belong to this worker; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._drop, lost)

    def _drop(self, lost: Collection[tuple[int, int]]) -> None:
        """Cancel runs that no longer belong to this worker."""
        for key in lost:
            held = self._held.get(key)
            if held is not None:
                held.lost = True
        self._cancel(lost)

    def _cancel(self, keys: Collection[tuple[int, int]]) -> None:
        for key in keys:
            held = self._held.get(key)
            if held is not None and held.task is not None:
                held.task.cancel()


def _release_claims(tx: Transaction) -> None:
    """Let go of the crawls and webhooks of the process before this one."""
    release_every_crawl(tx)
    release_every_webhook(tx)


def _leave(tx: Transaction, run: ClaimedRun) -> None:
    """End the visits of a lost run; if its report was deleted, no name stays behind."""
    left = end_visits(tx, run.id, now_ms())
    hide_orphaned_visits(tx)
    # The names of the visits may have been hidden with the deletion.
    hasten_lines(tx, (run.target, *left))
