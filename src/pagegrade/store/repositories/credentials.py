"""Credentials: API keys, sessions of browsers, sign-in links and passkeys.

Of secrets only hashes are stored, which open nothing.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Select, Table, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql

from pagegrade.model.account import Account, Caller, Key, Passkey, Session
from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.accounts import ACCOUNT_COLUMNS, account_of
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.schema.account_tables import invitations, passkeys, sessions, sign_in_links
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
_KEY_SPLIT: Final = 1 + len(_KEY_COLUMNS)
"""Index of the first column of the account."""
AHEAD_MS: Final = 3_600_000
"""Secrets made farther ahead are of a clock that was set back since, and good for nothing: they would last too long."""
_SESSION_COLUMNS: Final = (
    sessions.c.id,
    sessions.c.account_id,
    sessions.c.agent,
    sessions.c.created_at_ms,
    sessions.c.rotated_at_ms,
    sessions.c.seen_at_ms,
    sessions.c.expires_at_ms,
    sessions.c.by_link,
    sessions.c.workspace_id,
)
_SESSION_SPLIT: Final = len(_SESSION_COLUMNS)
_PASSKEY_COLUMNS: Final = [passkeys.c[name] for name in Passkey.__struct_fields__]


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
    return Caller(key=_key_of(row[1:_KEY_SPLIT]), account=account_of(row[_KEY_SPLIT:]))


def list_keys(tx: Transaction, account_id: int | None = None) -> tuple[Key, ...]:
    """Return all keys, oldest first, including revoked and expired ones; ``None`` for all accounts."""
    query = select(*_KEY_COLUMNS).order_by(api_keys.c.id)
    if account_id is not None:
        query = query.where(api_keys.c.account_id == account_id)
    return tuple(_key_of(row) for row in tx.execute(query))


def count_unrevoked(tx: Transaction, account_id: int) -> int:
    """Number of keys of an account that were not revoked."""
    return int(tx.execute(select(func.count()).select_from(_unrevoked(account_id).subquery())).scalar_one())


def list_unrevoked(tx: Transaction, account_id: int, part: ListPart) -> tuple[Key, ...]:
    """Some of the keys of an account that were not revoked, newest first."""
    return tuple(map(_key_of, rows_of(tx, _unrevoked(account_id), api_keys.c.id, part)))


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


def add_session(
    tx: Transaction,
    account_id: int,
    *,
    token_sha256: bytes,
    agent: str,
    now_ms: int,
    expires_at_ms: int,
    by_link: bool = False,
) -> Session:
    """Add a session to the account."""
    values = {
        "account_id": account_id,
        "token_sha256": token_sha256,
        "agent": agent,
        "created_at_ms": now_ms,
        "rotated_at_ms": now_ms,
        "seen_at_ms": now_ms,
        "expires_at_ms": expires_at_ms,
        "by_link": int(by_link),
    }
    return _session_of(tx.execute(insert(sessions).values(values).returning(*_SESSION_COLUMNS)).one())


def find_session(tx: Transaction, token_sha256: bytes) -> tuple[Session, Account, bool] | None:
    """Find the session with this token, valid or not.

    Returns:
        The session, its account, and whether the token is the previous one; ``None`` if there is none.
    """
    row = tx.execute(
        select(*_SESSION_COLUMNS, *ACCOUNT_COLUMNS, sessions.c.token_sha256)
        .join_from(sessions, accounts, sessions.c.account_id == accounts.c.id)
        .where(or_(sessions.c.token_sha256 == token_sha256, sessions.c.previous_sha256 == token_sha256))
    ).first()
    if row is None:
        return None
    return _session_of(row[:_SESSION_SPLIT]), account_of(row[_SESSION_SPLIT:-1]), row[-1] != token_sha256


def save_workspace(tx: Transaction, session_id: int, workspace_id: int | None) -> None:
    """Store which account is open in the session; ``None``: that of its person."""
    tx.execute(update(sessions).where(sessions.c.id == session_id).values(workspace_id=workspace_id))


def rotate_session(tx: Transaction, session_id: int, *, old_sha256: bytes, new_sha256: bytes, now_ms: int) -> bool:
    """Replace the token; ``False`` if it was already replaced, or the session has ended."""
    query = update(sessions).where(sessions.c.id == session_id, sessions.c.token_sha256 == old_sha256)
    values = {"token_sha256": new_sha256, "previous_sha256": old_sha256, "rotated_at_ms": now_ms, "seen_at_ms": now_ms}
    return tx.execute(query.values(values)).rowcount == 1


def replace_token(tx: Transaction, session_id: int, token_sha256: bytes, now_ms: int) -> bool:
    """Replace the token and forget the previous one; ``False`` if the session has ended."""
    values = {"token_sha256": token_sha256, "previous_sha256": None, "rotated_at_ms": now_ms, "seen_at_ms": now_ms}
    return tx.execute(update(sessions).where(sessions.c.id == session_id).values(values)).rowcount == 1


def touch_session(tx: Transaction, session_id: int, now_ms: int) -> None:
    """Store the time of the last use."""
    tx.execute(update(sessions).where(sessions.c.id == session_id).values(seen_at_ms=now_ms))


def list_sessions(tx: Transaction, account_id: int) -> tuple[Session, ...]:
    """Return the sessions of the account, last used first, including expired ones."""
    query = select(*_SESSION_COLUMNS).where(sessions.c.account_id == account_id)
    return tuple(_session_of(row) for row in tx.execute(query.order_by(sessions.c.seen_at_ms.desc(), sessions.c.id)))


def end_session(tx: Transaction, account_id: int, session_id: int) -> bool:
    """End a session; ``False`` if the account has no such session."""
    query = delete(sessions).where(sessions.c.id == session_id, sessions.c.account_id == account_id)
    return tx.execute(query).rowcount == 1


def end_token(tx: Transaction, token_sha256: bytes) -> bool:
    """End the session with this current or previous token; ``False`` if there is none."""
    is_its = or_(sessions.c.token_sha256 == token_sha256, sessions.c.previous_sha256 == token_sha256)
    return int(tx.execute(delete(sessions).where(is_its)).rowcount) > 0


def end_sessions(tx: Transaction, account_id: int, *, but: int | None = None) -> int:
    """End all sessions of an account; return their number.

    Args:
        but: Id of the session to keep; ``None`` for none.
    """
    query = delete(sessions).where(sessions.c.account_id == account_id)
    if but is not None:
        query = query.where(sessions.c.id != but)
    return int(tx.execute(query).rowcount)


def end_oldest(tx: Transaction, account_id: int, *, but: int) -> int:
    """End all but the most recently used sessions of the account; return their number."""
    its = select(sessions.c.id).where(sessions.c.account_id == account_id)
    kept = its.order_by(sessions.c.seen_at_ms.desc(), sessions.c.id.desc()).limit(but)
    query = delete(sessions).where(sessions.c.account_id == account_id, sessions.c.id.not_in(kept))
    return int(tx.execute(query).rowcount)


def forget_ended(tx: Transaction, *, age: AgeMs, idle_ms: int) -> int:
    """Delete sessions and links that can never be used again; return their number.

    Args:
        idle_ms: Sessions that were not used for so long have ended.
    """
    over = delete(sessions).where(or_(sessions.c.expires_at_ms <= age, sessions.c.seen_at_ms < age - idle_ms))
    dead = (delete(links).where(links.c.expires_at_ms <= age) for links in (sign_in_links, invitations))
    return sum(int(tx.execute(each).rowcount) for each in (over, *dead))


def add_link(tx: Transaction, account_id: int, *, token_sha256: bytes, now_ms: int, expires_at_ms: int) -> None:
    """Add a link that signs in once."""
    values = {"token_sha256": token_sha256, "account_id": account_id, "created_at_ms": now_ms}
    tx.execute(insert(sign_in_links).values(**values, expires_at_ms=expires_at_ms))


def find_link(tx: Transaction, token_sha256: bytes, now_ms: int) -> Account | None:
    """Return the account of an unused link; ``None`` if the link does not exist, is used or has expired."""
    row = tx.execute(
        select(*ACCOUNT_COLUMNS)
        .join_from(sign_in_links, accounts, sign_in_links.c.account_id == accounts.c.id)
        .where(
            sign_in_links.c.token_sha256 == token_sha256,
            sign_in_links.c.used_at_ms.is_(None),
            *is_valid(sign_in_links, now_ms),
        )
    ).first()
    return None if row is None else account_of(row)


def is_valid(links: Table, now_ms: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions under which a link with a secret is good at this time, used or not."""
    return links.c.expires_at_ms > now_ms, links.c.created_at_ms <= now_ms + AHEAD_MS


def forget_links(tx: Transaction, account_id: int) -> int:
    """Delete the unused sign-in links of the account; return their number."""
    return int(tx.execute(delete(sign_in_links).where(sign_in_links.c.account_id == account_id)).rowcount)


def use_link(tx: Transaction, token_sha256: bytes, now_ms: int) -> bool:
    """Mark the link as used; ``False`` if it is not valid, or was used by another request."""
    query = update(sign_in_links).where(
        sign_in_links.c.token_sha256 == token_sha256,
        sign_in_links.c.used_at_ms.is_(None),
        *is_valid(sign_in_links, now_ms),
    )
    return tx.execute(query.values(used_at_ms=now_ms)).rowcount == 1


def _session_of(row: Sequence[Any]) -> Session:
    session_id, account_id, agent, created, rotated, seen, expires, by_link, workspace_id = row
    return Session(
        id=session_id,
        account_id=account_id,
        agent=agent,
        created_at_ms=created,
        rotated_at_ms=rotated,
        seen_at_ms=seen,
        expires_at_ms=expires,
        by_link=bool(by_link),
        workspace_id=workspace_id,
    )


def find_passkey(tx: Transaction, credential_id: bytes) -> Passkey | None:
    """Find a passkey by the id that its device gave it; ``None``: nobody's is called so."""
    row = tx.execute(select(*_PASSKEY_COLUMNS).where(passkeys.c.credential_id == credential_id)).first()
    return None if row is None else msgspec.convert(row, Passkey, from_attributes=True)


def list_passkeys(tx: Transaction, account_id: int) -> tuple[Passkey, ...]:
    """Return the passkeys of an account, oldest first."""
    query = select(*_PASSKEY_COLUMNS).where(passkeys.c.account_id == account_id).order_by(passkeys.c.id)
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


def note_passkey_use(tx: Transaction, passkey_id: int, *, sign_count: int, challenged_at_ms: int, now_ms: int) -> None:
    """Store that a passkey has answered a challenge."""
    values = {"sign_count": sign_count, "challenged_at_ms": challenged_at_ms, "used_at_ms": now_ms}
    tx.execute(update(passkeys).where(passkeys.c.id == passkey_id).values(values))


def rename_passkey(tx: Transaction, account_id: int, passkey_id: int, name: str) -> bool:
    """Give a passkey of this account another name; whether it was there."""
    which = (passkeys.c.id == passkey_id, passkeys.c.account_id == account_id)
    return tx.execute(update(passkeys).where(*which).values(name=name)).rowcount == 1


def remove_passkey(tx: Transaction, account_id: int, passkey_id: int) -> bool:
    """Delete a passkey of an account; ``False`` if it has none with this id."""
    query = delete(passkeys).where(passkeys.c.account_id == account_id, passkeys.c.id == passkey_id)
    return tx.execute(query).rowcount == 1
