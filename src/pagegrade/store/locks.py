"""Locks of a transaction that many processes respect: on SQLite there is one writer, and nothing to do.

The order is always the same, so that nobody waits in a circle: a job of the queue, the account, then targets by number.
The locks go with the transaction that took them, however it ends.

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
"""Kinds of things that are held, so that their numbers do not meet."""
_HOLD: Final = Prepared(text("SELECT pg_advisory_xact_lock(:kind, :number)"))
_TRY: Final = Prepared(text("SELECT pg_try_advisory_xact_lock(:kind, :number)"))
_SIGN: Final = 1 << 31


def hold_account(tx: Transaction, account_id: int) -> None:
    """Let nobody else write what belongs to this account until the transaction ends; wait for whoever does."""
    if is_shared(tx):
        # Two accounts that share a number only wait for each other.
        _HOLD.rows(tx, {"kind": ACCOUNT, "number": account_id % _SIGN})


def hold_targets(tx: Transaction, targets: Iterable[str]) -> None:
    """Let nobody else start a run at these targets until the transaction ends; wait for whoever does."""
    if is_shared(tx):
        for number in sorted({_number(target) for target in targets}):
            _HOLD.rows(tx, {"kind": TARGET, "number": number})


def try_account(tx: Transaction, account_id: int) -> bool:
    """The same as ``hold_account`` without waiting; whether it is held now."""
    return not is_shared(tx) or _try(tx, ACCOUNT, account_id % _SIGN)


def try_target(tx: Transaction, target: str) -> bool:
    """The same as ``hold_targets`` for one, without waiting; whether it is held now."""
    return not is_shared(tx) or _try(tx, TARGET, _number(target))


def try_place(tx: Transaction, name: str) -> bool:
    """Whether this transaction is the only one now that does what is called so."""
    return not is_shared(tx) or _try(tx, PLACE, _number(name))


def hold_place(tx: Transaction, name: str) -> None:
    """Wait until this transaction is the only one that does what is called so."""
    if is_shared(tx):
        _HOLD.rows(tx, {"kind": PLACE, "number": _number(name)})


def _try(tx: Transaction, kind: int, number: int) -> bool:
    ((held,),) = _TRY.rows(tx, {"kind": kind, "number": number})
    return bool(held)


def _number(name: str) -> int:
    """The same for every process and version; what PostgreSQL takes has a sign."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass")) - _SIGN
