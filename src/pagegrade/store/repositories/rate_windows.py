"""Counting in moving windows for all processes of a shared database at once.

A limit holds for all of them together, to the last one: whoever counts holds the rows, for microseconds and without
waiting for a disk. So each call is to be a transaction of its own (``Database.at_once``, ``Database.read(first=...)``);
inside a longer one the rows would be held until that ends. What is counted stays counted whatever comes after.

The table, what it costs and what becomes of it in a crash is in ``migrations.counters``. Names are kept as digests:
addresses of people do not belong into a database only because they asked for something.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared

NAME_BYTES: Final = 16
LONGEST_S: Final = 60 * 24 * 3_600
"""No window is longer. A row that counts for longer was written while the clock of the server was wrong."""
PIECE_PAGES: Final = 256
"""Pages of 8 kB that are swept at a time, some thousand rows."""
SAMPLE_PERCENT: Final = 5.0
"""Of the pages of a table that is too full, looked at to find out which rows were left alone the longest."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Something that may happen so often in a moving window."""

    name: bytes
    """Of ``counter_name``."""
    limit: int
    window_s: int
    """Seconds, from 1 to ``LONGEST_S``."""


@dataclass(frozen=True, slots=True)
class Count:
    """How a counter stands."""

    counted: int
    """In the window that ends now."""
    left_s: float
    """Seconds until the oldest leaves the window; the whole window where nothing is counted."""


def counter_name(*parts: str | int) -> bytes:
    """What a counter is called: the same for every process.

    Args:
        parts: What is counted, and for whom; text of any length and with any characters.
    """
    written = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def take_counts(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """Count one more by each of these, or by none if any of them has reached its limit.

    Args:
        tx: Of a shared database; a statement by itself, see above.
        counters: One or more, of different names.

    Returns:
        Whether it was counted, and how each stands now, in their order.
    """
    return _step(tx, 1, counters)


def look_at_counts(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """The same without counting: whether it would be, and how each stands."""
    return _step(tx, 0, counters)


def give_counts_back(tx: Transaction, counters: Sequence[Counter]) -> tuple[bool, tuple[Count, ...]]:
    """Take the latest count back by each of these, or by none if one of them has none.

    Returns:
        Whether there was one, and how each stands now, in their order.
    """
    return _step(tx, -1, counters)


def note(tx: Transaction, name: bytes, seconds: int) -> None:
    """Remember for so long that something happened; from now, if it did before.

    Args:
        tx: Of a shared database; a statement by itself.
        name: Of ``counter_name``.
        seconds: 1 to ``LONGEST_S``.
    """
    _NOTE.rows(tx, {"name": name, "seconds": seconds})


def is_noted(tx: Transaction, name: bytes) -> bool:
    """Whether ``note`` remembers it."""
    return _NOTED.first(tx, {"name": name}) is not None


def sweep_counters(tx: Transaction, page: int, *, silent_s: float | None = None) -> tuple[int, int] | None:
    """Delete what no longer counts from one piece of the table, without waiting for those who count there right now.

    Args:
        tx: Of a shared database.
        page: Where the piece begins: 0, then ``PIECE_PAGES`` more each time.
        silent_s: Delete also what nobody has counted with for so many seconds, though it still counts.

    Returns:
        The rows that were deleted and those that are left in the piece; ``None``: the table has ended before.
    """
    size = _SIZE.rows(tx, {})[0][0]
    if page >= size:
        return None
    # Not in terms of time: an index on it would have to be changed with every count.
    piece = {"start": f"({page},0)", "end": f"({page + PIECE_PAGES},0)"}
    found = _SWEEP.rows(tx, {**piece, "longest": LONGEST_S, "silent": silent_s})
    return found[0][0], found[0][1]


def silence_to_forget(tx: Transaction, part: float, *, percent: float = SAMPLE_PERCENT) -> float | None:
    """For how many seconds those have been silent that are to go, if so large a part of the rows is to go.

    Args:
        tx: Of a shared database.
        part: More than 0 and less than 1.
        percent: Of the pages that are looked at.

    Returns:
        About that; ``None``: there are none.
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
    """With a parameter for each value: the driver takes three times as long over lists."""
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
# Whoever counts holds a row for microseconds; it is left for the next time rather than waited for, because somebody who
# counts by several rows might wait for one of ours meanwhile.
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
