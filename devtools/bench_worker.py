"""Procrastinate's own worker on a PostgreSQL server: what a run costs, and what the worker survives.

Each trial is made with the library's pool of connections and with a connector that asks through our own, whose waits
have deadlines. The figures are the reason why our loop executes runs (docs/decisions/0059). To be repeated with each
new version of the library: ``python -m devtools.bench_worker`` takes five minutes and prints JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

from procrastinate import App, PsycopgConnector
from procrastinate.connector import BaseAsyncConnector
from procrastinate.jobs import Status
from sqlalchemy import text
from sqlalchemy.engine import make_url

from devtools.bench_fill import add_accounts
from devtools.bench_load import cpu_s
from devtools.bench_meter import durable_postgres
from devtools.bench_queue import LEASE_MS, TARGETS, claim, create, finish, outcome
from pagegrade.clock import now_ms
from pagegrade.model.errors import Unavailable
from pagegrade.model.stored import ClaimedRun, PackedReport
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.procrastinate_jobs import jobs_in, run_query
from pagegrade.store.queue.procrastinate_queue import _Claim, has_jobs
from pagegrade.store.schema.migrate import migrate
from tests.postgres import Databases, Postgres

RUNS: Final = 200
ROUNDS: Final = 3
AT_ONCE: Final = 4
ACCOUNTS: Final = 8
PAGE_S: Final = 0.01
"""Time that an analysis takes."""
OUTAGE_S: Final = 35
"""The library's pool waits 30 s for a connection."""
PATIENCE_S: Final = 40
AWAY_S: Final = 0.5


class StoreConnector(BaseAsyncConnector):
    """Asks in our threads, and again while the server is away, until it is ``closing``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.closing = False

    async def open_async(self, pool: object = None) -> None:
        """Connections are opened at their first use."""
        del pool

    async def close_async(self) -> None:
        """Leave the connections to the database."""

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        """Run a query for its effect."""
        await self.execute_query_all_async(query, **arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> dict[str, Any]:
        """Return the first row of a query."""
        return (await self.execute_query_all_async(query, **arguments))[0]

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        """Return all rows of a query."""
        while True:
            try:
                return await self._database.write(lambda tx: run_query(tx, query, arguments))
            except Unavailable:
                if self.closing:
                    raise
                await asyncio.sleep(AWAY_S)

    async def listen_notify(self, on_notification: Any, channels: Any) -> None:
        """Hear nothing: our notices wake workers, and these poll."""
        del on_notification, channels
        await asyncio.Event().wait()


Connect = Callable[[], PsycopgConnector | StoreConnector]


@asynccontextmanager
async def running_worker(app: App, **settings: Any) -> AsyncIterator[asyncio.Task[None]]:
    """A worker that has executed a job, in a task of its own."""
    ready = asyncio.Event()

    @app.task(name="first", queue="runs")
    async def first() -> None:
        ready.set()

    await first.defer_async()
    work = app.run_worker_async(install_signal_handlers=False, fetch_job_polling_interval=0.5, **settings)
    # Not in a task group: its failures are what is looked for.
    worker = asyncio.create_task(work)  # noqa: TID251
    async with asyncio.timeout(PATIENCE_S):
        await ready.wait()
    yield worker
    if isinstance(app.connector, StoreConnector):
        app.connector.closing = True
    worker.cancel()
    await asyncio.wait([worker], timeout=PATIENCE_S)


def end_of(worker: asyncio.Task[None]) -> str:
    """The error with which a worker ended, or that it goes on."""
    if not worker.done():
        return "goes on"
    error = None if worker.cancelled() else worker.exception()
    return f"ended: {type(error.__cause__ or error).__name__}" if error else "ended"


async def after_outage(connect: Connect, server: Postgres) -> str:
    """The server is stopped, and started again."""
    async with App(connector=connect()).open_async() as app, running_worker(app) as worker:
        await asyncio.to_thread(server.stop)
        await asyncio.wait([worker], timeout=OUTAGE_S)
        await asyncio.to_thread(server.start)
        await asyncio.wait([worker], timeout=PATIENCE_S)
        return end_of(worker)


async def after_pruning(connect: Connect, server: Postgres) -> str:
    """Another process took the worker for dead, as happens to one that was suspended."""
    del server
    app = App(connector=connect())
    async with app.open_async(), running_worker(app, update_heartbeat_interval=3600) as worker:
        await app.job_manager.prune_stalled_workers(0)
        await app.configure_task("nothing", queue="runs").defer_async()
        await asyncio.wait([worker], timeout=PATIENCE_S)
        return end_of(worker)


async def stop_in_silence(connect: Connect, server: Postgres) -> str:
    """The server accepts connections and answers nothing; the worker is canceled meanwhile."""
    async with App(connector=connect()).open_async() as app, running_worker(app) as worker:
        server.pause()
        try:
            await asyncio.sleep(1)
            if isinstance(app.connector, StoreConnector):
                app.connector.closing = True
            worker.cancel()
            await asyncio.wait([worker], timeout=PATIENCE_S)
            return end_of(worker)
        finally:
            server.resume()


async def late_end(connect: Connect, server: Postgres) -> str:
    """A worker that was suspended finishes a job that was given back meanwhile, before another one has fetched it."""
    del server
    async with App(connector=connect()).open_async() as app:
        manager = app.job_manager
        await app.configure_task("nothing", queue="late").defer_async()
        suspended = await manager.register_worker()
        job = await manager.fetch_job(queues=["late"], worker_id=suspended)
        if job is None:
            raise AssertionError("the job was deferred")
        await manager.prune_stalled_workers(0)
        for stalled in await manager.get_stalled_jobs(queue="late"):
            await manager.retry_job(stalled)
        await manager.finish_job(job, Status.SUCCEEDED, delete_job=True)
        left = await manager.list_jobs_async(queue="late")
        return "the job is kept" if list(left) else "the job is lost"


async def by_claims(database: Database, packed: PackedReport) -> int:
    """Execute what waits by claims, as our worker does; how many runs."""
    done = 0

    async def work() -> None:
        nonlocal done
        while runs := await database.write(claim):
            for run in runs:
                await asyncio.sleep(PAGE_S)
                await database.write(lambda tx, run=run: finish(tx, run, packed))  # type: ignore[misc]
                done += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(work())
    return done


async def by_worker(database: Database, packed: PackedReport) -> int:
    """Execute what waits by the library's worker, whose jobs last as long as the runs; how many runs."""
    app = App(connector=StoreConnector(database))
    done = 0

    @app.task(name="run")
    async def run(run_id: int, account_id: int) -> None:
        nonlocal done
        started = await database.write(lambda tx: start(tx, run_id, account_id))
        await asyncio.sleep(PAGE_S)
        await database.write(lambda tx: finish(tx, started, packed))
        done += 1

    settings: dict[str, Any] = {"concurrency": AT_ONCE, "delete_jobs": "always", "install_signal_handlers": False}
    while await asyncio.to_thread(database.read_here, has_jobs):
        # Further jobs are made as runs start.
        await app.run_worker_async(queues=["runs", "further"], wait=False, **settings)
    return done


def start(tx: Transaction, run_id: int, account_id: int) -> ClaimedRun:
    """Start a run whose job the library has fetched, with the second look that a claim takes."""
    limits = (TARGETS["target_runs"], TARGETS["target_runs_per_minute"])
    one = _Claim(tx, "bench", now_ms(), LEASE_MS, *limits, jobs_in(tx), 1)
    row = one._read(run_id, account_id)  # noqa: SLF001 - a claim fetches before it starts, and this is half of one
    run = one._start(run_id, account_id, row, suspects=False, idle_accounts=False)  # noqa: SLF001
    if run is None:
        raise AssertionError("each run has a site of its own")
    return run


def cost_of_runs(url: str, server: Postgres) -> dict[str, dict[str, float]]:
    """Milliseconds of processor time of client and database, from a run's creation to its end: minima, in turns."""
    database = open_database(url)
    accounts = itertools.cycle(add_accounts(database, ACCOUNTS, now_ms=now_ms()))
    packed = outcome()
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(ROUNDS + 1):
        for name, way in (("our claims", by_claims), ("its worker", by_worker)):
            client_s, server_s = time.process_time(), cpu_s(server.pid)
            for _ in range(RUNS):
                database.write_here(lambda tx: create(tx, next(accounts)))
            if asyncio.run(way(database, packed)) != RUNS:
                raise AssertionError("a run was lost")
            found.setdefault(name, []).append((time.process_time() - client_s, cpu_s(server.pid) - server_s))
            database.write_here(lambda tx: tx.execute(text("DELETE FROM visits")))
    database.close()
    return {
        name: {
            # The first round warms up.
            "client_ms": round(1000 * min(client_s for client_s, _ in costs[1:]) / RUNS, 2),
            "database_ms": round(1000 * min(server_s for _, server_s in costs[1:]) / RUNS, 2),
        }
        for name, costs in found.items()
    }


def main() -> None:
    """Print all figures."""
    logging.disable(logging.CRITICAL)
    with durable_postgres() as server:
        url = Databases(server.url("postgres")).make_empty()
        database = open_database(url)
        migrate(database)
        plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        ways: dict[str, Connect] = {
            "its pool": lambda: PsycopgConnector(conninfo=plain, min_size=1, max_size=8),
            "our connections": lambda: StoreConnector(database),
        }

        def tried(trial: Awaitable[Any]) -> Any:
            async def bounded() -> Any:
                async with asyncio.timeout(120):
                    return await trial

            return asyncio.run(bounded())

        trials = {
            "server stopped and started": after_outage,
            "pruned by another process": after_pruning,
            f"canceled in silence, after {PATIENCE_S} s": stop_in_silence,
            "late end of a job that was given back": late_end,
        }
        figures = {
            "procrastinate": version("procrastinate"),
            "each run": cost_of_runs(url, server),
            **{
                name: {way: tried(trial(connect, server)) for way, connect in ways.items()}
                for name, trial in trials.items()
            },
        }
        database.close()
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
