"""A process that stays: it works, answers requests or both, from its start to its graceful end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final, Literal

from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.observability.logs import Lines, configure_logs
from pagegrade.service.container import Services
from pagegrade.service.retention import follow_clock
from pagegrade.store.engine.database import Database, name_of
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.store.schema.migrate import migrate, schema_state
from pagegrade.wiring import ServerOptions, open_notices
from pagegrade.worker.heartbeat import present
from pagegrade.worker.worker import Worker

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
COLLECT_AFTER: Final = 10_000
"""Objects that may refer to others which are made until cycles are searched for."""
OWN_RESPONSES: Final = "own-responses"
"""Name of the key by which an installation recognizes its own responses."""
LOOK_EVERY_S: Final = 1.0
"""Seconds between two attempts to reach a database."""
logger = logging.getLogger(__name__)
Listen = Callable[[asyncio.Event], Awaitable[None]]
"""Answers requests until the event is set."""


def begin(server: ServerOptions) -> Lines:
    """Prepare the process: file permissions, no image of its memory, logging, and warnings about the settings."""
    # Reports and hashes of keys are private, also in a folder that existed before.
    os.umask(0o077)
    # Secrets of access profiles are in memory while a run uses them, and a core file would keep them.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    lines = configure_logs(server.log_format, server.log_level)
    for sentence in server.warnings:
        sys.stderr.write(f"Warning: {sentence}\n")
    return lines


def wait_for(database: Database, seconds: float) -> None:
    """Wait until the database answers: machines that start together do not start in order.

    Args:
        database: One that is shared; of a file nothing is to be waited for.

    Raises:
        Unavailable: It does not answer by then.
    """
    if not database.shared:
        return
    until_s = time.monotonic() + seconds
    announced = False
    while True:
        try:
            schema_state(database)
        except Unavailable as error:
            if time.monotonic() >= until_s:
                raise
            if not announced:
                logger.warning("database_awaited", extra={"reason": error.reason, "for_s": seconds})
                say(f"Waiting for the database {name_of(database)}, for at most {seconds:.0f} seconds.")
                announced = True
            time.sleep(min(LOOK_EVERY_S, max(0.0, until_s - time.monotonic())))
        else:
            return


def prepare_tables(database: Database, *, change: bool) -> None:
    """Bring the tables to this version, or see that it can work with them as they are; both are said.

    Args:
        database: One that answers.
        change: ``False``: change nothing.

    Raises:
        InvalidInput: This version cannot work with the tables.
        Unavailable: The database cannot be used, or it is a file that may only be read.
    """
    path = database.path
    # SQLite opens such a file, and every change fails later.
    if path is not None and path.exists() and not os.access(path, os.W_OK):
        raise Unavailable(reason="database_readonly")
    state = migrate(database, change=change)
    if state.status == "current":
        return
    other = f"schema {state.current}" + (f" (Pagegrade {state.migrated_by})" if state.migrated_by else "")
    sentence = f"The database has {other}, this version has {state.head}; it works with it."
    if state.status == "behind":
        sentence += " Run pagegrade migrate to change it."
    logger.warning("schema_differs", extra={"status": state.status, "current": state.current, "head": state.head})
    say(sentence)


class Process:
    """The parts of a process, and how they stop together."""

    def __init__(
        self,
        services: Services,
        kind: Literal["serve", "worker"],
        listen: Listen | None = None,
        *,
        learns_origin: bool = False,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            kind: Kind of process, as shown to other processes.
            listen: Answers requests; ``None``: it does not listen.
            learns_origin: The public origin was not configured and is learned from those that serve it.
        """
        self._services = services
        self._learns_origin = learns_origin
        self._kind: Final[Literal["serve", "worker"]] = kind
        self._listen = listen
        self._worker = Worker(services)
        self._notices = open_notices(services)
        self._stop = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Work and respond until a stop signal.

        Raises:
            InvalidInput: The address cannot be listened on.
            Unavailable: The database cannot be used.
        """
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._stop_requested)
        await asyncio.to_thread(self._follow_clock)
        await asyncio.to_thread(self._know_own_responses)
        self._hear_others()
        try:
            known = present(self._services, self._kind, worker=self._worker, learns_origin=self._learns_origin)
            async with known, asyncio.TaskGroup() as group:
                if self._listen is not None:
                    self._listening = group.create_task(self._answer(self._listen), name="listening")
                else:
                    settle()
                group.create_task(self._worker.run(), name="working")
        except BaseExceptionGroup as errors:
            refusals, _ = errors.split((InvalidInput, Unavailable))
            if refusals is None:
                raise
            raise refusals.exceptions[0] from None
        finally:
            if self._notices is not None:
                await asyncio.to_thread(self._notices.close)
            if self._services.tracing.on:
                # Last, when all spans have ended; for some seconds at most.
                await asyncio.to_thread(self._services.tracing.close)

    def _know_own_responses(self) -> None:
        """Have the key by which responses of the installation are recognized, under whatever name it is reached."""
        services = self._services
        with contextlib.suppress(Unavailable):
            key = services.database.write_here(lambda tx: load_or_make_secret(tx, OWN_RESPONSES))
            services.options = replace(services.options, analyze=replace(services.options.analyze, own_key=key))

    def _follow_clock(self) -> None:
        """Compare the clock with what the database has seen, before anything new is written by it."""
        with contextlib.suppress(Unavailable):
            self._services.database.write_here(lambda tx: follow_clock(tx, now_ms()))

    def _hear_others(self) -> None:
        """Let this process and the others of the installation hear of each other's changes."""
        services, notices = self._services, self._notices
        if notices is None:
            return
        notices.on_change = services.changes.hear
        notices.on_gap = services.changes.bridge_gap
        if services.options.workers:
            notices.on_job = self._worker.hear_job
        services.changes.sender = notices
        services.notify_job = notices.send_job
        notices.start()

    def _stop_requested(self) -> None:
        """The first time: accept nothing new, finish what is under way. The second time: end at once."""
        if self._services.draining:
            self._worker.stop(at_once=True)
            if self._listening is not None:
                self._listening.cancel()
            return
        self._services.draining = True
        self._worker.stop()
        self._stop.set()
        self._services.changes.wake_all()

    async def _answer(self, listen: Listen) -> None:
        try:
            await listen(self._stop)
        except asyncio.CancelledError:
            # Second stop signal: requests in progress end with the process.
            if not self._services.draining:
                raise


def settle() -> None:
    """Exempt the objects that exist now from garbage collection, which live as long as the process, and rarely collect.

    Requests and runs leave hardly any cycles: with Python's own threshold (700) the search for them takes a few percent
    of the processor time of this process.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)


def say(text: str) -> None:
    """Print to stdout; a closed pipe is no reason to stop."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
