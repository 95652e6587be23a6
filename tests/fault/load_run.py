"""One load run under way: its size, the answers of clients, and the bounds it did not keep."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.fault.load_clients import Book
from tests.fault.load_stack import Stack
from tests.waiting import pause, wait_for

WITHIN_S: Final = 180.0
"""A report that has not ended by then is stuck."""


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a run."""

    clients: int = 50
    each: int = 20
    apis: int = 2
    workers: int = 4
    concurrency: int = 2
    flood: int = 10_000
    quiet: int = 20
    """Accounts beside the flooder, with five reports each."""
    queue: int = 500
    """Unfinished runs that an account may have while one floods."""
    outage_s: float = 15.0
    minutes: float = 720.0
    """The length of R7."""
    per_second: float = 5.0
    """Reports that are asked for in R7: a third of what R1 takes."""
    samples: str = ""
    """File for the samples of R7; empty: none."""
    timed: bool = True
    """Bounds in seconds are checked, too; no test asks for that."""


@dataclass(slots=True)
class Run:
    """One run under way."""

    stack: Stack
    site: str
    size: Size
    book: Book
    failures: list[str]
    part: int = 0
    """Pages of another part of a run are others."""

    def url(self, client: int, number: int, path: str = "/page") -> str:
        """A URL that is used only once."""
        return f"{self.site}{path}?part={self.part}&client={client}&number={number}"

    def expect(self, what: str, *, kept: bool) -> None:
        """A line to pass."""
        if not kept:
            self.failures.append(what)


async def until(so: Callable[[], bool], *, within_s: float) -> None:
    """Wait until something is so, or for so long."""
    with contextlib.suppress(AssertionError):
        await wait_for(so, within_s=within_s)


def drain(run: Run) -> None:
    """Wait until nothing is unfinished."""
    until_s = time.monotonic() + WITHIN_S
    left = -1
    while left != 0 and time.monotonic() < until_s:
        ((left,),) = run.stack.rows("SELECT COUNT(*) FROM runs WHERE state IN ('queued', 'running')")
        pause(0.2, "more of the work")
    run.expect(f"{left} runs never ended", kept=left == 0)
