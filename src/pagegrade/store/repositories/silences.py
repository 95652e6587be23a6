"""Silences of accounts: for a while people get no messages about a monitor or a site."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, delete, func, insert, select, text, update

from pagegrade.model.account import Caller
from pagegrade.model.monitors import Silence
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.repositories.id_order import rows_beside
from pagegrade.store.repositories.reports import GREATEST_ID
from pagegrade.store.schema.tables import accounts, api_keys, silences

KEPT_MS: Final = 90 * 86_400_000
"""So long a silence that is over is kept, for the log of the account."""
_AHEAD_MS: Final = 300_000
"""Clocks of machines differ by less; what one that was farther ahead began is no silence once it is set back."""
_COVERING: Final = Prepared(
    text(
        "SELECT 1 FROM silences WHERE account_id = :account_id AND until_ms > :at_ms AND created_at_ms <= :latest_ms "
        "AND (monitor_id = :monitor_id OR (project <> '' AND project = :project)) LIMIT 1"
    )
)


def add_silence(
    tx: Transaction, caller: Caller, *, monitor_id: int | None, project: str, reason: str, until_ms: int, now_ms: int
) -> Silence:
    """Store a silence of the caller; returned with its id."""
    new = {
        "account_id": caller.account.id,
        "monitor_id": monitor_id,
        "project": project,
        "reason": reason,
        "person_id": caller.person.id if caller.key is None else None,
        "key_id": None if caller.key is None else caller.key.id,
        "until_ms": until_ms,
        "created_at_ms": now_ms,
    }
    number: int = tx.execute(insert(silences).values(new).returning(silences.c.id)).scalar_one()
    return _silence(tx.execute(_query(silences.c.id == number)).one())


def is_silent(tx: Transaction, account_id: int, *, monitor_id: int | None, project: str, at_ms: int) -> bool:
    """Return whether people get no messages about a monitor, or a site, at a moment."""
    which: dict[str, int | str] = {
        "account_id": account_id,
        "monitor_id": monitor_id or 0,
        "project": project,
        "at_ms": at_ms,
    }
    which |= {"latest_ms": at_ms + _AHEAD_MS}
    return _COVERING.first(tx, which) is not None


def load_silence(tx: Transaction, account_id: int, silence_id: int, now_ms: int) -> Silence | None:
    """A silence of this account that is not over; ``None`` when there is none."""
    if not 0 < silence_id <= GREATEST_ID:
        return None
    row = tx.execute(_query(silences.c.id == silence_id, *_lasting(account_id, now_ms))).first()
    return None if row is None else _silence(row)


def count_silences(tx: Transaction, account_id: int, now_ms: int) -> int:
    """Number of silences of an account that are not over."""
    query = select(func.count()).select_from(silences).where(*_lasting(account_id, now_ms))
    return int(tx.execute(query).scalar_one())


def list_silences(
    tx: Transaction, account_id: int, now_ms: int, page: int, per_page: int
) -> tuple[tuple[Silence, ...], int]:
    """(the silences of a page that are not over, newest first; how many there are on all pages)."""
    query = _query(*_lasting(account_id, now_ms)).order_by(silences.c.id.desc())
    rows = tx.execute(query.limit(per_page).offset((page - 1) * per_page))
    return tuple(map(_silence, rows)), count_silences(tx, account_id, now_ms)


def walk_silences(
    tx: Transaction, account_id: int, now_ms: int, count: int, *, beside: int | None, backward: bool
) -> tuple[Silence, ...]:
    """The silences after the id ``beside`` in the list, or before it; ``None``: from its beginning."""
    query = _query(*_lasting(account_id, now_ms))
    return tuple(map(_silence, rows_beside(tx, query, silences.c.id, count, beside=beside, backward=backward)))


def end_silence(tx: Transaction, account_id: int, silence_id: int, now_ms: int) -> None:
    """Let a silence be over now; the log of the account keeps its reason."""
    which = (silences.c.id == silence_id, silences.c.account_id == account_id)
    tx.execute(update(silences).where(*which).values(until_ms=now_ms))


def delete_of_project(tx: Transaction, account_id: int, project: str) -> None:
    """Delete the silences of one project of this account."""
    tx.execute(delete(silences).where(silences.c.account_id == account_id, silences.c.project == project))


def forget_silences(tx: Transaction, age: AgeMs, *, limit: int = 1_000) -> int:
    """Delete silences that have been over for ``KEPT_MS``, at most ``limit``; returns how many."""
    old = select(silences.c.id).where(silences.c.until_ms < age - KEPT_MS).order_by(silences.c.until_ms).limit(limit)
    return tx.execute(delete(silences).where(silences.c.id.in_(old))).rowcount


def _lasting(account_id: int, now_ms: int) -> tuple[ColumnElement[bool], ...]:
    is_new = silences.c.created_at_ms <= now_ms + _AHEAD_MS
    return silences.c.account_id == account_id, silences.c.until_ms > now_ms, is_new


def _query(*which: ColumnElement[bool]) -> Select[Any]:
    joined = silences.outerjoin(accounts, accounts.c.id == silences.c.person_id).outerjoin(
        api_keys, api_keys.c.id == silences.c.key_id
    )
    author = func.coalesce(api_keys.c.name, accounts.c.name, "").label("author")
    return select(silences, author).select_from(joined).where(*which)


def _silence(row: Row[Any]) -> Silence:
    return Silence(
        id=row.id,
        monitor_id=row.monitor_id,
        project=row.project,
        reason=row.reason,
        author=row.author,
        until_ms=row.until_ms,
        created_at_ms=row.created_at_ms,
    )
