"""Procrastinate's own worker on a PostgreSQL server: what a job costs, and what the worker survives.

The figures and the three failures are the reason why our loop executes runs (docs/decisions/0036). To be repeated with
each new version of the library: ``python -m devtools.bench_worker`` takes two minutes and prints JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

import psycopg
from procrastinate import App, PsycopgConnector
from sqlalchemy.engine import make_url

from devtools.bench_meter import durable_postgres
from tests.postgres import Postgres

JOBS: Final = 1500
DATABASE: Final = "bench_worker"
OUTAGE_S: Final = 35
"""The library's pool waits 30 s for a connection, then the worker ends, which waits for another one."""
PATIENCE_S: Final = 40


def make_app(dsn: str) -> App:
    """An App with one task that does nothing."""
    app = App(connector=PsycopgConnector(conninfo=dsn, min_size=1, max_size=8))

    @app.task(name="nothing", queue="runs")
    async def nothing(number: int) -> None:
        del number

    return app


@asynccontextmanager
async def running_worker(app: App, **settings: Any) -> AsyncIterator[asyncio.Task[None]]:
    """A worker that has executed a job, in a task of its own."""
    ready = asyncio.Event()

    @app.task(name="first", queue="runs")
    async def first() -> None:
        ready.set()

    await first.defer_async()
    work = app.run_worker_async(install_signal_handlers=False, **settings)
    # Not in a task group: its failures are what is looked for.
    worker = asyncio.create_task(work)  # noqa: TID251
    async with asyncio.timeout(PATIENCE_S):
        await ready.wait()
    yield worker
    worker.cancel()
    await asyncio.wait([worker], timeout=PATIENCE_S)


def end_of(worker: asyncio.Task[None]) -> str:
    """The error with which a worker ended, or that it goes on."""
    if not worker.done():
        return "goes on"
    error = None if worker.cancelled() else worker.exception()
    return f"ended: {type(error.__cause__ or error).__name__}" if error else "ended"


async def cost_of_jobs(dsn: str) -> dict[str, float]:
    """Client milliseconds of processor time for each job, deferred in a transaction of its own and executed."""
    async with make_app(dsn).open_async() as app:
        start_s = time.process_time()
        for number in range(JOBS):
            task = app.configure_task("nothing", queueing_lock=f"run-{number}", priority=number % 3)
            await task.defer_async(number=number)
        deferred_s = time.process_time()
        await app.run_worker_async(wait=False, concurrency=4, delete_jobs="always", install_signal_handlers=False)
        done_s = time.process_time()
    return {"defer": 1000 * (deferred_s - start_s) / JOBS, "execute": 1000 * (done_s - deferred_s) / JOBS}


async def after_outage(dsn: str, server: Postgres) -> str:
    """The server is stopped, and started again."""
    async with make_app(dsn).open_async() as app, running_worker(app, fetch_job_polling_interval=0.5) as worker:
        await asyncio.to_thread(server.stop)
        await asyncio.wait([worker], timeout=OUTAGE_S)
        await asyncio.to_thread(server.start)
        await asyncio.wait([worker], timeout=PATIENCE_S)
        return end_of(worker)


async def after_pruning(dsn: str) -> str:
    """Another process took the worker for dead, as happens to one that was suspended."""
    settings = {"fetch_job_polling_interval": 0.5, "update_heartbeat_interval": 3600}
    async with make_app(dsn).open_async() as app, running_worker(app, **settings) as worker:
        await app.job_manager.prune_stalled_workers(0)
        await app.configure_task("nothing").defer_async(number=0)
        await asyncio.wait([worker], timeout=PATIENCE_S)
        return end_of(worker)


async def stop_in_silence(dsn: str, server: Postgres) -> str:
    """The server accepts connections and answers nothing; the worker is canceled meanwhile."""
    async with make_app(dsn).open_async() as app, running_worker(app, fetch_job_polling_interval=0.5) as worker:
        server.pause()
        try:
            await asyncio.sleep(1)
            worker.cancel()
            await asyncio.wait([worker], timeout=PATIENCE_S)
            return end_of(worker)
        finally:
            server.resume()


async def create_tables(dsn: str) -> None:
    """Install the library's tables, with its triggers as it ships them."""
    async with make_app(dsn).open_async() as app:
        await app.schema_manager.apply_schema_async()


def main() -> None:
    """Print all figures."""
    logging.disable(logging.CRITICAL)
    with durable_postgres() as server:
        url = make_url(server.url("postgres")).set(drivername="postgresql")
        with psycopg.connect(url.render_as_string(hide_password=False), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {DATABASE}".encode())
        dsn = url.set(database=DATABASE).render_as_string(hide_password=False)

        def tried(trial: Awaitable[Any]) -> Any:
            async def bounded() -> Any:
                async with asyncio.timeout(120):
                    return await trial

            return asyncio.run(bounded())

        tried(create_tables(dsn))
        figures = {
            "procrastinate": version("procrastinate"),
            "client_ms": {name: round(each, 2) for name, each in tried(cost_of_jobs(dsn)).items()},
            "server stopped and started": tried(after_outage(dsn, server)),
            "pruned by another process": tried(after_pruning(dsn)),
            f"canceled in silence, after {PATIENCE_S} s": tried(stop_in_silence(dsn, server)),
        }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
