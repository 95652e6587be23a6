"""Notices between workers of several processes, and how they do not all run at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import ClaimedRun
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.queue.claim import claim_runs
from pagegrade.web.server.serve import loop_factory
from pagegrade.worker import worker as worker_module
from pagegrade.worker.worker import Worker
from tests.queue_builders import Queue
from tests.waiting import turns
from tests.worker.test_worker import SOON_S, Stage, WatchedWorker, play, queue, services, stage, states, working

__all__ = ["queue", "services", "stage"]


class Quiet:
    """Others are heard, and say nothing."""

    healthy = True

    def send(self, report_id: int) -> None:
        """No process is there."""


def test_other_workers_are_notified_of_work(services: Services, queue: Queue, stage: Stage) -> None:
    """When a run was queued here, and when one was given back."""
    notices: list[str] = []
    services.notify_job = lambda: notices.append("job")
    services.options = ServiceOptions(lease_s=1.0, grace_s=0.0)
    queue.add(now_ms=now_ms())

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            services.wake()
            assert notices == ["job"]
            await stage.until(lambda: len(stage.started) == 1)

    play(scene)

    assert notices == ["job", "job"]


def test_other_workers_are_notified_of_what_a_dead_process_held(services: Services, queue: Queue) -> None:
    """A process that has no room itself finds it as well as any other."""
    notices: list[str] = []
    services.notify_job = lambda: notices.append("job")
    queue.add(now_ms=now_ms())
    queue.claim(now_ms=now_ms())

    async def scene() -> None:
        async with working(Worker(services, slots=0), ahead_ms=60_000):
            await Stage().until(lambda: states(queue) == ["queued"])
            await Stage().until(lambda: bool(notices))

    play(scene)


def test_what_another_process_queued_is_looked_for_in_turn(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of notices at once are one look, at a moment that no other process has; no notice is sent on."""
    monkeypatch.setattr(worker_module, "POLL_S", 3600.0)
    stage.gate.set()
    services.peers = 100
    notices: list[str] = []
    services.notify_job = lambda: notices.append("job")
    looks = 0

    def counted(*arguments: Any, **more: Any) -> tuple[ClaimedRun, ...]:
        nonlocal looks
        looks += 1
        return claim_runs(*arguments, **more)

    monkeypatch.setattr(worker_module, "claim_runs", counted)

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await worker.look()
            before = looks
            queue.add(now_ms=now_ms())
            for _ in range(300):
                worker.hear_job()
            await stage.until(lambda: states(queue) == ["completed"])
            await stage.until(lambda: worker._turn is None and worker.busy == 0)
            await worker.look()
            own = 2  # by `look`
            assert looks - before <= 4 + own

    play(scene)

    assert notices == []


@pytest.mark.backend("postgresql", "no other process takes runs")
def test_taking_a_run_announces_that_more_wait(services: Services, queue: Queue, stage: Stage) -> None:
    """So that as many look as are needed; who finds nothing more says nothing."""
    notices: list[str] = []
    services.notify_job = lambda: notices.append("job")
    for number in range(2):
        queue.add(f"https://a{number}.example/", now_ms=now_ms())

    async def scene() -> None:
        async with working(Worker(services, slots=1)) as worker:
            await stage.until(lambda: len(stage.started) == 1)
            await stage.until(lambda: notices == ["job"])
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 2)
            await stage.until(lambda: worker.busy == 0)

    play(scene)

    assert notices == ["job"]


def test_an_earlier_turn_comes_before_a_later_one(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that would have looked later may be drawn for the next run."""
    monkeypatch.setattr(worker_module, "POLL_S", 3600.0)
    turns = iter([3600.0, 0.0, 3600.0])
    monkeypatch.setattr(worker_module, "turn_s", lambda _peers: next(turns))
    stage.gate.set()

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await worker.look()
            queue.add(now_ms=now_ms())
            for _ in range(3):
                worker.hear_job()
            await stage.until(lambda: states(queue) == ["completed"])

    play(scene)


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, loop_factory()], ids=["asyncio", "as served"])
def test_a_turn_that_is_now_is_followed_by_others(
    services: Services, monkeypatch: pytest.MonkeyPatch, new_loop: Callable[[], asyncio.AbstractEventLoop] | None
) -> None:
    """On every event loop: that of the server has timers that do not know when they are due."""
    turns = iter([0.0, 3600.0, 0.0, 0.0])
    monkeypatch.setattr(worker_module, "turn_s", lambda _peers: next(turns))
    worker = Worker(services, slots=1)

    async def scene() -> list[BaseException]:
        failed: list[BaseException] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: failed.append(context["exception"]))
        worker._loop = loop
        for _ in range(4):
            worker.hear_job()
        await asyncio.wait_for(worker._woken.wait(), SOON_S)
        return failed

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(scene()) == []


def test_a_full_worker_does_not_ask_for_work(services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that only answers requests asks the database for nothing it could not take."""
    monkeypatch.setattr(worker_module, "POLL_S", 3600.0)

    async def scene() -> None:
        worker = WatchedWorker(services, slots=0)
        async with working(worker):
            await worker.look()
            before = worker._idle_count
            worker.hear_job()
            await turns()
            assert (worker._turn, worker._idle_count) == (None, before)

    play(scene)


def test_while_others_are_heard_the_queue_is_looked_at_seldom(services: Services) -> None:
    """And by each process at moments of its own."""
    worker = Worker(services)
    alone = worker._pause_s()
    services.changes.sender = Quiet()
    heard = {worker._pause_s() for _ in range(20)}

    assert alone == worker_module.POLL_S
    assert all(0.8 * worker_module.QUIET_POLL_S <= pause_s <= 1.2 * worker_module.QUIET_POLL_S for pause_s in heard)
    assert len(heard) > 1
