from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import ClaimedRun, Step
from pagegrade.sandbox.pool import Children
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.admission import PATIENT, move_lines_of
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.runs import extend_leases, finish_run
from pagegrade.store.repositories.reports import delete_report
from pagegrade.store.repositories.webhooks import add_webhook
from pagegrade.store.schema.migrate import revisions
from pagegrade.worker import heartbeat as heartbeat_module
from pagegrade.worker import slots as slots_module
from pagegrade.worker import worker as worker_module
from pagegrade.worker.execute import Advance
from pagegrade.worker.heartbeat import present
from pagegrade.worker.slice import browser_place
from pagegrade.worker.worker import Worker
from tests.database_clock import move, show
from tests.queue_builders import Queue, completed
from tests.site.serve import serve_site
from tests.store_builders import add_owner, make_database
from tests.waiting import pause, turns, wait_for
from tests.webhook_receiver import receiving

HOUR_MS = 3_600_000
SOON_S = 20.0
"""Long enough for a machine that is busy with other things; nothing here takes a second of it."""


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Of a process with short leases."""
    analyze = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1, budget_s=20.0)
    made = Services(
        database=make_database(tmp_path), options=ServiceOptions(analyze=analyze, lease_s=1.0, grace_s=SOON_S)
    )
    yield made
    made.database.close()


@pytest.fixture
def queue(services: Services) -> Queue:
    """Alice's queue."""
    return Queue(services.database, add_owner(services.database, "Alice")[0].id, worker="a process before")


class Stage:
    """Runs that do what a test says instead of analyzing anything."""

    def __init__(self) -> None:
        self.started: list[ClaimedRun] = []
        self.cancelled: list[int] = []
        self.gate = asyncio.Event()

    async def perform(self, services: Services, run: ClaimedRun, **_: object) -> None:
        self.started.append(run)
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(run.id)
            raise
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    async def until(self, holds: Callable[[], bool]) -> None:
        await wait_for(holds, within_s=SOON_S)


class WatchedWorker(Worker):
    """A worker whose looks into the queue can be awaited."""

    _idle_count = 0

    async def _wait(self, seconds: float) -> None:
        # What was called from this loop before sets the event first.
        await asyncio.sleep(0)
        self._idle_count += not self._woken.is_set()
        await super()._wait(seconds)

    async def look(self) -> None:
        """Return when a look that began after this call has ended: no other process is notified of it."""
        for _ in range(2):
            # The first moment without work may end a look that was under way; between it and the next lies a whole one.
            before = self._idle_count
            self._look()
            await wait_for(partial(self._has_been_idle, before), "a look into the queue")

    def _has_been_idle(self, before: int) -> bool:
        return self._idle_count > before


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Replaces the analysis itself, which has tests of its own."""
    made = Stage()
    monkeypatch.setattr(worker_module, "perform_run", made.perform)
    return made


@asynccontextmanager
async def working(worker: Worker, *, ahead_ms: int = 0) -> AsyncIterator[Worker]:
    """A worker at work for the length of a block, then stopped; a shared database's clock goes on by itself."""
    if worker._services.database.shared:
        move(worker._services.database, ahead_ms)
    async with present(worker._services, "worker", worker=worker), asyncio.TaskGroup() as group:
        task = group.create_task(worker.run())
        try:
            yield worker
        finally:
            worker.stop()
        await task


def play(scene: Callable[[], Awaitable[None]]) -> None:
    """Run a test's coroutine."""

    async def main() -> None:
        await scene()

    asyncio.run(main())


def states(queue: Queue) -> list[Any]:
    """The states of all runs, in order."""
    return [state for (state,) in queue.rows("SELECT state FROM runs ORDER BY id")]


def test_everything_that_waits_is_brought_to_its_end(services: Services, queue: Queue) -> None:
    """Ten pages, three at a time, with real children."""
    with serve_site() as site:
        for number in range(5):
            queue.add(f"{site.http}/?n={number}", target="")
        queue.add(f"{site.http}/no-such-page", target="")

        async def scene() -> None:
            async with working(Worker(services, slots=3)):
                await Stage().until(lambda: not {"queued", "running"} & set(states(queue)))

        play(scene)

    assert states(queue) == ["completed"] * 5 + ["failed"]
    assert queue.rows("SELECT DISTINCT attempt FROM runs") == [(1,)]


def test_no_more_pages_are_drawn_at_once_than_browsers_may_run(services: Services, queue: Queue, stage: Stage) -> None:
    """Static analyses go on beside them, and the next page is drawn when a browser is free."""
    services.options = replace(services.options, browser=Path("/bin/true"), browsers=1)
    for number in range(3):
        queue.add(f"https://drawn{number}.example/", device="mobile")
    for number in range(2):
        queue.add(f"https://static{number}.example/")

    async def scene() -> None:
        worker = WatchedWorker(services, slots=4)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == 3)
            await worker.look()
            drawn.append(sum(run.device is not None for run in stage.started))
            stage.gate.set()
            await stage.until(lambda: set(states(queue)) == {"completed"})

    drawn: list[int] = []
    play(scene)

    assert drawn == [1]


def test_a_crawl_and_runs_take_turns_with_a_browser(services: Services, queue: Queue, stage: Stage) -> None:
    """A crawl waits for the run that has the last one, and comes before the next run."""
    services.options = replace(services.options, browser=Path("/bin/true"), browsers=1)
    queue.add("https://drawn0.example/", device="mobile")

    async def draw() -> int:
        async with browser_place(services):
            return len(stage.started)

    async def scene() -> None:
        async with working(Worker(services, slots=4)):
            await stage.until(lambda: len(stage.started) == 1)
            crawl = asyncio.get_running_loop().create_task(draw())
            queue.add("https://drawn1.example/", device="mobile")
            await turns()
            assert not crawl.done()
            stage.gate.set()
            started.append(await crawl)
            await stage.until(lambda: set(states(queue)) == {"completed"})

    started: list[int] = []
    play(scene)

    assert started == [1]
    assert len(stage.started) == 2


@pytest.mark.parametrize("awaits", [True, False])
def test_without_a_browser_runs_wait_only_for_processes_that_have_one(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch, *, awaits: bool
) -> None:
    """If there is none at all they are analyzed without, however many."""
    services.awaits_browser = awaits
    monkeypatch.setattr(heartbeat_module, "BROWSER_WAIT_S", 60.0 if awaits else 0.0)
    queue.add("https://drawn0.example/", device="mobile")
    queue.add("https://drawn1.example/", device="mobile")
    queue.add("https://static.example/")
    expected = ["queued", "queued", "completed"] if awaits else ["completed"] * 3

    async def scene() -> None:
        stage.gate.set()
        async with working(Worker(services, slots=4)):
            await stage.until(lambda: states(queue) == expected)

    play(scene)

    assert len(stage.started) == (1 if awaits else 3)


def test_slow_pages_of_one_account_keep_no_other_account_waiting(
    services: Services, queue: Queue, stage: Stage
) -> None:
    """Every slot is taken by pages that never end, and more wait: each other account's first page starts at once."""
    others = [add_owner(services.database, name)[0].id for name in ("Bob", "Carol", "Dave")]
    for number in range(20):
        queue.add(f"https://slow{number}.example/")

    async def scene() -> None:
        worker = WatchedWorker(services, slots=2)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == 2)
            for number in range(3):
                for account_id in others:
                    queue.add(f"https://quick{account_id}-{number}.example/", account_id=account_id)
            worker.wake()
            await stage.until(lambda: len(stage.started) == 4)
            await worker.look()
            stage.gate.set()

    play(scene)
    accounts = [run.account_id for run in stage.started]

    assert accounts[:2] == [queue.account_id] * 2
    assert len(set(accounts[2:4])) == 2
    assert set(accounts[2:4]) < set(others)


def test_no_more_run_than_there_are_slots(services: Services, queue: Queue, stage: Stage) -> None:
    """The third starts when one of the first two has ended."""
    for number in range(3):
        queue.add(f"https://a{number}.example/")

    async def scene() -> None:
        worker = WatchedWorker(services, slots=2)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == 2)
            await worker.look()
            assert worker.busy == 2
            stage.gate.set()
            await stage.until(lambda: len(stage.started) == 3)

    play(scene)

    assert states(queue) == ["completed"] * 3


@pytest.mark.parametrize(
    ("step", "patience_s", "most"),
    [("page", 0.0, 6), ("files", 0.0, 6), ("browser", 0.0, 2), ("checks", 0.0, 2), (None, 0.0, 2), ("page", 3600.0, 2)],
)
def test_a_run_that_waits_long_for_its_site_gives_up_its_slot(
    services: Services,
    queue: Queue,
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    *,
    step: Step | None,
    patience_s: float,
    most: int,
) -> None:
    """Two for each slot, and no more: one account with seven slow pages, then another one, which has a spare slot."""
    monkeypatch.setattr(slots_module, "PATIENT_S", patience_s)

    async def perform(services: Services, run: ClaimedRun, *, advance: Advance, **_: object) -> None:
        if step is not None:
            advance(step)
        await stage.perform(services, run)

    monkeypatch.setattr(worker_module, "perform_run", perform)
    for number in range(7):
        queue.add(f"https://slow{number}.example/")
    other = add_owner(services.database, "Bob")[0].id

    async def scene() -> None:
        worker = WatchedWorker(services, slots=2)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == most)
            await worker.look()
            assert worker.busy == most
            queue.add("https://quick.example/", account_id=other)
            worker.wake()
            await stage.until(lambda: len(stage.started) == most + 1)
            assert stage.started[-1].account_id == other
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 8)

    play(scene)

    assert queue.rows("SELECT DISTINCT attempt FROM runs") == [(1,)]


def test_a_run_that_goes_on_has_a_slot_again(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes next waits until one is free."""
    advances: list[Advance] = []

    async def perform(services: Services, run: ClaimedRun, *, advance: Advance, **_: object) -> None:
        advances.append(advance)
        await stage.perform(services, run)

    monkeypatch.setattr(worker_module, "perform_run", perform)
    for number in range(3):
        queue.add(f"https://a{number}.example/")

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await stage.until(lambda: len(advances) == 1)
            monkeypatch.setattr(slots_module, "PATIENT_S", 0.0)
            advances[0]("page")
            worker.wake()
            await stage.until(lambda: len(advances) == 2)
            monkeypatch.setattr(slots_module, "PATIENT_S", 3600.0)
            advances[0]()
            await worker.look()
            assert worker.busy == 2
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 3)

    play(scene)


def test_a_run_without_a_slot_does_not_count_for_its_account(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside it one further run of the account has a spare slot while others take all slots; the row says so."""
    monkeypatch.setattr(slots_module, "PATIENT_S", 0.0)
    advances: dict[str, Advance] = {}

    async def perform(services: Services, run: ClaimedRun, *, advance: Advance, **_: object) -> None:
        advances[run.url] = advance
        if run.url == "https://hangs.example/":
            advance("page")
        await stage.perform(services, run)

    monkeypatch.setattr(worker_module, "perform_run", perform)
    other = add_owner(services.database, "Bob")[0].id
    hanging = queue.add("https://hangs.example/")

    def kept() -> list[tuple[Any, ...]]:
        return queue.rows("SELECT id FROM runs WHERE state = 'running' AND share = :share", share=PATIENT)

    async def scene() -> None:
        worker = WatchedWorker(services, slots=2)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == 1)
            for number in range(2):
                queue.add(f"https://b{number}.example/", account_id=other)
            worker.wake()
            await stage.until(lambda: len(stage.started) == 3)
            assert kept() == [(hanging.id,)]
            for number in range(2):
                queue.add(f"https://a{number}.example/")
            worker.wake()
            await stage.until(lambda: len(stage.started) == 4)
            await worker.look()
            assert [run.url for run in stage.started[3:]] == ["https://a0.example/"]
            assert worker._spare == 1
            advances["https://hangs.example/"]("checks")
            await worker.look()
            assert kept() == []
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 5)

    play(scene)


def test_a_run_keeps_its_slot_while_a_child_works_for_it(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is parsed waits for no site; with the answer of the child it does again."""
    monkeypatch.setattr(slots_module, "PATIENT_S", 0.0)
    answered = asyncio.Event()

    class Slow:
        async def run(self, *_: object, **__: object) -> None:
            await answered.wait()

    async def perform(services: Services, run: ClaimedRun, *, children: Any, advance: Advance, **_: object) -> None:
        advance("page")
        await children.run(len, "page", timeout_s=SOON_S)
        await stage.perform(services, run)

    monkeypatch.setattr(worker_module, "perform_run", perform)
    monkeypatch.setattr(Children, "for_account", lambda *_: Slow())
    for number in range(2):
        queue.add(f"https://a{number}.example/")

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await stage.until(lambda: worker.busy == 1)
            await worker.look()
            assert worker.busy == 1
            answered.set()
            worker.wake()
            await stage.until(lambda: len(stage.started) == 2)
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 2)

    play(scene)


def test_a_full_worker_looks_soon_for_runs_that_gave_up_their_slots(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notifies it of that, however seldom it looks otherwise."""
    monkeypatch.setattr(Worker, "_pause_s", lambda _worker: 3600.0)
    monkeypatch.setattr(slots_module, "PATIENT_S", 1.5)

    async def perform(services: Services, run: ClaimedRun, *, advance: Advance, **_: object) -> None:
        advance("page")
        await stage.perform(services, run)

    monkeypatch.setattr(worker_module, "perform_run", perform)
    for number in range(2):
        queue.add(f"https://a{number}.example/")

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await stage.until(lambda: len(stage.started) == 2)
            stage.gate.set()
            await stage.until(lambda: states(queue) == ["completed"] * 2)

    play(scene)


def test_one_site_is_visited_politely_for_all_accounts(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty reports of six accounts on one site: two at a time, twenty in this minute, and none fails."""
    there: list[int] = []
    most = 0

    async def visit(services: Services, run: ClaimedRun, **_: object) -> None:
        nonlocal most
        there.append(run.id)
        most = max(most, len(there))
        await turns()
        there.remove(run.id)

        def finish(tx: Transaction) -> None:
            finish_run(tx, run, completed(), now_ms())
            move_lines_of(tx, run.id, now_ms(), target_runs=2, target_runs_per_minute=20)

        await services.database.write(finish)
        services.wake()

    monkeypatch.setattr(worker_module, "perform_run", visit)
    for number in range(6):
        account = add_owner(services.database, f"Account{number}")[0].id
        for page in range(10):
            queue.add(f"https://example.com/{page}", account_id=account, now_ms=now_ms())

    async def scene() -> None:
        worker = WatchedWorker(services, slots=16)
        async with working(worker):
            await Stage().until(lambda: states(queue).count("completed") == 20)
            await worker.look()

    play(scene)

    assert most == 2
    assert {state: states(queue).count(state) for state in set(states(queue))} == {"completed": 20, "queued": 40}
    assert len(queue.rows("SELECT DISTINCT account_id FROM runs WHERE state = 'completed'")) == 6


def test_who_queues_a_run_wakes_the_worker(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another thread, and long before the worker would have looked by itself."""
    monkeypatch.setattr(worker_module, "POLL_S", 3600.0)
    stage.gate.set()

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await worker.look()
            queue.add()
            await asyncio.to_thread(services.wake)
            await stage.until(lambda: states(queue) == ["completed"])

    play(scene)


def test_what_a_dead_process_held_is_taken_at_the_start(services: Services, queue: Queue, stage: Stage) -> None:
    """Its lease would have lasted for half a minute; it is waited for only where other processes may be at work."""
    queue.add(now_ms=now_ms())
    queue.claim(now_ms=now_ms())
    stage.gate.set()

    async def scene() -> None:
        async with working(Worker(services, slots=1), ahead_ms=60_000):
            await stage.until(lambda: states(queue) == ["completed"])

    play(scene)

    assert [run.attempt for run in stage.started] == [2]


def test_what_a_dead_process_sent_goes_on_at_the_start(services: Services, queue: Queue) -> None:
    """Its lease lasts on; it is waited for only where other processes may be at work."""
    url = "https://h.example/"
    queue.write(lambda tx: add_webhook(tx, queue.account_id, kind="webhook", url=url, events=(), project="", now_ms=1))
    queue.change("UPDATE webhooks SET worker = 'a process before', lease_until_ms = :far_ms", far_ms=now_ms() + HOUR_MS)

    async def scene() -> None:
        worker = WatchedWorker(services, slots=0)
        async with working(worker):
            await worker.look()

    play(scene)
    released = not services.database.shared

    assert queue.rows("SELECT worker IS NULL AND lease_until_ms IS NULL FROM webhooks") == [(released,)]


@pytest.mark.backend("postgresql", reason="a single process needs no leases")
def test_a_blocked_loop_keeps_its_leases(services: Services, queue: Queue, stage: Stage) -> None:
    """The heartbeat has a thread of its own: three leases of standing still lose nothing."""
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await stage.until(lambda: len(stage.started) == 1)
            pause(3 * services.options.lease_s, "three leases, in which the loop is blocked")
            assert queue.rows("SELECT lease_until_ms > :now FROM runs", now=now_ms()) == [(1,)]
            stage.gate.set()

    play(scene)

    assert states(queue) == ["completed"]
    assert [run.attempt for run in stage.started] == [1]


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS])
def test_a_clock_that_jumps_takes_no_live_run(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch, jump_ms: int
) -> None:
    """An hour forward or back in the middle of a run: it goes on, and is started once."""
    queue.add()
    beats = 0

    def counted(*arguments: Any) -> set[tuple[int, int]]:
        nonlocal beats
        lost = extend_leases(*arguments)
        beats += 1
        return lost

    async def scene() -> None:
        worker = WatchedWorker(services, slots=1)
        async with working(worker):
            await stage.until(lambda: len(stage.started) == 1)
            for module in (worker_module, heartbeat_module):
                monkeypatch.setattr(module, "now_ms", lambda: now_ms() + jump_ms)
            monkeypatch.setattr(heartbeat_module, "extend_leases", counted)
            for count in (2, 4):
                await worker._reap()
                await worker.look()
                if services.database.shared:
                    await stage.until(partial(lambda count: beats >= count, count))
            stage.gate.set()

    play(scene)

    assert states(queue) == ["completed"]
    assert len(stage.started) == 1
    assert stage.cancelled == []


def test_a_deleted_report_stops_its_run(services: Services, queue: Queue, stage: Stage) -> None:
    """The next heartbeat finds out, and the worker is free for others."""
    run = queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)) as worker:
            await stage.until(lambda: len(stage.started) == 1)
            services.database.write_here(lambda tx: delete_report(tx, queue.account_id, run.report_id))
            await stage.until(lambda: worker.busy == 0)

    play(scene)

    assert stage.cancelled == [run.id]
    assert queue.rows("SELECT COUNT(*) FROM visits WHERE ended_at_ms IS NULL") == [(0,)]


def test_a_run_is_stopped_as_soon_as_its_deletion_is_notified(queue: Queue, stage: Stage) -> None:
    """Long before the next heartbeat; a change of another kind does not stop it."""
    services = Services(database=queue.database, options=ServiceOptions(lease_s=600.0, grace_s=SOON_S))
    first, second = queue.add("https://example.com/"), queue.add("https://example.org/")

    async def scene() -> None:
        async with working(Worker(services)):
            await stage.until(lambda: len(stage.started) == 2)
            await services.database.write(lambda tx: delete_report(tx, queue.account_id, first.report_id))
            services.changes.notify(second.report_id)
            services.changes.notify(first.report_id)
            await stage.until(lambda: bool(stage.cancelled))
            stage.gate.set()

    play(scene)

    assert stage.cancelled == [first.id]
    assert states(queue) == ["completed"]


def test_a_run_of_a_deleted_report_makes_way_for_the_next(queue: Queue, stage: Stage) -> None:
    """Although nothing names its target any more, and without the time that goes by until a line is looked at again."""
    options = ServiceOptions(lease_s=600.0, grace_s=SOON_S, target_runs=1)
    services = Services(database=queue.database, options=options)
    first, second = queue.add("https://example.com/1"), queue.add("https://example.com/2")

    async def scene() -> None:
        async with working(Worker(services)):
            await stage.until(lambda: len(stage.started) == 1)
            show(services.database, now_ms())
            await services.database.write(lambda tx: delete_report(tx, queue.account_id, first.report_id))
            services.changes.notify(first.report_id)
            await stage.until(lambda: [run.id for run in stage.started] == [first.id, second.id])
            stage.gate.set()

    play(scene)

    assert stage.cancelled == [first.id]


def test_stopping_waits_for_what_is_under_way(services: Services, queue: Queue, stage: Stage) -> None:
    """Within the grace a run may end, and nothing new is begun."""
    for number in range(2):
        queue.add(f"https://a{number}.example/")

    async def scene() -> None:
        async with working(Worker(services, slots=1)) as worker:
            await stage.until(lambda: len(stage.started) == 1)
            worker.stop()
            stage.gate.set()

    play(scene)

    assert states(queue) == ["completed", "queued"]


def test_after_the_grace_runs_go_back(services: Services, queue: Queue, stage: Stage) -> None:
    """They wait as if they had never been started, and their targets remember the visit."""
    services.options = ServiceOptions(lease_s=1.0, grace_s=0.05)
    run = queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await stage.until(lambda: len(stage.started) == 1)

    play(scene)

    assert stage.cancelled == [run.id]
    assert queue.rows("SELECT state, attempt, worker FROM runs") == [("queued", 0, None)]
    assert queue.rows("SELECT ended_at_ms IS NOT NULL FROM visits") == [(1,)]
    assert queue.report(run.report_id).state == "queued"


def test_a_second_word_stops_at_once(services: Services, queue: Queue, stage: Stage) -> None:
    """An operator in a hurry does not wait for the grace."""
    run = queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)) as worker:
            await stage.until(lambda: len(stage.started) == 1)
            worker.stop()
            worker.stop(at_once=True)

    play(scene)

    assert stage.cancelled == [run.id]
    assert states(queue) == ["queued"]


def test_a_run_that_cannot_be_stored_is_given_back(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database was away for its outcome: it is started again, and this attempt does not count."""
    attempts: list[int] = []

    async def perform(services: Services, run: ClaimedRun, **_: object) -> None:
        attempts.append(run.attempt)
        if len(attempts) == 1:
            raise Unavailable
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    monkeypatch.setattr(worker_module, "perform_run", perform)
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await Stage().until(lambda: states(queue) == ["completed"])

    play(scene)

    assert attempts == [1, 1]


@pytest.mark.backend("sqlite", reason="a shared database has leases, which other tests let expire")
def test_what_could_not_be_given_back_is_taken_back(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The database cannot be written for a while, e.g. as its disk is full: the run waits for that, not for a start."""
    attempts: list[int] = []

    async def perform(services: Services, run: ClaimedRun, **_: object) -> None:
        attempts.append(run.attempt)
        if len(attempts) == 1:
            raise Unavailable
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    def refuse(*_: object, **__: object) -> bool:
        raise Unavailable

    monkeypatch.setattr(worker_module, "perform_run", perform)
    monkeypatch.setattr(worker_module, "release_run", refuse)
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await Stage().until(lambda: states(queue) == ["completed"])

    play(scene)

    assert attempts == [1, 2]
    assert "run_not_released" in caplog.text


def test_a_mistake_in_the_worker_costs_one_attempt(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A run without a worker is found once its lease is over, while others go on."""
    attempts: list[int] = []

    async def perform(services: Services, run: ClaimedRun, **_: object) -> None:
        attempts.append(run.attempt)
        if len(attempts) == 1:
            raise RuntimeError
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    monkeypatch.setattr(worker_module, "perform_run", perform)
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await Stage().until(lambda: states(queue) == ["completed"])

    play(scene)

    assert attempts == [1, 2]
    assert "run_not_finished" in caplog.text


@pytest.mark.parametrize("obeys", [True, False])
def test_a_run_without_progress_loses_its_lease(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, obeys: bool
) -> None:
    """Its next attempt begins, also where the first one cannot be ended, which the process then reports."""
    attempts: list[int] = []
    may_end = asyncio.Event()

    async def perform(services: Services, run: ClaimedRun, **_: object) -> None:
        attempts.append(run.attempt)
        if run.attempt == 1:
            # The limit is over at once: for this run, not for the next one.
            monkeypatch.setattr(worker_module, "STALL_S", -HOUR_MS / 1000)
        while run.attempt == 1 and not may_end.is_set():
            try:
                await may_end.wait()
            except asyncio.CancelledError:
                monkeypatch.setattr(worker_module, "STALL_S", HOUR_MS / 1000)
                if obeys:
                    raise
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    monkeypatch.setattr(worker_module, "perform_run", perform)
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=2)) as worker:
            await Stage().until(lambda: states(queue) == ["completed"])
            left = 0 if obeys else 1
            await Stage().until(lambda: (worker.busy, services.stalled_runs) == (left, left))
            may_end.set()
            await Stage().until(lambda: worker.busy == 0)

    play(scene)

    assert attempts == [1, 2]
    assert "run_stalled" in caplog.text


def test_a_run_with_progress_keeps_its_lease(
    services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However long it takes."""
    beats = asyncio.Semaphore(0)

    async def perform(services: Services, run: ClaimedRun, *, advance: Advance, **_: object) -> None:
        for _beat in range(3):
            advance()
            await beats.acquire()
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    progressing = Worker.progressing

    def watched(worker: Worker) -> tuple[ClaimedRun, ...]:
        runs = progressing(worker)
        if worker._loop is not None:
            worker._loop.call_soon_threadsafe(beats.release)
        return runs

    monkeypatch.setattr(worker_module, "perform_run", perform)
    monkeypatch.setattr(Worker, "progressing", watched)
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await Stage().until(lambda: states(queue) == ["completed"])

    play(scene)

    assert queue.rows("SELECT attempt FROM runs") == [(1,)]
    assert "run_stalled" not in caplog.text


def test_a_queue_that_cannot_be_read_is_tried_again(
    services: Services, queue: Queue, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad moment of the database, or one mistake, does not end the worker."""
    errors = [Unavailable(), RuntimeError()]

    def moody(*arguments: Any, **more: Any) -> tuple[ClaimedRun, ...]:
        if errors:
            raise errors.pop()
        return claim_runs(*arguments, **more)

    monkeypatch.setattr(worker_module, "claim_runs", moody)
    monkeypatch.setattr(worker_module, "POLL_S", 0.01)
    stage.gate.set()
    queue.add()

    async def scene() -> None:
        async with working(Worker(services, slots=1)):
            await stage.until(lambda: states(queue) == ["completed"])

    play(scene)


def test_a_suspect_is_alone(services: Services, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on its last attempt is started when nothing else is under way, and nothing is started beside it."""
    there: set[int] = set()
    beside: dict[int, set[int]] = {}

    async def visit(services: Services, run: ClaimedRun, **_: object) -> None:
        there.add(run.id)
        for each in there:
            beside.setdefault(each, set()).update(there - {each})
        await worker.look()
        there.discard(run.id)
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    monkeypatch.setattr(worker_module, "perform_run", visit)
    suspects = [queue.add(f"https://s{number}.example/").id for number in range(2)]
    queue.change("UPDATE runs SET attempt = 2")
    others = [queue.add(f"https://a{number}.example/").id for number in range(2)]
    worker = WatchedWorker(services, slots=4)

    async def scene() -> None:
        async with working(worker):
            await Stage().until(lambda: states(queue) == ["completed"] * 4)

    play(scene)

    assert [beside[run] for run in suspects] == [set(), set()]
    assert [beside[run] for run in others] == [{others[1]}, {others[0]}]


@pytest.mark.backend("sqlite", "elsewhere a run that must wait has no job, and is not seen")
def test_a_suspect_that_must_wait_delays_no_other(services: Services, queue: Queue, stage: Stage) -> None:
    """Its target is resting; the others go on, and it comes in its time."""
    queue.add("https://s.example/", now_ms=now_ms())
    queue.change("UPDATE runs SET attempt = 2, available_at_ms = :at_ms", at_ms=now_ms() + 30_000)
    queue.add("https://a.example/", now_ms=now_ms())
    stage.gate.set()

    async def scene() -> None:
        worker = WatchedWorker(services, slots=4)
        async with working(worker):
            await stage.until(lambda: states(queue) == ["queued", "completed"])
            await worker.look()
            assert states(queue) == ["queued", "completed"]
            queue.change("UPDATE runs SET available_at_ms = :at_ms WHERE state = 'queued'", at_ms=now_ms())
            worker.wake()
            await stage.until(lambda: states(queue) == ["completed", "completed"])

    play(scene)

    assert [run.attempt for run in stage.started] == [1, 3]


def test_without_slots_nothing_is_run(services: Services, queue: Queue, stage: Stage) -> None:
    """A process that only answers requests still clears away what the one before left."""
    queue.add(now_ms=now_ms())
    queue.claim(now_ms=now_ms())

    async def scene() -> None:
        async with working(Worker(services, slots=0), ahead_ms=60_000):
            await stage.until(lambda: states(queue) == ["queued"])

    play(scene)

    assert stage.started == []


def test_waking_is_harmless_at_any_time(services: Services, queue: Queue) -> None:
    """Before the worker runs and after it has ended, from any thread."""
    worker = Worker(services, slots=0)
    services.wake()

    async def scene() -> None:
        async with working(worker):
            pass

    play(scene)
    thread = threading.Thread(target=services.wake)
    thread.start()
    thread.join()

    assert worker.busy == 0


@pytest.mark.backend("postgresql", "elsewhere no other process can change the tables")
def test_nothing_is_taken_from_tables_of_a_version_that_it_cannot_work_beside(
    services: Services, queue: Queue, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so once, and goes on should they become its own again."""
    queue.change("UPDATE alembic_version SET version_num = '9999'")
    queue.change("DELETE FROM installation WHERE name = 'works_from'")
    queue.add()

    async def scene() -> None:
        worker = WatchedWorker(services)
        async with working(worker):
            for _ in range(3):
                await worker.look()
            untouched.extend(states(queue))
            queue.change("UPDATE alembic_version SET version_num = :head", head=revisions()[-1])
            worker.wake()
            await stage.until(lambda: bool(stage.started))
            stage.gate.set()

    untouched: list[Any] = []
    play(scene)

    assert untouched == ["queued"]
    assert [record.getMessage() for record in caplog.records].count("schema_changed") == 1


def test_stopping_waits_for_deliveries_under_way(services: Services, queue: Queue) -> None:
    """As for runs: what a receiver has accepted is recorded before the process ends."""

    async def scene() -> None:
        async with receiving() as receiver:
            receiver.gate = asyncio.Event()
            queue.database.write_here(
                lambda tx: add_webhook(
                    tx,
                    queue.account_id,
                    kind="webhook",
                    url=receiver.url,
                    events=("report.completed",),
                    project="",
                    now_ms=1,
                )
            )
            queue.add()
            (run,) = queue.claim(now_ms=now_ms())
            queue.finish(run)
            async with working(Worker(services, slots=1)) as worker:
                await wait_for(receiver.arrived.is_set, within_s=SOON_S)
                worker.stop()
                receiver.gate.set()

            assert queue.rows("SELECT state, http_status FROM deliveries") == [("delivered", 204)]

    play(scene)
