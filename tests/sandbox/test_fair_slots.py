from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest

from pagegrade.sandbox.fair_slots import FairSlots


class Scene:
    """Work of accounts that lasts until a test ends it."""

    def __init__(self, count: int, spare: int) -> None:
        self.slots = FairSlots(count, spare=spare)
        self.started: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, *names: str) -> None:
        """Work of the account that the first letter names begins to wait."""
        for name in names:
            self._ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.get_running_loop().create_task(self._work(name))
        await self.settle()

    async def end(self, *names: str) -> None:
        """The work is done."""
        for name in names:
            self._ends[name].set()
        await self.settle()

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(10):
            await asyncio.sleep(0)

    async def _work(self, name: str) -> None:
        async with self.slots.hold(name[0]):
            self.started.append(name)
            await self._ends[name].wait()


def play(scene: Callable[[], Awaitable[None]]) -> None:
    """Run a test's coroutine."""

    async def main() -> None:
        await scene()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    asyncio.run(main())


def test_one_account_may_have_all_slots_and_no_spare_one() -> None:
    """Alone it is served as if there were no other accounts."""

    async def scene() -> None:
        stage = Scene(2, spare=2)
        await stage.ask("a1", "a2", "a3")
        assert stage.started == ["a1", "a2"]
        await stage.end("a1")
        assert stage.started == ["a1", "a2", "a3"]

    play(scene)


def test_an_account_that_holds_nothing_starts_at_once() -> None:
    """While another one holds every slot and has more to do; one further slot for each such account."""

    async def scene() -> None:
        stage = Scene(2, spare=2)
        await stage.ask("a1", "a2", "a3", "b1", "b2", "c1", "d1")
        assert stage.started == ["a1", "a2", "b1", "c1"]
        assert stage.slots.waiting == 3

    play(scene)


def test_of_those_that_wait_the_account_with_least_goes_first() -> None:
    """Then the one that was served least recently."""

    async def scene() -> None:
        stage = Scene(1, spare=1)
        await stage.ask("a1", "a2", "a3", "b1", "b2", "c1", "d1")
        assert stage.started == ["a1", "b1"]
        await stage.end("b1")
        assert stage.started[2:] == ["b2"]
        for name in ("b2", "c1", "d1", "a1"):
            await stage.end(name)
        assert stage.started[3:] == ["c1", "d1", "a2"]

    play(scene)


@pytest.mark.parametrize("given", [False, True])
def test_whoever_stops_waiting_leaves_no_slot_behind(*, given: bool) -> None:
    """Before it is served, and in the very moment in which it is."""

    async def scene() -> None:
        stage = Scene(1, spare=0)
        await stage.ask("a1", "b1", "c1")
        if given:
            stage._ends["a1"].set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        stage.tasks["b1"].cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stage.tasks["b1"]
        await stage.end("a1")
        assert stage.started[-1] == "c1"
        await stage.end("c1")
        await stage.ask("d1")
        assert stage.started[-1] == "d1"

    play(scene)
