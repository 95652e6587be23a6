"""``pagegrade`` that kills itself, or its parser: ``python -m tests.fault.crashing O09 1 serve`` (or ``worker``).

The points are made by wrapping one function of the product in this process. The product itself knows nothing of them.
"""

from __future__ import annotations

import importlib
import itertools
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

POISON: Final = "poison"
"""A page whose address says this kills the worker at point O15."""


@dataclass(frozen=True, slots=True)
class Point:
    """The place where the process dies."""

    place: str
    """``module:function`` or ``module:Class.method``, as it is looked up when it is called."""
    when: Literal["before", "after"]
    """Relative to the call."""
    only: Callable[..., bool] = lambda *_, **__: True
    """The calls that count."""


def _finishes(*_: Any, state: str = "", **__: Any) -> bool:
    return state in {"completed", "failed"}


def _is_poison(_services: Any, run: Any, **_: Any) -> bool:
    return POISON in run.url


POINTS: Final = {
    "O01": Point("pagegrade.service.reports.operations:store.add_report", "before"),
    "O02": Point("pagegrade.web.api.reports:_finished", "before"),
    "O03": Point("pagegrade.service.reports.operations:enqueue_run", "before"),
    "B01": Point("pagegrade.service.reports.batches:store_report", "after"),
    "B02": Point("pagegrade.service.reports.batches:store.add_batch", "after"),
    "B03": Point("pagegrade.web.api.batches:service.show_batch", "before"),
    "O04": Point("pagegrade.store.queue.claim:start_run", "after"),
    "O04-job": Point("pagegrade.store.queue.procrastinate_queue:start_run", "after"),
    "O05": Point("pagegrade.worker.worker:perform_run", "before"),
    "O06": Point("pagegrade.gather.run:_gather_rest", "before"),
    "O09": Point("pagegrade.worker.execute:finish_run", "before"),
    "O10": Point("pagegrade.store.queue.runs:mark_report", "before", only=_finishes),
    "O10-detail": Point("pagegrade.store.queue.runs:save_detail", "after"),
    "O10-next": Point("pagegrade.worker.execute:move_lines_of", "after"),
    "O11": Point("pagegrade.worker.execute:_note", "before"),
    "O14": Point("pagegrade.store.queue.lease_reaper:requeue_attempt", "after"),
    "M01": Point("pagegrade.service.monitors.due_runs:queue_run", "after"),
    "M02": Point("pagegrade.worker.deliver:_record", "before"),
    "A01": Point("pagegrade.service.audits.frontier:advance_crawl", "after"),
    "A02": Point("pagegrade.service.audits.frontier:add_segments", "before"),
    "A03": Point("pagegrade.worker.slice:analyze_ids", "before"),
    "A04": Point("pagegrade.worker.slice:save_result", "after"),
    "O15": Point("pagegrade.worker.worker:perform_run", "before", only=_is_poison),
}


def die_at(point: Point, nth: int) -> None:
    """Wrap the function of a point so that its ``nth`` call is the last thing this process does."""
    module, _, path = point.place.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    original = getattr(owner, name)
    calls = itertools.count(1)

    def deadly(*arguments: Any, **more: Any) -> Any:
        last = point.only(*arguments, **more) and next(calls) == nth
        if last and point.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments, **more)
        if last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, deadly)


def kill_parsers(nth: int) -> None:
    """Kill the child in the middle of its ``nth`` task; the process itself lives on (O07)."""
    from pagegrade.sandbox import pool

    original = pool._Child.ask
    calls = itertools.count(1)

    async def ask(self: Any, head: bytes, frame: bytes, timeout_s: float, before_s: float | None) -> bytes:
        if next(calls) == nth:
            os.kill(self._process.pid, signal.SIGKILL)
        return await original(self, head, frame, timeout_s, before_s)

    pool._Child.ask = ask  # type: ignore[method-assign]


def shift_clock(seconds: int) -> None:
    """Let this process believe that it is so much later, or earlier; before the first call of the function."""
    from pagegrade import clock

    original = clock.now_ms
    clock.now_ms = lambda: original() + seconds * 1_000


def follow_clock(file: Path) -> None:
    """Let this process believe that it is so many milliseconds later as a file says now; a clock that jumps."""
    from pagegrade import clock

    original, ahead = clock.now_ms, os.open(file, os.O_RDONLY)
    clock.now_ms = lambda: original() + int(os.pread(ahead, 20, 0) or 0)


def main() -> None:
    """Arm the point, then be the product."""
    name, nth, *arguments = sys.argv[1:]
    if name == "O07":
        kill_parsers(int(nth))
    elif name == "clock":
        shift_clock(int(nth))
    elif name == "moving-clock":
        follow_clock(Path(nth))
    else:
        die_at(POINTS[name], int(nth))
    from pagegrade.cli import main as run_command

    run_command(arguments)


if __name__ == "__main__":
    main()
