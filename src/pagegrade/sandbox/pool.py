"""A few child processes that parse and evaluate, each replaceable at any moment.

Why not ``multiprocessing`` or a pool on top of it: its ``spawn`` and ``forkserver`` import the caller's ``__main__``
again, which a library cannot ask its users to guard, and ``fork`` copies sockets and locks of a process that runs
threads. A pipe to ``python -m pagegrade.sandbox.worker`` has none of that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
import typing
from collections.abc import Callable, Hashable
from functools import cache, partial
from types import TracebackType
from typing import Any, ClassVar, Final, Literal, Protocol, Self, TypeVar

import msgspec

from pagegrade.gather.context import Cause, OffloadFailed
from pagegrade.sandbox.codec import SMALL_BYTES, write_task
from pagegrade.sandbox.fair_slots import FairSlots, NoSlot
from pagegrade.sandbox.worker import (
    ANSWER,
    CPU_SECONDS,
    FRAME,
    GROWTH_BYTES,
    LAST_ANSWER,
    MAX_ANSWER_BYTES,
    TASK_FRAME,
)

T = TypeVar("T")

TASKS_PER_CHILD: Final = 2_000
"""A child is replaced after so many tasks, or once it has grown (``child.GROWN_BYTES``), so that no leak of a parser
can grow for ever. To start one takes as much CPU as to evaluate a hundred pages."""

SHARED_BYTES: Final = 160 << 20
"""Memory that the tasks of all children may use at once, however many children there are."""
SPARE_BYTES: Final = GROWTH_BYTES
"""Further memory for accounts that have no task under way: enough for any task, so it starts at once."""
TASK_BYTES: Final = 24 << 20
"""Memory of a task with hardly any input."""
MEMORY_RATIO: Final = 31
"""Memory per byte of input, beyond that; 12 is what pages of the web need (measured with 20 of them)."""

WAIT_S: Final = 120.0
"""Longest wait for a child: six times what the longest task may take."""
KEPT_BYTES: Final = 65_536
"""Largest task that is kept as it was written while it waits for its turn; nearly every one is smaller."""

_LIMITS: Final[dict[str, Cause]] = {
    "MemoryError": "memory_limit",
    "RecursionError": "depth_limit",
    "AnswerTooLarge": "output_limit",
}
"""Exceptions that the input of a task may cause -> the limit behind them."""
_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE})
"""Signals by which the system ends a process for what it did itself."""
BUSY_RATIO: Final = 0.5
"""CPU seconds per second of wall clock from which a task that took too long was at work, and not kept from it."""
STILL_RATIO: Final = 0.05
"""CPU seconds per second of wall clock below which a child stands still. One that a busy machine keeps from its work
goes on: to begin again in a new process would take the machine even longer."""
FINAL_CPU_S: Final = CPU_SECONDS / 2
"""CPU time after which a task that took too long is as good as one that used up all of it."""
_REAP_S: Final = 2.0
"""Seconds to wait for the exit status of a child process whose pipe has closed."""
logger = logging.getLogger(__name__)


class TaskFailed(OffloadFailed):
    """The function stopped with an exception that no input should cause: a mistake of ours."""

    code: ClassVar[str] = "internal"

    def __init__(self, exception: str) -> None:
        super().__init__(f"The task stopped with {exception}.")
        self.exception = exception
        """Name of the exception's class."""


class TaskLost(OffloadFailed):
    """Two children ended or stood still (``time_limit``) while they had the task, for reasons outside of it."""

    code: ClassVar[str] = "internal"


class NoChildFree(OffloadFailed):
    """No child came free within ``WAIT_S``: the fault of neither the task nor its input."""

    code: ClassVar[str] = "internal"


class _Ended(Exception):
    """The child ended or had to be ended without an answer.

    Attributes:
        cause: ``limit``: the task used up its CPU time, or the child answered what is no answer; ``memory``: it
            used up the memory that its length had suggested; ``crash``: the process crashed; ``outside``: it was
            killed, or got hardly any CPU time.
    """

    def __init__(
        self,
        cause: Literal["limit", "memory", "crash", "outside"],
        failure: OffloadFailed,
        *,
        cpu_s: int = CPU_SECONDS,
    ) -> None:
        super().__init__(cause)
        self.cause = cause
        self.failure = failure
        """Error of a task that is not retried."""
        self.cpu_s = cpu_s
        """CPU time for another attempt, whole seconds."""


def usable_cpus() -> int:
    """Return the number of CPUs that this process may use; all of the machine where the system has no affinity."""
    affinity = getattr(os, "sched_getaffinity", None)
    return os.cpu_count() or 1 if affinity is None else max(1, len(affinity(0)))


class TaskRunner(Protocol):
    """A runner of pure functions in child processes."""

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """The result of ``function(*arguments)``; see ``Children.run``."""


def task_growth_bytes(length: int) -> int:
    """Return the memory that a task of ``length`` bytes gets at its first attempt."""
    return min(GROWTH_BYTES, TASK_BYTES + MEMORY_RATIO * length)


class Children:
    """Runs pure functions in child processes: ``await children.run(parse, body, timeout_s=5)``.

    Use as an async context manager; leaving it ends every child. One task runs in one child at a time, further tasks
    wait, each in the queue of its account (``for_account``). An account without a task under way gets a child at once,
    as long as fewer than twice ``count`` are busy. A child that dies or overruns is replaced. A task that ran into its
    limits fails with ``OffloadFailed`` at once. One whose child crashed, was killed from outside or got no CPU time is
    tried once more in a fresh child: a second crash is the fault of the input, anything else is ``TaskLost``.

    All tasks share ``SHARED_BYTES`` of memory. A task gets of it what its length suggests (``task_growth_bytes``), and
    its child cannot use more; only if that was not enough, it is done again with ``growth_bytes``.
    """

    def __init__(
        self, count: int | None = None, *, growth_bytes: int = GROWTH_BYTES, shared_bytes: int | None = SHARED_BYTES
    ) -> None:
        """Prepare ``count`` children (one for each CPU by default); all but the first start when they are needed.

        Args:
            count: At least 1.
            growth_bytes: Memory that a child may use beyond its libraries.
            shared_bytes: Memory that the tasks of all children may use at once, ``SPARE_BYTES`` aside; ``None``: every
                task gets ``growth_bytes``.
        """
        self._growth_bytes = growth_bytes
        self._shares = shared_bytes is not None
        self._count = count or usable_cpus()
        self._slots = FairSlots(
            self._count, spare=self._count, wait_s=WAIT_S, weight=shared_bytes, spare_weight=SPARE_BYTES
        )
        self._idle: list[_Child] = []
        """Children that wait for work, at most twice ``count``; the one that worked last stands last.

        Those beyond ``count`` stay as well: to start one takes as much CPU time as a dozen pages, and accounts come and
        go.
        """
        self._all: set[_Child] = set()

    async def __aenter__(self) -> Self:
        # The first child imports its parser while the caller waits for the network.
        if not self._idle:
            self._idle.append(await self._start())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End every child."""
        for child in tuple(self._all):
            await self._end(child)

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """The result of ``function(*arguments)``, a top-level function with an annotated return type.

        Raises:
            OffloadFailed: It raised, died, or took more than ``timeout_s`` seconds, its CPU time or its memory.
        """
        return await self._run(None, function, arguments, timeout_s)

    def for_account(self, account: Hashable) -> TaskRunner:
        """The same children, for tasks that are done for this account."""
        return _OfAccount(self, account)

    async def _run(
        self, account: Hashable, function: Callable[..., T], arguments: tuple[object, ...], timeout_s: float
    ) -> T:
        written = write_task(function, arguments)
        growth_bytes = min(self._growth_bytes, task_growth_bytes(len(written))) if self._shares else self._growth_bytes
        frame: bytes | None = written
        del written
        cpu_s = CPU_SECONDS
        lost: _Ended | None = None
        while True:
            if frame is not None and len(frame) > KEPT_BYTES and not self._slots.is_free(account, growth_bytes):
                # Written again when its turn comes: what waits is not held twice.
                frame = None
            try:
                async with self._slots.hold(account, growth_bytes):
                    frame = frame or write_task(function, arguments)
                    head = TASK_FRAME.pack(len(frame), growth_bytes, cpu_s)
                    return await self._ask(function, head, frame, timeout_s, fresh=lost is not None)
            except NoSlot:
                raise NoChildFree(f"No process came free to read it within {WAIT_S:g} s.") from None
            except _Ended as ended:
                if ended.cause == "limit" or (ended.cause == "memory" and growth_bytes == self._growth_bytes):
                    raise ended.failure from None
                if ended.cause != "memory":
                    _log_or_raise(ended, lost)
                    lost = ended
                growth_bytes, cpu_s = self._growth_bytes, min(cpu_s, ended.cpu_s)

    async def _ask(self, function: Callable[..., T], head: bytes, frame: bytes, timeout_s: float, *, fresh: bool) -> T:
        decode = _decoder(function).decode
        child = self._idle.pop() if self._idle and not fresh else None
        keep: _Child | None = None
        try:
            if child is not None and child.has_ended:
                # Killed while it waited, perhaps for want of memory: no fault of this task's input.
                dead, child = child, None
                await self._end(dead)
            child = child or await self._start()
            before_s = child.cpu_s()
            answer = await child.ask(head, frame, timeout_s, before_s)
            kind = answer[:1]
            if kind not in (ANSWER, LAST_ANSWER):
                keep = child
                name = answer[1:81].decode("ascii", "replace")
                if name == "ImportError":
                    # A library that the task was the first to load did not fit into its memory.
                    raise _Ended("memory", TaskFailed(name), cpu_s=_cpu_left_s(before_s, child.cpu_s()))
                if name not in _LIMITS:
                    raise TaskFailed(name)
                failure = OffloadFailed(f"The parser stopped with {name}.", cause=_LIMITS[name])
                if failure.cause == "memory_limit":
                    raise _Ended("memory", failure, cpu_s=_cpu_left_s(before_s, child.cpu_s()))
                raise failure
            try:
                result: T = decode(memoryview(answer)[1:])
            except (msgspec.DecodeError, RecursionError):
                raise OffloadFailed("The parser gave an answer that cannot be read.", cause="output_limit") from None
            keep = child if kind == ANSWER else None
            return result
        finally:
            if keep is not None and keep.tasks >= TASKS_PER_CHILD:
                keep = None
            if keep is not None and len(self._idle) < 2 * self._count:
                self._idle.append(keep)
            elif child is not None:
                await asyncio.shield(self._end(child))

    async def _start(self) -> _Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "pagegrade.sandbox.worker",
            str(self._growth_bytes),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=child_environment(),
            # Ctrl-C reaches every process of the terminal's group; a child would answer it with a traceback. It is
            # ours to end, and ends by itself when its stdin closes.
            start_new_session=True,
        )
        child = _Child(process)
        self._all.add(child)
        return child

    async def _end(self, child: _Child) -> None:
        self._all.discard(child)
        await child.end()


class _OfAccount:
    """Children as one account uses them."""

    def __init__(self, children: Children, account: Hashable) -> None:
        self._children = children
        self._account = account

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """As ``Children.run``."""
        return await self._children._run(self._account, function, arguments, timeout_s)  # noqa: SLF001 - a part of it


class _Child:
    """One process and its pipe."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.tasks = 0
        self._stat: int | None = None
        """Descriptor of what the system reports about the process, read with every task; ``None`` where it does not."""
        with contextlib.suppress(OSError):
            self._stat = os.open(f"/proc/{process.pid}/stat", os.O_RDONLY)

    @property
    def has_ended(self) -> bool:
        """Return whether the process is known to be gone."""
        return self._process.returncode is not None

    async def ask(self, head: bytes, frame: bytes, timeout_s: float, before_s: float | None) -> bytes:
        """Send one task and wait for its answer.

        Args:
            head: What the child reads first: length and limits.
            timeout_s: Wall clock for it on a machine that is not too busy; at most ten times as long on one that is.
            before_s: CPU seconds of the process so far; ``None`` where they are not known.

        Raises:
            _Ended: None came in time.
        """
        started_s = time.monotonic()
        loop = asyncio.get_running_loop()
        used_s = 0.0
        next_look: asyncio.TimerHandle

        def look() -> None:
            """Go on waiting for a child that a busy machine keeps from its work, while it advances."""
            nonlocal used_s, next_look
            after_s, last_s = self.cpu_s(), used_s
            used_s = timeout_s if before_s is None or after_s is None else after_s - before_s
            if used_s < BUSY_RATIO * timeout_s and used_s - last_s >= STILL_RATIO * timeout_s:
                next_look = loop.call_later(timeout_s, look)
            else:
                limit.reschedule(loop.time())

        next_look = loop.call_later(timeout_s, look)
        try:
            async with asyncio.timeout(None) as limit:
                return await self._exchange(head, frame)
        except TimeoutError:
            is_final = used_s >= FINAL_CPU_S
            failure = OffloadFailed(
                f"Parsing took more than {timeout_s:g} s.", cause="cpu_limit" if is_final else "time_limit"
            )
            was_busy = is_final or used_s >= BUSY_RATIO * timeout_s
            raise _Ended("limit" if was_busy else "outside", failure) from None
        except (asyncio.IncompleteReadError, ConnectionError, RuntimeError):
            # RuntimeError is what uvloop says of a pipe whose other end is gone.
            raise await self._how_it_ended(time.monotonic() - started_s) from None
        finally:
            next_look.cancel()

    async def _exchange(self, head: bytes, frame: bytes) -> bytes:
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise ConnectionError("The child has no pipes.")
        self.tasks += 1
        if len(frame) <= SMALL_BYTES:
            # Together: two writes would wake the child twice.
            requests.write(head + frame)
        else:
            requests.write(head)
            requests.write(frame)
        await requests.drain()
        (length,) = FRAME.unpack(await answers.readexactly(FRAME.size))
        if not 0 < length <= MAX_ANSWER_BYTES + 1:
            raise _Ended("limit", OffloadFailed("The parser gave an answer that cannot be read.", cause="output_limit"))
        return await answers.readexactly(length)

    def cpu_s(self) -> float | None:
        """CPU seconds the process has used; ``None`` where the system does not report them."""
        if self._stat is None:
            return None
        try:
            user, system = os.pread(self._stat, 1_024, 0).rpartition(b")")[2].split()[11:13]
        except (OSError, ValueError):
            return None
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    async def _how_it_ended(self, after_s: float) -> _Ended:
        """Explain why the pipe closed after so many seconds, by the exit status: negative for a signal."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAP_S):
                await self._process.wait()
        status = self._process.returncode
        if status == -signal.SIGXCPU:
            return _Ended("limit", OffloadFailed("The parser died: it used up its CPU time.", cause="cpu_limit"))
        crashed = status is None or status > 0 or -status in _CRASHES
        failure = OffloadFailed("The parser died or ran into its limits.", cause="crash")
        # It cannot be asked any more for its CPU time, which is at most the time that went by.
        return _Ended("crash", failure, cpu_s=_cpu_left_s(0.0, after_s)) if crashed else _Ended("outside", failure)

    async def end(self) -> None:
        """Kill and collect the process."""
        if self._process.returncode is None:
            # Not self._process.kill(): that asks for the exit status first, and asyncio then misses it and complains.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            await self._process.wait()
        finally:
            if self._stat is not None:
                os.close(self._stat)
                self._stat = None


def _log_or_raise(ended: _Ended, first: _Ended | None) -> None:
    """Log the first loss of a child; at the second one call it the fault of the input only where that is certain.

    Raises:
        OffloadFailed: The child crashed a second time.
        TaskLost: It was lost a second time.
    """
    if first is None:
        logger.warning("child_lost", extra={"cause": ended.cause, "failure": str(ended.failure)})
    elif ended.cause == first.cause == "crash":
        raise ended.failure from None
    else:
        raise TaskLost(f"The process was lost twice. {ended.failure}", cause=ended.failure.cause) from None


def _cpu_left_s(before_s: float | None, after_s: float | None) -> int:
    """CPU time for a second attempt: whole seconds, at least 1."""
    used_s = 0.0 if before_s is None or after_s is None else after_s - before_s
    return max(1, CPU_SECONDS - int(used_s))


def _decoder(function: Callable[..., Any]) -> msgspec.msgpack.Decoder[Any]:
    """Reads the answers of ``function`` (or of what a ``partial`` wraps) and nothing else."""
    while isinstance(function, partial):
        function = function.func
    return _decoder_of(function)


@cache
def _decoder_of(function: Callable[..., Any]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(typing.get_type_hints(function)["return"])


def child_environment() -> dict[str, str]:
    """Only what the interpreter needs: a child has no business with the secrets of its parent."""
    kept = ("PYTHONPATH", "PYTHONHOME", "COVERAGE_PROCESS_START")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return {**environment, "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"}
