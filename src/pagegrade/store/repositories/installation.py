"""Values of this installation: those that it generated once, the time by which its rows age, and its processes.

That time follows the clock, and a jump of the clock only a little at a time. A clock that is wrong by a year would
expire everything at once, and what is deleted does not come back. So the database keeps what the clock said last and
the time by which rows were aged then. Time that was seen to pass moves that time on, at most ``CATCH_UP`` times as fast
as the clock; a jump alone moves it nowhere. After a start from a long stop it is behind for a while, and an
administrator who knows that the clock is right can end that (``trust_clock``). On a shared database the clock is that
of its server, which also says by heartbeats which processes live: a wrong clock makes none look dead.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final, NewType

import msgspec
from sqlalchemy import LargeBinary, bindparam, delete, func, insert, select, text, update

from pagegrade.store.engine.database import Transaction, is_shared, moment
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.account_tables import sessions
from pagegrade.store.schema.tables import events, processes, reports, runs

SECRET_BYTES: Final = 32
PROOF_ROW: Final = "written_at_ms"
ORIGIN_ROW: Final = "served_at"
_VALUE: Final = bindparam("value", type_=LargeBinary)
_PUT: Final = text(
    "INSERT INTO installation (name, value) VALUES (:name, :value) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
).bindparams(_VALUE)
_MAKE: Final = text(
    "INSERT INTO installation (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING"
).bindparams(_VALUE)
_LOAD: Final = Prepared(text("SELECT value FROM installation WHERE name = :name"))
_TAKEN: Final = text("SELECT 1 FROM installation WHERE name = :name FOR UPDATE SKIP LOCKED")
AgeMs = NewType("AgeMs", int)
"""A time, in milliseconds since 1970, by which rows may be aged and deleted; only this module makes one."""

STEP_MS: Final = 3_600_000
"""Longest time between two looks in which the clock is taken to have run; more is a stop, a sleep or a jump."""
CATCH_UP: Final = 25
"""A machine that runs for an hour a day keeps up. A clock that is ahead by a year needs two weeks to be believed."""
_CLOCK_ROW: Final = "deletion_clock"
_NEWEST: Final = (
    select(reports.c.created_at_ms).order_by(reports.c.id.desc()).limit(1),
    select(runs.c.created_at_ms).order_by(runs.c.id.desc()).limit(1),
    select(sessions.c.seen_at_ms).order_by(sessions.c.id.desc()).limit(1),
    select(events.c.created_at_ms).order_by(events.c.id.desc()).limit(1),
    select(func.max(processes.c.seen_at_ms)),
)
KEPT_MS: Final = 3_600_000
"""Time without a heartbeat after which a process is forgotten; it may have been suspended."""


def load_or_make_secret(tx: Transaction, name: str, *, size_bytes: int = SECRET_BYTES) -> bytes:
    """Return random bytes that are the same for every process and after every restart.

    Args:
        name: Purpose of the bytes; each name has its own.
        size_bytes: Number of bytes to generate if there are none yet.
    """
    kept = load_secret(tx, name)
    if kept is not None:
        return kept
    # Another process may generate it at the same time: the stored value counts.
    tx.execute(_MAKE, {"name": name, "value": secrets.token_bytes(size_bytes)})
    made = load_secret(tx, name)
    if made is None:
        raise RuntimeError(f"the secret {name} was written and is not there")
    return made


def load_secret(tx: Transaction, name: str) -> bytes | None:
    """Load the bytes of a name; ``None`` if they were not generated yet."""
    row = _LOAD.first(tx, {"name": name})
    return None if row is None else bytes(row[0])


def put_value(tx: Transaction, name: str, value: bytes) -> None:
    """Store the bytes of a name in place of those before."""
    tx.execute(_PUT, {"name": name, "value": value})


def note_origin(tx: Transaction, origin: str) -> None:
    """Store the origin of the running server, for commands that print URLs."""
    put_value(tx, ORIGIN_ROW, origin.encode("ascii"))


def noted_origin(tx: Transaction) -> str | None:
    """Return the origin of the last server; ``None`` if none was started."""
    value = load_secret(tx, ORIGIN_ROW)
    return None if value is None else value.decode("ascii")


def prove_writable(tx: Transaction, now_ms: int) -> None:
    """Change one row, which needs everything that a real change needs: the lock, the log and free disk space."""
    row = {"name": PROOF_ROW, "value": str(now_ms).encode("ascii")}
    if is_shared(tx) and tx.execute(_TAKEN, row).first() is None and load_secret(tx, PROOF_ROW) is not None:
        # Another process is changing the row. Even if it hangs with the lock, the database is writable: a commit
        # with its own transaction id needs the log, too.
        tx.exec_driver_sql("SELECT pg_current_xact_id()")
        return
    tx.execute(_PUT, row)


class DeletionClock(msgspec.Struct, frozen=True):
    """The clock at one moment, and the time by which rows are aged."""

    clock_ms: int
    """The time by the clock."""
    age_ms: AgeMs
    """At most ``clock_ms``."""
    jumped: bool = False
    """True if the clock has moved by more than ``STEP_MS`` since the last look."""

    @property
    def behind_ms(self) -> int:
        """By how much ``age_ms`` is behind the clock; 0 while the clock runs evenly."""
        return self.clock_ms - self.age_ms


def read_clock(tx: Transaction, now_ms: int) -> DeletionClock:
    """Return the time by which rows are aged now.

    Args:
        now_ms: Time of this machine's clock, which counts where the database has none.
    """
    clock_ms = moment(tx, now_ms)
    last_ms, age_ms = _kept(tx, clock_ms)
    step_ms = clock_ms - last_ms
    passed_ms = step_ms if 0 <= step_ms <= STEP_MS else 0
    age_ms = min(clock_ms, age_ms + CATCH_UP * passed_ms)
    return DeletionClock(clock_ms, AgeMs(age_ms), jumped=abs(step_ms) > STEP_MS)


def age_ms(tx: Transaction, now_ms: int) -> AgeMs:
    """Return the time by which rows are aged now; arguments as of ``read_clock``."""
    return read_clock(tx, now_ms).age_ms


def follow_clock(tx: Transaction, now_ms: int) -> DeletionClock:
    """Note what the clock says, as a running process does about once a minute; arguments as of ``read_clock``."""
    seen = read_clock(tx, now_ms)
    _keep(tx, seen.clock_ms, seen.age_ms)
    return seen


def trust_clock(tx: Transaction, now_ms: int) -> None:
    """Age rows by the clock from now on, because a person says that it is right; arguments as of ``read_clock``."""
    clock_ms = moment(tx, now_ms)
    _keep(tx, clock_ms, clock_ms)


def trusted_age(clock: DeletionClock) -> AgeMs:
    """Return what ``trust_clock`` would make the time by which rows are aged."""
    return AgeMs(clock.clock_ms)


def _kept(tx: Transaction, clock_ms: int) -> tuple[int, int]:
    """(what the clock said last, the time by which rows were aged then)."""
    value = load_secret(tx, _CLOCK_ROW)
    if value is not None:
        last_ms, age_ms = map(int, value.split())
        return last_ms, age_ms
    # Of an earlier version, which did not keep it: the last signs of life. An empty database has nothing to lose.
    seen = [tx.execute(query).scalar() for query in _NEWEST]
    proof = load_secret(tx, PROOF_ROW)
    known = [each for each in (*seen, None if proof is None else int(proof)) if each is not None]
    newest_ms = max(known, default=clock_ms)
    return newest_ms, min(newest_ms, clock_ms)


def _keep(tx: Transaction, clock_ms: int, age_ms: int) -> None:
    put_value(tx, _CLOCK_ROW, f"{clock_ms} {age_ms}".encode("ascii"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process, as described by its heartbeats."""

    name: str
    """Unique among all processes that ever ran; at most 64 characters."""
    kind: str
    """``serve`` or ``worker``."""
    version: str
    host: str
    """Host name of its machine, at most 255 characters."""
    pid: int
    has_browser: bool = False
    """True if it renders pages in a browser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProcess(Process):
    """A process with a recent heartbeat."""

    started_at_ms: int
    seen_at_ms: int
    """Time of the last heartbeat."""


_COLUMNS: Final = (
    processes.c.name,
    processes.c.kind,
    processes.c.version,
    processes.c.host,
    processes.c.pid,
    processes.c.started_at_ms,
    processes.c.seen_at_ms,
    processes.c.has_browser,
)


def beat(tx: Transaction, process: Process, now_ms: int) -> None:
    """Record a heartbeat; adds processes that are unknown or were forgotten.

    Args:
        now_ms: Time of its clock.
    """
    at_ms = moment(tx, now_ms)
    seen = update(processes).where(processes.c.name == process.name).values(seen_at_ms=at_ms)
    if tx.execute(seen).rowcount == 0:
        values = {
            "name": process.name,
            "kind": process.kind,
            "version": process.version,
            "host": process.host,
            "pid": process.pid,
            "started_at_ms": at_ms,
            "seen_at_ms": at_ms,
            "has_browser": int(process.has_browser),
        }
        tx.execute(insert(processes).values(values))


def list_live(tx: Transaction, now_ms: int, silent_ms: int) -> tuple[LiveProcess, ...]:
    """Return the processes with a heartbeat in the last ``silent_ms`` milliseconds, the oldest first."""
    since_ms = moment(tx, now_ms) - silent_ms
    query = select(*_COLUMNS).where(processes.c.seen_at_ms > since_ms)
    rows = tx.execute(query.order_by(processes.c.started_at_ms, processes.c.name)).mappings()
    return tuple(LiveProcess(**{**row, "has_browser": bool(row["has_browser"])}) for row in rows)


def has_browser(tx: Transaction, now_ms: int, silent_ms: int) -> bool:
    """Return whether a process with a browser has sent a heartbeat in the last ``silent_ms`` milliseconds."""
    since_ms = moment(tx, now_ms) - silent_ms
    query = select(processes.c.name).where(processes.c.seen_at_ms > since_ms, processes.c.has_browser == 1)
    return tx.execute(query.limit(1)).first() is not None


def forget(tx: Transaction, name: str) -> None:
    """Remove a process that ends."""
    tx.execute(delete(processes).where(processes.c.name == name))


def forget_silent(tx: Transaction, now_ms: int) -> int:
    """Remove processes without a heartbeat for ``KEPT_MS``; return their number."""
    query = delete(processes).where(processes.c.seen_at_ms <= moment(tx, now_ms) - KEPT_MS)
    return int(tx.execute(query).rowcount)
