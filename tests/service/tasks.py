"""Work that goes wrong in every way, run in the children by the tests."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Sequence

from msgspec.structs import replace

from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import Thresholds
from pagegrade.model.stored import PackedReport
from pagegrade.service.runs.evaluation import evaluate_and_pack

STEP_S = 0.02
"""CPU time between two pauses of slow work."""


def pid_of_child() -> int:
    """The id of this process."""
    _done.append(1)
    return os.getpid()


_done: list[int] = []
"""Tasks of this process."""


def die() -> int:
    """Ends as a crashed parser does."""
    os._exit(11)


def work_slowly(cpu_s: float, share: float) -> int:
    """Uses that much CPU time, and gets only that share of a processor, as on a busy machine."""
    end_s = time.process_time() + cpu_s
    while (step_s := time.process_time()) < end_s:
        while time.process_time() < step_s + STEP_S:
            pass
        threading.Event().wait(STEP_S / share)
    return 1


def end_by(how: str) -> int:
    """Ends in the named way; ``once``: only in a child that did a task before."""
    if how == "cpu":
        while True:
            pass
    if how == "memory":
        return len(b"x" * (1 << 30))
    if how == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
        return 2
    if how == "once" and not _done:
        return 1
    os.kill(os.getpid(), signal.SIGKILL if how == "once" else getattr(signal, how))
    return 0


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


def wait_for_signal() -> int:
    """Stops until another process lets it continue."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return 0


def burn_and_eat(seconds: float) -> int:
    """Uses CPU time, then more memory than any task may have."""
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
        resource.getrlimit(resource.RLIMIT_AS)[0] - sys.modules["__main__"].address_space_bytes(),
        resource.getrlimit(resource.RLIMIT_FSIZE)[0],
        resource.getrlimit(resource.RLIMIT_CORE)[0],
    )


def environment() -> list[str]:
    """Names of the environment variables the child sees."""
    return sorted(os.environ)


def known_modules() -> list[str]:
    """Names of the modules that the child has imported."""
    return sorted(sys.modules)


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
