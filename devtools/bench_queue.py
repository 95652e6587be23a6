"""Cost of the queue: its three verbs without any analysis, on PostgreSQL with a real disk and on SQLite.

First each verb by itself, at an empty queue and at a long one. Then chores: lines, the ticker, the reaper, leases.
Then several processes at once that do nothing but the verbs, to see what they wait for. The unit to compare with on
any machine is the bare commit of one row, which is printed first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from sqlalchemy import text

from devtools.bench import URL, generated_pages
from devtools.bench_fill import BUSY_SITE, add_accounts, fill_queue
from devtools.bench_meter import Cost, Meter, durable_postgres, watching
from pagegrade.clock import now_ms
from pagegrade.model.stored import ClaimedRun, PackedReport, Priority
from pagegrade.parse.url import project_of
from pagegrade.report.codec import pack_report
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.locks import hold_account
from pagegrade.store.queue.admission import find_forgotten, move_due, move_lines_of
from pagegrade.store.queue.claim import claim_runs
from pagegrade.store.queue.lease_reaper import reap_runs
from pagegrade.store.queue.length import count_unfinished, queue_state
from pagegrade.store.queue.runs import enqueue_run, extend_leases, finish_run
from pagegrade.store.repositories.counts import load_counts
from pagegrade.store.repositories.reports import add_report
from pagegrade.store.schema.migrate import migrate
from tests.postgres import Databases, Postgres

LEASE_MS: Final = 60_000
TARGETS: Final[dict[str, int]] = {"target_runs": 2, "target_runs_per_minute": 20}
DEEP: Final = 100_000
LONG_LINE: Final = 10_000
IN_LINE: Final = 300
CLIENT: Final = "bench client"
NOTIFIES: Final = "procrastinate_jobs_notify_queue_job_inserted_v1"
"""Trigger of procrastinate that notifies of jobs inside of transactions; we keep it off."""
_numbers = itertools.count(1)


def outcome() -> PackedReport:
    """The outcome of a run as large as usual."""
    _, body = next(itertools.islice(generated_pages(), 1, None))
    artifacts = artifacts_of_document(body, url=URL, headers=(("Content-Type", "text/html; charset=utf-8"),))
    return pack_report(evaluate_artifacts(artifacts))


def create(tx: Transaction, account_id: int, *, queued: bool = True, target: str | None = None) -> None:
    """A new report, and its run in the queue."""
    name = f"site-{os.getpid()}-{next(_numbers)}.example"
    url = f"https://www.{name}/"
    moment_ms = now_ms()
    hold_account(tx, account_id)
    report = add_report(
        tx, account_id=account_id, url=url, project=project_of(url), privacy=0, password_hash=None,
        slug=secrets.token_urlsafe(16), now_ms=moment_ms,
    )  # fmt: skip
    if queued:
        shown = name if target is None else target
        enqueue_run(tx, report=report, priority=Priority.INTERACTIVE, target=shown, now_ms=moment_ms)


def claim(tx: Transaction, count: int = 1) -> tuple[ClaimedRun, ...]:
    """Take runs as a worker does."""
    return claim_runs(
        tx,
        worker="bench",
        count=count,
        now_ms=now_ms(),
        lease_ms=LEASE_MS,
        suspects=False,
        idle_accounts=False,
        **TARGETS,
    )


def finish(tx: Transaction, run: ClaimedRun, packed: PackedReport) -> None:
    """Store an outcome as a worker does."""
    if not finish_run(tx, run, packed, now_ms()):
        raise AssertionError(f"run {run.id} belonged to another worker")
    move_lines_of(tx, run.id, now_ms(), **TARGETS)


def cost_of_verbs(
    database: Database, meter: Meter, accounts: list[int], packed: PackedReport, count: int
) -> dict[str, Cost]:
    """Measure each verb on the queue as it is; its length stays the same."""
    write = database.write_here
    owners = itertools.cycle(accounts)
    taken: list[ClaimedRun] = []

    def take(many: int) -> None:
        got = write(lambda tx: claim(tx, many))
        if len(got) < many:
            raise AssertionError(f"{len(got)} of {many} runs were to be had")
        taken.extend(got)

    def end() -> None:
        run = taken.pop()
        write(lambda tx: finish(tx, run, packed))

    def drain() -> None:
        while taken:
            end()

    def make(**how: Any) -> None:
        owner = next(owners)
        write(lambda tx: create(tx, owner, **how))

    make()
    take(1)
    drain()
    costs = {
        "report without a run": meter.of(lambda: make(queued=False), count),
        "report and enqueue": meter.of(make, count),
        "claim": meter.of(lambda: take(1), count),
        "finish": meter.of(end, count),
    }
    for _ in range(count):
        make()
    costs["claim, 4 at once, each"] = per(meter.of(lambda: take(4), count // 4), 4)
    held = tuple(taken[:4])
    costs["keep 4 leases"] = meter.of(
        lambda: write(lambda tx: extend_leases(tx, "bench", held, now_ms(), LEASE_MS)), count
    )
    drain()
    return costs


def per(cost: Cost, many: int) -> Cost:
    """The same for one of so many."""
    return Cost(**{name: value / many for name, value in asdict(cost).items()})


def cost_of_chores(database: Database, meter: Meter, accounts: list[int]) -> dict[str, Cost]:
    """Measure the periodic work, and the cost of skipping runs that must wait."""
    write = database.write_here
    shared = database.shared
    chores: dict[str, Callable[[Transaction], object]] = {
        "reaper, nothing to do": _reap,
        "how long the queue is": lambda tx: queue_state(tx, now_ms()),
        "unfinished runs of one account": lambda tx: count_unfinished(tx, accounts[0]),
        "unfinished runs of all": lambda tx: count_unfinished(tx, None),
        "counts of an account": lambda tx: load_counts(tx, accounts[0]),
    }
    if shared:
        chores["ticker, nothing to do"] = lambda tx: move_due(tx, now_ms(), **TARGETS)
        chores["look for lost jobs"] = lambda tx: find_forgotten(tx, now_ms())
    costs = {name: meter.of(lambda work=work: write(work), 20) for name, work in chores.items()}  # type: ignore[misc]
    if shared:
        fill_queue(database, accounts, LONG_LINE, now_ms=now_ms(), in_line=True)
        again = {f"{name}, {LONG_LINE} in line": work for name, work in chores.items() if "nothing" in name}
        again[f"claim, {LONG_LINE} in line"] = lambda tx: claim(tx, 1)
        costs |= {name: meter.of(lambda work=work: write(work), 20) for name, work in again.items()}  # type: ignore[misc]
    return costs


def cost_of_a_line(database: Database, meter: Meter, account_id: int) -> dict[str, Cost]:
    """Measure a run of a busy site that stands in line, from its creation to its end; the queue is empty before."""
    write = database.write_here
    packed = outcome()

    def make() -> None:
        write(lambda tx: create(tx, account_id, target=BUSY_SITE))

    def through() -> None:
        (run,) = write(lambda tx: claim(tx, 1))
        write(lambda tx: finish(tx, run, packed))
        # All starts of the minute are not what is measured.
        write(lambda tx: tx.execute(text("DELETE FROM visits")))

    make()
    costs = {
        f"put in line, each of {IN_LINE}": meter.of(make, IN_LINE),
        "claim and finish, before a line": meter.of(through, IN_LINE),
    }
    write(lambda tx: tx.execute(text("DELETE FROM reports")))
    write(lambda tx: tx.execute(text("DELETE FROM procrastinate_jobs")))
    return costs


def _reap(tx: Transaction) -> object:
    return reap_runs(tx, live=(), now_ms=now_ms())


def run_clients(url: str, accounts: list[int], what: str, seconds: float, answers: Any) -> None:
    """One of several processes that do the verbs and nothing else; (how often, its processor time) into the queue."""
    database = open_database(url, readers=1, writers=1, name=CLIENT)
    packed = outcome()
    write = database.write_here
    owners = itertools.cycle(accounts[os.getpid() % len(accounts) :] + accounts[: os.getpid() % len(accounts)])

    def once() -> int:
        if what == "create":
            write(lambda tx: create(tx, next(owners)))
            return 1
        got = write(claim)
        if what == "all three":
            write(lambda tx: create(tx, next(owners)))
        for run in got:
            write(lambda tx, run=run: finish(tx, run, packed))  # type: ignore[misc]
        return len(got)

    once()
    cpu, until, done = time.process_time(), time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        done += once()
    answers.put((done, time.process_time() - cpu))
    database.close()


def throughput(
    server: Postgres, url: str, accounts: list[int], *, what: str, clients: int, seconds: float
) -> dict[str, Any]:
    """So many processes at once."""
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    processes = [
        context.Process(target=run_clients, args=(url, accounts, what, seconds, answers)) for _ in range(clients)
    ]
    with watching(server, CLIENT) as waits:
        for process in processes:
            process.start()
        found = [answers.get(timeout=60 + seconds) for _ in processes]
        for process in processes:
            process.join()
    done = sum(count for count, _ in found)
    return {
        "what": what,
        "clients": clients,
        "accounts": len(accounts),
        "per_second": round(done / seconds, 1),
        "client_cpu": round(sum(cpu for _, cpu in found) / seconds, 2),
        "waits": waits.shares(),
    }


def print_costs(title: str, costs: dict[str, Cost]) -> None:
    """A table, one line for each verb."""
    print(f"\n{title}\n{'':<36}{'wall ms':>9}{'client ms':>11}{'server ms':>11}{'exchanges':>11}{'log kB':>8}")
    for name, cost in costs.items():
        print(
            f"{name:<36}{cost.wall_ms:>9.2f}{cost.client_ms:>11.2f}{cost.server_ms:>11.2f}"
            f"{cost.exchanges:>11.1f}{cost.log_kb:>8.1f}"
        )


def bare_commit(database: Database, meter: Meter, count: int) -> dict[str, Cost]:
    """The unit: one row, on the disk."""
    database.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE bare (n integer)"))
    statement = "INSERT INTO bare VALUES (1)"
    return {
        "bare commit of one row": meter.of(lambda: database.write_here(lambda tx: tx.exec_driver_sql(statement)), count)
    }


def measure(database: Database, server: Postgres | None, options: argparse.Namespace) -> dict[str, Any]:
    """Everything that one process can find out about one kind of database."""
    migrate(database)
    name = "PostgreSQL" if server else "SQLite"
    packed, meter = outcome(), Meter(database, server)
    found: dict[str, dict[str, Cost]] = {f"{name}: unit": bare_commit(database, meter, options.count)}
    found[f"{name}: unit"]["claim that finds nothing"] = meter.of(lambda: database.write_here(claim), options.count)
    few, many = add_accounts(database, 1, now_ms=now_ms()), add_accounts(database, options.accounts, now_ms=now_ms())
    found[f"{name}: empty queue"] = cost_of_verbs(database, meter, few, packed, options.count)
    if server:
        found[f"{name}: a busy site"] = cost_of_a_line(database, meter, few[0])
    fill_queue(database, few, options.deep, now_ms=now_ms())
    found[f"{name}: {options.deep} queued of one account"] = cost_of_verbs(database, meter, few, packed, options.count)
    fill_queue(database, many, options.deep, now_ms=now_ms())
    found[f"{name}: as many more of {options.accounts} accounts"] = cost_of_verbs(
        database, meter, many, packed, options.count
    )
    found[f"{name}: chores"] = cost_of_chores(database, meter, many)
    for title, costs in found.items():
        print_costs(title, costs)
    return {title: {name: asdict(cost) for name, cost in costs.items()} for title, costs in found.items()}


def measure_clients(server: Postgres, url: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Several processes on a database that has been measured already: one account's lock, then many accounts."""
    database = open_database(url, readers=1, writers=1)
    rows = []
    try:
        few, many = add_accounts(database, 1, now_ms=now_ms()), add_accounts(database, 200, now_ms=now_ms())
        for clients in options.clients:
            for what, accounts in (("all three", few), ("all three", many), ("create", many)):
                rows.append(throughput(server, url, accounts, what=what, clients=clients, seconds=options.seconds))
        database.write_here(lambda tx: tx.exec_driver_sql(f"ALTER TABLE procrastinate_jobs ENABLE TRIGGER {NOTIFIES}"))
        rows.append(throughput(server, url, many, what="create", clients=max(options.clients), seconds=options.seconds))
        rows[-1]["what"] = "create, NOTIFY inside"
    finally:
        database.close()
    print(f"\n{'':<24}{'clients':>8}{'accounts':>9}{'/s':>8}{'client CPUs':>12}  connections wait for")
    for row in rows:
        print(
            f"{row['what']:<24}{row['clients']:>8}{row['accounts']:>9}{row['per_second']:>8}{row['client_cpu']:>12}"
            f"  {row['waits']}"
        )
    return rows


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to assess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="times that each verb is done")
    parser.add_argument("--deep", type=int, default=DEEP, help="runs in the long queue")
    parser.add_argument("--accounts", type=int, default=1_000, help="accounts of another long queue")
    parser.add_argument("--clients", type=int, nargs="*", default=[1, 2, 4, 8], help="processes at once")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each measurement")
    parser.add_argument("--only", choices=["sqlite", "postgresql"], help="one kind of database")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    figures: dict[str, Any] = {}
    if options.only != "sqlite":
        with durable_postgres() as server:
            url = Databases(server.url("postgres")).make_empty()
            database = open_database(url, readers=1, writers=1)
            figures |= measure(database, server, options)
            database.close()
            fresh = Databases(server.url("postgres")).make()
            if options.clients:
                figures["clients"] = measure_clients(server, fresh, options)
    if options.only != "postgresql":
        with tempfile.TemporaryDirectory(prefix="pagegrade-bench-") as folder:
            database = open_database(f"sqlite:///{folder}/bench.db", readers=1, checkpoints=False)
            figures |= measure(database, None, options)
            database.close()
    if options.json:
        options.json.write_text(json.dumps(figures) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
