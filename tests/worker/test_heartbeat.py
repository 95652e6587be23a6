from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.identity import VERSION
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.installation import LiveProcess, list_live, note_origin
from pagegrade.worker import heartbeat
from pagegrade.worker.heartbeat import present
from pagegrade.worker.slots import Held
from pagegrade.worker.worker import Worker
from tests.queue_builders import Queue
from tests.store_builders import add_owner, make_database, make_file
from tests.waiting import wait_for

LEASE_S = 0.4
shared_only = pytest.mark.backend("postgresql", reason="elsewhere there is one process")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """One that several processes share."""
    made = make_database(tmp_path)
    yield made
    made.close()


def process_of(database: Database, lease_s: float = LEASE_S) -> Services:
    """A process with connections of its own."""
    return Services(database=open_database(database.url), options=ServiceOptions(lease_s=lease_s))


def live(database: Database) -> tuple[LiveProcess, ...]:
    """The processes that live."""
    return database.read_here(lambda tx: list_live(tx, now_ms(), 60_000))


def close(*processes: Services) -> None:
    """They end."""
    for process in processes:
        process.database.close()
        process.passwords.close()


@shared_only
def test_a_process_is_known_as_long_as_the_block_lasts(database: Database) -> None:
    """From its first moment on, with what it is; gone with its last."""
    process = process_of(database)

    async def script() -> tuple[LiveProcess, ...]:
        async with present(process, "serve"):
            return live(database)

    (known,) = asyncio.run(script())
    left = live(database)
    close(process)

    assert (known.name, known.kind, known.version, known.pid) == (process.process, "serve", VERSION, os.getpid())
    assert known.host
    assert left == ()


@shared_only
def test_it_says_again_and_again_that_it_lives(database: Database) -> None:
    """Also while its event loop is kept busy; several times in the time after which it would look dead."""
    process = process_of(database)

    async def script() -> list[int]:
        async with present(process, "worker"):
            seen = {live(database)[0].seen_at_ms}
            for _ in range(500):
                if len(seen) > 5:
                    break
                # Nothing is awaited: the loop is ours.
                seen.add(live(database)[0].seen_at_ms)
                process.database.read_here(lambda tx: tx.exec_driver_sql("SELECT pg_sleep(0.02)"))
            return sorted(seen)

    beats = asyncio.run(script())
    close(process)

    assert len(beats) > 5


@shared_only
def test_it_learns_how_many_there_are(database: Database) -> None:
    """Of those that live now, itself included."""
    first, second = process_of(database), process_of(database)

    async def script() -> list[int]:
        async with present(first, "serve"):
            alone = first.peers
            async with present(second, "worker"):
                await wait_for(lambda: first.peers == second.peers == 2)
                both = second.peers
            await wait_for(lambda: first.peers == 1)
            return [alone, both, first.peers]

    peers = asyncio.run(script())
    close(first, second)

    assert peers == [1, 2, 1]


@shared_only
def test_who_was_forgotten_while_it_slept_is_known_again(database: Database) -> None:
    """By its next beat."""
    process = process_of(database)

    async def script() -> str:
        async with present(process, "serve"):
            database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM processes"))
            await wait_for(lambda: bool(live(database)))
            return live(database)[0].name

    name = asyncio.run(script())
    close(process)

    assert name == process.process


@shared_only
def test_an_unreachable_database_hears_it_later(caplog: pytest.LogCaptureFixture) -> None:
    """The process starts and ends all the same, and says in its log what the matter is."""
    away = Services(database=open_database("postgresql+psycopg://missing@127.0.0.1:1/nothing"))

    async def script() -> int:
        async with present(away, "serve"):
            return away.peers

    peers = asyncio.run(script())
    close(away)

    assert peers == 1
    assert "presence_not_reported" in caplog.text


@shared_only
def test_one_that_could_not_say_so_at_first_says_it_soon(database: Database) -> None:
    """It does not wait for the next beat, which may be long to come."""
    process = process_of(database, lease_s=4_000.0)

    async def script() -> bool:
        database.write_here(lambda tx: tx.exec_driver_sql("ALTER TABLE processes RENAME TO gone"))
        async with present(process, "serve"):
            database.write_here(lambda tx: tx.exec_driver_sql("ALTER TABLE gone RENAME TO processes"))
            await wait_for(lambda: bool(live(database)))
        return not live(database)

    ended = asyncio.run(script())
    close(process)

    assert ended


def test_a_single_process_sends_no_notices(tmp_path: Path) -> None:
    """There is no thread and no row."""
    process = Services(database=make_file(tmp_path))

    async def script() -> tuple[LiveProcess, ...]:
        async with present(process, "serve"):
            return live(process.database)

    known = asyncio.run(script())
    close(process)

    assert known == ()


@shared_only
@pytest.mark.parametrize("learns", [True, False])
def test_a_process_without_a_configured_origin_learns_that_of_the_server(database: Database, *, learns: bool) -> None:
    """Before it claims anything, and again when another server has started meanwhile."""
    process = process_of(database)
    configured = process.options.base_url
    database.write_here(lambda tx: note_origin(tx, "https://grade.example.com"))

    async def script() -> list[tuple[str, frozenset[tuple[str, int]]]]:
        async with present(process, "worker", learns_origin=learns):
            first = process.options.base_url, process.options.analyze.own_origins
            database.write_here(lambda tx: note_origin(tx, "https://grade.example.org"))
            if learns:
                await wait_for(lambda: process.options.base_url != first[0])
        return [first, (process.options.base_url, process.options.analyze.own_origins)]

    found = asyncio.run(script())
    close(process)

    if learns:
        assert found == [
            (f"https://{name}", frozenset({(name, 443)})) for name in ("grade.example.com", "grade.example.org")
        ]
    else:
        assert {url for url, _ in found} == {configured}


@shared_only
def test_runs_wait_for_a_browser_of_another_process_for_a_while(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as one is known, and for a time after the last one was; then they are done without."""
    monkeypatch.setattr(heartbeat, "BROWSER_WAIT_S", 0.0)
    drawing, plain = process_of(database), process_of(database)
    drawing.options = replace(drawing.options, browser=Path("/bin/true"))

    async def script() -> list[bool]:
        async with present(plain, "worker"):
            alone = plain.awaits_browser
            async with present(drawing, "worker"):
                monkeypatch.setattr(heartbeat, "BROWSER_WAIT_S", 60.0)
                await wait_for(lambda: plain.awaits_browser)
            monkeypatch.setattr(heartbeat, "BROWSER_WAIT_S", 0.0)
            await wait_for(lambda: not plain.awaits_browser)
            return [alone, plain.awaits_browser]

    found = asyncio.run(script())
    known = [one.has_browser for one in live(database)]
    close(drawing, plain)

    assert found == [False, False]
    assert known == []


@shared_only
def test_a_beat_keeps_the_runs_of_the_process(database: Database) -> None:
    """And the worker hears of a run that is not its own any more."""
    process = process_of(database)
    queue = Queue(database, add_owner(database)[0].id)
    for number in range(2):
        queue.add(f"https://example.com/{number}")
    kept, lost = queue.claim(2)
    queue.change("UPDATE runs SET worker = :name, lease_until_ms = 0 WHERE id = :id", name=process.process, id=kept.id)
    heard: list[tuple[int, int]] = []
    worker = Worker(process)
    worker._held = {(run.id, run.attempt): Held(run) for run in (kept, lost)}

    async def script() -> None:
        worker.hear_lost = heard.extend  # type: ignore[method-assign, assignment]
        async with present(process, "worker", worker=worker):
            pass

    asyncio.run(script())
    leases = queue.rows("SELECT id FROM runs WHERE lease_until_ms > 0 AND worker = :name", name=process.process)
    close(process)

    assert heard == [(lost.id, lost.attempt)]
    assert leases == [(kept.id,)]
