"""Token buckets of rate limits, shared by all processes of a shared database.

A row holds the time at which a bucket will be full again, which is all that there is to know of it. One statement
decides and counts, under the lock of the row and without waiting for a disk. Each call must be its own transaction
(``Database.at_once``, ``Database.read(first=...)``): within a longer one the row would be locked until it ends.
Names are stored as digests, because client addresses are personal data.
"""

from __future__ import annotations

import hashlib
from typing import Final

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared

NAME_BYTES: Final = 16
TOLERANCE_S: Final = 0.001
"""Rounding errors of times that add up while a bucket is emptied."""
LONGEST_S: Final = 60 * 24 * 3_600
"""Longest window and note. A row with a later time was written while the clock of the server was wrong."""


def bucket_name(*parts: str | int) -> bytes:
    """Return the name of a bucket, the same in every process.

    Args:
        parts: Kind and client of the bucket; text of any length and with any characters.
    """
    written = "".join(f"{len(part)}:{part}" for part in map(str, parts))
    return hashlib.blake2b(written.encode("utf-8", "surrogatepass"), digest_size=NAME_BYTES).digest()


def take_token(tx: Transaction, name: bytes, *, step_s: float, window_s: float) -> tuple[bool, float]:
    """Take a token, unless the bucket is empty.

    Args:
        tx: Transaction of a shared database, for this statement only.
        name: Name of ``bucket_name``.
        step_s: Seconds in which the bucket gets one token, more than 0.
        window_s: Seconds in which it gets all, from ``step_s`` to ``LONGEST_S``.

    Returns:
        Whether one was taken, and the seconds until the bucket is full again.
    """
    given = {"name": name, "step": step_s, "window": window_s + TOLERANCE_S, "wrong": 2 * window_s}
    found = _TAKE.first(tx, given)
    return (bool(found[0]), float(found[1])) if found else (False, float(window_s))


def give_token_back(tx: Transaction, name: bytes, *, step_s: float) -> float:
    """Put a token back; return the seconds until the bucket is full, 0 or less for a full one."""
    found = _GIVE_BACK.first(tx, {"name": name, "step": step_s})
    return float(found[0]) if found else 0.0


def look_at_bucket(tx: Transaction, name: bytes) -> float:
    """Return the seconds until a bucket is full, 0 or less for a full one."""
    found = _LOOK.first(tx, {"name": name})
    return float(found[0]) if found else 0.0


def note(tx: Transaction, name: bytes, seconds: int) -> None:
    """Set a flag for some seconds, 1 to ``LONGEST_S``; if it is set already, the time starts again."""
    _NOTE.rows(tx, {"name": name, "seconds": seconds})


def forget_buckets(tx: Transaction, *, most: int, limit: int) -> int:
    """Delete rows of full buckets and, where there are more than ``most`` others, of those that are full the soonest.

    Rows that others hold are left for the next time.

    Returns:
        Number of deleted rows, at most ``limit`` of each kind.
    """
    full = _FORGET_FULL.rows(tx, {"limit": limit, "longest": LONGEST_S})
    rest = _FORGET_SURPLUS.rows(tx, {"limit": limit, "most": most})
    return len(full) + len(rest)


# A time further ahead than a bucket can be was written while the clock was ahead: it locks no client out.
# A refusal writes nothing, so the second half reads the row as it was when the statement began: none where another
# process has just made it.
_TAKE: Final = Prepared(
    text(
        "WITH taken AS ("
        " INSERT INTO buckets AS held (name, full_at)"
        " VALUES (:name, clock_timestamp() + make_interval(secs => :step))"
        " ON CONFLICT (name) DO UPDATE SET full_at = make_interval(secs => :step) + CASE"
        " WHEN held.full_at > clock_timestamp() + make_interval(secs => :wrong) THEN clock_timestamp()"
        " ELSE greatest(held.full_at, clock_timestamp()) END"
        " WHERE held.full_at + make_interval(secs => :step) <= clock_timestamp() + make_interval(secs => :window)"
        " OR held.full_at > clock_timestamp() + make_interval(secs => :wrong)"
        " RETURNING full_at"
        ") SELECT true, CAST(extract(epoch FROM full_at - clock_timestamp()) AS double precision) FROM taken "
        "UNION ALL SELECT false, CAST(extract(epoch FROM full_at - clock_timestamp()) AS double precision)"
        " FROM buckets WHERE name = :name AND NOT EXISTS (SELECT 1 FROM taken)"
    )
)
_GIVE_BACK: Final = Prepared(
    text(
        "UPDATE buckets SET full_at = full_at - make_interval(secs => :step) WHERE name = :name "
        "RETURNING CAST(extract(epoch FROM full_at - clock_timestamp()) AS double precision)"
    )
)
_LOOK: Final = Prepared(
    text(
        "SELECT CAST(extract(epoch FROM full_at - clock_timestamp()) AS double precision) FROM buckets "
        "WHERE name = :name"
    )
)
_NOTE: Final = Prepared(
    text(
        "INSERT INTO buckets (name, full_at) VALUES (:name, clock_timestamp() + make_interval(secs => :seconds)) "
        "ON CONFLICT (name) DO UPDATE SET full_at = excluded.full_at"
    )
)
# Not by an index of the times: it would have to be updated with every event.
_FORGET_FULL: Final = Prepared(
    text(
        "DELETE FROM buckets WHERE ctid = ANY (ARRAY(SELECT ctid FROM buckets"
        " WHERE full_at <= clock_timestamp() OR full_at > clock_timestamp() + make_interval(secs => :longest)"
        " LIMIT :limit FOR UPDATE SKIP LOCKED)) RETURNING 1"
    )
)
_FORGET_SURPLUS: Final = Prepared(
    text(
        "DELETE FROM buckets WHERE ctid = ANY (ARRAY(SELECT ctid FROM buckets ORDER BY full_at"
        " LIMIT greatest(0, least(:limit, (SELECT count(*) FROM buckets) - :most)) FOR UPDATE SKIP LOCKED)) RETURNING 1"
    )
)
