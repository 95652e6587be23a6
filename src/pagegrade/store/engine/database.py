"""Transactions, whatever the database: ``await database.read(work)``, ``await database.write(work)``.

Two kinds keep this promise: ``sqlite_database`` for one process with a file of its own, ``postgres_database`` for as
many processes on as many machines as wanted.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, overload

from sqlalchemy import Connection

T = TypeVar("T")
A = TypeVar("A")
Transaction = Connection
"""What the functions of this room work on; nobody else needs to know what it is."""

RETRY_AFTER_S: Final = 2
UNAVAILABLE: Final = "The database cannot be used right now; try again soon."
_MOMENT: Final = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"


class Database(ABC):
    """One database.

    ``work`` is a function of a transaction. It may be run again after a failure, so it does nothing but read and write
    the database. What it raises reaches the caller and undoes what it wrote. A database that cannot be written or
    reached is ``Unavailable``.
    """

    shared: ClassVar[bool]
    """Whether other processes, on other machines too, work on it at the same time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.on_commit: Callable[[int, float], None] | None = None
        """Told after every commit how many pieces of work were in it, and the seconds it took."""

    @property
    @abstractmethod
    def path(self) -> Path | None:
        """The file; ``None`` where it is none."""

    @overload
    async def read(self, work: Callable[[Transaction], T]) -> T: ...

    @overload
    async def read(self, work: Callable[[Transaction, A], T], first: Callable[[Transaction], A]) -> T: ...

    @abstractmethod
    async def read(self, work: Callable[..., T], first: Callable[[Transaction], Any] | None = None) -> T:
        """The result of ``work`` on one unchanging view of the database, from a thread.

        Args:
            work: Reads only.
            first: Done before, in the same thread; its result is the second argument of ``work``. On a shared database
                each of its statements stands for itself, so that what it counts is counted whatever ``work`` raises.

        Raises:
            Unavailable: The database cannot be read.
        """

    @abstractmethod
    async def at_once(self, work: Callable[[Transaction], T]) -> T:
        """The result of ``work``, from a thread; on a shared database each of its statements stands for itself.

        Raises:
            Unavailable: The database cannot be used.
        """

    async def write(self, work: Callable[[Transaction], T]) -> T:
        """The result of ``work`` once what it wrote is safe on disk.

        Raises:
            Unavailable: The database cannot be written; nothing was, unless the connection was lost in the very moment
                of the commit.
        """
        # A caller that goes away must not leave work half told: it is done all the same, and its outcome dropped.
        return await asyncio.shield(asyncio.wrap_future(self.submit(work)))

    @abstractmethod
    def submit(self, work: Callable[[Transaction], T]) -> Future[T]:
        """The same as ``write`` for a thread: a future of what ``work`` will give."""

    @abstractmethod
    def read_here(self, work: Callable[[Transaction], T]) -> T:
        """``work`` in the calling thread, which keeps a connection of its own for the next time."""

    @abstractmethod
    def write_here(self, work: Callable[[Transaction], T]) -> T:
        """``work`` in a transaction of its own, in the calling thread: for commands, which have no event loop."""

    @abstractmethod
    def change_schema(self, work: Callable[[Transaction], T]) -> T:
        """``work`` in a transaction of its own that may rebuild tables which others refer to, one process at a time.

        Raises:
            Unavailable: The database cannot be written; nothing was.
        """

    @abstractmethod
    def close(self) -> None:
        """Finish what waits and close every connection."""


def is_shared(tx: Transaction) -> bool:
    """Whether other processes work on this database at the same time."""
    return tx.dialect.name != "sqlite"


def moment(tx: Transaction, now_ms: int) -> int:
    """The time by which leases and visits are judged: where several machines share a database, that of its clock.

    Args:
        tx: Any transaction.
        now_ms: The time by the clock of this machine.
    """
    return int(tx.exec_driver_sql(_MOMENT).scalar_one()) if is_shared(tx) else now_ms
