"""Load runs in which the database cannot be used for a while: it is down, or its disk is full."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.fault.load_clients import clients
from tests.fault.load_run import Run, drain, until
from tests.fault.load_stack import percentiles
from tests.postgres import Postgres
from tests.waiting import pause_for

REFUSED_S: Final = 1.0
"""A request that cannot be served is refused within so long (99 of 100)."""
DISK_MB: Final = 1_024
"""Of the disk that gets full: large enough that it is filled on purpose only, whatever the load before keeps there."""


def r5(run: Run) -> dict[str, Any]:
    """The database is down for a while: nothing that was promised is lost, and refusals come soon."""
    postgres = _server(run)
    phases = without_database(run, lambda: postgres.stop("immediate"), postgres.start)
    run.expect("nothing was refused while it was down", kept=phases["refused_while_down"] > 0)
    return phases


def r6(run: Run) -> dict[str, Any]:
    """The disk of the database is full for a while: as before. A server that ended because of it is started again."""
    postgres = _server(run)
    ballast = postgres.folder / "ballast"

    def empty() -> None:
        ballast.unlink()
        start_again(postgres)

    return without_database(run, lambda: fill_disk(ballast), empty)


def fill_disk(ballast: Path) -> None:
    """Leave no room on a small disk, by a file that the caller deletes.

    Raises:
        AssertionError: The disk is not one that was made for this.
    """
    if shutil.disk_usage(ballast.parent).total > 2 * DISK_MB * 1_000_000:
        raise AssertionError(f"{ballast.parent} is on a disk that is not made to be filled")
    with contextlib.suppress(OSError), ballast.open("wb") as file:
        while True:
            file.write(bytes(65_536))
            file.flush()


def start_again(postgres: Postgres) -> None:
    """Start a server that ended because its disk was full."""
    if not Path(f"/proc/{postgres.pid}").exists():
        postgres.stop("immediate")
        postgres.start()


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """Let temporary folders of this block, and so databases, lie on a disk in memory, which only root can make."""
    if os.geteuid() != 0:
        raise SystemExit("Only root may make a small disk.")
    folder = tempfile.mkdtemp(prefix="pagegrade-disk-")
    # The server runs as another user.
    options = f"size={DISK_MB}m,mode=1777"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)  # noqa: S607 - the system's
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield Path(folder)
    finally:
        tempfile.tempdir = before
        subprocess.run(["umount", folder], check=True)  # noqa: S607 - the system's
        Path(folder).rmdir()


def _server(run: Run) -> Postgres:
    if run.stack.postgres is None:
        raise AssertionError("only where the database is a server")
    return run.stack.postgres


def without_database(run: Run, take: Callable[[], None], give: Callable[[], None]) -> dict[str, Any]:
    """Clients ask all the time, while the database is taken away and given back; the figures.

    Args:
        run: Under way.
        take: Makes the database unusable.
        give: Brings it back, as far as an operator would.
    """
    phases: dict[str, Any] = {}

    async def outage(over: asyncio.Event) -> None:
        await pause_for(2, "load before the outage")
        await asyncio.to_thread(take)
        refused_before = len(run.book.refused_s)
        await pause_for(run.size.outage_s, "the outage")
        phases["refused_while_down"] = len(run.book.refused_s) - refused_before
        phases["refused_s"] = percentiles(run.book.refused_s)
        await asyncio.to_thread(give)
        back_s = time.monotonic()
        seen = len(run.book.accepted)
        await until(lambda: len(run.book.accepted) > seen, within_s=60)
        phases["accepts_again_s"] = round(time.monotonic() - back_s, 2)
        await pause_for(2, "load after the outage")
        over.set()

    async def ask() -> None:
        keys = [run.stack.add_account(f"Patient{n}") for n in range(4)]
        over = asyncio.Event()

        async def all_of(client: Any, place: int) -> None:
            number = 0
            while not over.is_set():
                number += 1
                if await client.create(run.url(place, number)) is None:
                    await pause_for(0.2, "a client's patience")
                await pause_for(0.3, "a client's pace")

        async with clients(8, run.stack.ports, keys, run.book) as made, asyncio.TaskGroup() as group:
            group.create_task(outage(over))
            for place, client in enumerate(made):
                group.create_task(all_of(client, place))

    asyncio.run(ask())
    started_s = time.monotonic()
    drain(run)
    phases["drained_s"] = round(time.monotonic() - started_s, 1)
    slow = phases["refused_s"].get("p99", 0.0)
    run.expect(f"a refusal took {slow} s", kept=slow < REFUSED_S or not run.size.timed)
    return phases
