"""Keeps the subject's process: hands it jobs, waits for outcomes, counts what it holds on to."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec

from tests.lab.case import Job, Outcome
from tests.lab.namespace import repository

GRACE_S: Final = 8.0
"""A job that has not ended this long after its budget is called hung; on a busy machine longer, as it takes there."""
PROXY: Final = "http://11.66.66.66:3128"
"""Not one of the lab's own addresses: a subject that obeys the environment trips a wire (T5)."""
PROXY_VARIABLES: Final = ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")


@dataclass(frozen=True, slots=True)
class Census:
    """The resources that a process holds."""

    descriptors: tuple[str, ...]
    """The targets of the open descriptors, sorted."""
    children: tuple[str, ...]
    """Commands of all processes below it, sorted."""


def stretch() -> float:
    """Return how much longer a second of processor time takes now than on a machine that does nothing else."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Subject:
    """A process that analyzes the jobs it gets."""

    def __init__(self, kind: str, trusted: Path) -> None:
        self._kind, self._trusted = kind, trusted
        self._numbers = itertools.count()
        self._waiting: dict[str, Future[Outcome]] = {}
        self._lock = threading.Lock()
        self._start()

    def run(self, job: Job) -> Outcome:
        """The outcome of ``job``."""
        future: Future[Outcome] = Future()
        ticket = str(next(self._numbers))
        with self._lock:
            self._waiting[ticket] = future
            line = msgspec.json.encode(replace(job, id=ticket)) + b"\n"
        try:
            self._pipe.write(line)
            self._pipe.flush()
            outcome = future.result(timeout=job.budget_s + GRACE_S * stretch())
        except (TimeoutError, OSError):
            outcome = Outcome(id=ticket, state="hung", message="no answer in time")
        self._waiting.pop(ticket, None)
        return replace(outcome, id=job.id)

    def census(self) -> Census:
        """The resources that the subject's process holds right now."""
        folder = Path(f"/proc/{self._process.pid}/fd")
        pointed = []
        for each in folder.iterdir():
            try:
                pointed.append(str(each.readlink()).split(":")[0])
            except OSError:
                continue
        return Census(tuple(sorted(pointed)), tuple(sorted(_below(self._process.pid))))

    def close(self) -> float:
        """End the subject; its peak resident memory in MB."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        self._pipe.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
        return peak / 1024

    def _start(self) -> None:
        environment = os.environ | {"SSL_CERT_FILE": str(self._trusted)} | dict.fromkeys(PROXY_VARIABLES, PROXY)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.lab.subject", self._kind],
            cwd=repository(),
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._pipe = self._process.stdin
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            outcome = msgspec.json.decode(line, type=Outcome)
            future = self._waiting.get(outcome.id)
            if future is not None and not future.done():
                future.set_result(outcome)
        for future in list(self._waiting.values()):
            if not future.done():
                future.set_exception(OSError("the subject died"))


def _below(pid: int) -> list[str]:
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            parents.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [pid]
    while waiting:
        for child in parents.get(waiting.pop(), []):
            waiting.append(child)
            try:
                found.append(Path(f"/proc/{child}/comm").read_text().strip())
            except OSError:
                continue
    return found
