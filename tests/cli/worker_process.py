"""``pagegrade worker`` in a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.server import COMMAND, STOP_S, Reply
from tests.waiting import wait_until

_PORT = re.compile(r"on http://127\.0\.0\.1:(\d+)")


def environment(url: str, **settings: object) -> dict[str, str]:
    """Of a process on a database of its own."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")}
    ours = {"DATABASE_URL": url, "ALLOW_NETWORKS": "127.0.0.0/8", **settings}
    return plain | {f"PAGEGRADE_{name}": str(value) for name, value in ours.items()}


@dataclass(slots=True)
class WorkerProcess:
    """A running worker and how to ask it."""

    process: subprocess.Popen[bytes]
    log_file: Path
    port: int = 0

    @property
    def log(self) -> str:
        """All it has said."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def until(self, words: str) -> str:
        """Wait until it has said so; the log.

        Raises:
            AssertionError: It ended or did not say so in time.
        """
        wait_until(lambda: words in self.log or self.process.poll() is not None, words)
        if words not in self.log:
            raise AssertionError(f"it does not say {words!r}: {self.log[-3_000:]}")
        return self.log

    def get(self, path: str, **headers: str) -> Reply:
        """One request to its port."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return Reply(answer.status, tuple(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop it; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(STOP_S)


@contextlib.contextmanager
def running_worker(folder: Path, url: str, *arguments: str, **settings: Any) -> Iterator[WorkerProcess]:
    """A worker for the length of a block, with a port for probes; not waited for until it is ready."""
    log_file = folder / f"worker-{time.monotonic_ns()}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [*COMMAND, "worker", "--port", "0", "--host", "127.0.0.1", *arguments],
            env=environment(url, **settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    worker = WorkerProcess(process, log_file)
    try:
        yield worker
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(STOP_S)


def ready(worker: WorkerProcess) -> WorkerProcess:
    """The same once it works."""
    found = _PORT.search(worker.until("It answers"))
    if found is None:
        raise AssertionError(worker.log)
    worker.port = int(found[1])
    wait_until(lambda: worker.get("/readyz").status == 200, "readiness")
    return worker
