"""Work that goes wrong in every way, run in the children by the tests."""

from __future__ import annotations

import os
import resource
import time


def pid_of_child() -> int:
    """Which process this is."""
    return os.getpid()


def die() -> int:
    """Ends as a crashed parser does."""
    os._exit(11)


def raise_something() -> int:
    """Fails as a parser does that meets what it did not expect."""
    raise ValueError("hostile")


def sleep(seconds: float) -> int:
    """Hangs without using the CPU."""
    time.sleep(seconds)
    return 1


def eat_memory(count: int) -> int:
    """Takes that many bytes."""
    return len(b"x" * count)


def answer_of(count: int) -> bytes:
    """An answer of a size."""
    return b"x" * count


def lie() -> int:
    """Answers something else than it promised."""
    return "not a number"  # type: ignore[return-value]


def limits() -> tuple[int, int, int]:
    """(memory, file size, core) the child may use."""
    return (
        resource.getrlimit(resource.RLIMIT_AS)[0],
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
