from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.gather.run import ignore_settled
from pagegrade.model.errors import Unavailable
from pagegrade.model.rendering import Device
from pagegrade.model.stored import Step
from pagegrade.service.container import Services
from pagegrade.store.queue.runs import set_step
from pagegrade.store.repositories.run_history import list_runs
from pagegrade.worker import execute
from pagegrade.worker.execute import StepNotes
from tests.queue_builders import Queue
from tests.store_builders import add_owner, make_database


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of a process."""
    made = Services(database=make_database(tmp_path))
    yield made
    made.database.close()


@pytest.fixture
def queue(services: Services) -> Queue:
    """Alice's queue."""
    return Queue(services.database, add_owner(services.database, "Alice")[0].id)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No analysis is too short."""
    monkeypatch.setattr(execute, "QUIET_S", 0.0)


def step_of(queue: Queue, report_id: int) -> str | None:
    """The step of the newest run of a report."""
    return queue.database.read_here(lambda tx: list_runs(tx, report_id, 1, 1))[0][0].step


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("device", "settled", "expected"),
    [
        (None, ["document"], "files"),
        (None, ["document", "resources"], "files"),
        ("mobile", ["document", "resources"], "browser"),
        ("mobile", ["resources"], None),
        (None, ["favicon"], None),
    ],
)
def test_gatherers_say_which_step_a_run_has_come_to(
    services: Services, queue: Queue, device: Device | None, settled: list[str], expected: str | None
) -> None:
    """Everything that they settle is passed on."""
    run = queue.add()
    (claimed,) = queue.claim()
    passed: list[str] = []

    async def main() -> None:
        steps = StepNotes(services, replace(claimed, device=device))
        follow = steps.with_gatherers(lambda name, *_: passed.append(name))
        with services.changes.watch(run.report_id) as changed:
            for name in settled:
                follow(name, 0.1, None)
            if expected is not None:
                await asyncio.wait_for(changed.wait(), 10)
        await steps.end()

    asyncio.run(main())

    assert step_of(queue, run.report_id) == expected
    assert passed == settled


def test_every_step_and_every_gatherer_is_progress(services: Services, queue: Queue) -> None:
    """It is noted, stored or not."""
    queue.add()
    (claimed,) = queue.claim()
    advances: list[Step | None] = []

    def advance(step: Step | None = None) -> None:
        advances.append(step)

    async def main() -> None:
        steps = StepNotes(services, claimed, advance)
        steps.reach("files")
        steps.with_gatherers(ignore_settled)("favicon", 0.1, None)
        await steps.end()

    asyncio.run(main())

    assert advances == ["files", None]


def test_a_short_analysis_stores_no_step(services: Services, queue: Queue) -> None:
    """It is over before a person reads the page."""
    run = queue.add()
    (claimed,) = queue.claim()

    async def main() -> None:
        steps = StepNotes(services, claimed)
        steps.reach("checks")
        await steps.end()

    asyncio.run(main())

    assert step_of(queue, run.report_id) is None


def test_a_page_that_cannot_be_fetched_has_no_further_step(services: Services, queue: Queue) -> None:
    """Its files are not asked for."""
    queue.add()
    (claimed,) = queue.claim()

    async def main() -> str:
        steps = StepNotes(services, claimed)
        steps.with_gatherers(ignore_settled)("document", 0.1, "dns_failure")
        await steps.end()
        return steps._step

    assert asyncio.run(main()) == "page"


@pytest.mark.usefixtures("at_once")
def test_a_database_that_stays_away_costs_the_run_nothing(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step is only shown."""
    queue.add()
    (claimed,) = queue.claim()

    async def refuse(_work: object) -> None:
        raise Unavailable("full")

    async def main() -> None:
        steps = StepNotes(services, claimed)
        with services.changes.watch(claimed.report_id) as changed:
            steps.reach("checks")
            await asyncio.wait_for(changed.wait(), 10)
        await steps.end()

    monkeypatch.setattr(services.database, "write", refuse)
    asyncio.run(main())


def test_a_new_attempt_begins_anew(queue: Queue) -> None:
    """An attempt that is over changes nothing any more."""
    run = queue.add()
    (first,) = queue.claim()
    queue.database.write_here(lambda tx: set_step(tx, first, "checks"))

    assert step_of(queue, run.report_id) == "checks"

    queue.database.write_here(lambda tx: set_step(tx, replace(first, attempt=2), "files"))

    assert step_of(queue, run.report_id) == "checks"
