"""Kills, stops, cuts off and restarts the parts of an installation of several processes at random, the database too.

Clocks jump, that of the database and those of processes, and for root the disk of the database gets full. Run by
``python -m tests.fault.chaos --backend postgresql``. Clients use any of the processes that answer, write down
what they are promised, and check again and again what became of it; monitors become due, and webhooks receive what
happens.
"""

from __future__ import annotations

import contextlib
import os
import platform
import random
import signal
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg

from pagegrade.model.identity import VERSION
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock
from tests.fault.batch_ledger import BATCH_EVERY, BATCH_REPORTS
from tests.fault.cluster import DURABLE, Cluster
from tests.fault.load_outages import fill_disk, small_disk, start_again
from tests.fault.monitor_ledger import MonitorLedger, receiving
from tests.fault.relay import Relay
from tests.postgres import Postgres, execute
from tests.server import Server
from tests.site.serve import serve_site
from tests.waiting import pause, wait_until

STOPPED_S: Final = (1.0, 15.0)
"""Seconds for which a process or a cable stands still; leases last 5 s."""
DOWN_S: Final = (0.2, 5.0)
"""Seconds for which the database is gone."""
JUMP_S: Final = 3_600
"""Seconds by which the clock of a process is wrong after a jump, at most, in both directions."""
DATABASE_JUMP_S: Final = 20
"""The same of the database's: several leases. Runs of a process that dies in that moment wait for so long besides."""
CLIENTS: Final = 4
PAUSE_S: Final = 0.3
"""Of a client between two requests."""
LAST_S: Final = 240.0
"""For what is left when nothing more happens."""
STORED: Final = {**DURABLE, "max_wal_size": "128MB"}
"""The log leaves room on a small disk for everything else."""
APIS: Final = 2
WORKERS: Final = 4
PATHS: Final = ("/", "/", "/", "/slow", "/no-such-page", "/loop", "/challenge", "/document.pdf")


@dataclass(frozen=True, slots=True)
class Plan:
    """The faults to come."""

    minutes: float
    seed: int
    calm_s: float
    """Longest pause between two faults; the shortest is a quarter of it."""
    only: Collection[str]
    """Names of the faults that happen; empty: all of them."""


@dataclass(slots=True)
class Part:
    """One place in the installation, and the process that has it now."""

    verb: str
    relay: Relay
    clock: Path
    """Says by how many milliseconds its clock is ahead."""
    process: Server = field(init=False)


@dataclass(slots=True)
class Storm:
    """The faults of one installation."""

    cluster: Cluster
    site: str
    chance: random.Random
    folder: Path
    may_fill: bool
    """True if the database is on a disk that may be filled."""
    plan: Plan
    settings: Mapping[str, object] = field(default_factory=dict)
    """Of every process, besides those of all storms."""
    parts: list[Part] = field(default_factory=list)
    blows: Counter[str] = field(default_factory=Counter)
    starts_s: list[float] = field(default_factory=list)
    stops_s: list[float] = field(default_factory=list)
    recoveries_s: list[float] = field(default_factory=list)
    memory_kb: Counter[str] = field(default_factory=Counter)
    over: threading.Event = field(default_factory=threading.Event)

    def strike(self) -> None:
        """One blow, and what an operator does about it."""
        blows: list[Callable[[], None]] = [
            *[self._kill] * 3,
            *[self._terminate] * 2,
            *[self._stop] * 3,
            *[self._kill_parser] * 2,
            *[self._cut] * 3,
            self._restart_database,
            self._kill_database,
            self._stop_database,
            self._move_clock,
            self._move_database_clock,
            *[self._fill_disk] * self.may_fill,
        ]
        named = [(blow.__name__.lstrip("_"), blow) for blow in blows]
        name, blow = self.chance.choice([each for each in named if not self.plan.only or each[0] in self.plan.only])
        self.blows[name] += 1
        blow()

    def begin(self) -> None:
        """Start every part."""
        database = open_database(self.cluster.url)
        make_clock(database)
        database.close()
        for number, verb in enumerate(("serve",) * APIS + ("worker",) * WORKERS):
            part = Part(verb, self.cluster.relay(), self.folder / f"clock-{number}")
            part.clock.write_text("0")
            self._start(part)
            self.parts.append(part)

    def calm(self) -> None:
        """Let every clock be right again."""
        for part in self.parts:
            part.clock.write_text("0")
        self._set_database_clock(0)

    def _start(self, part: Part) -> None:
        started_s = time.monotonic()
        start = self.cluster.serve if part.verb == "serve" else self.cluster.work
        part.process = start(
            "moving-clock", str(part.clock), relay=part.relay, RUN_BUDGET_SECONDS=6, WORKERS=2, **self.settings
        )
        self.starts_s.append(time.monotonic() - started_s)

    def _any(self) -> Part:
        return self.chance.choice(self.parts)

    def _kill(self) -> None:
        part = self._any()
        self._measure(part)
        held = self._held_by(part)
        part.process.process.kill()
        part.process.process.wait()
        killed_s = time.monotonic()
        self._start(part)
        if held:
            self._await_recovery(held, killed_s)

    def _terminate(self) -> None:
        part = self._any()
        self._measure(part)
        self.cluster.ledger.stops += part.verb == "worker"
        asked_s = time.monotonic()
        code = part.process.stop()
        self.stops_s.append(time.monotonic() - asked_s)
        if code != 0:
            self.cluster.ledger.violations.append(f"exit code {code} after SIGTERM")
        self._start(part)

    def _stop(self) -> None:
        part = self._any()
        part.process.process.send_signal(signal.SIGSTOP)
        pause(self.chance.uniform(*STOPPED_S), "the fault")
        part.process.process.send_signal(signal.SIGCONT)

    def _kill_parser(self) -> None:
        parsers = _children_of(self.chance.choice([part for part in self.parts if part.verb == "worker"]).process)
        if parsers:
            os.kill(self.chance.choice(parsers), signal.SIGKILL)

    def _cut(self) -> None:
        part = self._any()
        how = self.chance.choice(["stall", "stall_answers", "reset", "delay"])
        self.blows[how] += 1
        if how == "delay":
            part.relay.delay(self.chance.uniform(0.01, 0.3))
        else:
            getattr(part.relay, how)()
        pause(self.chance.uniform(*STOPPED_S), "the fault")
        part.relay.heal()

    def _restart_database(self) -> None:
        self.cluster.postgres.stop("immediate")
        pause(self.chance.uniform(*DOWN_S), "the fault")
        self.cluster.postgres.start()

    def _kill_database(self) -> None:
        self.cluster.postgres.kill()
        pause(self.chance.uniform(*DOWN_S), "the fault")
        self.cluster.postgres.start()

    def _stop_database(self) -> None:
        self.cluster.postgres.pause()
        pause(self.chance.uniform(*DOWN_S), "the fault")
        self.cluster.postgres.resume()

    def _move_clock(self) -> None:
        self._any().clock.write_text(str(self.chance.randint(-JUMP_S, JUMP_S) * 1_000))

    def _move_database_clock(self) -> None:
        self._set_database_clock(self.chance.randint(-DATABASE_JUMP_S, DATABASE_JUMP_S) * 1_000)

    def _set_database_clock(self, ahead_ms: int) -> None:
        execute(self.cluster.admin_url, "UPDATE test_clock SET ahead_ms = %s", ahead_ms)

    def _fill_disk(self) -> None:
        ballast = self.cluster.postgres.folder / "ballast"
        fill_disk(ballast)
        pause(self.chance.uniform(*DOWN_S), "the fault")
        ballast.unlink(missing_ok=True)
        start_again(self.cluster.postgres)
        wait_until(self._answers, "a server whose disk has room again")

    def _answers(self) -> bool:
        try:
            self.cluster.postgres.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _held_by(self, part: Part) -> list[int]:
        asked = (
            "SELECT runs.id FROM runs JOIN processes ON processes.name = runs.worker "
            "WHERE processes.pid = %s AND runs.state = 'running'"
        )
        return [int(run) for (run,) in execute(self.cluster.url, asked, part.process.process.pid)]

    def _await_recovery(self, held: list[int], killed_s: float) -> None:
        """Measure the time until no call waits for the dead processes any more."""
        asked = "SELECT 1 FROM runs JOIN test_held ON test_held.run_id = runs.id AND runs.attempt = test_held.attempt"
        execute(self.cluster.url, "CREATE TABLE IF NOT EXISTS test_held (run_id bigint, attempt int)")
        execute(self.cluster.url, "TRUNCATE test_held")
        execute(
            self.cluster.url,
            "INSERT INTO test_held SELECT id, attempt FROM runs WHERE id = ANY(%s) AND state = 'running'",
            held,
        )
        until = killed_s + 60
        while time.monotonic() < until:
            if not execute(self.cluster.url, f"{asked} AND runs.state = 'running'"):
                self.recoveries_s.append(time.monotonic() - killed_s)
                return
            pause(0.1, "the next question")
        self.cluster.ledger.violations.append(f"runs {held} of a worker that was killed are not taken over after 60 s")

    def _measure(self, part: Part) -> None:
        try:
            status = Path(f"/proc/{part.process.process.pid}/status").read_text()
        except OSError:
            return
        peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
        self.memory_kb[part.verb] = max(self.memory_kb[part.verb], peak)

    def visit(self, client: int) -> None:
        """The work of one client until the storm is over."""
        chance = random.Random(client)  # noqa: S311 - any numbers, the same ones every time
        mine, other = self.cluster.secrets[client % 2], self.cluster.secrets[1 - client % 2]
        ledger, number = self.cluster.ledger, 0
        while not self.over.wait(PAUSE_S):
            number += 1
            key = f"client-{client}-{number}"
            if number % BATCH_EVERY == 0:
                urls = tuple(f"{self.site}{chance.choice(PATHS)}?{key}-{part}" for part in range(BATCH_REPORTS))
                if ledger.post_batch(self._api(chance), urls, secret=mine, key=key) is None:
                    pause(PAUSE_S, "a client's patience")
                    ledger.post_batch(self._api(chance), urls, secret=mine, key=key)
                continue
            url = f"{self.site}{chance.choice(PATHS)}?{key}"
            if ledger.post(self._api(chance), url, secret=mine, key=key) is None:
                # As clients do: the same request once more, with the same key, to a server that answers.
                pause(PAUSE_S, "a client's patience")
                ledger.post(self._api(chance), url, secret=mine, key=key)
            known = list(ledger.accepted)
            if known:
                report = chance.choice(known)
                foreign = other if ledger.accepted[report][1] == mine else mine
                ledger.look(self._api(chance), report, foreign=foreign if chance.random() < 0.2 else None)

    def _api(self, chance: random.Random) -> Server:
        return chance.choice([part for part in self.parts if part.verb == "serve"]).process


def _children_of(process: Server) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process.process.pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            continue
    return found


def rage(folder: Path, plan: Plan) -> dict[str, Any]:
    """Let it happen for so long, then hold every promise against what is left; the figures."""
    with small_disk() if os.geteuid() == 0 else contextlib.nullcontext() as disk:
        return _rage(folder, disk, plan)


def _rage(folder: Path, disk: Path | None, plan: Plan) -> dict[str, Any]:
    chance = random.Random(plan.seed)  # noqa: S311 - as above
    server = Postgres(STORED)
    try:
        server.start()
        with serve_site() as site, receiving() as (receiver, receipts), Cluster(folder, server) as cluster:
            storm = Storm(cluster, site.http, chance, folder, disk is not None, plan)
            storm.begin()
            monitors = MonitorLedger(partial(_query, cluster.url), receipts)
            monitors.begin(storm.parts[0].process, site.http, receiver, secret=cluster.alice)
            cluster.ledger.monitored = monitors.urls
            clients = [threading.Thread(target=storm.visit, args=(number,)) for number in range(CLIENTS)]
            clients.append(threading.Thread(target=monitors.make_due, args=(storm.over,)))
            try:
                for client in clients:
                    client.start()
                until = time.monotonic() + plan.minutes * 60
                while time.monotonic() < until:
                    pause(chance.uniform(plan.calm_s / 4, plan.calm_s), "the time between faults")
                    storm.strike()
                storm.calm()
            finally:
                storm.over.set()
                for client in clients:
                    client.join()
            calm_s = time.monotonic()
            kept: dict[str, Any] = {}
            try:
                api = next(part.process for part in storm.parts if part.verb == "serve")
                cluster.ledger.settle(api, within_s=LAST_S)
                settled_s = time.monotonic() - calm_s
                monitors.settle(within_s=LAST_S)
                kept = monitors.check()
                cluster.check(api, site.asked, site.http)
                figures = _figures(storm, site.asked)
                cluster.end()
            except AssertionError as error:
                settled_s, figures = time.monotonic() - calm_s, {}
                cluster.ledger.violations.append(repr(error)[:2_000])
            return {
                "minutes": plan.minutes,
                "seed": plan.seed,
                "accepted": len(cluster.ledger.accepted),
                "batches": len(cluster.ledger.batches.accepted),
                "refused": dict(cluster.ledger.refused),
                "blows": dict(storm.blows),
                "settled_s": round(settled_s, 1),
                "start_s": quantiles(storm.starts_s),
                "stop_s": quantiles(storm.stops_s),
                "recovery_s": quantiles(storm.recoveries_s),
                "memory_max_mb": {verb: kilobytes // 1024 for verb, kilobytes in storm.memory_kb.items()},
                **figures,
                "monitors": kept,
                "versions": {
                    "pagegrade": VERSION,
                    "python": platform.python_version(),
                    "psycopg": psycopg.__version__,
                    "postgresql": server.execute("SHOW server_version")[0][0],
                },
                "violations": cluster.ledger.violations,
            }
    finally:
        server.close()


def _query(url: str, statement: str, *values: object) -> list[tuple[Any, ...]]:
    return execute(url, statement.replace("?", "%s"), *values)


def _figures(storm: Storm, asked: Counter[str]) -> dict[str, Any]:
    """The figures that the database and the site have of it."""
    url = storm.cluster.url
    attempts = dict(execute(url, "SELECT attempt, COUNT(*) FROM runs GROUP BY attempt ORDER BY attempt"))
    ended = execute(
        url,
        "SELECT state || COALESCE(' ' || (convert_from(error, 'UTF8')::jsonb ->> 'code'), '') || "
        "COALESCE(' ' || (convert_from(error, 'UTF8')::jsonb ->> 'reason'), ''), COUNT(*) FROM runs "
        "GROUP BY 1",
    )
    times = execute(url, "SELECT started_at_ms - created_at_ms, finished_at_ms - created_at_ms FROM runs")
    fetched = [count for path, count in asked.items() if "?client-" in path]
    size = execute(storm.cluster.admin_url, "SELECT pg_database_size(current_database())")
    return {
        "ended": {str(state): int(count) for state, count in ended},
        "attempts": {str(attempt): int(count) for attempt, count in attempts.items()},
        "by_account": dict(
            Counter(storm.cluster.secrets.index(key) for _, key in storm.cluster.ledger.accepted.values())
        ),
        "wait_s": quantiles([(start or 0) / 1000 for start, _ in times]),
        "total_s": quantiles([(end or 0) / 1000 for _, end in times]),
        "fetched_max": max(fetched, default=0),
        "database_mb": round(int(size[0][0]) / 1_000_000, 1),
    }


def quantiles(values: Iterable[float]) -> dict[str, float] | None:
    """The median, the highest values and the greatest, rounded to hundredths; ``None``: there is no value."""
    known = sorted(values)
    if len(known) < 2:
        return {"max": round(known[0], 2)} if known else None
    cuts = statistics.quantiles(known, n=100, method="inclusive")
    return {"p50": round(cuts[49], 2), "p95": round(cuts[94], 2), "p99": round(cuts[98], 2), "max": round(known[-1], 2)}
