from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.sandbox.fair_slots import FairSlots, NoSlot


class Scene:
    """Work of accounts that lasts until a test ends it."""

    def __init__(
        self,
        count: int,
        spare: int,
        *,
        weight: int | None = None,
        spare_weight: int = 0,
        line: int | None = None,
    ) -> None:
        self.slots = FairSlots(count, spare=spare, wait_s=WAIT_S, line=line, weight=weight, spare_weight=spare_weight)
        self._weight = weight
        self.started: list[str] = []
        self.running: list[str] = []
        self.refused: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def begin(self, name: str) -> None:
        """Work begins to wait: for the account that the first letter names, with the weight of the number after it."""
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.get_running_loop().create_task(self._work(name))

    async def ask(self, *names: str) -> None:
        """All of it begins to wait, in this order."""
        for name in names:
            self.begin(name)
        await self.settle()

    async def end(self, *names: str) -> None:
        """The work is done."""
        for name in names:
            self.ends[name].set()
        await self.settle()

    async def settle(self) -> None:
        """Let everything happen that can."""
        for _ in range(10 + 2 * len(self.tasks)):
            await asyncio.sleep(0)

    def weight_of(self, name: str) -> int:
        """Weight of a task, as it counts."""
        weight = int(name[1:].partition(".")[0])
        return weight if self._weight is None else min(weight, self._weight)

    async def _work(self, name: str) -> None:
        try:
            async with self.slots.hold(name[0], self.weight_of(name)):
                self.started.append(name)
                self.running.append(name)
                try:
                    await self.ends[name].wait()
                finally:
                    self.running.remove(name)
        except NoSlot:
            self.refused.append(name)


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
            stage.ends["a1"].set()
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


class Clock:
    """Time of a loop that a test moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        asyncio.get_running_loop().time = lambda: self.now_s  # type: ignore[method-assign]


WAIT_S = 30.0
Step = tuple[str, str, int, int]
"""Event, to which account or to which task, and for how many turns of the loop everything goes on after it.

Few turns let the next thing happen in the middle of the one before, such as a cancellation between the moment in which
a task is woken and the one in which it goes on.
"""
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "ask", "end", "cancel", "wait"]),
        st.sampled_from("abcd"),
        st.integers(0, 120),
        st.integers(0, 3),
    ),
    max_size=60,
)


async def happen(stage: Scene, clock: Clock, steps: list[Step]) -> None:
    """Let everything happen, and compare what is held with what runs after each step."""
    for number, (what, account, value, turns) in enumerate(steps):
        running = [name for name in stage.running if not stage.ends[name].is_set()]
        waits = [name for name, task in stage.tasks.items() if not task.done() and name not in stage.started]
        if what == "ask":
            stage.begin(f"{account}{value}.{number}")
        elif what == "end" and running:
            stage.ends[running[value % len(running)]].set()
        elif what == "cancel" and (running or waits):
            # Mostly those that wait, which is where it is difficult.
            among = waits or running if number % 4 else running or waits
            stage.tasks[among[value % len(among)]].cancel()
        elif what == "wait":
            clock.now_s += WAIT_S * value / 100
        for _ in range(turns):
            await asyncio.sleep(0)
        assert stage.slots.held == len(stage.running)
        assert stage.slots.held_weight == sum(map(stage.weight_of, stage.running))


@settings(max_examples=150)
@given(steps=STEPS, spare_weight=st.integers(0, 60), line=st.sampled_from([None, 1, 3]))
def test_whatever_comes_ends_and_is_cancelled_every_slot_comes_back(
    steps: list[Step], spare_weight: int, line: int | None
) -> None:
    """In any order and at any moment; the limits hold, and whatever may start has started."""

    async def scene() -> None:
        clock = Clock()
        stage = Scene(3, spare=2, weight=100, spare_weight=spare_weight, line=line)
        await happen(stage, clock, steps)
        await stage.settle()
        assert stage.slots.held <= 5
        assert stage.slots.held_weight <= 100 + spare_weight
        while stage.running:
            stage.ends[stage.running[0]].set()
            await stage.settle()
        assert (stage.slots.held, stage.slots.held_weight, stage.slots.waiting) == (0, 0, 0)
        assert all(task.done() for task in stage.tasks.values())
        # All of them are there, for one account and for others.
        await stage.ask("e30.x", "e30.y", "e40.x", "f0.x", "g0.x")
        assert [name[0] for name in stage.running] == ["e", "e", "e", "f", "g"]

    play(scene)


@settings(max_examples=100)
@given(steps=STEPS)
def test_an_account_that_holds_nothing_never_waits_for_another(steps: list[Step]) -> None:
    """As long as there are spare slots, whatever was cancelled or took too long before."""

    async def scene() -> None:
        clock = Clock()
        stage = Scene(2, spare=4)
        await happen(stage, clock, steps)
        await stage.settle()
        holders = {name[0] for name in stage.running}
        waiting = {name[0] for name, task in stage.tasks.items() if not task.done()} - holders
        assert not waiting

    play(scene)


@pytest.mark.parametrize("moment", range(6))
def test_a_task_that_is_cancelled_in_the_moment_of_its_turn_loses_no_slot(moment: int) -> None:
    """So many turns of the loop after the slot came free, whichever account is served then."""

    async def scene() -> None:
        stage = Scene(1, spare=0)
        await stage.ask("a1", "b1", "c1")
        stage.tasks["b1"].cancel()
        stage.ends["a1"].set()
        for _ in range(moment):
            await asyncio.sleep(0)
        stage.tasks["c1"].cancel()
        await stage.settle()
        assert (stage.slots.held, stage.slots.waiting) == (0, 0)
        await stage.ask("d1")
        assert stage.running == ["d1"]

    play(scene)


def test_a_wait_has_a_limit() -> None:
    """To the second; those behind it, which may be small enough, start."""

    async def scene() -> None:
        clock = Clock()
        stage = Scene(9, spare=0, weight=100)
        await stage.ask("a60", "b90")
        clock.now_s += WAIT_S / 2
        await stage.ask("c40")
        clock.now_s += WAIT_S / 2 - 0.01
        await stage.settle()
        assert (stage.running, stage.slots.waiting) == (["a60"], 2)
        clock.now_s += 0.01
        await stage.settle()
        assert stage.running == ["a60", "c40"]
        assert stage.refused == ["b90"]

    play(scene)


def test_a_line_has_a_limit_for_each_account() -> None:
    """At it a task waits, one more is refused at once; other accounts have lines of their own."""

    async def scene() -> None:
        stage = Scene(1, spare=0, line=2)
        await stage.ask("a1", "a2", "a3", "a4", "b1", "b2")
        assert stage.refused == ["a4"]
        assert stage.slots.waiting == 4
        await stage.end("a1", "b1")
        await stage.ask("a5")
        assert not stage.tasks["a5"].done()

    play(scene)
