"""Kills, stops and interrupts the real server at random while clients use it: ``python -m tests.fault.chaos``.

Every few seconds something happens to the server, to one of its parsers or to its clock; for root its disk gets full as
well. Clients write down what they are promised and compare them with what is there; monitors become due, and webhooks
receive what happens. Prints one line of JSON; the exit code is 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Literal

from pagegrade.store.engine.data_dir import DATABASE_NAME
from tests.fault import cluster_chaos
from tests.fault.batch_ledger import BATCH_EVERY, BATCH_REPORTS
from tests.fault.cluster_chaos import Plan
from tests.fault.instance import Instance
from tests.fault.load_outages import fill_disk, small_disk
from tests.fault.monitor_ledger import MonitorLedger, receiving
from tests.server import Server
from tests.site.serve import serve_site
from tests.waiting import pause

MAX_MINUTES: Final = 240.0
CALM_S: Final = 8.0
"""From one blow to the next, at most; at least a quarter of it."""
STOPPED_S: Final = (1.0, 12.0)
"""Seconds for which a stopped process stands still; leases last 5 s."""
CLIENTS: Final = 2
PAUSE_S: Final = 0.25
"""Of a client between two requests."""
LAST_S: Final = 180.0
"""For what is left when nothing more happens to the server."""
PATHS: Final = ("/", "/", "/", "/slow", "/no-such-page", "/loop", "/challenge", "/document.pdf")

JUMP_S: Final = 3_600
"""Seconds by which a clock is wrong after a jump, at most, in both directions."""
FULL_S: Final = (0.5, 5.0)
"""Seconds for which the disk is full."""

Blow = Literal["kill", "terminate", "stop", "kill_parser", "move_clock", "fill_disk"]
BLOWS: Final[tuple[Blow, ...]] = (
    "kill",
    "kill",
    "terminate",
    "stop",
    "kill_parser",
    "kill_parser",
    "move_clock",
    "fill_disk",
)


@dataclass(slots=True)
class Storm:
    """The faults of one instance, and what they led to."""

    instance: Instance
    site: str
    chance: random.Random
    clock: Path
    """Says by how many milliseconds the clock of the server is ahead."""
    disk: Path | None
    """Folder on the disk of the server, if that may be filled."""
    plan: Plan
    server: Server = field(init=False)
    blows: Counter[str] = field(default_factory=Counter)
    stops_s: list[float] = field(default_factory=list)
    restarts_s: list[float] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    seen: dict[int, tuple[str, Any]] = field(default_factory=dict)
    """Reports that a client has seen finished, with what it saw."""
    over: threading.Event = field(default_factory=threading.Event)

    def begin(self) -> None:
        """Start the server, whose clock is right."""
        self.clock.write_text("0")
        self._start()

    def strike(self) -> None:
        """One blow, and what an operator does about it."""
        blows = [blow for blow in BLOWS if blow in (self.plan.only or BLOWS) and (self.disk or blow != "fill_disk")]
        blow = self.chance.choice(blows)
        self.blows[blow] += 1
        if blow == "kill":
            self.server.process.kill()
            self.server.process.wait()
            self._restart()
        elif blow == "terminate":
            asked_s = time.monotonic()
            code = self.server.stop()
            self.stops_s.append(time.monotonic() - asked_s)
            if code != 0:
                self.violations.append(f"exit code {code} after SIGTERM")
            self._restart()
        elif blow == "stop":
            self.server.process.send_signal(signal.SIGSTOP)
            pause(self.chance.uniform(*STOPPED_S), "the fault")
            self.server.process.send_signal(signal.SIGCONT)
        elif blow == "move_clock":
            self.clock.write_text(str(self.chance.randint(-JUMP_S, JUMP_S) * 1_000))
        elif blow == "kill_parser":
            self._kill_parser()
        elif self.disk is not None:
            ballast = self.disk / "ballast"
            fill_disk(ballast)
            pause(self.chance.uniform(*FULL_S), "the fault")
            ballast.unlink(missing_ok=True)

    def _start(self) -> None:
        self.server = self.instance.start(
            "moving-clock", str(self.clock), WORKERS=3, TARGET_RUNS=10, RUN_BUDGET_SECONDS=6
        )

    def _restart(self) -> None:
        started_s = time.monotonic()
        self._start()
        self.restarts_s.append(time.monotonic() - started_s)

    def _kill_parser(self) -> None:
        parsers = _children_of(self.server.process.pid)
        if parsers:
            os.kill(self.chance.choice(parsers), signal.SIGKILL)

    def visit(self, client: int) -> None:
        """Do what one client does until the storm is over."""
        chance = random.Random(client)  # noqa: S311 - any numbers, the same ones every time
        number = 0
        while not self.over.wait(PAUSE_S):
            number += 1
            path = chance.choice(PATHS)
            key = f"client-{client}-{number}"
            if number % BATCH_EVERY == 0:
                urls = tuple(f"{self.site}{chance.choice(PATHS)}?{key}-{part}" for part in range(BATCH_REPORTS))
                if self.instance.ledger.post_batch(self.server, urls, key=key) is None:
                    pause(PAUSE_S, "a client's patience")
                    self.instance.ledger.post_batch(self.server, urls, key=key)
                continue
            url = f"{self.site}{path}?{key}"
            made = self.instance.ledger.post(self.server, url, key=key)
            if made is None:
                # As clients do: the same request once more, with the same key.
                pause(PAUSE_S, "a client's patience")
                self.instance.ledger.post(self.server, url, key=key)
            known = list(self.instance.ledger.accepted)
            if known:
                self._look(chance.choice(known))

    def _look(self, number: int) -> None:
        try:
            reply = self.server.call("GET", f"/api/v1/reports/{number}", timeout_s=15)
        except (OSError, HTTPException):
            return
        if reply.status == 503:
            return
        if reply.status != 200:
            self.violations.append(f"report {number} answers {reply.status}")
            return
        report = reply.data
        now = (report["state"], report["score"])
        if self.seen.setdefault(number, now) != now:
            self.violations.append(f"report {number} was {self.seen[number]} and is {now}")
        if report["state"] not in {"completed", "failed"}:
            del self.seen[number]


def _children_of(pid: int) -> list[int]:
    """Ids of the children of a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
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
    instance = Instance(disk or folder)
    with serve_site() as site, receiving() as (receiver, receipts):
        storm = Storm(instance, site.http, chance, folder / "clock", disk, plan)
        storm.begin()
        monitors = MonitorLedger(partial(query_file, instance.folder / DATABASE_NAME), receipts)
        clients = [threading.Thread(target=storm.visit, args=(number,)) for number in range(CLIENTS)]
        clients.append(threading.Thread(target=monitors.make_due, args=(storm.over,)))
        try:
            monitors.begin(storm.server, site.http, receiver)
            instance.ledger.monitored = monitors.urls
            for client in clients:
                client.start()
            until = time.monotonic() + plan.minutes * 60
            while time.monotonic() < until:
                pause(chance.uniform(plan.calm_s / 4, plan.calm_s), "the time between faults")
                storm.strike()
            storm.clock.write_text("0")
            storm.over.set()
            for client in clients:
                client.join()
            figures = _settle(storm, monitors)
        finally:
            storm.over.set()
            instance.close()
    with closing(sqlite3.connect(instance.folder / DATABASE_NAME)) as database:
        attempts = database.execute("SELECT attempt, COUNT(*) FROM runs GROUP BY attempt ORDER BY attempt").fetchall()
        ended = database.execute(
            "SELECT state || COALESCE(' ' || json_extract(CAST(error AS TEXT), '$.code') || ' ' || "
            "COALESCE(json_extract(CAST(error AS TEXT), '$.reason'), ''), ''), COUNT(*) FROM runs GROUP BY 1"
        ).fetchall()
    return {
        "minutes": plan.minutes,
        "seed": plan.seed,
        "accepted": len(instance.ledger.accepted),
        "batches": len(instance.ledger.batches.accepted),
        "unanswered": len(instance.ledger.unanswered),
        "blows": dict(storm.blows),
        "stop_max_s": round(max(storm.stops_s, default=0), 2),
        "restart_s": round(statistics.median(storm.restarts_s), 2) if storm.restarts_s else None,
        "ended": dict(ended),
        "attempts": dict(attempts),
        "monitors": figures,
        "violations": storm.violations,
    }


def query_file(file: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows that a statement finds in the database of an instance, by itself and at once."""
    with closing(sqlite3.connect(file, timeout=10)) as database, database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        return database.execute(statement, values).fetchall()


def _settle(storm: Storm, monitors: MonitorLedger) -> dict[str, Any]:
    """Hold every promise; the figures of the monitors and webhooks."""
    figures: dict[str, Any] = {}
    try:
        storm.instance.ledger.check(storm.server, within_s=LAST_S)
        monitors.settle(within_s=LAST_S)
        figures = monitors.check()
        for number in storm.seen:
            storm._look(number)
        storm.instance.end(storm.server)
    except AssertionError as error:
        storm.violations.append(repr(error)[:500])
    return figures


def main() -> int:
    """Read the arguments, rage, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--calm", type=float, default=CALM_S, help="longest pause between two faults, in seconds")
    parser.add_argument("--backend", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--only", nargs="+", default=(), metavar="FAULT", help="such as: kill terminate")
    wanted = parser.parse_args()
    seed = random.randrange(1_000_000) if wanted.seed is None else wanted.seed  # noqa: S311 - as above
    with tempfile.TemporaryDirectory(prefix="pagegrade-chaos-") as folder:
        shake = rage if wanted.backend == "sqlite" else cluster_chaos.rage
        figures = shake(Path(folder), Plan(min(wanted.minutes, MAX_MINUTES), seed, wanted.calm, wanted.only))
    sys.stdout.write(f"{json.dumps(figures)}\n")
    return 1 if figures["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
