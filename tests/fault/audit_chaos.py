"""Whole sites are audited while everything breaks: ``python -m tests.fault.audit_chaos --sites 6 --pages 2000``.

Two processes answer and four work on one PostgreSQL. Every site is audited twice: undisturbed, and while processes and
the database are killed, stopped, restarted and cut off. Both audits must have found the same. Clients of another
account ask for reports meanwhile. Prints one line of JSON; the exit code is 1 when something is not as it must be.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import csv
import io
import itertools
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from http.client import HTTPException
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg

from pagegrade.clock import now_ms
from tests.fault.chaos import CALM_S
from tests.fault.cluster import Cluster
from tests.fault.cluster_chaos import STORED, Plan, Storm, quantiles
from tests.fault.test_audit_crashes import AUDITS, MAX_REFETCHED, create
from tests.postgres import Postgres, execute
from tests.server import Server
from tests.site.serve import serve_site
from tests.site_world.server import SiteServer, serving
from tests.site_world.world import ENDLESS, FAULTS, make_world
from tests.waiting import pause, wait_until

KILLS: Final = ("kill", "stop", "cut", "terminate", "restart_database", "kill_database", "stop_database")
"""Blows that a crawl must survive."""
CRAWLS: Final = 2
"""Crawls that a process works on at the same time: what a kill can cost twice."""
LONGEST_S: Final = 3_600.0
"""Seconds in which all sites must have been audited."""
ASK_S: Final = 3.0
"""Between two reports of another account."""
LATE_S: Final = 5.0
"""A report of another account should have begun by then."""
LOAD_CHECK: Final = "ttfb"
"""Name of the check that finds how busy the machine is."""
PACED: Final = 2
"""Every so many sites are asked at a pace, the others as fast as they answer."""
RATE: Final = 20
"""Requests that may begin in a second at a site with a pace."""


def outcome(server: Server, audit: int, key: str) -> dict[str, Any]:
    """Everything that an audit came to, as its files and its object have it."""
    shown = server.call("GET", f"{AUDITS}/{audit}", key=key).data

    def rows(what: str, names: Sequence[str]) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        for part in itertools.count(1):
            reply = server.call("GET", f"{AUDITS}/{audit}/export?what={what}&part={part}", key=key)
            table = csv.DictReader(io.StringIO(reply.body.decode("utf-8-sig")))
            found += (tuple(row[name] for name in names) for row in table)
            if reply.header("link") is None:
                break
        return sorted(found)

    return {
        "state": (shown["state"], shown["crawl"]["stop_reason"], shown["crawl"]["complete"]),
        "score": (shown["score"], shown["counts"]),
        "pages": rows("pages", ("url", "state", "status", "depth", "score")),
        "findings": rows("findings", ("check", "state", "page", "target")),
    }


def alike(before: dict[str, Any], after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two outcomes of a site without what depends on the load: slow answers, and the scores that they cost."""
    slow = {page for one in (before, after) for check, _, page, _ in one["findings"] if check == LOAD_CHECK}

    def rest(one: dict[str, Any]) -> dict[str, Any]:
        return one | {
            "score": None if slow else one["score"],
            "pages": [row[:-1] if row[0] in slow else row for row in one["pages"]],
            "findings": [row for row in one["findings"] if row[0] != LOAD_CHECK],
        }

    return rest(before), rest(after)


def is_paced(number: int) -> bool:
    """Return whether the site with this number is asked at a pace."""
    return number % PACED == 0


def starts_apart(sites: Sequence[SiteServer]) -> dict[str, Any]:
    """Seconds between two requests of a site with a pace, by its own log: the least, 1 % and half of them.

    With the most requests that began within a second, since the network may deliver two of them closer together.
    """
    paced = [sorted(site.starts, key=attrgetter("at_s")) for number, site in enumerate(sites) if is_paced(number)]
    closest = sorted(
        (pair for log in paced for pair in itertools.pairwise(log)), key=lambda pair: pair[1].at_s - pair[0].at_s
    )
    gaps = [two.at_s - one.at_s for one, two in closest]
    logs = [[start.at_s for start in log] for log in paced]
    most = max(bisect.bisect_left(log, at + 1) - number for log in logs for number, at in enumerate(log))
    return {
        "least": round(gaps[0], 3),
        "p1": round(gaps[len(gaps) // 100], 3),
        "p50": round(gaps[len(gaps) // 2], 3),
        "closer_than_half_of_the_pace": sum(gap < 0.5 / RATE for gap in gaps),
        "closest": [
            (round(two.at_s - one.at_s, 3), f"{one.method} {one.path}", f"{two.method} {two.path}")
            for one, two in closest[:5]
        ],
        "starts": len(gaps),
        "most_in_a_second": most,
    }


def audit_all(
    storm: Storm, sites: Sequence[SiteServer], threads: Sequence[threading.Thread] = ()
) -> list[dict[str, Any]]:
    """Audit every site at the same time; waits until all have ended, and what runs beside them has."""
    cluster = storm.cluster
    server = storm.parts[0].process
    audits = [
        create(server, site, cluster.alice, pages=100_000, rate=RATE if is_paced(number) else None)
        for number, site in enumerate(sites)
    ]
    unfinished = "SELECT 1 FROM crawls WHERE audit_id = ANY(%s) AND state NOT IN ('completed', 'failed')"

    def have_ended() -> bool:
        pause(1.0, "work of the crawls")
        with contextlib.suppress(psycopg.OperationalError):
            return not execute(cluster.url, unfinished, audits)
        return False

    try:
        for thread in threads:
            thread.start()
        wait_until(have_ended, "all sites are audited", within_s=LONGEST_S)
    finally:
        storm.over.set()
        for thread in threads:
            thread.join()
    return [outcome(storm.parts[0].process, audit, cluster.alice) for audit in audits]


def _ask_for_reports(storm: Storm, site: str) -> None:
    number = 0
    while not storm.over.wait(ASK_S):
        number += 1
        with contextlib.suppress(OSError, HTTPException, AssertionError):
            storm.parts[number % 2].process.create(f"{site}/?{number}", key=storm.cluster.bob)


class Blow(msgspec.Struct, frozen=True):
    """A fault, and the time (ms since 1970) from which and until which it was felt."""

    name: str
    from_ms: int
    until_ms: int


def _rage(storm: Storm, calm_s: float, felt: list[Blow]) -> None:
    while not storm.over.wait(storm.chance.uniform(calm_s / 4, calm_s)):
        before, began_ms = storm.blows.copy(), now_ms()
        storm.strike()
        felt.append(Blow(" ".join(storm.blows - before), began_ms, now_ms()))


def late_reports(times: Iterable[tuple[int, int]], felt: Sequence[Blow]) -> list[tuple[float, list[str]]]:
    """Seconds that each report waited which began too late, and the faults that were felt meanwhile."""
    return [
        ((start - asked) / 1_000, [one.name for one in felt if one.from_ms < start and one.until_ms > asked])
        for asked, start in times
        if start - asked > LATE_S * 1_000
    ]


def _processor_s(postgres: Postgres) -> float:
    """Processor time of a database server since its start, with the backends that have ended."""
    used = 0.0
    for pid, last in ((postgres.pid, 17), *((pid, 15) for pid in postgres.backends())):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            used += sum(int(word) for word in words[11 : last - 2])
    return used / os.sysconf("SC_CLK_TCK")


def campaign(folder: Path, *, count: int, pages: int, seed: int, calm_s: float) -> dict[str, Any]:
    """Audit so many sites of so many pages, undisturbed and in a storm; the figures."""
    faults = sorted(FAULTS.keys() - ENDLESS)
    worlds = [make_world(seed + number, pages=pages, faults=faults) for number in range(count)]
    server = Postgres(STORED)
    try:
        server.start()
        with contextlib.ExitStack() as stack:
            hosts = [f"127.0.1.{number + 1}" for number in range(count)]
            sites = [stack.enter_context(serving(world, host)) for world, host in zip(worlds, hosts, strict=True)]
            reported = stack.enter_context(serve_site())
            cluster = stack.enter_context(Cluster(folder, server))
            chance = random.Random(seed)  # noqa: S311 - any numbers, the same ones every time
            settings = {"CRAWLS": CRAWLS, "ACCOUNT_CRAWLS": count, "PROVED_CRAWL_PAGES": 100_000}
            plan = Plan(0, seed, calm_s, KILLS)
            storm = Storm(cluster, reported.http, chance, folder, may_fill=False, plan=plan, settings=settings)
            storm.begin()
            began_s, used_s = time.monotonic(), _processor_s(server)
            undisturbed = audit_all(storm, sites)
            calm = {"s": time.monotonic() - began_s, "database_ms": 1_000 * (_processor_s(server) - used_s)}
            asked = [Counter(site.fetched()) for site in sites]
            storm.over.clear()
            felt: list[Blow] = []
            threads = [
                threading.Thread(target=_rage, args=(storm, calm_s, felt)),
                threading.Thread(target=_ask_for_reports, args=(storm, reported.http)),
            ]
            began_s = time.monotonic()
            disturbed = audit_all(storm, sites, threads)
            stormy_s = time.monotonic() - began_s
            again = [Counter(site.fetched()) - once for site, once in zip(sites, asked, strict=True)]
            refetched = sum((new - once).total() for new, once in zip(again, asked, strict=True))
            fetched = sum(len(one["pages"]) for one in undisturbed)
            times = execute(
                cluster.url, "SELECT created_at_ms, started_at_ms FROM runs WHERE started_at_ms IS NOT NULL"
            )
            cluster.end()
    finally:
        server.close()
    compared = [alike(before, after) for before, after in zip(undisturbed, disturbed, strict=True)]
    differing = [
        (number, name)
        for number, (before, after) in enumerate(compared)
        for name in before
        if before[name] != after[name]
    ]
    return {
        "sites": count,
        "pages": fetched,
        "findings": sum(len(one["findings"]) for one in undisturbed),
        "complete": sum(one["state"] == ("completed", "done", True) for one in undisturbed),
        "undisturbed_s": round(calm["s"]),
        "database_ms_per_page": round(calm["database_ms"] / fetched, 2),
        "disturbed_s": round(stormy_s),
        "blows": dict(storm.blows),
        "refetched": refetched,
        "refetched_may": MAX_REFETCHED * CRAWLS * sum(storm.blows[name] for name in KILLS),
        "at_once_max": max(site.at_once for site in sites),
        "starts_apart_s": starts_apart(sites),
        "reports": len(times),
        "report_starts_after_s": quantiles([(start - asked) / 1_000 for asked, start in times]),
        "late_reports": late_reports(times, felt),
        "violations": storm.cluster.ledger.violations,
        "differing": differing,
        "examples": [_difference(*(side[name] for side in compared[number])) for number, name in differing[:5]],
    }


def _difference(before: Any, after: Any) -> str:
    if isinstance(before, list):
        return f"{sorted(set(before) - set(after))[:5]} -> {sorted(set(after) - set(before))[:5]}"
    return f"{before} -> {after}"


def main() -> int:
    """Read the arguments, audit, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=6)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calm", type=float, default=CALM_S, help="longest pause between two blows, in seconds")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pagegrade-audits-") as folder:
        figures = campaign(Path(folder), count=wanted.sites, pages=wanted.pages, seed=wanted.seed, calm_s=wanted.calm)
    sys.stdout.write(f"{json.dumps(figures)}\n")
    is_wrong = figures["differing"] or figures["violations"] or figures["refetched"] > figures["refetched_may"]
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
