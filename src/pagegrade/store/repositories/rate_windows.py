"""Rate limit counters in moving windows, shared by all processes of a shared database.

A limit holds exactly for all processes together: the rows are locked while they are counted, for microseconds and
without waiting for a disk. So each call must be its own transaction (``Database.at_once``,
``Database.read(first=...)``); within a longer one the rows would be locked until it ends. Counts are never rolled back.

The table, its cost and its behavior after a crash are described in ``migrations.counters``. Names are stored as
digests, because client addresses are personal data.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared

NAME_BYTES: Final = 16
LONGEST_S: Final = 60 * 24 * 3_600
"""Longest window. A row that counts for longer was written while the clock of the server was wrong."""
PIECE_PAGES: Final = 256
"""Pages of 8 kB that are swept at a time, some thousand rows."""
SAMPLE_PERCENT: Final = 5.0
"""Share of the pages of an overfull table that is sampled to find the least recently used rows."""


class Counter(msgspec.Struct, frozen=True):
    """A rate limit for an event in a moving window."""

    name: bytes
    """Name of ``counter_name``."""
    limit: int
    window_s: int
    """Window in seconds, from 1 to ``LONGEST_S``."""


class Count(msgspec.Struct, frozen=True):
    """State of a counter."""

    counted: int
    """Number of events in the window that ends now."""
    left_s: float
    """Seconds until the oldest event leaves the window; the whole window without events."""


def counter_name(*parts: str | int) -> bytes:
    """Return the name of a counter, the same in every process.

    Args:
        parts: Kind and client of the counter; text of any length and with any characters.
    """
    written = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def take_counts(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """Increment these counters, or none if one of them has reached its limit.

    Args:
        tx: Transaction of a shared database, for this statement only.
        counters: One or more counters with different names.

    Returns:
        Whether they were incremented, and the state of each counter, in their order.
    """
    return _step(tx, 1, counters)


def look_at_counts(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """Return whether these counters could be incremented, and the state of each counter."""
    return _step(tx, 0, counters)


def give_counts_back(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """Remove the latest event of each of these counters, or of none if one is empty.

    Returns:
        Whether they were decremented, and the state of each counter, in their order.
    """
    return _step(tx, -1, counters)


def note(tx: Transaction, name: bytes, seconds: int) -> None:
    """Set a flag for some seconds; if it is set already, the time starts again.

    Args:
        tx: Transaction of a shared database, for this statement only.
        name: Name of ``counter_name``.
        seconds: Duration, 1 to ``LONGEST_S``.
    """
    _NOTE.rows(tx, {"name": name, "seconds": seconds})


def is_noted(tx: Transaction, name: bytes) -> bool:
    """Return whether a flag of ``note`` is set."""
    return _NOTED.first(tx, {"name": name}) is not None


def sweep_counters(tx: Transaction, page: int, *, silent_s: float | None = None) -> tuple[int, int] | None:
    """Delete expired rows from one piece of the table, skipping rows that are locked.

    Args:
        tx: Transaction of a shared database.
        page: First page of the piece: 0, then ``PIECE_PAGES`` more each time.
        silent_s: Delete also rows that were not changed for this time, though they still count.

    Returns:
        Numbers of deleted and remaining rows of the piece; ``None`` past the end of the table.
    """
    size = _SIZE.rows(tx, {})[0][0]
    if page >= size:
        return None
    # Not by time: an index on it would have to be updated with every count.
    piece = {"start": f"({page},0)", "end": f"({page + PIECE_PAGES},0)"}
    found = _SWEEP.rows(tx, {**piece, "longest": LONGEST_S, "silent": silent_s})
    return found[0][0], found[0][1]


def silence_to_forget(tx: Transaction, part: float, *, percent: float = SAMPLE_PERCENT) -> float | None:
    """Return the age in seconds that a given share of the rows exceeds.

    Args:
        tx: Transaction of a shared database.
        part: Share of the rows, more than 0 and less than 1.
        percent: Share of the pages that is sampled.

    Returns:
        Estimated age; ``None`` without rows.
    """
    found = _SILENCE.rows(tx, {"part": 1.0 - part, "percent": percent})[0][0]
    return None if found is None else float(found)


def _step(tx: Transaction, step: int, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    ordered = sorted(range(len(counters)), key=lambda place: counters[place].name)
    given: dict[str, Any] = {"step": step}
    for place, index in enumerate(ordered):
        counter = counters[index]
        given[f"name_{place}"], given[f"limit_{place}"] = counter.name, counter.limit
        given[f"window_{place}"] = counter.window_s
    ((done, counted, left_s),) = _statement(len(counters)).rows(tx, given)
    counts = {index: Count(counted[place], left_s[place]) for place, index in enumerate(ordered)}
    return done, tuple(counts[index] for index in range(len(counters)))


@functools.cache
def _statement(size: int) -> Prepared:
    """Return the statement with a parameter for each value: the driver takes three times as long for lists."""
    lists = (
        f"CAST(ARRAY[{', '.join(f':{what}_{place}' for place in range(size))}] AS {kind}[])"
        for what, kind in (("name", "bytea"), ("limit", "integer"), ("window", "integer"))
    )
    call = f"counters_step(:step, {', '.join(lists)})"
    return Prepared(text(f"SELECT done, counted, left_s FROM {call}"))  # noqa: S608 - nothing in it came from outside


_NOTE: Final = Prepared(
    text(
        "INSERT INTO counters (name, total, moments, counts, until) "
        "VALUES (:name, 1, ARRAY[clock_timestamp()], '{1}', clock_timestamp() + make_interval(secs => :seconds)) "
        "ON CONFLICT (name) DO UPDATE SET moments = excluded.moments, until = excluded.until"
    )
)
_NOTED: Final = Prepared(text("SELECT 1 FROM counters WHERE name = :name AND until > clock_timestamp()"))
_SIZE: Final = Prepared(text("SELECT pg_relation_size('counters') / CAST(current_setting('block_size') AS integer)"))
# Counting locks rows for microseconds. Locked rows are skipped until the next sweep, because waiting for them could
# cause a deadlock with a transaction that increments several counters.
_SWEEP: Final = Prepared(
    text(
        "WITH old AS ("
        " SELECT ctid AS place FROM counters"
        " WHERE ctid >= CAST(:start AS tid) AND ctid < CAST(:end AS tid)"
        " AND (until <= clock_timestamp() OR until > clock_timestamp() + make_interval(secs => :longest)"
        " OR moments[cardinality(moments)] < clock_timestamp() - make_interval(secs => :silent))"
        " FOR UPDATE SKIP LOCKED"
        "), gone AS (DELETE FROM counters WHERE ctid = ANY (ARRAY(SELECT place FROM old)) RETURNING 1) "
        "SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM counters"
        " WHERE ctid >= CAST(:start AS tid) AND ctid < CAST(:end AS tid)) - (SELECT count(*) FROM gone)"
    )
)
_SILENCE: Final = Prepared(
    text(
        "SELECT CAST(extract(epoch FROM clock_timestamp() - percentile_disc(:part) WITHIN GROUP"
        " (ORDER BY moments[cardinality(moments)] DESC)) AS double precision)"
        " FROM counters TABLESAMPLE SYSTEM (:percent)"
    )
)
