"""API keys. Only a hash of each secret is stored, which cannot be used as a key."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Select, bindparam, func, insert, or_, select, update

from pagegrade.model.account import Caller, Key
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.accounts import ACCOUNT_COLUMNS, account_of
from pagegrade.store.repositories.id_order import rows_beside
from pagegrade.store.schema.tables import accounts, api_keys

_KEY_COLUMNS: Final = (
    api_keys.c.id,
    api_keys.c.account_id,
    api_keys.c.name,
    api_keys.c.prefix,
    api_keys.c.scopes,
    api_keys.c.project,
    api_keys.c.created_at_ms,
    api_keys.c.expires_at_ms,
    api_keys.c.revoked_at_ms,
    api_keys.c.last_used_at_ms,
    api_keys.c.made_by,
)
_FIND: Final = Prepared(
    select(api_keys.c.secret_sha256, *_KEY_COLUMNS, *ACCOUNT_COLUMNS)
    .join_from(api_keys, accounts, api_keys.c.account_id == accounts.c.id)
    .where(api_keys.c.secret_sha256 == bindparam("secret_sha256"))
)
"""Built once, because every request executes it."""
_SPLIT: Final = 1 + len(_KEY_COLUMNS)
"""Index of the first column of the account."""


def add_key(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    prefix: str,
    secret_sha256: bytes,
    scopes: tuple[str, ...],
    project: str | None = None,
    expires_at_ms: int | None,
    made_by: int | None = None,
    now_ms: int,
) -> Key:
    """Add a key to the account."""
    values = {
        "account_id": account_id,
        "name": name,
        "prefix": prefix,
        "secret_sha256": secret_sha256,
        "scopes": " ".join(scopes),
        "project": project,
        "expires_at_ms": expires_at_ms,
        "made_by": made_by,
        "created_at_ms": now_ms,
    }
    return _key_of(tx.execute(insert(api_keys).values(values).returning(*_KEY_COLUMNS)).one())


def find_caller(tx: Transaction, secret_sha256: bytes) -> Caller | None:
    """Find the key with this hash and its account, valid or not; ``None`` if there is none."""
    row = _FIND.first(tx, {"secret_sha256": secret_sha256})
    # The index compares hashes, so its timing reveals nothing about secrets; the constant-time check is a safeguard.
    if row is None or not hmac.compare_digest(row[0], secret_sha256):
        return None
    return _caller_of(row)


@lru_cache(maxsize=64)
def _caller_of(row: tuple[Any, ...]) -> Caller:
    """Convert a row to the caller; cached while the row stays the same."""
    return Caller(key=_key_of(row[1:_SPLIT]), account=account_of(row[_SPLIT:]))


def list_keys(tx: Transaction, account_id: int | None = None) -> tuple[Key, ...]:
    """Return all keys, oldest first, including revoked and expired ones; ``None`` for all accounts."""
    query = select(*_KEY_COLUMNS).order_by(api_keys.c.id)
    if account_id is not None:
        query = query.where(api_keys.c.account_id == account_id)
    return tuple(_key_of(row) for row in tx.execute(query))


def page_keys(tx: Transaction, account_id: int, page: int, per_page: int) -> tuple[tuple[Key, ...], int]:
    """(the keys of a page that were not revoked, newest first; how many there are on all pages)."""
    query = _unrevoked(account_id)
    total: int = tx.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    skipped = (page - 1) * per_page
    if skipped >= total:
        return (), total
    rows = tx.execute(query.order_by(api_keys.c.id.desc()).limit(per_page).offset(skipped))
    return tuple(map(_key_of, rows)), total


def walk_keys(tx: Transaction, account_id: int, count: int, *, beside: int | None, backward: bool) -> tuple[Key, ...]:
    """Keys that were not revoked, after the id ``beside`` in the list or before it; ``None``: from its beginning."""
    rows = rows_beside(tx, _unrevoked(account_id), api_keys.c.id, count, beside=beside, backward=backward)
    return tuple(map(_key_of, rows))


def _unrevoked(account_id: int) -> Select[Any]:
    return select(*_KEY_COLUMNS).where(api_keys.c.account_id == account_id, api_keys.c.revoked_at_ms.is_(None))


def count_keys(tx: Transaction) -> int:
    """Return the number of keys ever created."""
    return int(tx.execute(select(func.count()).select_from(api_keys)).scalar_one())


def revoke_key(tx: Transaction, key_id: int, now_ms: int) -> bool:
    """Revoke the key and those that it made; ``False`` if it does not exist or is revoked already."""
    works = api_keys.c.revoked_at_ms.is_(None)
    tx.execute(update(api_keys).where(api_keys.c.made_by == key_id, works).values(revoked_at_ms=now_ms))
    return tx.execute(update(api_keys).where(api_keys.c.id == key_id, works).values(revoked_at_ms=now_ms)).rowcount == 1


def touch_keys(tx: Transaction, used_at_ms: Mapping[int, int]) -> None:
    """Store the times of last use of keys.

    Args:
        tx: The transaction.
        used_at_ms: Key id -> time; times before the stored one are ignored.
    """
    if not used_at_ms:
        return
    last = api_keys.c.last_used_at_ms
    query = update(api_keys).where(
        api_keys.c.id == bindparam("key"), or_(last.is_(None), last < bindparam("used_at_ms"))
    )
    tx.execute(
        query.values(last_used_at_ms=bindparam("used_at_ms")),
        [{"key": key, "used_at_ms": used} for key, used in sorted(used_at_ms.items())],
    )


def _key_of(row: Sequence[Any]) -> Key:
    key_id, account_id, name, prefix, scopes, project, created, expires, revoked, used, made_by = row
    return Key(
        id=key_id,
        account_id=account_id,
        name=name,
        prefix=prefix,
        scopes=tuple(scopes.split()),
        project=project,
        created_at_ms=created,
        expires_at_ms=expires,
        revoked_at_ms=revoked,
        last_used_at_ms=used,
        made_by=made_by,
    )
