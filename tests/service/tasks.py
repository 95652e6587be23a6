"""Work that goes wrong in every way, run in the children by the tests."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pagegrade.model.artifacts import Artifacts, Response
from pagegrade.model.ignores import IgnoreRule
from pagegrade.model.stored import PackedReport
from pagegrade.parse.html.parser import NamedURLs
from pagegrade.sandbox.worker import address_space_bytes
from pagegrade.service.runs.evaluation import evaluate_and_pack
from pagegrade.service.runs.options import Thresholds


def pid_of_child() -> int:
    """The id of this process."""
    return os.getpid()


def die() -> int:
    """Ends as a crashed parser does."""
    os._exit(11)


def count_and_die(log: str, how: str) -> int:
    """Writes a line for every attempt, then ends in the named way; files have no size in a child, so it is a name."""
    Path(f"{log}-{time.monotonic_ns()}").symlink_to("attempt")
    if how == "cpu":
        while True:
            pass
    if how == "memory":
        return len(b"x" * (1 << 30))
    if how == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
        return 2
    if how == "once" and len(list(Path(log).parent.iterdir())) > 1:
        return 1
    os.kill(os.getpid(), signal.SIGKILL if how == "once" else getattr(signal, how))
    return 0


def find_and_count(log: str, response: Response) -> NamedURLs:
    """Uses up its CPU time on a page."""
    count_and_die(log, "cpu")
    return NamedURLs()


def raise_something() -> int:
    """Fails as a parser does that meets what it did not expect."""
    raise ValueError("hostile")


def hang() -> int:
    """Waits for nothing, without using the CPU, until it is killed."""
    while True:
        signal.pause()


def hang_over(page: bytes) -> int:
    """Hangs over an input."""
    return hang() + len(page)


def length_of(page: bytes) -> int:
    """Length of an input."""
    return len(page)


def wait_for_writer(pipe: str) -> int:
    """Waits until another process has opened a named pipe for writing and closed it again."""
    return len(Path(pipe).read_bytes())


def count_and_eat(log: str, count: int) -> int:
    """As ``eat_memory``, with a line for every attempt, as ``count_and_die`` writes it."""
    Path(f"{log}-{time.monotonic_ns()}").symlink_to("attempt")
    return eat_memory(count)


def burn_and_eat(log: str, seconds: float) -> int:
    """Uses CPU time, then more memory than any task may have; notes what is left of the CPU time before that."""
    Path(f"{log}-{time.monotonic_ns()}").symlink_to(str(round(cpu_left())))
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return eat_memory(1 << 30)


def eat_memory(count: int) -> int:
    """Takes that many bytes."""
    return len(b"x" * count)


def leak(count: int) -> int:
    """Takes that many bytes for good."""
    _leaked.append(b"x" * count)
    return count


_leaked: list[bytes] = []


def answer_of(count: int) -> bytes:
    """An answer of a size."""
    return b"x" * count


def lie() -> int:
    """Answers something else than it promised."""
    return "not a number"  # type: ignore[return-value]


def limits() -> tuple[int, int, int]:
    """(memory beyond what it holds, file size, core) the child may use."""
    return (
        resource.getrlimit(resource.RLIMIT_AS)[0] - address_space_bytes(),
        resource.getrlimit(resource.RLIMIT_FSIZE)[0],
        resource.getrlimit(resource.RLIMIT_CORE)[0],
    )


def environment() -> list[str]:
    """Names of the environment variables the child sees."""
    return sorted(os.environ)


def cpu_left() -> float:
    """CPU seconds until the kernel ends the child."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return resource.getrlimit(resource.RLIMIT_CPU)[0] - usage.ru_utime - usage.ru_stime


def die_evaluation(artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule]) -> PackedReport:
    """Ends in the middle of a page."""
    os._exit(11)


def stumble_evaluation(artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule]) -> PackedReport:
    """Makes a mistake in the middle of a page."""
    raise ZeroDivisionError


def lie_about_json(artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule]) -> PackedReport:
    """Answers what a child that was taken over might want to have handed out."""
    return replace(evaluate_and_pack(artifacts, thresholds, ignores), summary=b'{"version":1}},{"id":2,"score":100')
