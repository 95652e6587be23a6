"""Access profiles of accounts; their secrets pass through here encrypted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Row, and_, delete, false, func, insert, or_, select, update

from pagegrade.model.access import MAX_PROFILES, StoredAccess
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import GREATEST_ID, is_of_origin
from pagegrade.store.schema.tables import access_profiles as table
from pagegrade.store.schema.tables import monitors, reports


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccess:
    """An access profile to be stored."""

    name: str
    origins: tuple[str, ...]
    shown: dict[str, Any]
    """``user``, ``has_password``, ``headers``, ``cookies``, ``query``, ``user_agent`` and ``certificates`` of
    ``StoredAccess``."""
    sealed: bytes = field(repr=False)


def add_profile(tx: Transaction, account_id: int, new: NewAccess, now_ms: int) -> StoredAccess:
    """Store a profile; returned with its id."""
    values = {"account_id": account_id, **_columns(new), "created_at_ms": now_ms, "updated_at_ms": now_ms}
    return _stored(tx.execute(insert(table).values(values).returning(table)).one())


def change_profile(tx: Transaction, profile_id: int, new: NewAccess, now_ms: int) -> StoredAccess:
    """Store another content of a profile, which makes it another revision."""
    values = {**_columns(new), "updated_at_ms": now_ms, "revision": table.c.revision + 1}
    return _stored(tx.execute(update(table).where(table.c.id == profile_id).values(values).returning(table)).one())


def load_profile(tx: Transaction, account_id: int, profile_id: int) -> StoredAccess | None:
    """A profile of this account; ``None`` when there is none."""
    if not 0 < profile_id <= GREATEST_ID:
        return None
    row = tx.execute(select(table).where(table.c.id == profile_id, table.c.account_id == account_id)).first()
    return None if row is None else _stored(row)


def all_profiles(tx: Transaction, account_id: int) -> tuple[StoredAccess, ...]:
    """The profiles of an account, the oldest first."""
    mine = select(table).where(table.c.account_id == account_id)
    return tuple(map(_stored, tx.execute(mine.order_by(table.c.id).limit(MAX_PROFILES))))


def count_profiles(tx: Transaction, account_id: int) -> int:
    """Number of profiles of an account."""
    mine = table.c.account_id == account_id
    return int(tx.execute(select(func.count()).select_from(table).where(mine)).scalar_one())


def all_sealed(tx: Transaction) -> tuple[tuple[int, bytes], ...]:
    """(id, encrypted secrets) of the profiles of all accounts."""
    rows = tx.execute(select(table.c.id, table.c.sealed).order_by(table.c.id))
    return tuple((row.id, bytes(row.sealed)) for row in rows)


def replace_sealed(tx: Transaction, profile_id: int, before: bytes, after: bytes) -> None:
    """Store the same secrets of a profile, encrypted with another key, unless they were changed; the revision stays.

    Args:
        before: As ``all_sealed`` gave them.
        after: Encrypted anew.
    """
    tx.execute(update(table).where(table.c.id == profile_id, table.c.sealed == before).values(sealed=after))


def count_uses(tx: Transaction, profile: StoredAccess) -> tuple[int, int]:
    """Number of reports whose runs use a profile, by its id or as the oldest one for their origin; and of monitors."""
    older = [each.origins for each in all_profiles(tx, profile.account_id) if each.id < profile.id]
    own = [place for place in profile.origins if not any(place in places for places in older)]
    by_origin = and_(reports.c.access.is_(None), or_(false(), *map(is_of_origin, own)))
    used = and_(reports.c.account_id == profile.account_id, or_(reports.c.access == profile.id, by_origin))
    of_used = select(func.count(monitors.c.id)).join(reports, reports.c.id == monitors.c.report_id).where(used)
    counted = select(func.count()).select_from(reports).where(used)
    return int(tx.execute(counted).scalar_one()), int(tx.execute(of_used).scalar_one())


def delete_profile(tx: Transaction, account_id: int, profile_id: int) -> None:
    """Delete a profile of this account; reports that name it go back to the profile of their origin."""
    mine = (reports.c.account_id == account_id, reports.c.access == profile_id)
    tx.execute(update(reports).where(*mine).values(access=None))
    tx.execute(delete(table).where(table.c.id == profile_id, table.c.account_id == account_id))


def access_of_report(tx: Transaction, report_id: int) -> int | None:
    """The profile that a report names, ``NO_ACCESS``, or ``None``: that of its origin, or there is no such report."""
    found: int | None = tx.execute(select(reports.c.access).where(reports.c.id == report_id)).scalar()
    return found


def _columns(new: NewAccess) -> dict[str, Any]:
    return {
        "name": new.name,
        "origins": msgspec.json.encode(new.origins),
        "shown": msgspec.json.encode(new.shown),
        "sealed": new.sealed,
    }


def _stored(row: Row[Any]) -> StoredAccess:
    shown = msgspec.json.decode(row.shown)
    return StoredAccess(
        id=row.id,
        account_id=row.account_id,
        name=row.name,
        origins=tuple(msgspec.json.decode(row.origins)),
        user=shown["user"],
        has_password=shown["has_password"],
        headers=tuple(shown["headers"]),
        cookies=tuple(shown["cookies"]),
        query=tuple(shown["query"]),
        user_agent=shown["user_agent"],
        certificates=tuple(shown.get("certificates", ())),
        sealed=bytes(row.sealed),
        created_at_ms=row.created_at_ms,
        updated_at_ms=row.updated_at_ms,
        revision=row.revision,
    )
