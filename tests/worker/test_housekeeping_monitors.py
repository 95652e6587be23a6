from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.service.monitors.due_runs import find_due, queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.worker import housekeeping as module
from pagegrade.worker.housekeeping import queue_due_monitors, schedule_monitors
from pagegrade.worker.jitter import repeat
from tests.queue_builders import Queue, completed
from tests.store_builders import add_owner, make_database

SOON_S = 20.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of one process."""
    made = Services(database=make_database(tmp_path))
    yield made
    made.database.close()


def make_due(services: Services, count: int = 1) -> Account:
    """Reports with a monitor each that is due."""
    alice = add_owner(services.database)[0]
    queue = Queue(services.database, alice.id)
    for place in range(count):
        report_id = queue.add(f"https://example.com/{place}").report_id
        (run,) = queue.claim()
        queue.finish(run, completed())
        services.database.write_here(
            lambda tx, report_id=report_id: create_monitor(  # type: ignore[misc]
                tx, Caller(account=alice), MonitorChange(), services.options, 0, report_id=report_id
            )
        )
    return alice


def waiting(services: Services) -> int:
    """Runs that wait."""
    statement = text("SELECT COUNT(*) FROM runs WHERE state = 'queued'")
    return int(services.database.read_here(lambda tx: tx.execute(statement).scalar_one()))


def test_due_monitors_are_queued_until_none_is(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bad moment of the database, or one mistake, does not end it; workers are woken."""
    make_due(services, 3)
    woken: list[None] = []
    everything = asyncio.Event()
    failures: list[Exception] = [Unavailable("not now"), RuntimeError("a mistake")]

    def sometimes(*arguments: Any) -> Any:
        if failures:
            raise failures.pop()
        return find_due(*arguments)

    def wake() -> None:
        woken.append(None)
        if len(woken) == 3:
            everything.set()

    monkeypatch.setattr(module, "find_due", sometimes)
    services.wake = wake

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            scheduling = group.create_task(repeat(services, schedule_monitors, every_s=0.01))
            async with asyncio.timeout(SOON_S):
                await everything.wait()
            scheduling.cancel()

    asyncio.run(run())

    assert waiting(services) == 3


def test_one_strange_row_keeps_no_other_waiting(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again with the next look."""
    make_due(services, 3)

    def stumble(tx: Any, monitor: Any, options: Any, now_ms: int) -> Any:
        if monitor.id == 2:
            raise RuntimeError("a strange row")
        return queue_due(tx, monitor, options, now_ms)

    monkeypatch.setattr(module, "queue_due", stumble)

    assert asyncio.run(queue_due_monitors(services)) == 2
    assert waiting(services) == 2


def test_outcomes_are_counted(services: Services) -> None:
    """As metrics."""
    make_due(services, 2)
    asyncio.run(queue_due_monitors(services))

    assert services.observation.registry.get_sample_value("pagegrade_monitor_runs_total", {"outcome": "queued"}) == 2
