"""``pagegrade serve``: the web and the workers in one process, from its start to its graceful end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
from dataclasses import replace
from typing import Final

from pagegrade.cli import exits
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.service.access import ensure_owner
from pagegrade.service.clock import now_ms
from pagegrade.service.logs import configure_logs
from pagegrade.service.services import Services
from pagegrade.service.sign_in import LINK_HOURS, link_address, make_link
from pagegrade.store.database import Transaction
from pagegrade.store.installation import note_origin
from pagegrade.store.lock import hold_locks, lock_files
from pagegrade.store.migrate import migrate
from pagegrade.web.app import make_app
from pagegrade.web.metrics import RefusalObserver, observe
from pagegrade.web.server import loop_factory, serve
from pagegrade.wiring import ServerOptions, make_services, server_options, service_options
from pagegrade.worker.worker import Worker

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


def serve_reports(*, host: str | None, port: int | None, workers: int | None) -> int:
    """Serve until told to stop; the exit code.

    Args:
        host: Address to listen on; ``None``: as configured.
        port: 0 takes a free one; ``None``: as configured.
        workers: Analyses at the same time, 0 for none; ``None``: as configured.

    Raises:
        InvalidInput: A setting cannot be used, the address is taken, or another server works on the same data.
        Unavailable: The database cannot be used.
    """
    # Reports and hashes of keys are nobody else's business, also where the folder was there before.
    os.umask(0o077)
    options = service_options(host=host, port=port, workers=workers)
    server = server_options(host=host, port=port)
    lines = configure_logs(server.log_format, server.log_level)
    for sentence in server.warnings:
        sys.stderr.write(f"Warning: {sentence}\n")
    services = make_services(options=options, lines=lines)
    with hold_locks(lock_files(server.data_folder, services.database.path)):
        try:
            migrate(services.database)
            secret, token = services.database.write_here(lambda tx: _welcome(tx, server.bootstrap_api_key))
            if secret is not None:
                # Now, because it cannot be shown again; how to use it is said once the address is known.
                _say(f"Your first API key, shown this one time:\n\n    {secret}\n")
            with asyncio.Runner(loop_factory=loop_factory()) as runner:
                runner.run(_Process(services, server, secret, token).run())
        finally:
            services.database.close()
    return exits.OK


class _Process:
    """The parts of a serving process, and how they stop together."""

    def __init__(self, services: Services, server: ServerOptions, secret: str | None, token: str | None) -> None:
        self._services = services
        self._server = server
        self._secret = secret
        self._token = token
        self._worker = Worker(services)
        self._stop = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve and work until told to stop.

        Raises:
            InvalidInput: The address cannot be listened on.
        """
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._told_to_stop)
        try:
            async with asyncio.TaskGroup() as group:
                self._listening = group.create_task(self._listen(), name="listening")
                group.create_task(self._worker.run(), name="working")
        except BaseExceptionGroup as errors:
            told, _ = errors.split(InvalidInput)
            if told is None:
                raise
            raise told.exceptions[0] from None

    def _told_to_stop(self) -> None:
        """The first time: accept nothing new, finish what is under way. The second time: end at once."""
        if self._services.draining:
            self._worker.stop(at_once=True)
            if self._listening is not None:
                self._listening.cancel()
            return
        self._services.draining = True
        self._worker.stop()
        self._stop.set()

    async def _listen(self) -> None:
        services = self._services
        try:
            await serve(
                make_app(services, observe=observe),
                host=self._server.host,
                port=self._server.port,
                stop=self._stop,
                ready=self._ready,
                grace_s=services.options.grace_s,
                base_url=_known_origin(services.options.base_url),
                on_refusal=RefusalObserver(services.observation),
            )
        except asyncio.CancelledError:
            # Told twice to stop: what is still being answered ends with the process.
            if not services.draining:
                raise

    def _ready(self, url: str) -> None:
        # What lives by now lives as long as the process; to look through it for garbage again and again holds up
        # every request.
        gc.collect()
        gc.freeze()
        services = self._services
        if self._server.port == 0:
            # Nobody could know it before; an origin that was configured has a port of its own.
            services.options = replace(services.options, base_url=_with_real_port(services.options.base_url, url))
        origin = services.options.base_url
        with contextlib.suppress(Unavailable):
            # Commands that print addresses look there; that it cannot be written now is no reason not to serve.
            services.database.write_here(lambda tx: note_origin(tx, origin))
        _say(f"Pagegrade listens on {url} and keeps its data in {self._server.data_folder} (process {os.getpid()}).")
        if self._token is not None:
            _say(
                f"Sign in with your browser, once, within {LINK_HOURS} hours:\n\n"
                f"    {link_address(origin, self._token)}\n"
            )
            self._token = None
        if self._secret is not None:
            _say(
                "Try it:\n\n"
                f"    curl -H 'Authorization: Bearer {self._secret}' -d url=https://example.com/ {url}/api/v1/reports\n"
            )
            self._secret = None


def _welcome(tx: Transaction, bootstrap_secret: str | None) -> tuple[str | None, str | None]:
    """(secret of the first key, token of a link) where this is the first start and no key was given."""
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


def _say(text: str) -> None:
    """Tell whoever started us; that nobody reads it any more is no reason to stop."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
