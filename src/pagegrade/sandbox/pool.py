"""A few child processes that parse and judge, each replaceable at any moment.

Why not ``multiprocessing`` or a pool on top of it: its ``spawn`` and ``forkserver`` import the caller's ``__main__``
again, which a library cannot ask its users to guard, and ``fork`` copies sockets and locks of a process that runs
threads. A pipe to ``python -m pagegrade.sandbox.worker`` has none of that.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import typing
from collections.abc import Callable, Hashable
from functools import cache, partial
from types import TracebackType
from typing import Any, ClassVar, Final, Protocol, Self, TypeVar

import msgspec

from pagegrade.gather.context import OffloadFailed
from pagegrade.sandbox.codec import SMALL_BYTES, write_task
from pagegrade.sandbox.fair_slots import FairSlots
from pagegrade.sandbox.worker import ANSWER, FRAME, LAST_ANSWER, MAX_ANSWER_BYTES

T = TypeVar("T")

TASKS_PER_CHILD: Final = 2_000
"""A child is replaced after so many tasks, or once it has grown (``child.GROWN_KB``), so that no leak of a parser can
grow for ever. To start one takes as much CPU as to judge a hundred pages."""


_LIMITS: Final = frozenset({"MemoryError", "RecursionError", "AnswerTooLarge"})
"""What a task may end with because of its input."""


class TaskFailed(OffloadFailed):
    """The function stopped with an exception that no input should cause: a mistake of ours."""

    code: ClassVar[str] = "internal"

    def __init__(self, exception: str) -> None:
        super().__init__(f"The task stopped with {exception}.")
        self.exception = exception
        """Name of the exception's class."""


class _Died(Exception):
    """The child ended, or answered something that is no answer."""


class TaskRunner(Protocol):
    """Where pure functions run in child processes."""

    async def run(self, function: Callable[..., T], *arguments: object, timeout_s: float) -> T:
        """The result of ``function(*arguments)``; see ``Children.run``."""


class Children:
    """Runs pure functions in child processes: ``await children.run(parse, body, timeout_s=5)``.

    Use as an async context manager; leaving it ends every child. One task runs in one child at a time, further tasks
    wait, each in the queue of its account (``for_account``). An account without a task under way gets a child at once,
    as long as fewer than twice ``count`` are busy. A child that dies or overruns is replaced and its task fails with
    ``OffloadFailed``: it is not tried again, because the same bytes would do the same.
    """

    def __init__(self, count: int | None = None) -> None:
        """Prepare ``count`` children (one for each CPU by default); all but the first start when they are needed."""
        self._count = count or max(1, len(os.sched_getaffinity(0)))
        self._slots = FairSlots(self._count, spare=self._count)
        self._idle: list[_Child] = []
        """Children that wait for work, at most ``count``; the one that worked last stands last."""
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
        frame = write_task(function, arguments)
        async with self._slots.hold(account):
            return await self._ask(function, frame, timeout_s)

    async def _ask(self, function: Callable[..., T], frame: bytes, timeout_s: float) -> T:
        child = self._idle.pop() if self._idle else None
        keep: _Child | None = None
        try:
            if child is not None and child.has_ended:
                # Killed while it waited, perhaps for want of memory: that is no word on the bytes of this task.
                dead, child = child, None
                await self._end(dead)
            child = child or await self._start()
            try:
                async with asyncio.timeout(timeout_s):
                    answer = await child.ask(frame)
            except TimeoutError:
                raise OffloadFailed(f"Parsing took more than {timeout_s:g} s.") from None
            except _Died:
                raise OffloadFailed("The parser died or ran into its limits.") from None
            kind = answer[:1]
            if kind not in (ANSWER, LAST_ANSWER):
                keep = child
                name = answer[1:81].decode("ascii", "replace")
                if name not in _LIMITS:
                    raise TaskFailed(name)
                raise OffloadFailed(f"The parser stopped with {name}.")
            try:
                result: T = _decoder(function).decode(memoryview(answer)[1:])
            except (msgspec.DecodeError, RecursionError):
                raise OffloadFailed("The parser gave an answer that cannot be read.") from None
            keep = child if kind == ANSWER else None
            return result
        finally:
            if keep is not None and keep.tasks >= TASKS_PER_CHILD:
                keep = None
            if keep is not None and len(self._idle) < self._count:
                self._idle.append(keep)
            elif child is not None:
                await asyncio.shield(self._end(child))

    async def _start(self) -> _Child:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "pagegrade.sandbox.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
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

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to be gone."""
        return self._process.returncode is not None

    async def ask(self, frame: bytes) -> bytes:
        """Send one task and wait for its answer; ``_Died`` when none will come."""
        requests, answers = self._process.stdin, self._process.stdout
        if requests is None or answers is None:
            raise _Died
        self.tasks += 1
        try:
            head = FRAME.pack(len(frame))
            if len(frame) <= SMALL_BYTES:
                # Together: two writes would wake the child twice.
                requests.write(head + frame)
            else:
                requests.write(head)
                requests.write(frame)
        except RuntimeError as error:
            # What uvloop says of a pipe whose other end is gone.
            raise _Died from error
        try:
            await requests.drain()
            (length,) = FRAME.unpack(await answers.readexactly(FRAME.size))
            if not 0 < length <= MAX_ANSWER_BYTES + 1:
                raise _Died
            return await answers.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise _Died from error

    async def end(self) -> None:
        """Kill and collect the process."""
        if self._process.returncode is None:
            # Not self._process.kill(): that asks for the exit status first, and asyncio then misses it and complains.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()


def _decoder(function: Callable[..., Any]) -> msgspec.msgpack.Decoder[Any]:
    """Reads the answers of ``function`` (or of what a ``partial`` wraps) and nothing else."""
    while isinstance(function, partial):
        function = function.func
    return _decoder_of(function)


@cache
def _decoder_of(function: Callable[..., Any]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(typing.get_type_hints(function)["return"])


def _environment() -> dict[str, str]:
    """Only what the interpreter needs: a parser has no business with the secrets of its parent."""
    kept = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR", "COVERAGE_PROCESS_START")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return {**environment, "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"}
