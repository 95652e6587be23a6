"""R7: a modest load for hours, with a sample of every process each minute; memory, files and waits must stay flat."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from devtools.bench_load import children
from pagegrade.model.errors import Unavailable
from tests.fault.load_clients import clients
from tests.fault.load_run import WITHIN_S, Run
from tests.fault.load_site import HOSTILE
from tests.fault.load_stack import percentiles
from tests.waiting import pause_for

SAMPLE_S: Final = 60.0
GROWTH_MB: Final = 1.0
"""A process may grow by so much in an hour."""
MORE_FILES: Final = 8
"""So many more files than in the first quarter may be open in the last one: connections come and go."""
DRIFT: Final = 1.5
"""95 of 100 clients may wait so many times as long in the last quarter as in the first one."""
HOSTILE_SHARE: Final = 0.1

Sample = dict[str, float]
"""Name of a measure -> value; ``hours`` since the beginning is one of them."""


def r7(run: Run) -> dict[str, Any]:
    """Soak: one of ten pages is malicious, one of three reports is deleted after it has ended."""
    samples: list[Sample] = []
    seen: list[tuple[float, float]] = []
    asyncio.run(_soak(run, samples, seen))
    resident = {name: trend(samples, f"{name} rss_mb") for name in run.stack.processes}
    files = {name: trend(samples, f"{name} fds") for name in run.stack.processes}
    waits = [percentiles([wait for at, wait in seen if low <= at < low + 0.25]) for low in (0.0, 0.25, 0.5, 0.75)]
    for name, found in resident.items():
        grown = found["per_hour"]
        run.expect(f"{name} grew by {grown} MB an hour", kept=grown <= GROWTH_MB or not run.size.timed)
    for name, found in files.items():
        kept = found["last"] <= found["first"] + MORE_FILES
        run.expect(f"{name} keeps files open", kept=kept or not run.size.timed)
    drifted = waits[-1]["p95"] / waits[0]["p95"] if waits[0] and waits[-1] else 1.0
    run.expect(f"clients waited {drifted:.2f} times as long", kept=drifted <= DRIFT or not run.size.timed)
    whole = {name: trend(samples, name) for name in samples[0] if name != "hours"} if samples else {}
    return {"quarters_s": waits, "trends": whole}


def trend(samples: Sequence[Sample], name: str) -> dict[str, float]:
    """The medians of the first and last quarter of a measure, and its slope per hour from the second quarter on.

    The first quarter is left out of the slope, since caches fill up in it.
    """
    known = [(sample["hours"], sample[name]) for sample in samples if name in sample]
    quarter = max(1, len(known) // 4)
    first, last = ([value for _, value in part] for part in (known[:quarter], known[-quarter:]))
    rest = known[quarter:]
    slope = statistics.linear_regression(*zip(*rest, strict=True)).slope if len(rest) > 1 else 0.0
    return {
        "first": round(statistics.median(first), 2) if first else 0.0,
        "last": round(statistics.median(last), 2) if last else 0.0,
        "per_hour": round(slope, 2),
    }


async def _soak(run: Run, samples: list[Sample], seen: list[tuple[float, float]]) -> None:
    """Put the load on, and fill in the samples and, for each report, (part of the time that is over, seconds)."""
    size = run.size
    keys = [run.stack.add_account(f"Steady{n}") for n in range(10)]
    chance = random.Random(7)  # noqa: S311 - the same pages every time
    began_s, lasts_s = time.monotonic(), 60 * size.minutes
    free: asyncio.Queue[Any] = asyncio.Queue()

    async def one(client: Any, number: int, path: str) -> None:
        started_s = time.monotonic()
        report = await client.create(run.url(0, number, path))
        if report is not None and await client.wait(report, within_s=WITHIN_S) is not None:
            run.book.seen_s[report] = time.monotonic() - started_s
            if path == "/page":
                seen.append(((started_s - began_s) / lasts_s, run.book.seen_s[report]))
            await client.ask("GET", "/api/v1/reports?limit=50")
            if number % 3 == 0:
                status, _ = await client.ask("DELETE", f"/api/v1/reports/{report}")
                # Without an answer it may have been deleted all the same.
                if status in {0, 200, 204}:
                    del run.book.accepted[report]
        free.put_nowait(client)

    async with clients(size.clients, run.stack.ports, keys, run.book) as made, asyncio.TaskGroup() as group:
        for client in made:
            free.put_nowait(client)
        watch = group.create_task(_watch(run, began_s, samples))
        number = 0
        while (over_s := time.monotonic() - began_s) < lasts_s:
            await pause_for(max(0.0, number / size.per_second - over_s), "the time of the next report")
            path = chance.choice(HOSTILE) if chance.random() < HOSTILE_SHARE else "/page"
            group.create_task(one(await free.get(), number, path))
            number += 1
        watch.cancel()


async def _watch(run: Run, began_s: float, samples: list[Sample]) -> None:
    """Take a sample each minute, and write it to a file where one is asked for."""
    with open(run.size.samples or "/dev/null", "a", encoding="utf-8") as file:  # noqa: ASYNC230, PTH123 - one line a minute
        while True:
            await pause_for(SAMPLE_S, "the next sample")
            samples.append(await asyncio.to_thread(_sample, run, (time.monotonic() - began_s) / 3600))
            _write(samples[-1], file)


def _write(sample: Sample, file: TextIO) -> None:
    file.write(f"{json.dumps(sample)}\n")
    file.flush()


def _sample(run: Run, hours: float) -> Sample:
    sample: Sample = {"hours": round(hours, 4), "reports": len(run.book.seen_s)}
    pids = {name: process.pid for name, process in run.stack.processes.items()}
    for name, pid in pids.items():
        below = children(pid)
        sample[f"{name} rss_mb"] = _memory_mb(pid, "Rss")
        sample[f"{name} pss_mb"] = _memory_mb(pid, "Pss")
        sample[f"{name} children"] = len(below)
        sample[f"{name} children pss_mb"] = sum(_memory_mb(child, "Pss") for child in below)
        sample[f"{name} fds"] = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    if run.stack.postgres is not None:
        sample["postgresql pss_mb"] = sum(_memory_mb(child, "Pss") for child in children(run.stack.postgres.pid))
    with contextlib.suppress(Unavailable):
        # A busy machine may keep the database from answering; the next sample has them.
        sample["database_mb"] = run.stack.size_bytes() / 1e6
        sample["log_mb"] = run.stack.kept_log_bytes() / 1e6
    return {name: round(value, 4) for name, value in sample.items()}


def _memory_mb(pid: int, field: str) -> float:
    """A field of ``/proc/PID/smaps_rollup`` (proc_pid_smaps(5)); 0 of a process that has ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in text.splitlines() if line.startswith(f"{field}:")), 0.0)
