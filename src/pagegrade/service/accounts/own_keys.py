"""Keys in the hands of who has signed in, or of a key with the scope ``keys``: those of their account only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from pagegrade.model.account import KEYS, Caller, Key
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, Unauthenticated, ValidationFailed, Violation
from pagegrade.model.stored import ListPart
from pagegrade.service.accounts.access import PROJECT, SCOPE, issue_key, works
from pagegrade.service.accounts.operations import NAME
from pagegrade.service.id_lists import Listed, read_part
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories import credentials as store
from pagegrade.store.repositories.credentials import list_keys, revoke_key

MAX_KEYS: Final = 100
"""Working keys that an account may have before its owner has to revoke one."""
TOO_MANY: Final = "too_many"
_FIELDS: Final = {NAME: "name", PROJECT: "project", SCOPE: "scopes"}
"""Reason why a key cannot be made -> field of the request."""


def issue_own_key(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    scopes: Sequence[str],
    project: str | None = None,
    expires_at_ms: int | None,
    made_by: int | None = None,
    now_ms: int,
) -> tuple[Key, str]:
    """As ``issue_key``, with an end to how many keys may work.

    Raises:
        InvalidInput: The name, a scope or the project cannot be used, or the account has too many keys; ``reason`` says
            which.
        NotFound: There is no such account.
    """
    hold_account(tx, account_id)
    working = sum(1 for key in list_keys(tx, account_id) if works(key, now_ms))
    if working >= MAX_KEYS:
        raise InvalidInput(f"The account has {MAX_KEYS} keys that work; revoke one first.", reason=TOO_MANY)
    return issue_key(
        tx,
        account_id,
        name=name,
        scopes=scopes,
        project=project,
        expires_at_ms=expires_at_ms,
        made_by=made_by,
        now_ms=now_ms,
    )


def create_key_by_key(
    tx: Transaction,
    caller: Caller,
    *,
    name: str,
    scopes: Sequence[str] | None,
    project: str | None,
    expires_at_ms: int | None,
    violations: Sequence[Violation] = (),
    now_ms: int,
) -> tuple[Key, str | None]:
    """Create a key that can do no more than the key that makes it, and is revoked together with it.

    Args:
        caller: With a key that has the scope ``keys``.
        name: What the key is for.
        scopes: Among those of the caller, without ``keys``; ``None``: all of these.
        project: The only host whose reports it can use, or a URL of it; ``None``: all.
        expires_at_ms: Not after the caller; ``None``: together with it.
        violations: What is wrong with the request so far.

    Returns:
        The key, and its secret.

    Raises:
        ValidationFailed: A field cannot be used.
        QuotaExceeded: The account has ``MAX_KEYS`` keys that work.
        Unauthenticated: The caller's key was revoked meanwhile.
    """
    # As revoking does: else a key could be made between the revocation of those that its maker made and its own.
    hold_account(tx, caller.account.id)
    maker = find_own_key(tx, caller.account.id, caller.api_key.id)
    if not works(maker, now_ms):
        raise Unauthenticated(presented=True)
    allowed = [scope for scope in maker.scopes if scope != KEYS]
    found = list(violations)
    if scopes is not None and not set(scopes) <= set(allowed):
        some = ", ".join(allowed) or "none"
        found.append(_violation("scopes", "not_allowed", f"Must be scopes of this key, without `keys`: {some}."))
    if expires_at_ms is not None and expires_at_ms <= now_ms:
        found.append(_violation("expires_at", "past", "Must be in the future."))
    elif expires_at_ms is not None and maker.expires_at_ms is not None and expires_at_ms > maker.expires_at_ms:
        found.append(_violation("expires_at", "too_late", "Must not be after the expiry of this key."))
    if found:
        raise ValidationFailed(found)
    try:
        return issue_own_key(
            tx,
            caller.account.id,
            name=name,
            scopes=allowed if scopes is None else scopes,
            project=project,
            expires_at_ms=maker.expires_at_ms if expires_at_ms is None else expires_at_ms,
            made_by=maker.id,
            now_ms=now_ms,
        )
    except InvalidInput as error:
        if error.reason == TOO_MANY:
            raise QuotaExceeded(str(error)) from None
        raise ValidationFailed([_violation(_FIELDS[error.reason or NAME], "invalid", str(error))]) from None


def show_without_secret(tx: Transaction, caller: Caller, key_id: int) -> tuple[Key, None]:
    """A key of the caller's account that was not revoked, as ``create_key_by_key`` returns it.

    Raises:
        NotFound: There is none.
    """
    return show_unrevoked_key(tx, caller, key_id), None


def list_own_keys(tx: Transaction, account_id: int) -> tuple[Key, ...]:
    """Return the keys of the account, oldest first."""
    return list_keys(tx, account_id)


def list_unrevoked_keys(tx: Transaction, caller: Caller, part: ListPart) -> Listed[Key]:
    """Some of the keys of the account that were not revoked, newest first."""
    account_id = caller.account.id
    read = partial(store.list_unrevoked, tx, account_id)
    return read_part(read, lambda key: key.id, part, lambda: store.count_unrevoked(tx, account_id))


def find_own_key(tx: Transaction, account_id: int, key_id: int) -> Key:
    """A key of the account.

    Raises:
        NotFound: There is no such key, or it belongs to another account.
    """
    for key in list_keys(tx, account_id):
        if key.id == key_id:
            return key
    raise NotFound


def show_unrevoked_key(tx: Transaction, caller: Caller, key_id: int) -> Key:
    """A key of the caller's account that was not revoked.

    Raises:
        NotFound: There is none.
    """
    key = find_own_key(tx, caller.account.id, key_id)
    if key.revoked_at_ms is not None:
        raise NotFound
    return key


def revoke_own_key(tx: Transaction, account_id: int, key_id: int, now_ms: int) -> Key:
    """Let a key of the account and those that it made work no more; one that was revoked before stays so.

    Raises:
        NotFound: There is no such key, or it belongs to another account.
    """
    hold_account(tx, account_id)
    key = find_own_key(tx, account_id, key_id)
    revoke_key(tx, key.id, now_ms)
    return key


def revoke_unrevoked_key(tx: Transaction, caller: Caller, key_id: int, now_ms: int) -> None:
    """Revoke a key of the caller's account, possibly the caller's own.

    Raises:
        NotFound: There is no such key, or it was revoked before.
    """
    hold_account(tx, caller.account.id)
    revoke_key(tx, show_unrevoked_key(tx, caller, key_id).id, now_ms)


def _violation(field: str, code: str, message: str) -> Violation:
    return Violation(field=field, place="body", code=code, message=message)
