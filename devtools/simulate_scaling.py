"""Simulates an installation with 1 to 10,000 analyses at the same time, to see what gets in the way first.

A simulation by events, always with the same random numbers: reports are asked for, stand in line where their site is
busy, are claimed, analyzed and stored. The database is a number of cores, a log that is flushed for several
commits at once, and one lock for each account. What one thing costs was measured on one machine
(``MEASURED``); how the world is, is assumed (``ASSUMED``). The table is for its order of events, not for
its last digit.

``python -m devtools.simulate_scaling`` prints the table; ``--check`` holds it against ``docs/explanation/scaling.md``.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import math
import random
import sys
from bisect import bisect
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from pagegrade.store.queue.procrastinate_queue import MAX_PASSED
from pagegrade.worker.jitter import DRAWN, EACH_LATER_S, LATER_S, LATEST_S, SOON_S
from pagegrade.worker.worker import QUIET_POLL_S

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "scaling.md"
BEGIN: Final = "<!-- simulation: begin -->"
END: Final = "<!-- simulation: end -->"


SIZES: Final = (1, 4, 16, 64, 256, 1_000, 2_500, 5_000, 10_000)
SMALL: Final = 64
"""Up to here a test makes the rows anew."""
FULL: Final = 0.9
"""A thing that is used more than this is what is in the way."""
IN_LINE: Final = 0.08
"""So large a part of runs that have to wait for their site: politeness is in the way."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One transaction of the queue."""

    server_ms: float
    """Processor time of the database."""
    client_ms: float
    exchanges: int
    log_kb: float


@dataclass(frozen=True, slots=True)
class Measured:
    """``devtools.bench_queue`` and ``tests.fault.load R1``, on two shared cores of 2026 (PostgreSQL 18.6)."""

    create: Verb = Verb(0.85, 0.8, 14, 5.6)
    claim: Verb = Verb(1.3, 1.4, 19, 7.0)
    finish: Verb = Verb(1.35, 1.35, 16, 28.0)
    line: Verb = Verb(1.0, 0.9, 18, 7.5)
    """Standing in line at a busy site, besides the three verbs."""
    look_ms: float = 0.15
    """Processor time of the database for a claim that finds nothing."""
    around_ms: float = 8.0
    """Processor time of the database for what is asked around one report: keys, limits, looks, leases, notices."""
    report_cpu_ms: float = 38.0
    """Processor time of a worker for a page of 20 kB that refers to a dozen others."""
    request_cpu_ms: float = 11.0
    """Processor time of the API for one report: asked for, and waited for."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions about the load; adapt them to your own."""

    analysis_s: float = 5.0
    """Mean length of an analysis: real sites are slow, and it waits for them nearly all the time."""
    spread: float = 0.7
    """Of the lengths: the standard deviation of their logarithm."""
    load: float = 0.7
    """Reports asked for, as a part of what the places for analyses could do."""
    accounts: int = 1_000
    targets: int = 100_000
    skew: float = 0.9
    """Zipf's exponent, of accounts and of targets: a few have most."""
    concurrency: int = 16
    """Places of one worker process (``pagegrade worker --concurrency``)."""
    connections: int = 11
    """Of one process to the database (``PAGEGRADE_DATABASE_CONNECTIONS`` and one more)."""
    database_cores: int = 8
    flush_ms: float = 1.0
    """Until the log is on the disk."""
    way_ms: float = 0.3
    """Over the network to the database and back."""
    queue: int = 30_000
    """Runs that may wait (``PAGEGRADE_QUEUE``); beyond, requests are refused with Retry-After."""
    target_runs: int = 2
    target_runs_per_minute: int = 20


@dataclass(frozen=True, slots=True)
class Policy:
    """Constants of the code: ``worker.jitter``, ``worker.worker``, ``store.queue.procrastinate_queue``."""

    drawn: int = DRAWN
    soon_s: float = SOON_S
    later_s: float = LATER_S
    each_later_s: float = EACH_LATER_S
    latest_s: float = LATEST_S
    quiet_poll_s: float = QUIET_POLL_S
    passes: int = MAX_PASSED
    """Runs that one claim passes over, because another claim works on their accounts already."""
    notices_per_s: float = 50.0
    """Of one process at most (``store.pubsub.notifications.PACE_S``)."""
    window_s: float = 60.0


MEASURED: Final = Measured()
ASSUMED: Final = Assumed()
POLICY: Final = Policy()
LEAST_REPORTS: Final = 2_000
LEAST_S: Final = 120.0
WARM: Final = 0.4
"""Part of the time that does not count: queues are filling."""


@dataclass(slots=True)
class Run:
    """One report on its way."""

    asked_s: float
    account: int
    target: int
    turn: int = 0
    stood_in_line: bool = False


@dataclass(slots=True)
class Site:
    """One target of politeness."""

    now: int = 0
    starts: deque[float] = field(default_factory=deque)
    jobs: int = 0
    """Runs that may start, and wait for a place."""
    line: list[tuple[int, int, Run]] = field(default_factory=list)
    """The others, by turns of the accounts."""
    look_s: float = 0.0
    """When the line is looked at because the minute allows a start."""

    def allows(self, now_s: float) -> bool:
        """Return whether another run may start here, besides those that have jobs."""
        while self.starts and self.starts[0] + POLICY.window_s <= now_s:
            self.starts.popleft()
        return (
            self.now + self.jobs < ASSUMED.target_runs and len(self.starts) + self.jobs < ASSUMED.target_runs_per_minute
        )


def zipf(count: int, skew: float) -> list[float]:
    """Cumulative weights of so many things, the commonest first."""
    return list(itertools.accumulate((number + 1) ** -skew for number in range(count)))


class World:
    """One installation over a stretch of time."""

    def __init__(self, places: int, *, horizon_s: float, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the same numbers every time
        self.places, self.free, self.horizon_s = places, places, horizon_s
        self.rate = ASSUMED.load * places / ASSUMED.analysis_s
        self.events: list[tuple[float, int, Callable[[float], None]]] = []
        self.order = itertools.count()
        self.claimers = processes_for(places)
        self.queue: list[tuple[int, int, Run]] = []
        self.turns: dict[int, int] = {}
        self.held: dict[int, deque[Callable[[float], None]]] = {}
        self.awaited: set[int] = set()
        """Accounts that a claim waits for."""
        self.sites: dict[int, Site] = {}
        self.cores = [0.0] * ASSUMED.database_cores
        self.flush_at_s = self.flushed_s = 0.0
        self.core_s = self.flushes_s = self.places_s = 0.0
        self.account_s: dict[int, float] = {}
        self.done = self.accepted = self.in_line = self.refused = self.waiting = 0
        self.waits: list[float] = []
        self.all_waits: list[float] = []
        self.account_weights = zipf(ASSUMED.accounts, ASSUMED.skew)
        self.target_weights = zipf(ASSUMED.targets, ASSUMED.skew)

    def at(self, time_s: float, what: Callable[[float], None]) -> None:
        """Let something happen."""
        heapq.heappush(self.events, (time_s, next(self.order), what))

    def counts(self, now_s: float) -> bool:
        """Return whether queues had time to fill."""
        return now_s >= WARM * self.horizon_s

    def run(self) -> None:
        """Until the end of the stretch."""
        self.at(self.chance.expovariate(self.rate), self.arrive)
        while self.events and self.events[0][0] <= self.horizon_s:
            now_s, _, what = heapq.heappop(self.events)
            what(now_s)

    def arrive(self, now_s: float) -> None:
        """Handle a request for a report."""
        self.at(now_s + self.chance.expovariate(self.rate), self.arrive)
        if self.waiting >= ASSUMED.queue:
            self.refused += self.counts(now_s)
            return
        new = Run(now_s, self.pick(self.account_weights), self.pick(self.target_weights))

        def queued(then_s: float) -> None:
            best = self.queue[0][0] if self.queue else 0
            new.turn = self.turns[new.account] = max(best, self.turns.get(new.account, 0) if self.queue else 0) + 1
            self.waiting += 1
            self.accepted += 1
            site = self.sites.setdefault(new.target, Site())
            if site.jobs or site.line:
                new.stood_in_line = not site.allows(then_s)
                self.in_line += new.stood_in_line
                heapq.heappush(site.line, (new.turn, next(self.order), new))
                self.move_line(then_s, site)
            else:
                self.offer(then_s, new, site)

        self.transact(now_s, new.account, MEASURED.create, queued)

    def pick(self, weights: list[float]) -> int:
        """One of them, the first ones more often."""
        return bisect(weights, self.chance.random() * weights[-1])

    def transact(self, now_s: float, account: int, verb: Verb, then: Callable[[float], None]) -> None:
        """A transaction under the account's lock; ``then`` when it is on the disk."""
        around_s = _s(MEASURED.around_ms) if verb is MEASURED.create else 0.0

        def begin(at_s: float) -> None:
            core_s = _s(verb.server_ms)
            start_s = max(at_s, heapq.heappop(self.cores))
            heapq.heappush(self.cores, start_s + core_s + around_s)
            if self.counts(at_s):
                self.core_s += core_s + around_s
            ready_s = start_s + core_s + _s(verb.client_ms) + verb.exchanges * _s(ASSUMED.way_ms)
            self.at(ready_s, lambda ready_at_s: self.at(self.flush(ready_at_s), lambda end_s: finish(at_s, end_s)))

        def finish(since_s: float, end_s: float) -> None:
            if self.counts(end_s):
                self.account_s[account] = self.account_s.get(account, 0.0) + end_s - since_s
            waiting = self.held[account]
            if waiting:
                waiting.popleft()(end_s)
            else:
                del self.held[account]
            then(end_s)

        if account in self.held:
            self.held[account].append(begin)
        else:
            self.held[account] = deque()
            begin(now_s)

    def flush(self, now_s: float) -> float:
        """When a commit of now is on the disk: with the next flush that has not begun."""
        if self.flush_at_s < now_s:
            self.flush_at_s = max(now_s, self.flushed_s)
            self.flushed_s = self.flush_at_s + _s(ASSUMED.flush_ms)
            if self.counts(now_s):
                self.flushes_s += _s(ASSUMED.flush_ms)
        return self.flushed_s

    def serve(self, now_s: float) -> None:
        """Processes with free places take what waits, each one run after the other, by turns of the accounts."""
        passed: list[tuple[int, int, Run]] = []
        while self.free and self.claimers and self.queue and len(passed) < POLICY.passes:
            item = heapq.heappop(self.queue)
            run = item[2]
            if run.account in self.held:
                if run.account in self.awaited:
                    passed.append(item)
                    continue
                self.awaited.add(run.account)
            self.free -= 1
            self.claimers -= 1
            self.transact(now_s, run.account, MEASURED.claim, partial(self.start, run))
        for item in passed:
            heapq.heappush(self.queue, item)

    def start(self, run: Run, now_s: float) -> None:
        """Analyze a run, or let it stand in line."""
        self.claimers += 1
        self.awaited.discard(run.account)
        site = self.sites[run.target]
        site.jobs -= 1
        if not site.allows(now_s):
            self.free += 1
            self.in_line += not run.stood_in_line
            run.stood_in_line = True
            heapq.heappush(site.line, (run.turn, next(self.order), run))
            self.move_line(now_s, site)
            self.serve(now_s)
            return
        site.now += 1
        site.starts.append(now_s)
        self.waiting -= 1
        if self.counts(now_s):
            self.all_waits.append(now_s - run.asked_s)
            if not run.stood_in_line:
                self.waits.append(now_s - run.asked_s)
        self.move_line(now_s, site)
        middle = math.log(ASSUMED.analysis_s) - ASSUMED.spread**2 / 2
        length_s = self.chance.lognormvariate(middle, ASSUMED.spread)
        if self.counts(now_s):
            self.places_s += min(length_s, self.horizon_s - now_s)
        self.at(now_s + length_s, lambda at_s: self.store(at_s, run, site))
        self.serve(now_s)

    def move_line(self, now_s: float, site: Site) -> None:
        """Offer the first run in line if it may start; look again when the minute allows it."""
        if site.line and site.allows(now_s):
            self.core_s += _s(MEASURED.line.server_ms) if self.counts(now_s) else 0.0
            self.offer(now_s, heapq.heappop(site.line)[2], site)
            return
        if site.line and len(site.starts) >= ASSUMED.target_runs_per_minute and site.look_s <= now_s:
            site.look_s = site.starts[0] + POLICY.window_s
            self.at(site.look_s, lambda at_s: self.move_line(at_s, site))

    def offer(self, now_s: float, run: Run, site: Site) -> None:
        """Let a run wait for a place only."""
        site.jobs += 1
        heapq.heappush(self.queue, (run.turn, next(self.order), run))
        self.serve(now_s)

    def store(self, now_s: float, run: Run, site: Site) -> None:
        """The outcome of an analysis."""

        def stored(at_s: float) -> None:
            site.now -= 1
            self.free += 1
            self.done += self.counts(at_s)
            self.move_line(at_s, site)
            self.serve(at_s)

        self.transact(now_s, run.account, MEASURED.finish, stored)


def _s(milliseconds: float) -> float:
    return milliseconds / 1000


def processes_for(places: int) -> int:
    """Worker processes."""
    return math.ceil(places / ASSUMED.concurrency)


def looks_per_s(places: int, rate: float) -> float:
    """Count the vain claims of workers with free slots: after notifications, at their turn, and at intervals."""
    processes = processes_for(places)
    idle = processes * (1.0 - ASSUMED.load ** min(places, ASSUMED.concurrency))
    notices = min(rate, POLICY.notices_per_s * max(2, processes / 10))
    soon = min(1.0, POLICY.drawn / processes)
    soon_s = POLICY.soon_s * min(POLICY.drawn, processes) / 2
    later_s = min(POLICY.latest_s, POLICY.later_s + POLICY.each_later_s * processes / 2)
    turn_s = soon * soon_s + (1.0 - soon) * later_s
    return idle * (1.0 / (turn_s + 1.0 / notices) + 1.0 / POLICY.quiet_poll_s)


def looking(places: int, rate: float) -> float:
    """Cores of the database that are busy with workers who look in vain."""
    return looks_per_s(places, rate) * _s(MEASURED.look_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Result for one size."""

    places: int
    asked: float
    done: float
    busy: float
    cores: float
    database: float
    log: float
    account: float
    looks: float
    in_line: float
    wait_s: float
    wait_all_s: float
    connections: int
    in_the_way: str


def simulate(places: int) -> Row:
    """One size; always the same outcome."""
    rate = ASSUMED.load * places / ASSUMED.analysis_s
    horizon_s = max(LEAST_S, LEAST_REPORTS / rate)
    world = World(places, horizon_s=horizon_s, seed=places)
    world.run()
    stretch_s = horizon_s * (1.0 - WARM)
    looks = looks_per_s(places, rate)
    row = Row(
        places=places,
        asked=rate,
        done=world.done / stretch_s,
        busy=world.places_s / stretch_s / places,
        cores=world.done / stretch_s * (MEASURED.report_cpu_ms + MEASURED.request_cpu_ms) / 1000,
        database=min(1.0, (world.core_s / stretch_s + looking(places, rate)) / ASSUMED.database_cores),
        log=min(1.0, world.flushes_s / stretch_s),
        account=min(1.0, max(world.account_s.values(), default=0.0) / stretch_s),
        looks=looks,
        in_line=world.in_line / max(1, world.accepted),
        wait_s=percentile(world.waits, 0.95),
        wait_all_s=percentile(world.all_waits, 0.95),
        connections=(processes_for(places) + 2) * ASSUMED.connections,
        in_the_way="",
    )
    return replace(row, in_the_way=evaluate(row))


def percentile(values: list[float], part: float) -> float:
    """0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def evaluate(row: Row) -> str:
    """Return the bottlenecks, the worst last."""
    found = [
        name
        for name, part in (
            ("places", row.busy),
            ("database cores", row.database),
            ("log", row.log),
            ("one account's lock", row.account),
        )
        if part >= FULL
    ]
    if row.in_line >= IN_LINE:
        found.insert(0, "politeness")
    return ", ".join(found) or "nothing"


def table(sizes: tuple[int, ...]) -> list[str]:
    """The lines of the table, in Markdown."""
    lines = [
        "| places | asked /s | done /s | places busy | cores for work | database | log | busiest account | looks /s | "
        "in line | wait p95 | with those in line | connections | in the way |",
        "|" + "---:|" * 13 + "---|",
    ]
    for places in sizes:
        row = simulate(places)
        lines.append(
            f"| {row.places} | {row.asked:.1f} | {row.done:.1f} | {row.busy:.0%} | {row.cores:.1f} | "
            f"{row.database:.0%} | {row.log:.0%} | {row.account:.0%} | {row.looks:.0f} | {row.in_line:.0%} | "
            f"{row.wait_s:.2f} s | {row.wait_all_s:.0f} s | {row.connections} | {row.in_the_way} |"
        )
    return lines


def written() -> list[str]:
    """The lines of the table that the page shows."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return [line for line in rest.partition(END)[0].splitlines() if line]


def main(arguments: list[str] | None = None) -> int:
    """Print the table; with ``--check`` 1 where the page shows another one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--write", action="store_true", help="put it into the page")
    options = parser.parse_args(arguments)
    lines = table(SIZES)
    print("\n".join(lines))
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + rest.partition(END)[2], encoding="utf-8")
    if options.check and written() != lines:
        print(f"{PAGE.name} shows another table; write it anew with --write.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
