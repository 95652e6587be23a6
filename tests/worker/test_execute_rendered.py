from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.stored import ClaimedRun
from pagegrade.sandbox.pool import Children
from pagegrade.service.container import Services
from pagegrade.service.monitors.operations import MonitorChange, create_monitor
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.batches import create_batch, show_batch
from pagegrade.service.reports.validation import read_new_report
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.repositories.reports import delete_report
from pagegrade.store.repositories.run_history import load_detail, load_picture
from pagegrade.worker.execute import perform_run
from pagegrade.worker.housekeeping import queue_due_monitors
from tests.gather.scripted import Names
from tests.queue_builders import Queue
from tests.site.serve import Site, serve_site
from tests.store_builders import BACKENDS, Backend, add_owner, make_database, on

DRAWN = "/"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The test site."""
    with serve_site() as running_site:
        yield running_site


@pytest.fixture(params=BACKENDS)
def services(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Services]:
    """Of a process that may reach loopback, and loads a page once."""
    backend: Backend = request.param
    analyze = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1, budget_s=20.0, render_loads=1)
    with on(backend):
        made = Services(database=make_database(tmp_path), options=ServiceOptions(analyze=analyze))
    yield made
    made.database.close()


@pytest.fixture
def queue(services: Services) -> Queue:
    """Alice's queue."""
    return Queue(services.database, add_owner(services.database, "Alice")[0].id)


def perform(services: Services, run: ClaimedRun) -> None:
    """One run with children of its own."""

    async def main() -> None:
        async with Children(1) as children:
            await perform_run(services, run, children=children, resolver=Names())

    asyncio.run(main())


def draw(services: Services, queue: Queue, site: Site, program: Path | None) -> dict[str, Any]:
    """The members of the report of a run that a browser is to draw, by a process that has this one."""
    services.options = replace(services.options, browser=program)
    run = queue.add(site.http + DRAWN, target="", device="desktop")
    (claimed,) = queue.claim()
    perform(services, claimed)
    report = queue.report(run.report_id)
    detail = services.database.read_here(lambda tx: load_detail(tx, report.id, report.run_number or 0))

    assert report.state == "completed"
    return {"id": report.id, **json.loads(report.summary or b"{}"), **json.loads(detail or b"{}")}


def reason_of(report: dict[str, Any]) -> str:
    """The reason why the page was not drawn."""
    found = [one["reason"] for one in report["run"]["not_gathered"] if one["artifact"] == "rendering"]
    return str(found[0]) if found else ""


def pictures_of(services: Services, report: dict[str, Any]) -> dict[str, bytes | None]:
    """Name -> bytes, as stored."""
    names = [picture["name"] for picture in (report["rendered"] or {"pictures": ()})["pictures"]]
    return {
        name: services.database.read_here(lambda tx, name=name: load_picture(tx, report["id"], 1, name))  # type: ignore[misc]
        for name in names
    }


def counted(services: Services, outcome: str) -> float | None:
    """Number of pages that ended so in a browser, as the metrics say."""
    return services.observation.registry.get_sample_value("pagegrade_pages_rendered_total", {"outcome": outcome})


def test_a_page_is_drawn_and_its_pictures_are_stored(
    services: Services, queue: Queue, site: Site, program: Path
) -> None:
    """The device is the run's; the pictures are those that the report names, of the run that it shows."""
    report = draw(services, queue, site, program)
    pictures = pictures_of(services, report)
    sizes = {picture["name"]: picture["bytes"] for picture in report["rendered"]["pictures"]}
    queue.again(report["id"])
    (again,) = queue.claim()
    perform(services, again)
    after = queue.rows("SELECT name FROM run_pictures ORDER BY name")
    stored = queue.rows("SELECT stored_bytes FROM accounts")
    kept = queue.rows(
        "SELECT (SELECT SUM(LENGTH(body)) FROM run_details) + (SELECT SUM(LENGTH(body)) FROM run_pictures)"
    )

    assert report["analysis"] == {"engine": "rendered", "device": "desktop"}
    assert counted(services, "drawn") == 1
    assert report["rendered"]["metrics"]["fcp_ms"] > 0
    assert report["rendered"]["load_count"] == 1
    assert {"viewport", "full-page", "frame-1"} <= set(pictures)
    assert {name: len(body or b"") for name, body in pictures.items()} == sizes
    assert all(body is not None and body[:4] == b"RIFF" for body in pictures.values())
    # The second run needs no browser: it has the pictures for previews alone.
    assert after == [("icon",), ("social",)]
    assert stored == kept


@pytest.mark.parametrize("services", ["sqlite"], indirect=True)
def test_runs_of_batches_and_monitors_are_drawn(services: Services, queue: Queue, site: Site, program: Path) -> None:
    """A batch that asks for a browser has its reports drawn, and so does each run of a monitor on one of them."""
    services.options = replace(services.options, browser=program)
    alice, _ = add_owner(services.database, "Alice in a batch")
    caller, options, database = Caller(account=alice), services.options, services.database
    new = read_new_report(
        site.http + DRAWN, privacy=None, password=None, account=alice, options=options, render=1, device="desktop"
    )
    batch_id = database.write_here(
        lambda tx: create_batch(tx, caller, [new], options, now_ms(), refused=(), password_hash=None)
    )
    (of_batch,) = queue.claim(now_ms=now_ms())
    perform(services, of_batch)
    batch = database.read_here(lambda tx: show_batch(tx, caller, batch_id, options, now_ms()))
    database.write_here(
        lambda tx: create_monitor(tx, caller, MonitorChange(), options, 0, report_id=of_batch.report_id)
    )
    settled = asyncio.run(queue_due_monitors(services))
    (of_monitor,) = queue.claim(now_ms=now_ms())
    perform(services, of_monitor)
    details = [
        json.loads(database.read_here(lambda tx, number=number: load_detail(tx, of_batch.report_id, number)) or b"{}")  # type: ignore[misc]
        for number in (1, 2)
    ]

    assert batch.unfinished == 0
    assert settled == 1
    assert [detail["rendered"]["device"] for detail in details] == ["desktop"] * 2
    assert all(detail["rendered"]["metrics"]["fcp_ms"] > 0 for detail in details)
    assert counted(services, "drawn") == 2


def test_without_a_browser_the_report_says_so(services: Services, queue: Queue, site: Site) -> None:
    """Nothing waits for ever, and everything else is evaluated."""
    report = draw(services, queue, site, None)

    assert report["rendered"] is None
    assert report["analysis"] == {"engine": "static", "device": None}
    assert reason_of(report).startswith("browser_missing: There was no browser to draw the page.")
    assert counted(services, "browser_missing") == 1


def test_a_failed_rendering_does_not_fail_the_report(services: Services, queue: Queue, site: Site) -> None:
    """The static part stands, and the reason is that of the browser."""
    report = draw(services, queue, site, Path("/bin/true"))

    assert report["rendered"] is None
    assert reason_of(report).partition(":")[0] in {"browser_crash", "browser_sandbox"}
    assert report["counts"]["passed"] > 0


def test_a_deleted_report_takes_its_pictures_along(services: Services, queue: Queue, site: Site, program: Path) -> None:
    """And what its account has stored is nothing again."""
    report = draw(services, queue, site, program)
    queue.write(lambda tx: delete_report(tx, queue.account_id, report["id"]))

    assert queue.rows("SELECT COUNT(*) FROM run_pictures") == [(0,)]
    assert queue.rows("SELECT stored_bytes FROM accounts") == [(0,)]
