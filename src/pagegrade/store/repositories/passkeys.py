"""Passkeys of people, by the account that each of them signs in to."""

from __future__ import annotations

from typing import Final

import msgspec
from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql

from pagegrade.model.account import Passkey
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.account_tables import passkeys

_COLUMNS: Final = [passkeys.c[name] for name in Passkey.__struct_fields__]


def find_passkey(tx: Transaction, credential_id: bytes) -> Passkey | None:
    """Find a passkey by the id that its device gave it; ``None``: nobody's is called so."""
    row = tx.execute(select(*_COLUMNS).where(passkeys.c.credential_id == credential_id)).first()
    return None if row is None else msgspec.convert(row, Passkey, from_attributes=True)


def list_passkeys(tx: Transaction, account_id: int) -> tuple[Passkey, ...]:
    """Return the passkeys of an account, oldest first."""
    query = select(*_COLUMNS).where(passkeys.c.account_id == account_id).order_by(passkeys.c.id)
    return tuple(msgspec.convert(row, Passkey, from_attributes=True) for row in tx.execute(query))


def add_passkey(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    credential_id: bytes,
    credential: bytes,
    sign_count: int,
    challenged_at_ms: int,
    now_ms: int,
) -> int | None:
    """Add a passkey; returns its id, ``None`` if somebody has one with this credential id."""
    values = {
        "account_id": account_id,
        "name": name,
        "credential_id": credential_id,
        "credential": credential,
        "sign_count": sign_count,
        "challenged_at_ms": challenged_at_ms,
        "created_at_ms": now_ms,
    }
    # In words that SQLite has as well.
    new = postgresql.insert(passkeys).values(values).on_conflict_do_nothing(index_elements=["credential_id"])
    return tx.execute(new.returning(passkeys.c.id)).scalar_one_or_none()


def note_use(tx: Transaction, passkey_id: int, *, sign_count: int, challenged_at_ms: int, now_ms: int) -> None:
    """Store that a passkey has answered a challenge."""
    values = {"sign_count": sign_count, "challenged_at_ms": challenged_at_ms, "used_at_ms": now_ms}
    tx.execute(update(passkeys).where(passkeys.c.id == passkey_id).values(values))


def remove_passkey(tx: Transaction, account_id: int, passkey_id: int) -> bool:
    """Delete a passkey of an account; ``False`` if it has none with this id."""
    query = delete(passkeys).where(passkeys.c.account_id == account_id, passkeys.c.id == passkey_id)
    return tx.execute(query).rowcount == 1
