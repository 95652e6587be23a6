from __future__ import annotations

import asyncio
import statistics
from pathlib import Path

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service.container import Services
from pagegrade.worker.jitter import DRAWN, ENOUGH, LATER_S, LATEST_S, SOON_S, pause_s, repeat, turn_s
from tests.store_builders import make_database

TRIES = 4_000


@pytest.mark.parametrize("peers", [1, 2, DRAWN])
def test_a_few_all_look_soon(peers: int) -> None:
    """No process waits for its turn."""
    assert max(turn_s(peers) for _ in range(TRIES)) <= SOON_S * peers


@pytest.mark.parametrize("peers", [30, 100, 1_000])
def test_of_many_a_few_look_soon_and_the_others_later(peers: int) -> None:
    """As many as are drawn, whatever their number; the others are spread over a time that has an end."""
    tries = 200 * peers  # so many that about 200 x DRAWN look soon: far from half and from twice as many
    turns = [turn_s(peers) for _ in range(tries)]
    soon = [each for each in turns if each < LATER_S]

    assert DRAWN / 2 < peers * len(soon) / tries < DRAWN * 2
    assert max(soon) <= SOON_S * DRAWN
    assert max(turns) <= LATEST_S


def test_a_hundred_idle_processes_ask_no_more_often_than_the_database_can_bear() -> None:
    """Once for each notice at most, however many notices come while they wait for their turn."""
    later = [each for each in (turn_s(100) for _ in range(TRIES)) if each >= LATER_S]

    assert 100 / (sum(later) / len(later)) < 100


@pytest.mark.parametrize("peers", [1, 3, 30, 300])
def test_all_processes_together_look_about_as_often_as_a_few(peers: int) -> None:
    """However many they are."""
    pauses = [pause_s(peers, 5.0) for _ in range(200)]
    looks_in_5_s = 5.0 * peers / statistics.mean(pauses)

    assert 0.5 * min(peers, ENOUGH) < looks_in_5_s < 1.5 * ENOUGH
    assert min(pauses) >= 5.0 / 2


def test_a_look_that_fails_does_not_end_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A database that is away is no mistake of ours, and is not logged as one."""
    services = Services(database=make_database(tmp_path))
    errors = [Unavailable(), RuntimeError(), Unavailable()]
    looked = asyncio.Event()

    async def look(_: Services) -> None:
        if errors:
            raise errors.pop()
        looked.set()

    async def main() -> None:
        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            looking = group.create_task(repeat(services, look, every_s=0.0))
            await looked.wait()
            looking.cancel()

    asyncio.run(main())
    services.database.close()

    assert [record.message for record in caplog.records] == ["look_failed"]
