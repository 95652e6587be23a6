from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from functools import partial

import pytest

from pagegrade.store.engine.readers import BATCH, Readers

pytestmark = pytest.mark.backend("sqlite", reason="the threads of SQLite; no database")

LONG_S = 30.0


@pytest.fixture
def readers() -> Iterator[Readers]:
    """Three threads at most."""
    readers = Readers(3)
    yield readers
    readers.close()


def test_what_is_done_is_reported(readers: Readers) -> None:
    """Each outcome to who asked for it, however many ask at once, also in another loop later."""

    async def ask() -> list[int]:
        return await asyncio.gather(*(readers.run(partial(int, number)) for number in range(5 * BATCH)))

    expected = list(range(5 * BATCH))

    assert asyncio.run(ask()) == expected
    assert asyncio.run(ask()) == expected


def test_what_goes_wrong_is_reported(readers: Readers) -> None:
    """To who asked for it, and the others are not concerned."""

    def fail() -> int:
        raise LookupError("no")

    async def ask() -> tuple[int | BaseException, int | BaseException]:
        return await asyncio.gather(readers.run(fail), readers.run(lambda: 1), return_exceptions=True)

    wrong, right = asyncio.run(ask())

    assert isinstance(wrong, LookupError)
    assert right == 1


def test_work_is_done_in_another_thread(readers: Readers) -> None:
    """The loop goes on meanwhile, and quick work is all done by the same thread."""

    async def ask() -> set[int]:
        return set(await asyncio.gather(*(readers.run(threading.get_ident) for _ in range(20))))

    used = asyncio.run(ask())

    assert threading.get_ident() not in used
    assert len(used) == 1


def test_slow_work_delays_no_other_work(readers: Readers) -> None:
    """Results of the work before it, behind it, and after it are returned while it goes on."""
    end = threading.Event()

    async def ask() -> list[int]:
        before = [asyncio.ensure_future(readers.run(lambda: 1)) for _ in range(2)]  # noqa: TID251 - awaited below
        slow = asyncio.ensure_future(readers.run(lambda: end.wait(LONG_S)))  # noqa: TID251 - awaited below
        behind = [asyncio.ensure_future(readers.run(lambda: 2)) for _ in range(20)]  # noqa: TID251 - awaited below
        done = [await asyncio.wait_for(each, LONG_S / 2) for each in (*before, *behind)]
        done.append(await asyncio.wait_for(readers.run(lambda: 3), LONG_S / 2))
        assert not slow.done()
        end.set()
        return [*done, int(await slow)]

    assert asyncio.run(ask()) == [1, 1, *[2] * 20, 3, 1]


def test_one_thread_does_everything_in_its_order() -> None:
    """Without helpers, what is slow is waited for."""
    readers = Readers(1)
    order: list[int] = []

    async def ask() -> None:
        await asyncio.gather(*(readers.run(partial(order.append, number)) for number in range(20)))

    asyncio.run(ask())
    readers.close()

    assert order == list(range(20))


def test_a_canceled_call_gets_no_result(readers: Readers) -> None:
    """And what waits behind is done all the same."""
    end = threading.Event()

    async def ask() -> int:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(readers.run(lambda: end.wait(LONG_S)), 0.02)
        end.set()
        return await readers.run(lambda: 4)

    assert asyncio.run(ask()) == 4


def test_closing_finishes_what_waits() -> None:
    """And then nothing more is taken; closing what was never used does no harm."""
    readers = Readers(2)
    Readers(2).close()

    async def ask() -> list[int]:
        asked = [asyncio.ensure_future(readers.run(lambda: 5)) for _ in range(3)]  # noqa: TID251 - awaited below
        await asyncio.sleep(0)
        readers.close()
        return [await each for each in asked]

    async def ask_again() -> None:
        await readers.run(lambda: 6)

    assert asyncio.run(ask()) == [5, 5, 5]

    with pytest.raises(RuntimeError):
        asyncio.run(ask_again())
