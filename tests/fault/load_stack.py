"""A whole installation for load runs: API processes and workers on PostgreSQL, or one process on SQLite."""

from __future__ import annotations

import contextlib
import json
import platform
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from sqlalchemy import text

from devtools.bench_load import cpu_s
from pagegrade.model.identity import VERSION
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.schema.migrate import migrate
from tests.postgres import SMALL, Databases, Postgres
from tests.server import LOOPBACK, Server, start_server
from tests.store_builders import add_owner

KEY: Final = "load-run-key-0123456789"
SAMPLE_S: Final = 0.5
START_S: Final = 120.0
STOP_S: Final = 60.0
DURABLE: Final = {**SMALL, "max_wal_size": "2GB"}
SETTINGS: Final[dict[str, str]] = {
    "ALLOW_NETWORKS": LOOPBACK,
    "REQUESTS_PER_MINUTE": "1000000",
    "ANALYSES_PER_MINUTE": "1000000",
    "LEASE_SECONDS": "10",
}


@dataclass(slots=True)
class Usage:
    """The resources that the processes of an installation took."""

    rss_mb: dict[str, float] = field(default_factory=dict)
    """By process, the most it ever held."""
    first_mb: dict[str, float] = field(default_factory=dict)
    fds: dict[str, int] = field(default_factory=dict)
    depth: int = 0
    """Most runs that waited at the same time."""


class Stack:
    """``with Stack(folder, apis=2, workers=4) as stack: ...``."""

    def __init__(
        self, folder: Path, *, apis: int = 2, workers: int = 4, concurrency: int = 2, **settings: object
    ) -> None:
        """Prepare.

        Args:
            folder: Empty; everything is kept there.
            apis: Processes that answer; 0: one on SQLite, which also works.
            workers: Processes that analyze; on SQLite so many times ``concurrency`` analyses in the one process.
            concurrency: Analyses of each at the same time.
            settings: By their names without the prefix.
        """
        self.folder, self.apis, self.workers, self.concurrency = folder, apis, workers, concurrency
        self.settings = {name: str(value) for name, value in settings.items()}
        self.usage = Usage()
        self.postgres: Postgres | None = None
        self.servers: list[Server] = []
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._log_before = 0
        self._cpu_before: dict[str, float] = {}
        self._logs: list[Server] = []
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, name="usage")
        self.database: Database

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_what: object) -> None:
        self.close()

    @property
    def shared(self) -> bool:
        """Return whether it is on PostgreSQL."""
        return self.apis > 0

    @property
    def ports(self) -> list[int]:
        """The ports of the API."""
        return [server.port for server in self.servers]

    def add_account(self, name: str) -> str:
        """The secret of a key of a new account."""
        return add_owner(self.database, name, now_ms=time.time_ns() // 1_000_000)[1]

    def rows(self, statement: str, **values: Any) -> list[tuple[Any, ...]]:
        """The rows that a statement finds."""

        def read(tx: Transaction) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in tx.execute(text(statement), values).all()]

        return self.database.read_here(read)

    def size_bytes(self) -> int:
        """Of the database; on SQLite with its log."""
        if self.database.path is not None:
            return sum(path.stat().st_size for path in self.database.path.parent.glob(f"{self.database.path.name}*"))
        return int(self.rows("SELECT pg_database_size(current_database())")[0][0])

    def log_bytes(self) -> int:
        """Of the write-ahead log so far."""
        if self.postgres is not None:
            found = int(self.rows("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0])
        else:
            log = Path(f"{self.database.path}-wal")
            found = log.stat().st_size if log.exists() else 0
        return found - self._log_before

    def kept_log_bytes(self) -> int:
        """Of the write-ahead log as it is on the disk."""
        if self.postgres is not None:
            return sum(file.stat().st_size for file in (self.postgres.data / "pg_wal").glob("0*"))
        return Path(f"{self.database.path}-wal").stat().st_size

    def versions(self) -> dict[str, str]:
        """Of everything that matters."""
        shown = "SHOW server_version" if self.shared else "SELECT sqlite_version()"
        kind = "postgresql" if self.shared else "sqlite"
        return {"pagegrade": VERSION, "python": platform.python_version(), kind: str(self.rows(shown)[0][0])}

    def mark(self) -> None:
        """Resources used so far were used to start."""
        self._log_before = self.log_bytes()
        self._cpu_before = self.cpu_s()

    def cpu_s(self) -> dict[str, float]:
        """Processor seconds of each process with its children, since the mark."""
        pids = {name: process.pid for name, process in self.processes.items()}
        if self.postgres is not None:
            pids["postgresql"] = self.postgres.pid
        return {name: round(cpu_s(pid) - self._cpu_before.get(name, 0.0), 2) for name, pid in pids.items()}

    def close(self) -> None:
        """Stop everything as an operator does."""
        self._over.set()
        if self._sampler.is_alive():
            self._sampler.join()
        if self.postgres is not None:
            self.postgres.resume()
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            process.kill()
            process.wait()
        with contextlib.suppress(AttributeError):
            self.database.close()
        if self.postgres is not None:
            self.postgres.close()

    def _start(self) -> None:
        settings: dict[str, Any] = {**SETTINGS, **self.settings}
        if self.shared:
            self.postgres = Postgres(DURABLE)
            self.postgres.start()
            url = Databases(self.postgres.url("postgres")).make_empty()
            settings["DATABASE_URL"] = url
            self.database = open_database(url, readers=2, writers=1)
            migrate(self.database)
            self.add_account("Owner")
        for number in range(max(1, self.apis)):
            words = ("--no-worker",) if self.shared else ("--workers", str(self.workers * self.concurrency))
            server = start_server(self.folder / f"api-{number}", *words, key=KEY, **settings)
            self.servers.append(server)
            self.processes[f"api-{number}"] = server.process
        if not self.shared:
            file = self.folder / "api-0" / DATABASE_NAME
            self.database = open_database(f"sqlite:///{file}", readers=1, checkpoints=False)
        for number in range(self.workers if self.shared else 0):
            settings["WORKERS"] = str(self.concurrency)
            server = start_server(self.folder / f"worker-{number}", key="", verb="worker", **settings)
            self._logs.append(server)
            self.processes[f"worker-{number}"] = server.process
        self._sampler.start()

    def log(self) -> str:
        """The end of what each process has said."""
        return "\n".join(server.log[-2_000:] for server in (*self.servers, *self._logs))

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE_S):
            with contextlib.suppress(Exception):
                # A database that is out of order on purpose says nothing.
                ((depth,),) = self.rows("SELECT COUNT(*) FROM runs WHERE state = 'queued'")
                self.usage.depth = max(self.usage.depth, int(depth))
            for name, process in self.processes.items():
                self._sample_one(name, process.pid)

    def _sample_one(self, name: str, pid: int) -> None:
        try:
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
            fds = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            return
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in status.splitlines() if "kB" in line}
        if "VmHWM" in sizes:
            self.usage.rss_mb[name] = max(self.usage.rss_mb.get(name, 0.0), sizes["VmHWM"])
            self.usage.first_mb.setdefault(name, sizes["VmRSS"])
        self.usage.fds[name] = max(self.usage.fds.get(name, 0), fds)


def summary_of(stack: Stack) -> dict[str, Any]:
    """The state of every run in the database, and the resources of the processes."""
    rows = stack.rows("SELECT state, error, attempt, created_at_ms, started_at_ms, finished_at_ms FROM runs")
    done = [row for row in rows if row[0] == "completed"]
    failed: dict[str, int] = {}
    for row in rows:
        if row[0] == "failed":
            code = str(json.loads(row[1])["code"])
            failed[code] = failed.get(code, 0) + 1
    attempts: dict[int, int] = {}
    for row in rows:
        attempts[row[2]] = attempts.get(row[2], 0) + 1
    ended = [row for row in rows if row[5] is not None]
    cpu = stack.cpu_s()
    return {
        "done": len(done),
        "failed": failed,
        "unfinished": len(rows) - len(ended),
        "attempts": attempts,
        "queue_wait_s": percentiles([(row[4] - row[3]) / 1000 for row in ended]),
        "total_s": percentiles([(row[5] - row[3]) / 1000 for row in ended]),
        "depth_max": stack.usage.depth,
        "rss_mb": {name: round(value, 1) for name, value in stack.usage.rss_mb.items()},
        "fds": stack.usage.fds,
        "cpu_s": cpu,
        "cpu_ms_per_report": round(1000 * sum(cpu.values()) / max(1, len(ended)), 1),
        "database_mb": round(stack.size_bytes() / 1e6, 1),
        "log_mb": round(stack.log_bytes() / 1e6, 1),
        "versions": stack.versions(),
    }


def percentiles(values: list[float]) -> dict[str, float]:
    """The 50th, 95th and 99th, and the largest."""
    ordered = sorted(values)
    if not ordered:
        return {}
    places = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 3) for name, part in places.items()}


@contextlib.contextmanager
def stack_in(folder: Path, **how: Any) -> Iterator[Stack]:
    """A new installation in a folder that is made for it."""
    folder.mkdir(parents=True, exist_ok=True)
    with Stack(folder, **how) as stack:
        yield stack
