from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.store.queue.admission import move_due
from pagegrade.store.queue.procrastinate_queue import has_jobs
from pagegrade.worker import move_lines as module
from pagegrade.worker.move_lines import EVERY_S, move_in_time
from tests.queue_builders import Queue
from tests.store_builders import add_owner, make_database

pytestmark = pytest.mark.backend("postgresql", "SQLite's rows are claimed as they are")
SOON_S = 20.0


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of one process."""
    made = Services(database=make_database(tmp_path))
    yield made
    made.database.close()


async def until_woken(services: Services) -> None:
    """Offer until another worker is notified of a run."""
    woken = asyncio.Event()
    services.wake = woken.set
    async with asyncio.TaskGroup() as group:
        offering = group.create_task(move_in_time(services))
        try:
            async with asyncio.timeout(SOON_S):
                await woken.wait()
        finally:
            offering.cancel()


def test_a_run_whose_time_has_come_is_offered(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """One fault of the database, or one of ours, does not end it; workers are notified."""
    monkeypatch.setattr(module, "EVERY_S", 0.01)
    queue = Queue(services.database, add_owner(services.database)[0].id)
    queue.add(now_ms=now_ms())
    queue.change("DELETE FROM procrastinate_jobs")
    queue.change("UPDATE runs SET offered = 0, available_at_ms = 0")
    before = services.database.read_here(has_jobs)
    errors = [Unavailable(), RuntimeError()]

    def moody(*arguments: Any, **limits: Any) -> int:
        if errors:
            raise errors.pop()
        return move_due(*arguments, **limits)

    monkeypatch.setattr(module, "move_due", moody)
    asyncio.run(until_woken(services))

    assert not before
    assert services.database.read_here(has_jobs)
    assert errors == []


@pytest.mark.parametrize("peers", [1, 3, 30, 300])
def test_all_processes_together_ask_about_as_often_as_a_few(peers: int) -> None:
    """However many they are."""
    pauses = [module._pause_s(peers) for _ in range(200)]
    asked_per_s = peers / (sum(pauses) / len(pauses))

    assert 0.5 * min(peers, module.ENOUGH) < asked_per_s < 1.5 * module.ENOUGH
    assert min(pauses) >= EVERY_S / 2
