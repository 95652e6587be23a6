"""Sessions of browsers, and sign-in links. Only hashes of their tokens are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Table, delete, insert, or_, select, update

from pagegrade.model.account import Account, Session
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import ACCOUNT_COLUMNS, account_of
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.schema.account_tables import invitations, sessions, sign_in_links
from pagegrade.store.schema.tables import accounts

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
_SPLIT: Final = len(_SESSION_COLUMNS)


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
    return _session_of(row[:_SPLIT]), account_of(row[_SPLIT:-1]), row[-1] != token_sha256


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
        tx: Transaction that may write.
        account_id: Account of the sessions.
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
        tx: Transaction that may write.
        age: The time by which rows are aged.
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
