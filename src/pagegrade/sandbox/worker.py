"""The process that handles hostile bytes: reads one task after another from its standard input.

Started as ``python -m pagegrade.sandbox.worker``. A task is a pickled ``(function, arguments)`` from the parent, which
is trusted; an answer is MessagePack, which the parent decodes by the function's return type, because what comes out of
a process that parsed hostile bytes is not trusted. Frames are a length of four bytes, big-endian, and that many bytes.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle  # noqa: TID251 - one way only, from the parent to its own child
import resource
import signal
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, BinaryIO, Final

import msgspec

MEMORY_BYTES: Final = 1 << 30
"""Address space of the child, its own libraries included."""
CPU_SECONDS: Final = 10
"""CPU time of one task."""
MAX_ANSWER_BYTES: Final = 32 << 20
GROWN_KB: Final = 300_000
"""Memory that a child may hold between two tasks; one that holds more, by leaks or for one large page, is replaced."""
FRAME: Final = struct.Struct(">I")

ANSWER, FAILURE, LAST_ANSWER = b"A", b"F", b"L"
"""What an answer begins with: the last one is that of a child that wants to be replaced."""
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


def confine() -> None:
    """Give up what a parser does not need: memory beyond the limit, core dumps, files, other processes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    # Ctrl-C goes to the whole group of processes; the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def allow_cpu(seconds: int) -> None:
    """Let the kernel end this process when the task at hand has used up its CPU time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


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
    return (LAST_ANSWER if resident_kb() > GROWN_KB else ANSWER) + answer


@cache
def _own_memory() -> int:
    return os.open("/proc/self/statm", os.O_RDONLY)


def resident_kb() -> int:
    """Memory that this process holds now; 0 where the system does not tell.

    Not ``ru_maxrss``: that begins with what the parent held when it started this process.
    """
    try:
        return int(os.pread(_own_memory(), 100, 0).split()[1]) * resource.getpagesize() // 1_024
    except OSError:
        return 0


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Work until the parent closes the pipe."""
    while True:
        head = requests.read(FRAME.size)
        if len(head) < FRAME.size:
            return
        (length,) = FRAME.unpack(head)
        frame = requests.read(length)
        if len(frame) < length:
            return
        allow_cpu(CPU_SECONDS)
        answer = run_task(frame)
        # In one piece: every other one would wake the parent once more.
        answers.write(FRAME.pack(len(answer)) + answer)
        answers.flush()


def main() -> None:
    """Entry of the child process."""
    # Anything that prints must not end up between the frames.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Warm up before the limits: what every task needs is imported once.
    for name in TASKS:
        importlib.import_module(name)
    confine()
    # What lives now lives for ever; collecting it again and again would only cost.
    gc.collect()
    gc.freeze()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
