"""Advisory locks of a transaction, respected by all processes; no-ops on SQLite, which has one writer.

Locks are always taken in the same order, which prevents deadlocks: a job of the queue, the account, then targets by
number. They are released at the end of the transaction.

Source: https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction, is_shared
from pagegrade.store.engine.prepared import Prepared

ACCOUNT: Final = 1
TARGET: Final = 2
PLACE: Final = 3
"""Kinds of locked objects, so that their numbers do not collide."""
_HOLD: Final = Prepared(text("SELECT pg_advisory_xact_lock(:kind, :number)"))
_TRY: Final = Prepared(text("SELECT pg_try_advisory_xact_lock(:kind, :number)"))
_SIGN: Final = 1 << 31


def hold_account(tx: Transaction, account_id: int) -> None:
    """Lock the data of an account until the transaction ends; wait for other holders."""
    if is_shared(tx):
        # Two accounts with the same number only wait for each other.
        _HOLD.rows(tx, {"kind": ACCOUNT, "number": account_id % _SIGN})


def hold_targets(tx: Transaction, targets: Iterable[str]) -> None:
    """Lock these targets against new runs until the transaction ends; wait for other holders."""
    if is_shared(tx):
        for number in sorted({_number(target) for target in targets}):
            _HOLD.rows(tx, {"kind": TARGET, "number": number})


def try_account(tx: Transaction, account_id: int) -> bool:
    """Lock an account like ``hold_account`` without waiting; return whether the lock is held."""
    return not is_shared(tx) or _try(tx, ACCOUNT, account_id % _SIGN)


def try_target(tx: Transaction, target: str) -> bool:
    """Lock a target like ``hold_targets`` without waiting; return whether the lock is held."""
    return not is_shared(tx) or _try(tx, TARGET, _number(target))


def try_place(tx: Transaction, name: str) -> bool:
    """Lock a name without waiting; return whether the lock is held."""
    return not is_shared(tx) or _try(tx, PLACE, _number(name))


def hold_place(tx: Transaction, name: str) -> None:
    """Lock a name until the transaction ends; wait for other holders."""
    if is_shared(tx):
        _HOLD.rows(tx, {"kind": PLACE, "number": _number(name)})


def _try(tx: Transaction, kind: int, number: int) -> bool:
    ((held,),) = _TRY.rows(tx, {"kind": kind, "number": number})
    return bool(held)


def _number(name: str) -> int:
    """Return a number that is the same in every process and version; PostgreSQL's are signed."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) - _SIGN
