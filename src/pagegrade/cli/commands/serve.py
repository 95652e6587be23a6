"""``pagegrade serve``: the web and the workers in one process; ``pagegrade worker``: analyses without a web.

Any number of both can work on one PostgreSQL.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from pagegrade.cli import exit_codes
from pagegrade.cli.database import explained
from pagegrade.cli.process import Listen, Process, begin, prepare_tables, say, settle, wait_for
from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.service.accounts.access import ensure_owner
from pagegrade.service.container import Services
from pagegrade.service.sign_in import LINK_HOURS, link_url, make_link
from pagegrade.store.engine.data_dir import hold_locks, lock_files
from pagegrade.store.engine.database import Transaction, name_of
from pagegrade.store.repositories.installation import note_origin
from pagegrade.web.app import make_app
from pagegrade.web.ops import ALWAYS_ANSWERED, RefusalObserver, observe
from pagegrade.web.routes import PROBES
from pagegrade.web.server.serve import loop_factory, serve
from pagegrade.wiring import ServerOptions, make_services, require_browser, server_options, service_options


def serve_reports(*, hosts: Sequence[str], port: int | None, workers: int | None) -> int:
    """Serve until a stop signal; returns the exit code.

    Args:
        hosts: Addresses to listen on; none: as configured.
        port: 0 takes a free one; ``None``: as configured.
        workers: Analyses at the same time, 0 for none; ``None``: as configured.

    Raises:
        InvalidInput: A setting cannot be used, a required browser is missing, the address is taken, or another
            server works on the same data.
        Unavailable: The database cannot be used.
    """
    options = service_options(hosts=hosts, port=port, workers=workers)
    require_browser(options)
    server = server_options(hosts=hosts, port=port)
    services = make_services(options=options, lines=begin(server))
    with _alone(services, server):
        try:
            with explained(services.database):
                wait_for(services.database, server.database_wait_s)
                prepare_tables(services.database, change=server.migrates)
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                front = _Front(services, server)
                runner.run(Process(services, "serve", front.listen).run())
        finally:
            services.database.close()
    return exit_codes.OK


def _alone(services: Services, server: ServerOptions) -> contextlib.AbstractContextManager[None]:
    """Keep others away from a database that is a file."""
    path = services.database.path
    if path is None or server.data_folder is None:
        return contextlib.nullcontext()
    return hold_locks(lock_files(server.data_folder, path))


class _Front:
    """The side that people and programs see."""

    def __init__(self, services: Services, server: ServerOptions) -> None:
        self._services = services
        self._server = server

    async def listen(self, stop: asyncio.Event) -> None:
        """Respond until a stop signal.

        Raises:
            InvalidInput: The address cannot be listened on.
        """
        services = self._services
        await serve(
            make_app(services, observe=observe),
            hosts=self._server.hosts,
            port=self._server.port,
            stop=stop,
            ready=self._ready,
            grace_s=services.options.grace_s,
            base_url=_known_origin(services.options.base_url),
            on_refusal=RefusalObserver(services.observation),
            always=ALWAYS_ANSWERED,
            trusted_proxies=services.options.trusted_proxies,
            on_pressure=services.waits.end_one,
        )

    def _ready(self, url: str) -> None:
        """Say where the service is, and how to begin.

        The first key is made only once the port is bound; on a port that is taken it would be lost.

        Raises:
            Unavailable: The database cannot be used.
        """
        settle()
        services = self._services
        secret, token = services.database.write_here(lambda tx: _welcome(tx, self._server.bootstrap_api_key))
        if self._server.port == 0:
            # Unknown before; a configured origin has a port of its own.
            services.options = replace(services.options, base_url=_with_real_port(services.options.base_url, url))
        origin = services.options.base_url
        with contextlib.suppress(Unavailable):
            # Commands that print addresses look there; that it cannot be written now is no reason not to serve.
            services.database.write_here(lambda tx: note_origin(tx, origin))
        if services.database.shared and not self._server.is_origin_known:
            sys.stderr.write(
                f"Warning: PAGEGRADE_BASE_URL is not set, so links begin with {origin}. "
                "Set it to the address that people use, the same on all machines.\n"
            )
        place = self._server.data_folder or f"the database {name_of(services.database)}"
        say(f"Pagegrade listens on {url} and keeps its data in {place} (process {os.getpid()}).")
        if token is not None:
            say(f"Sign in with your browser, once, within {LINK_HOURS} hours:\n\n    {link_url(origin, token)}\n")
        if secret is not None:
            say(f"Your first API key, shown this one time:\n\n    {secret}\n")
            say(
                "Try it:\n\n"
                f"    curl -H 'Authorization: Bearer {secret}' -d url=https://example.com/ {url}/api/v1/reports\n"
            )
        else:
            say("For a link to sign in: pagegrade accounts login-link. For a key: pagegrade keys create --name NAME.")


def _welcome(tx: Transaction, bootstrap_secret: str | None) -> tuple[str | None, str | None]:
    """(secret of the first key, token of a link) where this is the first start and no key was given.

    Of several processes that start together one gets them.
    """
    moment = now_ms()
    owner, secret = ensure_owner(tx, bootstrap_secret, moment)
    if secret is None or owner.disabled_at_ms is not None:
        return secret, None
    return secret, make_link(tx, owner.id, hours=LINK_HOURS, now_ms=moment)[0]


def _known_origin(base_url: str) -> str:
    """Empty while the port is still to be found out."""
    return "" if base_url.endswith(":0") else base_url


def _with_real_port(base_url: str, url: str) -> str:
    return url if base_url.endswith(":0") else base_url


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
