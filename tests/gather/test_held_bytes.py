"""The memory budget of a run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.gather.held_bytes import MAX_HEAD_BYTES, HeldBytes, Hold


def test_the_last_byte_is_given_and_one_more_is_not() -> None:
    """The limit itself is allowed."""
    budget = HeldBytes(100)
    hold = Hold(budget)

    assert hold.take(100)
    assert not hold.take(1)
    assert (hold.count, budget.held_bytes, budget.peak_bytes) == (100, 100, 100)


def test_heads_have_a_share_of_their_own() -> None:
    """Headers are limited beside the total."""
    budget = HeldBytes(MAX_HEAD_BYTES + 10)
    hold = Hold(budget)

    assert hold.take_head(MAX_HEAD_BYTES)
    assert not hold.take_head(1)
    assert hold.take(10)


def test_a_released_body_leaves_its_head() -> None:
    """Headers that are kept stay charged."""
    budget = HeldBytes(100)
    hold = Hold(budget)
    hold.take_head(30)
    hold.take(50)
    hold.release_body()
    with_head = budget.held_bytes
    hold.release()

    assert with_head == 30
    assert (budget.held_bytes, budget.left_for_heads) == (0, MAX_HEAD_BYTES)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["take", "head", "body", "all"]), st.integers(0, 60))),
    st.integers(0, 100),
)
def test_never_more_than_the_total_and_all_of_it_comes_back(steps: list[tuple[int, str, int]], total: int) -> None:
    """Whatever order answers charge and release in."""
    budget = HeldBytes(total)
    holds = [Hold(budget) for _ in range(5)]
    for index, step, count in steps:
        hold = holds[index]
        if step in ("take", "head"):
            (hold.take if step == "take" else hold.take_head)(count)
        else:
            (hold.release_body if step == "body" else hold.release)()
        assert 0 <= budget.held_bytes == sum(each.count for each in holds) <= total
    for hold in holds:
        hold.release()

    assert budget.held_bytes == 0
    assert budget.peak_bytes <= total


class Places:
    """Places that are given one after the other, when the test says so."""

    def __init__(self) -> None:
        self.free = asyncio.Semaphore(0)
        self.asked = self.held = self.given_back = 0

    @contextlib.asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        self.asked += 1
        async with self.free:
            self.held += 1
            try:
                yield
            finally:
                self.held -= 1
                self.given_back += 1


async def settle() -> None:
    """Let everything happen that can."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_share_needs_no_place_and_one_byte_more_does() -> None:
    """Exchanges pause, and others do not begin, until there is a place; then all go on."""

    async def main() -> None:
        places, resumed = Places(), list[str]()
        budget = HeldBytes(100, place=places, share_bytes=60)
        hold = Hold(budget)
        hold.take(60)
        await budget.wait()
        assert not hold.must_pause(lambda: resumed.append("early"))
        assert places.asked == 0

        hold.take(1)
        assert hold.must_pause(lambda: resumed.append("first"))
        assert hold.must_pause(lambda: resumed.append("second"))
        begins = asyncio.get_running_loop().create_task(budget.wait())
        await settle()
        assert (places.asked, resumed, begins.done()) == (1, [], False)

        places.free.release()
        await settle()
        assert (places.held, resumed, begins.done()) == (1, ["first", "second"], True)
        assert hold.take(39)
        assert not hold.must_pause(lambda: resumed.append("late"))

    asyncio.run(main())


def test_a_place_is_given_back_with_the_memory() -> None:
    """And asked for again when more is held again."""

    async def main() -> None:
        places = Places()
        budget = HeldBytes(100, place=places, share_bytes=60)
        places.free.release()
        for times in (1, 2):
            hold = Hold(budget)
            hold.take(61)
            await budget.wait()
            assert (places.held, places.asked) == (1, times)
            hold.release()
            await settle()
            assert (places.held, places.given_back) == (0, times)

    asyncio.run(main())


@pytest.mark.parametrize("ends", ["freed", "closed"])
def test_a_run_that_needs_no_place_any_more_stops_waiting_for_one(ends: str) -> None:
    """Paused exchanges go on, and the place goes to another run."""

    async def main() -> None:
        places, resumed = Places(), list[str]()
        budget = HeldBytes(100, place=places, share_bytes=60)
        hold = Hold(budget)
        hold.take(61)
        hold.must_pause(lambda: resumed.append("paused"))
        await settle()
        if ends == "freed":
            hold.release()
        else:
            budget.close()
        await settle()
        assert resumed == ["paused"]
        places.free.release()
        await settle()
        assert (places.asked, places.held) == (1, 0)

    asyncio.run(main())


@pytest.mark.parametrize("ends", ["freed", "closed"])
def test_no_place_is_lost(ends: str) -> None:
    """However a run ends that holds one."""

    async def main() -> None:
        places = Places()
        budget = HeldBytes(100, place=places, share_bytes=60)
        places.free.release()
        hold = Hold(budget)
        hold.take(61)
        await budget.wait()
        assert places.held == 1
        if ends == "freed":
            hold.release()
        else:
            budget.close()
        await settle()
        assert (places.held, places.free.locked()) == (0, False)

    asyncio.run(main())


def test_a_place_that_does_not_come_free_in_time_is_asked_for_again() -> None:
    """By everything that pauses; nothing goes on without one, and nothing is forgotten."""

    async def main() -> None:
        asked, resumed = list[asyncio.Event](), list[str]()

        @contextlib.asynccontextmanager
        async def place() -> AsyncIterator[None]:
            asked.append(asyncio.Event())
            await asked[-1].wait()
            if len(asked) == 1:
                raise TimeoutError
            yield

        budget = HeldBytes(100, place=place, share_bytes=60)
        hold = Hold(budget)
        hold.take(61)
        begins = asyncio.get_running_loop().create_task(budget.wait())
        assert hold.must_pause(lambda: resumed.append("pauses" if hold.must_pause(lambda: None) else "goes on"))
        await settle()
        asked[0].set()
        await settle()
        assert (len(asked), resumed, begins.done()) == (2, ["pauses"], False)
        asked[1].set()
        await settle()
        assert begins.done()
        assert not hold.must_pause(lambda: None)
        budget.close()
        await settle()

    asyncio.run(main())
