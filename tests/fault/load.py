"""Load runs: ``python -m tests.fault.load R1`` puts the load of one shape on a whole installation and evaluates it.

Each run is bounded in count and time and prints one line of JSON; the exit code is 1 when a promise was broken or the
line that it has to pass was missed. Everything is on this machine: wall times say little where others use it, too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.fault.load_clients import Book, clients
from tests.fault.load_outages import r5, r6, small_disk
from tests.fault.load_run import WITHIN_S, Run, Size, drain, until
from tests.fault.load_site import HOSTILE, asked_for, load_site
from tests.fault.load_soak import r7
from tests.fault.load_stack import percentiles, stack_in, summary_of

BUDGET_S: Final = 6
"""Of one analysis, in runs with pages that never end."""
SLOW_S: Final = 15
"""The same in R8, where slow pages keep their slots."""
LIGHT: Final = 10
"""Reports that the light account of R8 asks for, one after the other."""
START_S: Final = 5.0
"""So soon 95 of 100 of them have to start."""
MOST_VISITS: Final = 5
"""Requests for the page itself in one analysis, which takes its time more than once."""
OUTAGES: Final = frozenset({"R5", "R6"})
"""A worker may analyze a page and find out then that the outcome cannot be stored."""
FULL_S: Final = 120.0
"""So soon the flooder's part of the queue has to be full; the quiet accounts of R4 begin then."""
GROWN_MB: Final = 60.0
GOOD_RATIO: Final = 1.5
QUIET_RATIO: Final = 2.0


async def steady(run: Run, paths: Callable[[int, int], str], *, keys: list[str] | None = None) -> None:
    """Every client asks for its reports, one after the other."""
    size = run.size
    keys = keys or [run.stack.add_account(f"Steady{n}") for n in range(min(10, size.clients))]
    async with clients(size.clients, run.stack.ports, keys, run.book) as made, asyncio.TaskGroup() as group:
        for place, client in enumerate(made):

            async def all_of(place: int = place, client: Any = client) -> None:
                for number in range(size.each):
                    await client.create_and_wait(run.url(place, number, paths(place, number)), within_s=WITHIN_S)

            group.create_task(all_of())


def r1(run: Run) -> dict[str, Any]:
    """Steady: everything that is asked for is done."""
    asyncio.run(steady(run, lambda _client, _number: "/page"))
    wanted = run.size.clients * run.size.each
    run.expect(f"{len(run.book.seen_s)} of {wanted} done", kept=len(run.book.seen_s) == wanted)
    return {}


def r3(run: Run) -> dict[str, Any]:
    """Three of ten pages are malicious: the good ones are done in no more than one and a half times the time."""
    asyncio.run(steady(run, lambda _client, _number: "/page"))
    calm = percentiles(list(run.book.seen_s.values()))
    book, run.book, run.part = run.book, Book(), 1
    chance = random.Random(3)  # noqa: S311 - the same pages every time
    picked = {
        (client, number): chance.choice(HOSTILE) if chance.random() < 0.3 else "/page"
        for client in range(run.size.clients)
        for number in range(run.size.each)
    }
    asyncio.run(steady(run, lambda client, number: picked[client, number]))
    good = [
        seconds
        for number, seconds in run.book.seen_s.items()
        if run.book.accepted[number].startswith(f"{run.site}/page")
    ]
    mixed = percentiles(good)
    run.expect("a hostile page was never ended", kept=len(run.book.seen_s) == len(picked))
    run.book.accepted |= book.accepted
    ratio = round(mixed["p95"] / calm["p95"], 2)
    run.expect(f"good pages took {ratio} times as long", kept=ratio <= GOOD_RATIO or not run.size.timed)
    return {"calm_s": calm, "good_s": mixed, "ratio_p95": ratio}


def r4(run: Run) -> dict[str, Any]:
    """One account floods the queue; twenty others ask for five each and hardly notice."""
    few = Size(clients=run.size.quiet, each=5)
    keys = [run.stack.add_account(f"Quiet{n}") for n in range(few.clients)]
    flooder = run.stack.add_account("Flooder")
    calm_run = Run(run.stack, run.site, few, run.book, run.failures)
    asyncio.run(steady(calm_run, lambda _client, _number: "/page", keys=keys))
    calm = percentiles(list(run.book.seen_s.values()))
    before = dict(run.stack.usage.rss_mb)
    flood, quiet = Book(), Book()

    async def both() -> None:
        over, full = asyncio.Event(), asyncio.Event()

        async def pour(client: Any, place: int) -> None:
            for number in range(run.size.flood // 8):
                if over.is_set():
                    return
                await client.create(run.url(1000 + place, number))
                if flood.refused:
                    full.set()

        async with clients(8, run.stack.ports, [flooder], flood) as made, asyncio.TaskGroup() as group:
            for place, client in enumerate(made):
                group.create_task(pour(client, place))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(full.wait(), FULL_S)
            other = Run(run.stack, run.site, few, quiet, run.failures, part=1)
            await steady(other, lambda _client, _number: "/page", keys=keys)
            over.set()

    asyncio.run(both())
    flooded = percentiles(list(quiet.seen_s.values()))
    run.expect("a quiet account was refused", kept=not quiet.refused and len(quiet.seen_s) == 5 * few.clients)
    run.expect(f"the flood was never refused: {dict(flood.refused)}", kept=bool(flood.refused))
    grown = max(run.stack.usage.rss_mb.get(name, 0.0) - size for name, size in before.items())
    run.expect(f"memory grew by {grown:.0f} MB", kept=grown < GROWN_MB)
    ratio = round(flooded["p95"] / calm["p95"], 2)
    for book in (flood, quiet):
        run.book.accepted |= book.accepted
        run.book.post_s += book.post_s
    run.book.refused = flood.refused
    run.expect(f"quiet accounts waited {ratio} times as long", kept=ratio <= QUIET_RATIO or not run.size.timed)
    return {
        "calm_s": calm,
        "flooded_s": flooded,
        "ratio_p95": ratio,
        "flood_asked": len(flood.post_s),
        "grown_mb": round(grown, 1),
    }


def r8(run: Run) -> dict[str, Any]:
    """One account's pages never end, and there are many more of them than slots: another account starts at once."""
    slots = run.size.workers * run.size.concurrency
    keys = [run.stack.add_account(name) for name in ("Slow", "Light")]
    light = Book()

    def under_way() -> int:
        ((count,),) = run.stack.rows("SELECT COUNT(*) FROM runs WHERE state = 'running'")
        return int(count)

    async def ask() -> None:
        async with (
            clients(1, run.stack.ports, keys[:1], run.book) as slow,
            clients(1, run.stack.ports, keys[1:], light) as others,
        ):
            for number in range(4 * slots):
                await slow[0].create(run.url(0, number, "/drip"))
            await until(lambda: under_way() >= slots, within_s=10)
            for number in range(LIGHT):
                await others[0].create_and_wait(run.url(1, number), within_s=WITHIN_S)

    asyncio.run(ask())
    numbers = ", ".join(map(str, light.accepted))
    waits = run.stack.rows(f"SELECT started_at_ms - created_at_ms FROM runs WHERE report_id IN ({numbers})")  # noqa: S608
    found = percentiles([wait / 1000 for (wait,) in waits])
    run.expect(f"the light account waited {found}", kept=found["p95"] < START_S or not run.size.timed)
    run.book.accepted |= light.accepted
    return {"light_wait_s": found, "light_seen_s": percentiles(list(light.seen_s.values()))}


RUNS: Final[dict[str, Callable[[Run], dict[str, Any]]]] = {
    "R1": r1,
    "R3": r3,
    "R4": r4,
    "R5": r5,
    "R6": r6,
    "R7": r7,
    "R8": r8,
}


def perform(name: str, folder: Path, size: Size) -> dict[str, Any]:
    """One run from an empty database to the evaluation; its figures."""
    settings: dict[str, object] = {"RUN_BUDGET_SECONDS": SLOW_S if name == "R8" else BUDGET_S}
    if name == "R4":
        settings["ACCOUNT_QUEUE"] = size.queue
    how = {"apis": size.apis, "workers": size.workers, "concurrency": size.concurrency}
    disk = small_disk() if name == "R6" else contextlib.nullcontext()
    with disk, load_site() as site, stack_in(folder / "stack", **how, **settings) as stack:
        stack.mark()
        run = Run(stack, site, size, Book(), [])
        started_s = time.monotonic()
        more = RUNS[name](run)
        drain(run)
        wall_s = time.monotonic() - started_s
        figures = summary_of(stack)
        known = {int(number): str(url) for number, url in stack.rows("SELECT id, url FROM reports")}
        lost = [number for number, url in run.book.accepted.items() if known.get(number) != url]
        run.expect(f"lost: {lost[:5]}", kept=not lost)
        visits = Counter(asked_for(site).get(url.removeprefix(site), 0) for url in run.book.accepted.values())
        again = sum(count for often, count in visits.items() if often > MOST_VISITS)
        run.expect(f"pages asked for more often than {MOST_VISITS} times: {again}", kept=again == 0 or name in OUTAGES)
        return {
            "run": name,
            "shape": {**how, "clients": size.clients, "each": size.each},
            "wall_s": round(wall_s, 1),
            "per_second": round((figures["done"] + sum(figures["failed"].values())) / wall_s, 1),
            "accepted": len(run.book.accepted),
            "refused": dict(run.book.refused),
            "unanswered": run.book.unanswered,
            "lost": len(lost),
            "visits_of_each_page": dict(sorted(visits.items())),
            "post_s": percentiles(run.book.post_s),
            "seen_s": percentiles(list(run.book.seen_s.values())),
            **figures,
            **more,
            "failures": run.failures,
        }


def main(arguments: list[str] | None = None) -> int:
    """Do the runs that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", choices=sorted(RUNS))
    parser.add_argument("--sqlite", action="store_true", help="one process instead of many")
    usual = Size()
    parser.add_argument("--clients", type=int, default=usual.clients)
    parser.add_argument("--each", type=int, default=usual.each)
    parser.add_argument("--workers", type=int, default=usual.workers, help="processes that analyze")
    parser.add_argument("--concurrency", type=int, default=usual.concurrency, help="analyses of each at a time")
    parser.add_argument("--flood", type=int, default=usual.flood, help="reports that the flooder of R4 asks for")
    parser.add_argument("--outage", type=float, default=usual.outage_s, help="seconds of R5 (the whole one: 60)")
    parser.add_argument("--minutes", type=float, default=usual.minutes, help="length of R7 (the whole one: 720)")
    parser.add_argument("--per-second", type=float, default=usual.per_second, help="reports that R7 asks for")
    parser.add_argument("--samples", default=usual.samples, help="file for the samples of R7, one each minute")
    given = parser.parse_args(arguments)
    size = Size(
        clients=given.clients,
        each=given.each,
        apis=0 if given.sqlite else usual.apis,
        workers=given.workers,
        concurrency=given.concurrency,
        flood=given.flood,
        outage_s=given.outage,
        minutes=given.minutes,
        per_second=given.per_second,
        samples=given.samples,
    )
    # After SIGTERM, it stops the processes that it started.
    signal.signal(signal.SIGTERM, lambda *_what: sys.exit(1))
    failed = False
    for name in given.runs:
        with tempfile.TemporaryDirectory(prefix="pagegrade-load-") as folder:
            figures = perform(name, Path(folder), size)
        sys.stdout.write(f"{json.dumps(figures)}\n")
        sys.stdout.flush()
        failed = failed or bool(figures["failures"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
