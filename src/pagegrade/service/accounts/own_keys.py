"""Keys in the hands of who has signed in: theirs, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagegrade.model.account import Key
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.access import issue_key, works
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.keys import list_keys, revoke_key

MAX_KEYS: Final = 100
"""Working keys that an account may have before its owner has to revoke one."""
TOO_MANY: Final = "too_many"


def issue_own_key(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    scopes: Sequence[str],
    project: str | None = None,
    expires_at_ms: int | None,
    now_ms: int,
) -> tuple[Key, str]:
    """As ``issue_key``, for who has signed in: there is an end to how many keys may work.

    Raises:
        InvalidInput: The name, a scope or the project cannot be used, or the account has too many keys; ``reason`` says
            which.
        NotFound: There is no such account.
    """
    working = sum(1 for key in list_keys(tx, account_id) if works(key, now_ms))
    if working >= MAX_KEYS:
        raise InvalidInput(f"The account has {MAX_KEYS} keys that work; revoke one first.", reason=TOO_MANY)
    return issue_key(
        tx, account_id, name=name, scopes=scopes, project=project, expires_at_ms=expires_at_ms, now_ms=now_ms
    )


def list_own_keys(tx: Transaction, account_id: int) -> tuple[Key, ...]:
    """Return the keys of the account, oldest first."""
    return list_keys(tx, account_id)


def find_own_key(tx: Transaction, account_id: int, key_id: int) -> Key:
    """A key of the account.

    Raises:
        NotFound: There is no such key, or it belongs to another account.
    """
    for key in list_keys(tx, account_id):
        if key.id == key_id:
            return key
    raise NotFound


def revoke_own_key(tx: Transaction, account_id: int, key_id: int, now_ms: int) -> Key:
    """Let a key of the account work no more; one that was revoked before stays so.

    Raises:
        NotFound: There is no such key, or it belongs to another account.
    """
    key = find_own_key(tx, account_id, key_id)
    revoke_key(tx, key.id, now_ms)
    return key
