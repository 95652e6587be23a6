"""The process that handles hostile bytes, with a memory limit: reads one task after another from its standard input.

Started as ``python -m pagegrade.sandbox.worker GROWTH_BYTES``. A task is a pickled ``(function, arguments)`` from the
parent, which is trusted; an answer is MessagePack, which the parent decodes by the function's return type, because what
comes out of a process that parsed hostile bytes is not trusted. Frames are a length of four bytes, big-endian, and that
many bytes; before a task stand also the memory and the CPU seconds that it may use.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle  # noqa: TID251 - one way only, from the parent to its own child
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from pagegrade.gather import confinement
from pagegrade.sandbox.memory import CHILD_THRESHOLD_BYTES, MMAP_THRESHOLD_BYTES, map_large_blocks, trim_memory

GROWTH_BYTES: Final = 112 << 20
"""Address space that tasks may add to what the child holds once its libraries are loaded."""
CPU_SECONDS: Final = 10
"""CPU time of one task, its second attempt included."""
MAX_ANSWER_BYTES: Final = 8 << 20
GROWN_BYTES: Final = 24 << 20
"""Address space that a child may have gained since its start when a task is over; one that has more is replaced."""
TRIM_BYTES: Final = 16 << 20
"""Gain from which freed memory is handed back to the system before that is looked at."""
LARGE_TASK_BYTES: Final = 512 << 10
"""Length of a task from which its blocks are mapped by themselves. One that ran into its limit would otherwise leave a
heap with a few small blocks at its end, and the child would have to be replaced, which takes as long as the task."""
FRAME: Final = struct.Struct(">I")
"""Head of an answer: its length."""
TASK_FRAME: Final = struct.Struct(">IIB")
"""Head of a task: its length, the bytes of address space that it may add, its CPU time in seconds."""

ANSWER, FAILURE, LAST_ANSWER = b"A", b"F", b"L"
"""First byte of an answer; ``LAST_ANSWER``: the child is to be replaced."""
TASKS: Final = (
    "pagegrade.parse.css.urls",
    "pagegrade.parse.html.parser",
    "pagegrade.parse.measure",
    "pagegrade.parse.files.sitemap",
    "pagegrade.sandbox.codec",
    "pagegrade.service.runs.evaluation",
)
"""Modules whose functions are asked for with every page."""
_encode: Final = msgspec.msgpack.Encoder().encode


def confine(growth_bytes: int) -> None:
    """Give up what a parser does not need: memory beyond ``growth_bytes``, core dumps, files, connections, programs.

    What is left is to read the code of Python and Pagegrade, and to answer on the pipe; each wall only where the system
    has it (``remaining_rights`` reports that).
    """
    address_space_bytes()  # opens what it reads, while that is permitted
    if sys.platform == "linux":  # macOS has the constant and refuses every limit below what it maps itself.
        limit = address_space_bytes() + growth_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    # Ctrl-C goes to the whole group of processes; the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    confinement.enter_own_namespace()
    confinement.restrict_paths(readable=confinement.code_folders())
    confinement.restrict_calls()


def remaining_rights() -> tuple[str, ...]:
    """Try what a parser has no business with; what is still permitted.

    Returns:
        Of ``connect``, ``read``, ``write``, ``program``, ``process`` (reading another one's environment), ``signal``.
    """
    parent = os.getppid()
    attempts: dict[str, Callable[[], object]] = {
        "connect": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "read": lambda: Path("/etc/passwd").read_bytes(),
        "write": lambda: os.close(os.open(os.devnull, os.O_WRONLY)),
        "program": lambda: os.execv("/nonexistent", ["nonexistent"]),  # noqa: S606 - it does not exist
        "process": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
        "signal": lambda: os.kill(parent, 0),
    }
    return tuple(name for name, attempt in attempts.items() if _is_permitted(attempt))


def _is_permitted(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except PermissionError:
        return False
    except OSError:
        return True
    return True


def allow_cpu(seconds: int) -> None:
    """Let the kernel end this process when the task at hand has used up its CPU time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def allow_memory(growth_bytes: int) -> None:
    """Let the task at hand add ``growth_bytes`` to what this process holds, as far as its own limit permits."""
    _, most_bytes = resource.getrlimit(resource.RLIMIT_AS)
    if most_bytes != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_AS, (min(most_bytes, address_space_bytes() + growth_bytes), most_bytes))


def run_task(frame: bytes) -> bytes:
    """Do one task; an answer, or the name of the exception that ended it."""
    function: Callable[..., Any]
    try:
        function, arguments = pickle.loads(frame)  # noqa: S301 - from our own parent only
        answer = _encode(function(*arguments))
    except MemoryError:
        return FAILURE + b"MemoryError"
    except Exception as error:  # noqa: BLE001 - whatever hostile input provokes must reach the parent as data
        return FAILURE + type(error).__name__.encode()
    if len(answer) > MAX_ANSWER_BYTES:
        return FAILURE + b"AnswerTooLarge"
    return ANSWER + answer


def has_grown(base_bytes: int) -> bool:
    """Return whether a child that began with ``base_bytes`` has ``GROWN_BYTES`` more, after giving back what is free.

    It is the address space that counts, because that is what the limit of the next task is about.
    """
    if address_space_bytes() > base_bytes + TRIM_BYTES:
        gc.collect()
        trim_memory()
    return address_space_bytes() > base_bytes + GROWN_BYTES


@cache
def _own_memory() -> int:
    return os.open("/proc/self/statm", os.O_RDONLY)


def address_space_bytes() -> int:
    """Address space that this process uses now.

    Where the system does not report it, a generous estimate of what the libraries take.
    """
    try:
        return int(os.pread(_own_memory(), 100, 0).split()[0]) * resource.getpagesize()
    except OSError:
        return 512 << 20


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Work until the parent closes the pipe."""
    base_bytes = address_space_bytes()
    while True:
        head = requests.read(TASK_FRAME.size)
        if len(head) < TASK_FRAME.size:
            return
        length, growth_bytes, cpu_s = TASK_FRAME.unpack(head)
        allow_memory(growth_bytes)
        frame = requests.read(length)
        if len(frame) < length:
            return
        allow_cpu(cpu_s)
        map_large_blocks(MMAP_THRESHOLD_BYTES if length > LARGE_TASK_BYTES else CHILD_THRESHOLD_BYTES)
        answer = run_task(frame)
        del frame
        if has_grown(base_bytes) and answer.startswith(ANSWER):
            answer = LAST_ANSWER + answer[1:]
        # In one piece: every other one would wake the parent once more.
        answers.write(FRAME.pack(len(answer)) + answer)
        answers.flush()
        del answer


def main() -> None:
    """Entry of the child process."""
    # Anything that prints must not end up between the frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    map_large_blocks(CHILD_THRESHOLD_BYTES)
    # Warm up before the limits: what every task needs is imported once, and hardly any of it is garbage.
    gc.disable()
    for name in TASKS:
        importlib.import_module(name)
    importlib.import_module("pagegrade.checks").all_checks()
    # From here on nothing that a page provokes is printed where the service writes its log.
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    os.environ.clear()
    confine(int(sys.argv[1]))
    # What lives now lives for ever; collecting it again and again would only cost.
    gc.collect()
    gc.freeze()
    gc.enable()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
