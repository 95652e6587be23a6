from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import Unavailable
from pagegrade.model.monitors import PageSet
from pagegrade.service.container import Services
from pagegrade.service.monitors.due_runs import find_due, queue_due
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.store.repositories.monitors import load_monitor
from pagegrade.worker import housekeeping as module
from pagegrade.worker.housekeeping import queue_due_monitors, schedule_monitors
from pagegrade.worker.jitter import repeat
from tests.gather.sites import Site, typed
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

    def stumble(tx: Any, monitor: Any, **more: Any) -> Any:
        if monitor.id == 2:
            raise RuntimeError("a strange row")
        return queue_due(tx, monitor, **more)

    monkeypatch.setattr(module, "queue_due", stumble)

    assert asyncio.run(queue_due_monitors(services)) == 2
    assert waiting(services) == 2


def test_outcomes_are_counted(services: Services) -> None:
    """As metrics."""
    make_due(services, 2)
    asyncio.run(queue_due_monitors(services))

    assert services.observation.registry.get_sample_value("pagegrade_monitor_runs_total", {"outcome": "queued"}) == 2


def test_pages_of_sitemaps_are_read_before_they_are_queued(tmp_path: Path) -> None:
    """One that cannot be read, or that we must not ask for any more, is said to be unreachable."""

    async def go() -> None:
        options = ServiceOptions(analyze=AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"])))
        services = Services(database=make_database(tmp_path), options=options)
        caller = Caller(account=add_owner(services.database)[0])

        def create(url: str) -> int:
            pages = PageSet(kind="sitemap", value=url)
            return services.database.write_here(
                lambda tx: create_monitor(tx, caller, MonitorChange(), options, 0, pages=pages)
            ).id

        try:
            async with Site({}) as site:
                listed = f"<urlset><url><loc>{site.origin}/a</loc></url><url><loc>{site.origin}/b</loc></url></urlset>"
                site.routes = {"/sitemap.xml": typed(listed, "application/xml")}
                names = [f"{site.origin}/sitemap.xml", f"{site.origin}/none.xml", "http://10.0.0.1/sitemap.xml"]
                numbers = [create(name) for name in names]
                settled = await queue_due_monitors(services)

            found = [
                services.database.read_here(lambda tx, number=number: load_monitor(tx, caller.account.id, number))  # type: ignore[misc]
                for number in numbers
            ]
            assert settled == 3
            assert [each and (each.pages_found, each.unreachable_since_ms is None) for each in found] == [
                (2, True),
                (None, False),
                (None, False),
            ]
            assert waiting(services) == 2
        finally:
            services.database.close()
            services.passwords.close()

    asyncio.run(go())
