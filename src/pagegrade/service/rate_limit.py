"""Rate limits by token buckets: of requests, mails and attempts at passwords.

A bucket holds ``limit`` tokens and gets them back evenly within its window. Each event takes one; where there is none
it is refused, which costs nothing. So ``limit`` events may come at once, and later as many in each window.

One process keeps its buckets in memory; a restart fills them. Where several share a database they are there, so that a
limit holds for all of them together, whichever of them is asked.

Instead of a library: the maintained one (``limits`` 5) reads the wall clock, so that a clock set back locks busy
callers out for as long, and under load starts a thread every 10 ms that iterates over all known clients.
"""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.rate_limit import (
    TOLERANCE_S,
    bucket_name,
    give_token_back,
    look_at_bucket,
    note,
    take_token,
)

T = TypeVar("T")
Name = tuple[str | int, ...]
"""Subject of a bucket: an event, and the client that it is counted for."""
MINUTE_S: Final = 60
HOUR_S: Final = 3_600
REMEMBERED: Final = 50_000
"""Buckets that one process keeps at a time, about 20 MB; of more, those left alone the longest are forgotten."""
NOTED: Final = 10_000
"""Notes that one process keeps at a time; of more, the oldest are forgotten. About 5 MB at worst."""


class Bucket(NamedTuple):
    """So many at once, and as many in each window."""

    name: Name
    limit: int
    """0 or more; 0 allows nothing."""
    window_s: int = MINUTE_S

    @property
    def step_s(self) -> float:
        """Seconds in which it gets one token."""
        return self.window_s / self.limit


class Standing(msgspec.Struct, frozen=True):
    """State of a limit for one client after a request."""

    allowed: bool
    limit: int
    remaining: int
    reset_s: int
    """Whole seconds until one more is allowed than now, at least 1."""


class Buckets(ABC):
    """Counts events, and remembers that something happened.

    A transaction is one whose statements stand for themselves (``Database.read(first=...)``, ``run``); memory needs
    none. ``take_now`` and ``give_back_now`` are for the event loop, which has no transaction.
    """

    def take(self, tx: Transaction, bucket: Bucket) -> Standing:
        """Count one more, unless that would be too many."""
        if bucket.limit <= 0:
            return Standing(allowed=False, limit=bucket.limit, remaining=0, reset_s=bucket.window_s)
        allowed, full_in_s = self._take(tx, bucket)
        return _standing(bucket, full_in_s, allowed=allowed)

    def look(self, tx: Transaction, bucket: Bucket) -> Standing:
        """Return whether one more would be allowed, without counting it."""
        standing = _standing(bucket, self._full_in_s(tx, bucket.name), allowed=True)
        return msgspec.structs.replace(standing, allowed=standing.remaining > 0)

    def give_back(self, tx: Transaction, bucket: Bucket) -> Standing:
        """Take back one that was counted and not used."""
        return _standing(bucket, self._give_back(tx, bucket), allowed=True)

    async def take_now(self, bucket: Bucket) -> Standing:
        """The same as ``take``."""
        return await self.run(lambda tx: self.take(tx, bucket))

    async def give_back_now(self, bucket: Bucket) -> Standing:
        """The same as ``give_back``."""
        return await self.run(lambda tx: self.give_back(tx, bucket))

    def is_noted(self, tx: Transaction, name: Name, /) -> bool:
        """Return true while ``note`` remembers it."""
        return self._full_in_s(tx, name) > 0

    @abstractmethod
    def note(self, tx: Transaction, name: Name, seconds: int, /) -> None:
        """Remember for so long from now that something happened."""

    @abstractmethod
    async def run(self, work: Callable[[Transaction], T]) -> T:
        """Return what ``work`` returns; for the event loop, which has no transaction."""

    @abstractmethod
    def _take(self, tx: Transaction, bucket: Bucket, /) -> tuple[bool, float]:
        """Return whether a token was taken, and the seconds until the bucket is full."""

    @abstractmethod
    def _give_back(self, tx: Transaction, bucket: Bucket, /) -> float:
        """Return the seconds until the bucket is full."""

    @abstractmethod
    def _full_in_s(self, tx: Transaction, name: Name, /) -> float:
        """Return the seconds until the bucket is full or the note ends; 0 or less: it is, or it did."""


class MemoryBuckets(Buckets):
    """Buckets of one process; for any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._full_at: OrderedDict[Name, float] = OrderedDict()
        """Name -> time at which the bucket is full; the latest name last."""
        self._noted: OrderedDict[Name, float] = OrderedDict()
        """Name -> until when it is remembered; the latest note last."""

    def note(self, _tx: object, name: Name, seconds: int, /) -> None:
        """For this process."""
        with self._lock:
            self._noted[name] = self._clock() + seconds
            self._noted.move_to_end(name)
            while len(self._noted) > NOTED:
                self._noted.popitem(last=False)

    async def run(self, work: Callable[[Any], T]) -> T:
        """Without leaving the event loop."""
        return work(None)

    def _take(self, _tx: object, bucket: Bucket, /) -> tuple[bool, float]:
        with self._lock:
            now = self._clock()
            full_at = max(self._full_at.get(bucket.name, now), now)
            allowed = full_at + bucket.step_s <= now + bucket.window_s + TOLERANCE_S
            if allowed:
                full_at += bucket.step_s
            self._full_at[bucket.name] = full_at
            self._full_at.move_to_end(bucket.name)
            self._forget(now)
            return allowed, full_at - now

    def _give_back(self, _tx: object, bucket: Bucket, /) -> float:
        with self._lock:
            if bucket.name in self._full_at:
                self._full_at[bucket.name] -= bucket.step_s
        return self._full_in_s(_tx, bucket.name)

    def _full_in_s(self, _tx: object, name: Name, /) -> float:
        with self._lock:
            return self._full_at.get(name, self._noted.get(name, 0.0)) - self._clock()

    def _forget(self, now: float) -> None:
        """Drop a few full buckets, and those left alone the longest where there are too many."""
        for _ in range(2):
            if self._full_at and next(iter(self._full_at.values())) <= now:
                self._full_at.popitem(last=False)
        while len(self._full_at) > REMEMBERED:
            self._full_at.popitem(last=False)


class DatabaseBuckets(Buckets):
    """Buckets in a shared database, together with every other process that uses it; each method is one statement."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, tx: Transaction, name: Name, seconds: int, /) -> None:
        """For every process."""
        note(tx, bucket_name(*name), seconds)

    async def run(self, work: Callable[[Transaction], T]) -> T:
        """From a thread of the database."""
        return await self._database.at_once(work)

    def _take(self, tx: Transaction, bucket: Bucket, /) -> tuple[bool, float]:
        return take_token(tx, bucket_name(*bucket.name), step_s=bucket.step_s, window_s=bucket.window_s)

    def _give_back(self, tx: Transaction, bucket: Bucket, /) -> float:
        return give_token_back(tx, bucket_name(*bucket.name), step_s=bucket.step_s)

    def _full_in_s(self, tx: Transaction, name: Name, /) -> float:
        return look_at_bucket(tx, bucket_name(*name))


def buckets_of(database: Database) -> Buckets:
    """Return buckets of this process alone, or those that all processes of a shared database have in common."""
    return DatabaseBuckets(database) if database.shared else MemoryBuckets()


def _standing(bucket: Bucket, full_in_s: float, *, allowed: bool) -> Standing:
    step_s, full_in_s = bucket.step_s, max(0.0, full_in_s)
    tokens = (bucket.window_s - full_in_s + TOLERANCE_S) / step_s if allowed else 0
    remaining = max(0, min(bucket.limit, math.floor(tokens)))
    one_more_s = full_in_s - bucket.window_s + (remaining + 1) * step_s
    return Standing(allowed, bucket.limit, remaining, max(1, math.ceil(one_more_s - TOLERANCE_S)))
