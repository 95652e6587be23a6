"""The time by which rows age: it follows the clock, and a jump of the clock only a little at a time.

A clock that is wrong by a year would expire everything at once, and what is deleted does not come back. So the database
keeps what the clock said last and the time by which rows were aged then. Time that was seen to pass moves that time on,
at most ``CATCH_UP`` times as fast as the clock; a jump alone moves it nowhere. After a start from a long stop it is
behind for a while, and an administrator who knows that the clock is right can end that (``trust_clock``).

On a shared database the clock is that of its server.
"""

from __future__ import annotations

from typing import Final, NewType

import msgspec
from sqlalchemy import func, select

from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.repositories.installation import PROOF_ROW, load_secret, put_value
from pagegrade.store.schema.account_tables import sessions
from pagegrade.store.schema.tables import events, processes, reports, runs

AgeMs = NewType("AgeMs", int)
"""A time, in milliseconds since 1970, by which rows may be aged and deleted; only this module makes one."""

STEP_MS: Final = 3_600_000
"""Longest time between two looks in which the clock is taken to have run; more is a stop, a sleep or a jump."""
CATCH_UP: Final = 25
"""A machine that runs for an hour a day keeps up. A clock that is ahead by a year needs two weeks to be believed."""
_ROW: Final = "deletion_clock"
_NEWEST: Final = (
    select(reports.c.created_at_ms).order_by(reports.c.id.desc()).limit(1),
    select(runs.c.created_at_ms).order_by(runs.c.id.desc()).limit(1),
    select(sessions.c.seen_at_ms).order_by(sessions.c.id.desc()).limit(1),
    select(events.c.created_at_ms).order_by(events.c.id.desc()).limit(1),
    select(func.max(processes.c.seen_at_ms)),
)


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
        tx: Any transaction.
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
    value = load_secret(tx, _ROW)
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
    put_value(tx, _ROW, f"{clock_ms} {age_ms}".encode("ascii"))
