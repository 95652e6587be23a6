"""Children that parse: limits, deaths and what they cost the parent."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import uvloop

from pagegrade.gather.confinement import landlock_version
from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.model.artifacts import Response
from pagegrade.parse.html.parser import NamedURLs, ReferenceURL, find_named_urls
from pagegrade.sandbox import pool
from pagegrade.sandbox.pool import (
    MEMORY_RATIO,
    SHARED_BYTES,
    SPARE_BYTES,
    TASK_BYTES,
    Children,
    TaskLost,
    task_growth_bytes,
)
from pagegrade.sandbox.worker import (
    CPU_SECONDS,
    GROWN_BYTES,
    GROWTH_BYTES,
    MAX_ANSWER_BYTES,
    TASK_FRAME,
    remaining_rights,
)
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.kernel import knows_filters
from tests.service.tasks import (
    answer_of,
    burn_and_eat,
    cpu_left,
    die,
    eat_memory,
    end_by,
    environment,
    hang,
    hang_over,
    known_modules,
    leak,
    length_of,
    lie,
    limits,
    pid_of_child,
    raise_something,
    wait_for_signal,
    work_slowly,
)
from tests.waiting import HANG_S, wait_for

SITE = "https://slow.example/"
ROOT = Path(__file__).resolve().parents[2]
LITTLE_CPU_S: Final = 2
"""Processor time of a task whose test uses it up."""


@pytest.fixture(autouse=True)
def _children_find_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_result_crosses_typed() -> None:
    """Structs come back as structs, through partials too."""

    async def main() -> NamedURLs:
        async with Children(1) as children:
            page = Response(url="https://example.com/", status=200, body=b"<img src=a>")
            return await children.run(partial(find_named_urls, page), timeout_s=HANG_S)

    found = asyncio.run(main())

    assert found.references == (ReferenceURL(url="https://example.com/a", kind="image", lazy=False, alternative=False),)


@pytest.mark.parametrize(
    ("work", "says"),
    [
        (die, "died"),
        (raise_something, "ValueError"),
        (hang, "more than"),
        (partial(eat_memory, 2 * GROWTH_BYTES), "MemoryError"),
        (partial(answer_of, MAX_ANSWER_BYTES), "AnswerTooLarge"),
        (lie, "cannot be read"),
    ],
    ids=["dies", "raises", "hangs", "memory", "output", "lies"],
)
def test_failing_task_costs_only_itself(work: partial[int], says: str) -> None:
    """Whatever happens in the child, the next task is served."""

    async def main() -> tuple[str, int]:
        async with Children(1) as children:
            await children.run(pid_of_child, timeout_s=HANG_S)
            with pytest.raises(OffloadFailed) as failure:
                await children.run(work, timeout_s=1 if says == "more than" else HANG_S)
            return str(failure.value), await children.run(pid_of_child, timeout_s=HANG_S)

    message, pid = asyncio.run(main())

    assert says in message
    assert pid != os.getpid()


@pytest.mark.parametrize(("work", "code"), [(raise_something, "internal"), (die, "parser_limit")])
def test_mistake_of_ours_is_not_blamed_on_the_page(work: Callable[[], int], code: str) -> None:
    """An unexpected exception has another code than a limit."""

    async def main() -> str:
        async with Children(1) as children:
            with pytest.raises(OffloadFailed) as failure:
                await children.run(work, timeout_s=HANG_S)
            return failure.value.code

    assert asyncio.run(main()) == code


def test_answer_at_the_limit_is_taken() -> None:
    """The largest answer that fits comes through."""

    async def main() -> int:
        async with Children(1) as children:
            return len(await children.run(answer_of, MAX_ANSWER_BYTES - 100, timeout_s=HANG_S))

    assert asyncio.run(main()) == MAX_ANSWER_BYTES - 100


def test_a_child_is_replaced_after_so_many_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that libraries keep from task to task is freed with it."""
    monkeypatch.setattr(pool, "TASKS_PER_CHILD", 2)

    async def main() -> list[int]:
        async with Children(1) as children:
            return [await children.run(pid_of_child, timeout_s=HANG_S) for _ in range(4)]

    first, second, third, fourth = asyncio.run(main())

    assert (first, third) == (second, fourth)
    assert first != third


def test_a_child_that_has_grown_is_replaced_after_its_answer() -> None:
    """Leaked memory goes with it, and its task is served all the same; memory that it gave back is no leak."""

    async def main() -> tuple[list[int], int]:
        async with Children(1) as children:
            pids = [await children.run(pid_of_child, timeout_s=HANG_S)]
            await children.run(eat_memory, GROWN_BYTES + 10_000_000, timeout_s=HANG_S)
            pids.append(await children.run(pid_of_child, timeout_s=HANG_S))
            leaked = await children.run(leak, GROWN_BYTES + 10_000_000, timeout_s=HANG_S)
            pids.append(await children.run(pid_of_child, timeout_s=HANG_S))
            return pids, leaked

    (first, second, third), leaked = asyncio.run(main())

    assert leaked > GROWN_BYTES
    assert first == second != third


def test_a_child_that_a_large_page_brought_to_its_memory_limit_is_kept() -> None:
    """Its memory has gone back to the system; a new one would take longer to start than the page took."""
    page = artifacts_of_document(b"<!doctype html><title>Slow</title>" + b"<p>more</p>" * 270_000, url=SITE)

    async def main() -> list[int]:
        async with Children(1) as children:
            await children.run(evaluate_artifacts, artifacts_of_document(b"<p>One", url=SITE), timeout_s=HANG_S)
            pids = [await children.run(pid_of_child, timeout_s=HANG_S)]
            with pytest.raises(OffloadFailed, match="MemoryError"):
                await children.run(evaluate_artifacts, page, timeout_s=HANG_S)
            return pids + [await children.run(pid_of_child, timeout_s=HANG_S) for _ in range(2)]

    first, *others = asyncio.run(main())

    assert others == [first, first]


@pytest.mark.parametrize(("shared", "allowed"), [(SHARED_BYTES, TASK_BYTES), (None, GROWTH_BYTES)])
def test_children_are_confined_and_know_no_secrets(
    monkeypatch: pytest.MonkeyPatch, shared: int | None, allowed: int
) -> None:
    """Memory, files and cores are limited; the parent's environment stays with the parent."""
    monkeypatch.setenv("PAGEGRADE_SECRET", "hunter2")

    async def main() -> tuple[tuple[int, int, int], list[str], float]:
        async with Children(1, shared_bytes=shared) as children:
            return (
                await children.run(limits, timeout_s=HANG_S),
                await children.run(environment, timeout_s=HANG_S),
                await children.run(cpu_left, timeout_s=HANG_S),
            )

    (memory, file_size, core), names, left = asyncio.run(main())

    assert 0.9 * allowed < memory < 1.1 * allowed
    assert (file_size, core) == (0, 0)
    assert names == []
    assert CPU_SECONDS - 1 < left <= CPU_SECONDS + 1


def test_a_child_knows_nothing_that_opens_connections() -> None:
    """Hostile bytes meet no client of HTTP, and no child pays for one."""

    async def main() -> list[str]:
        async with Children(1) as children:
            return await children.run(known_modules, timeout_s=HANG_S)

    known = asyncio.run(main())

    assert "pagegrade.service.runs.evaluation" in known
    assert {"pagegrade.gather.http", "pycurl"}.isdisjoint(known)


def test_a_child_has_no_rights_that_the_system_can_take() -> None:
    """Neither sockets nor files, programs or other processes; what the kernel cannot refuse is named, not claimed."""

    async def main() -> tuple[str, ...]:
        async with Children(1) as children:
            return await children.run(remaining_rights, timeout_s=HANG_S)

    offered = {"connect", "write", "program", "signal"} if knows_filters() else set()
    offered |= {"read", "write", "process"} if landlock_version() else set()

    assert set(asyncio.run(main())) == {"connect", "read", "write", "program", "process", "signal"} - offered


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_child_that_was_killed_while_idle_is_replaced(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Its death is not blamed on the next task, on either event loop."""

    async def main() -> tuple[int, int]:
        async with Children(1) as children:
            first = await children.run(pid_of_child, timeout_s=HANG_S)
            os.kill(first, signal.SIGKILL)
            (idle,) = children._all
            await idle._process.wait()
            return first, await children.run(pid_of_child, timeout_s=HANG_S)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        first, second = runner.run(main())

    assert first != second


LOOPS = pytest.mark.parametrize(
    "loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)


Asked = list[tuple[tuple[int, int, int], bytes]]
"""(Length, memory, CPU seconds) and frame of each attempt at a task."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Note each attempt at a task from here on: children can leave no mark themselves."""
    found: Asked = []
    ask = pool._Child.ask

    async def note(child: pool._Child, head: bytes, frame: bytes, timeout_s: float, before_s: float | None) -> bytes:
        found.append((TASK_FRAME.unpack(head), frame))
        return await ask(child, head, frame, timeout_s, before_s)

    monkeypatch.setattr(pool._Child, "ask", note)
    return found


def stopped(children: Children) -> list[int]:
    """The children that a signal stopped."""
    pids = [child._process.pid for child in children._all]
    return [pid for pid in pids if " T " in Path(f"/proc/{pid}/stat").read_text()]


ENDS: Final[dict[str, tuple[str, str | None, int]]] = {
    "SIGSEGV": ("parser_limit", "crash", 2),
    "SIGABRT": ("parser_limit", "crash", 2),
    "SIGXCPU": ("parser_limit", "cpu_limit", 1),
    "memory": ("parser_limit", "memory_limit", 2),
    "SIGKILL": ("internal", "crash", 2),
    "SIGTERM": ("internal", "crash", 2),
    "stop": ("internal", "time_limit", 2),
}
"""End of a child -> (code, cause, attempts)."""


@LOOPS
def test_what_ends_a_child_says_who_is_to_blame(
    loop_factory: Callable[[], asyncio.AbstractEventLoop], asked: Asked, subtests: pytest.Subtests
) -> None:
    """Limits are the input's fault at once, crashes when they repeat, anything else never.

    Of memory, a task of this length gets less at its first attempt than at its second. All end at once: one that stands
    still is only noticed after its time.
    """

    async def end(how: str) -> OffloadFailed:
        async with Children(1) as children:
            await children.run(pid_of_child, timeout_s=HANG_S)
            with pytest.raises(OffloadFailed) as failure:
                await children.run(end_by, how, timeout_s=5 if how == "stop" else HANG_S)
            assert await children.run(pid_of_child, timeout_s=HANG_S) > 0
            return failure.value

    async def main() -> list[OffloadFailed]:
        return await asyncio.gather(*map(end, ENDS))

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        failures = runner.run(main())

    for how, failure in zip(ENDS, failures, strict=True):
        with subtests.test(how=how):
            attempts = sum(b"end_by" in frame and how.encode() in frame for _, frame in asked)
            assert (failure.code, failure.cause, attempts) == ENDS[how]
            assert isinstance(failure, TaskLost) == (failure.code == "internal")


@LOOPS
def test_a_task_whose_child_was_killed_from_outside_is_done_by_another(
    loop_factory: Callable[[], asyncio.AbstractEventLoop], asked: Asked
) -> None:
    """Only the log says so."""

    async def main() -> int:
        async with Children(1) as children:
            await children.run(pid_of_child, timeout_s=HANG_S)
            return await children.run(end_by, "once", timeout_s=HANG_S)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        answer = runner.run(main())

    assert answer == 1
    assert len(asked) == 3


def test_a_task_that_uses_up_its_cpu_time_is_tried_once(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the wall clock or by the kernel's limit, whichever comes first: never twice the CPU time."""
    monkeypatch.setattr(pool, "CPU_SECONDS", LITTLE_CPU_S)

    async def main() -> OffloadFailed:
        async with Children(1) as children:
            with pytest.raises(OffloadFailed) as failure:
                await children.run(end_by, "cpu", timeout_s=HANG_S)
            return failure.value

    assert asyncio.run(main()).cause == "cpu_limit"
    assert len(asked) == 1


def test_a_task_that_a_busy_machine_keeps_from_its_work_goes_on(asked: Asked) -> None:
    """It gets several times its time as long as it advances: beginning again would cost the machine more."""

    async def main() -> int:
        async with Children(1) as children:
            await children.run(pid_of_child, timeout_s=HANG_S)
            return await children.run(work_slowly, 0.8, 0.16, timeout_s=2)

    assert asyncio.run(main()) == 1
    assert len(asked) == 2


def test_leaving_ends_every_child() -> None:
    """No process outlives the pool, even one that hangs in a cancelled task."""

    async def main() -> list[int]:
        async with Children(2) as children:
            pids = [await children.run(pid_of_child, timeout_s=HANG_S)]
            async with asyncio.TaskGroup() as group:
                hanging = group.create_task(children.run(hang, timeout_s=1_000))
                other = group.create_task(children.run(pid_of_child, timeout_s=HANG_S))
                pids.append(await other)
                hanging.cancel()
            return pids

    pids = asyncio.run(main())

    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_pages_of_one_account_keep_no_other_account_waiting() -> None:
    """Every child hangs over pages of one account and more of them wait: another account is served at once."""

    async def main() -> int:
        async with Children(2) as children:
            heavy = children.for_account(1)
            async with asyncio.TaskGroup() as group:
                burning = [group.create_task(heavy.run(hang, timeout_s=1_000)) for _ in range(8)]
                await wait_for(lambda: len(children._all) == 2)
                served = await children.for_account(2).run(pid_of_child, timeout_s=HANG_S)
                assert not any(task.done() for task in burning)
                for task in burning:
                    task.cancel()
            assert len(children._idle) <= 2
            return served

    assert asyncio.run(main()) > 0


def test_memory_of_a_task_follows_its_length() -> None:
    """From the least to what a child may use at most, which documents of the largest size get."""
    at_most = (GROWTH_BYTES - TASK_BYTES) // MEMORY_RATIO

    assert task_growth_bytes(0) == TASK_BYTES
    assert task_growth_bytes(at_most) <= GROWTH_BYTES == task_growth_bytes(at_most + 1)
    assert at_most < GatherLimits().document_decoded_bytes


@pytest.mark.parametrize(("count", "attempts"), [(TASK_BYTES - 4_000_000, 1), (TASK_BYTES + 4_000_000, 2)])
def test_a_task_that_needs_more_memory_than_its_length_suggests_is_done_again(
    asked: Asked, count: int, attempts: int
) -> None:
    """With all that a child may use: no page is to blame for a low estimate."""

    async def main() -> int:
        async with Children(1) as children:
            return await children.run(eat_memory, count, timeout_s=HANG_S)

    assert asyncio.run(main()) == count
    assert len(asked) == attempts


def test_both_attempts_of_a_task_share_its_cpu_time(asked: Asked) -> None:
    """The second one has what the first one left."""

    async def main() -> OffloadFailed:
        async with Children(1) as children:
            with pytest.raises(OffloadFailed) as failure:
                await children.run(burn_and_eat, 1.5, timeout_s=HANG_S)
            return failure.value

    assert asyncio.run(main()).cause == "memory_limit"
    first, second = (cpu_s for (_, _, cpu_s), _ in asked)

    assert first == CPU_SECONDS
    assert second <= CPU_SECONDS - 1


def test_large_tasks_do_not_run_at_once_however_many_children_there_are() -> None:
    """Together they would use more memory than all tasks may; another account's task starts beside them."""
    page = b" " * (GROWTH_BYTES // MEMORY_RATIO)

    assert SHARED_BYTES < 2 * task_growth_bytes(len(page)) <= SHARED_BYTES + SPARE_BYTES

    async def main() -> tuple[int, int]:
        async with Children(8) as children, asyncio.TaskGroup() as group:
            first, second = children.for_account(1), children.for_account(2)
            large = [group.create_task(first.run(hang_over, page, timeout_s=1_000)) for _ in range(4)]
            await wait_for(lambda: children._slots.waiting == 3)
            beside = await second.run(length_of, page, timeout_s=HANG_S)
            held = children._slots.held_weight
            for task in large:
                task.cancel()
            return beside, held

    assert asyncio.run(main()) == (len(page), task_growth_bytes(len(page)))


def test_ordinary_tasks_of_one_account_share_all_children() -> None:
    """Pages of a hundred kilobytes leave enough for each other."""
    page = b" " * 100_000

    async def main() -> int:
        async with Children(4) as children, asyncio.TaskGroup() as group:
            tasks = [group.create_task(children.run(hang_over, page, timeout_s=1_000)) for _ in range(6)]
            await wait_for(lambda: len(children._all) == 4)
            waiting = children._slots.waiting
            for task in tasks:
                task.cancel()
            return waiting

    assert asyncio.run(main()) == 2


def test_children_for_accounts_without_one_are_used_again() -> None:
    """Many accounts that come and go start no more children than may work at once."""

    async def main() -> int:
        async with Children(1) as children:
            pids = set()
            for _ in range(4):
                async with asyncio.TaskGroup() as group:
                    long = group.create_task(children.for_account(1).run(wait_for_signal, timeout_s=HANG_S))
                    short = group.create_task(children.for_account(2).run(pid_of_child, timeout_s=HANG_S))
                    pids.add(await short)
                    await wait_for(lambda: stopped(children))
                    (stopped_child,) = stopped(children)
                    os.kill(stopped_child, signal.SIGCONT)
                    await long
            return len(pids)

    assert asyncio.run(main()) <= 2
