"""Cost of work on a database: processor time of both sides, exchanges, the log, and waits."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest import mock

from devtools.bench_load import cpu_s
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.postgresql import Patient
from tests.postgres import SMALL, Postgres, execute

SAMPLE_S: Final = 0.02
DURABLE: Final = {**SMALL, "shared_buffers": "256MB", "max_wal_size": "4GB"}
"""As an installation has it: what is committed is on the disk."""


@contextlib.contextmanager
def durable_postgres() -> Iterator[Postgres]:
    """A server of its own that loses nothing, for the length of a block."""
    server = Postgres(DURABLE)
    try:
        server.start()
        yield server
    finally:
        server.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of one piece of work, the mean of many."""

    wall_ms: float
    client_ms: float
    """Processor time in this process."""
    server_ms: float
    """Processor time of all of the server's processes; 0 on SQLite."""
    exchanges: float
    """Question and answer, each a way over the network and back."""
    log_kb: float
    """Write-ahead log."""


class Meter:
    """``meter.of(work, 200)``."""

    def __init__(self, database: Database, server: Postgres | None) -> None:
        """Measure work on this database; on SQLite there is no server."""
        self._database = database
        self._server = server

    def of(self, work: Callable[[], object], count: int) -> Cost:
        """The mean of so many calls, which all run in this thread."""
        exchanges = 0
        real = Patient.wait

        def wait(connection: Patient, gen: Generator[Any, Any, Any], *more: Any, **others: Any) -> Any:
            nonlocal exchanges
            exchanges += 1
            return real(connection, gen, *more, **others)

        log, server_s = self._log_bytes(), self._server_s()
        client_s, wall_s = time.process_time(), time.perf_counter()
        # Counting costs a microsecond for each exchange of a hundred.
        with mock.patch.object(Patient, "wait", wait):
            for _ in range(count):
                work()
        wall_s, client_s = time.perf_counter() - wall_s, time.process_time() - client_s
        server_s, log = self._server_s() - server_s, self._log_bytes() - log
        return Cost(
            wall_ms=1000 * wall_s / count,
            client_ms=1000 * client_s / count,
            server_ms=1000 * server_s / count,
            exchanges=exchanges / count,
            log_kb=log / count / 1000,
        )

    def _server_s(self) -> float:
        return cpu_s(self._server.pid) if self._server else 0.0

    def _log_bytes(self) -> int:
        if self._server is not None:
            return int(self._server.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0])
        path = self._database.path
        log = Path(f"{path}-wal")
        return log.stat().st_size if log.exists() else 0


@dataclass(slots=True)
class Waits:
    """Samples of the activity of a server's connections."""

    seen: Counter[str] = field(default_factory=Counter)

    def shares(self) -> str:
        """The commonest, in percent of the looks at connections that were in the middle of something."""
        total = sum(self.seen.values()) or 1
        return ", ".join(f"{name} {100 * count / total:.0f}%" for name, count in self.seen.most_common(4))


@contextlib.contextmanager
def watching(server: Postgres, name: str) -> Iterator[Waits]:
    """Look at what the connections wait for that call themselves so, while the block lasts."""
    waits = Waits()
    over = threading.Event()
    url = server.url("postgres", user="postgres")

    def look() -> None:
        while not over.wait(SAMPLE_S):
            found = execute(
                url,
                "SELECT COALESCE(wait_event_type || ':' || wait_event, 'processor') FROM pg_stat_activity "
                "WHERE application_name = %s AND state <> 'idle'",
                name,
            )
            waits.seen.update(event for (event,) in found)

    thread = threading.Thread(target=look, name="waits")
    thread.start()
    try:
        yield waits
    finally:
        over.set()
        thread.join()
