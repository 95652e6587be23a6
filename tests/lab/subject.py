"""The process under test: analyses what its standard input names, and says on standard output what came of it.

``product`` is the shipped use case with its default options, nothing replaced and nothing relaxed; ``command`` is the
installed command line; ``naive`` is the fetcher that proves the lab can see.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import functools
import gc
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from tests.lab import naive
from tests.lab.case import Job, Outcome
from tests.lab.command import analyse_with_command
from tests.lab.resident import ResidentPeak

PR_SET_CHILD_SUBREAPER: Final = 36
Analyze = Callable[[Job], Awaitable[Outcome]]


async def analyse_naively(job: Job) -> Outcome:
    """Run the naive fetcher in a thread."""
    return await asyncio.to_thread(naive.analyze, job)


def _peak_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def _resident_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def _reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


async def _measured(job: Job, analyze: Analyze) -> Outcome:
    """Peak resident memory of the case alone: of this process by the kernel's mark, of all by looking often."""
    gc.collect()
    _reset_peak()
    before = _resident_kb()
    with ResidentPeak(os.getpid()) as seen:
        outcome = await analyze(job)
    outcome.memory_growth_mb = max(0, _peak_kb() - before) / 1024
    outcome.memory_of_all_mb = seen.growth_mb
    return outcome


async def serve(kind: str, requests: BinaryIO, answers: BinaryIO) -> None:
    """Work until the keeper closes the pipe; each job is a task of its own."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=8 << 20)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), requests)
    async with contextlib.AsyncExitStack() as stack:
        analyze = await _chosen(kind, stack)
        tasks = await stack.enter_async_context(asyncio.TaskGroup())

        async def work(job: Job) -> None:
            outcome = await (_measured(job, analyze) if job.measure_memory else analyze(job))
            answers.write(msgspec.json.encode(outcome) + b"\n")
            answers.flush()

        while line := await reader.readline():
            tasks.create_task(work(msgspec.json.decode(line, type=Job)))


async def _chosen(kind: str, stack: contextlib.AsyncExitStack) -> Analyze:
    if kind == "naive":
        return analyse_naively
    if kind == "command":
        return analyse_with_command
    from pagegrade.sandbox.pool import Children
    from tests.lab.product import analyse_with_product

    children = await stack.enter_async_context(Children())
    return functools.partial(analyse_with_product, children=children)


def main() -> None:
    """Adopt orphans, keep standard output for answers only, and serve."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    asyncio.run(serve(sys.argv[1], sys.stdin.buffer, answers))


if __name__ == "__main__":
    main()
