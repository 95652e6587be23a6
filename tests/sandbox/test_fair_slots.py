from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.sandbox.fair_slots import FairSlots


class Scene:
    """Work of accounts that lasts until a test ends it."""

    def __init__(self, count: int, spare: int, *, weight: int | None = None, spare_weight: int = 0) -> None:
        self.slots = FairSlots(count, spare=spare, weight=weight, spare_weight=spare_weight)
        self.started: list[str] = []
        self._ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, *names: str) -> None:
        """Work of the account that the first letter names begins to wait; the number after it is its weight."""
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
        async with self.slots.hold(name[0], int(name[1:])):
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
def test_a_canceled_wait_leaves_no_slot_behind(*, given: bool) -> None:
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


def test_weights_are_limited_together_with_slots() -> None:
    """Exactly the limit fits, one more waits; what an account alone may have is all of it."""

    async def scene() -> None:
        stage = Scene(9, spare=9, weight=100)
        await stage.ask("a60", "a40")
        assert stage.started == ["a60", "a40"]
        assert stage.slots.held_weight == 100
        await stage.end("a40")
        await stage.ask("a41")
        assert stage.started == ["a60", "a40"]
        await stage.end("a60")
        assert stage.started[2:] == ["a41"]

    play(scene)


def test_a_weight_above_the_limit_is_all_there_is() -> None:
    """It starts when nothing else of its account is under way, so it does not wait for ever."""

    async def scene() -> None:
        stage = Scene(9, spare=0, weight=100)
        await stage.ask("a1", "a101")
        assert stage.started == ["a1"]
        await stage.end("a1")
        assert stage.started == ["a1", "a101"]
        assert stage.slots.held_weight == 100

    play(scene)


def test_an_account_that_holds_nothing_has_spare_weight() -> None:
    """Up to the limit and the spare weight together; one that holds a slot has none of it."""

    async def scene() -> None:
        stage = Scene(9, spare=9, weight=100, spare_weight=50)
        await stage.ask("a100", "a1", "b50", "b2", "c3")
        assert stage.started == ["a100", "b50"]
        assert stage.slots.held_weight == 150

    play(scene)


def test_small_work_does_not_overtake_large_work_for_ever() -> None:
    """Accounts with as little under way wait behind it, and their work starts as soon as it has."""

    async def scene() -> None:
        stage = Scene(9, spare=9, weight=100)
        await stage.ask("a60", "b90", "c30", "d31")
        assert stage.started == ["a60"]
        await stage.end("a60")
        assert stage.started == ["a60", "b90"]
        await stage.end("b90")
        assert stage.started[2:] == ["c30", "d31"]

    play(scene)


def test_work_behind_large_work_that_stops_waiting_starts() -> None:
    """It was held up only by the order."""

    async def scene() -> None:
        stage = Scene(9, spare=9, weight=100)
        await stage.ask("a60", "b90", "c40")
        assert stage.started == ["a60"]
        stage.tasks["b90"].cancel()
        await stage.settle()
        assert stage.started == ["a60", "c40"]

    play(scene)


@given(
    steps=st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 120), st.booleans()), max_size=40),
    spare_weight=st.integers(0, 60),
)
def test_no_order_of_work_exceeds_the_limits_or_leaves_work_behind(
    steps: list[tuple[str, int, bool]], spare_weight: int
) -> None:
    """Whatever comes and ends in whatever order; an account that holds several never uses the spare weight."""

    async def scene() -> None:
        stage = Scene(3, spare=2, weight=100, spare_weight=spare_weight)
        asked: list[str] = []
        running: list[str] = []
        for number, (account, weight, ends) in enumerate(steps):
            name = f"{account}{weight}"
            if name in asked:
                continue
            asked.append(name)
            await stage.ask(name)
            running = [each for each in stage.started if not stage.tasks[each].done()]
            if ends and running:
                await stage.end(running[number % len(running)])
            assert stage.slots.held_weight <= 100 + spare_weight
        while running := [each for each in stage.started if not stage.tasks[each].done()]:
            await stage.end(running[0])
        assert sorted(stage.started) == sorted(asked)
        assert (stage.slots.waiting, stage.slots.held_weight) == (0, 0)

    play(scene)
