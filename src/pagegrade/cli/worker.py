"""``pagegrade worker``: analyses without a web, beside any number of other processes on one PostgreSQL."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from pagegrade.cli import exit_codes
from pagegrade.cli.database import explained
from pagegrade.cli.process import Listen, Process, begin, prepare_tables, say, settle, wait_for
from pagegrade.model.errors import InvalidInput
from pagegrade.service.container import Services
from pagegrade.store.engine.redact import name_of
from pagegrade.web.app import make_app
from pagegrade.web.ops.metrics import RefusalObserver, observe
from pagegrade.web.routes import PROBES
from pagegrade.web.server.serve import loop_factory, serve
from pagegrade.wiring import make_services, require_browser, server_options, service_options


def work(*, concurrency: int | None, hosts: Sequence[str], port: int | None) -> int:
    """Work until a stop signal; returns the exit code.

    Args:
        concurrency: Analyses at the same time, at least 1; ``None``: as configured.
        hosts: Addresses to answer probes on; none: as configured.
        port: 0 takes a free one; ``None``: do not listen.

    Raises:
        InvalidInput: A setting cannot be used, a required browser is missing, the address is taken, or the
            database is one that cannot be shared.
        Unavailable: The database cannot be used.
    """
    options = service_options(workers=concurrency)
    require_browser(options)
    server = server_options(hosts=hosts, port=port)
    if server.data_folder is not None:
        raise InvalidInput(
            "An SQLite database belongs to one process. Run pagegrade serve --workers N, "
            "or move to PostgreSQL with PAGEGRADE_DATABASE_URL."
        )
    if options.workers == 0:
        raise InvalidInput("PAGEGRADE_WORKERS is 0: a worker has to work. Set it, or give --concurrency.")
    services = make_services(options=options, lines=begin(server))
    try:
        with explained(services.database):
            wait_for(services.database, server.database_wait_s)
            prepare_tables(services.database, change=server.migrates)
        say(
            f"Pagegrade analyses {options.workers} at a time for the database {name_of(services.database)} "
            f"(process {os.getpid()})."
        )
        listen = None if port is None else _probes(services, server.hosts, port)
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            process = Process(services, "worker", listen, learns_origin=not server.is_origin_known)
            runner.run(process.run())
    finally:
        services.database.close()
    return exit_codes.OK


def _probes(services: Services, hosts: Sequence[str], port: int) -> Listen:
    """Answers supervisors and Prometheus only: this process gives no access to reports."""

    def ready(url: str) -> None:
        settle()
        say(f"It answers {', '.join(operation.path for operation in PROBES)} on {url}.")

    async def listen(stop: asyncio.Event) -> None:
        await serve(
            make_app(services, operations=PROBES, observe=observe),
            hosts=hosts,
            port=port,
            stop=stop,
            ready=ready,
            grace_s=services.options.grace_s,
            on_refusal=RefusalObserver(services.observation),
        )

    return listen
