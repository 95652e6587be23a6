"""Sessions: a browser stays signed in by a random token, which is replaced every day and of which a hash is kept."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Account, Caller, Session
from pagegrade.report.sanitize import clean_text
from pagegrade.service.accounts.operations import create_account
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import save_password
from pagegrade.store.repositories.credentials import (
    AHEAD_MS,
    add_session,
    end_oldest,
    end_session,
    end_token,
    find_session,
    forget_ended,
    list_sessions,
    replace_token,
    rotate_session,
    touch_session,
)
from pagegrade.store.repositories.installation import age_ms
from pagegrade.store.repositories.members import list_memberships

DAY_MS: Final = 86_400_000
IDLE_MS: Final = 14 * DAY_MS
"""Not used for so long, a session is over."""
LASTS_MS: Final = 60 * DAY_MS
"""However much it is used, it is over then."""
ROTATED_MS: Final = DAY_MS
"""So old, a token is replaced."""
GRACE_MS: Final = 60_000
"""So long the token before it is good: a browser sends several requests at once."""
SEEN_MS: Final = 300_000
"""Precision, in milliseconds, of a session's stored last use: an exact time would cost a write per request."""
TOKEN_BYTES: Final = 32
MAX_AGENT: Final = 200
MAX_SESSIONS: Final = 100
"""Sessions of an account: more than people need, and a bound for programs that sign in repeatedly."""
_TOKEN: Final = re.compile(r"[0-9A-Za-z_-]{43}")


class SignedIn(msgspec.Struct, frozen=True):
    """A session that goes on."""

    caller: Caller
    session: Session
    due: bool
    """True if ``keep_session`` has something to write."""


class NewPerson(msgspec.Struct, frozen=True, kw_only=True):
    """Choices of a new person, and the browser in which they made them."""

    name: str
    """1 to 200 characters."""
    email: str
    """With which they sign in; no other account that works may have it."""
    locale: str
    """Language tag of the pages that they see."""
    password_hash: str
    """PHC string."""
    agent: str
    """The browser's User-Agent header."""
    tokens: Sequence[str]
    """Of sessions that the browser has had until now; they end."""


def make_token() -> str:
    """256 random bits, 43 characters."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest(token: str) -> bytes:
    """Return the stored form of a token."""
    return hashlib.sha256(token.encode("ascii")).digest()


def is_token(text: str) -> bool:
    """Return whether this can be a token of ours; needs no database."""
    return _TOKEN.fullmatch(text) is not None


def start_as_new(tx: Transaction, new: NewPerson, *, timezone: str = "UTC", now_ms: int) -> tuple[Account, str]:
    """Create the account of a new person and sign them in; returns it and the token of the session.

    Args:
        timezone: Name from the IANA database.

    Raises:
        InvalidInput: Name or address cannot be used; ``reason`` says which.
    """
    person = create_account(tx, name=new.name, email=new.email, locale=new.locale, timezone=timezone, now_ms=now_ms)
    save_password(tx, person.id, new.password_hash)
    end_tokens(tx, new.tokens)
    return person, start_session(tx, person, new.agent, now_ms)


def start_session(tx: Transaction, account: Account, agent: str, now_ms: int, *, by_link: bool = False) -> str:
    """Start a session of the account's owner; the returned token is sent to the browser only.

    Where ``MAX_SESSIONS`` are open already, the one left alone the longest ends.

    Args:
        account: Whose owner has just proved who they are.
        agent: The browser's User-Agent header, however long or strange.
        by_link: Whether they did so with a link that signs in once.
    """
    token = make_token()
    add_session(
        tx,
        account.id,
        token_sha256=digest(token),
        agent=clean_text(agent)[:MAX_AGENT],
        now_ms=now_ms,
        expires_at_ms=now_ms + LASTS_MS,
        by_link=by_link,
    )
    end_oldest(tx, account.id, but=MAX_SESSIONS)
    return token


def end_tokens(tx: Transaction, tokens: Iterable[str]) -> None:
    """Sign a browser out, whatever it sent as its tokens, however long or strange."""
    for token in tokens:
        if is_token(token):
            end_token(tx, digest(token))


def list_open(tx: Transaction, account_id: int, now_ms: int) -> tuple[Session, ...]:
    """The browsers that are signed in to the account, the one used last first."""
    return tuple(session for session in list_sessions(tx, account_id) if not _is_over(session, now_ms))


def end_own_session(tx: Transaction, account_id: int, session_id: int) -> bool:
    """Sign one browser of the account out; whether it was signed in."""
    return end_session(tx, account_id, session_id)


def renew_token(tx: Transaction, session: Session, now_ms: int) -> str | None:
    """A new token for a session, the old one being good for nothing from now on; ``None``: it has ended meanwhile."""
    made = make_token()
    return made if replace_token(tx, session.id, digest(made), now_ms) else None


def forget_sessions(tx: Transaction, now_ms: int) -> int:
    """Delete expired sessions and links; returns their number."""
    return forget_ended(tx, age=age_ms(tx, now_ms), idle_ms=IDLE_MS)


def find_signed_in(tx: Transaction, token: str, now_ms: int) -> SignedIn | None:
    """Return the person signed in with this token; ``None`` if there is none.

    Args:
        token: As the browser sent it, however long or strange.
    """
    found = find_session(tx, digest(token)) if is_token(token) else None
    if found is None:
        return None
    session, account, is_previous = found
    if account.disabled_at_ms is not None or _is_over(session, now_ms):
        return None
    if is_previous and now_ms - session.rotated_at_ms >= GRACE_MS:
        return None
    due = not is_previous and now_ms - session.seen_at_ms >= SEEN_MS
    return SignedIn(_caller_of(tx, session, account), session, due)


def keep_session(tx: Transaction, session: Session, token: str, now_ms: int) -> str | None:
    """Note that a session was used, and replace its token where that is due.

    Returns:
        The new token for the browser; ``None``: the old one stays.
    """
    if now_ms - session.rotated_at_ms < ROTATED_MS:
        touch_session(tx, session.id, now_ms)
        return None
    made = make_token()
    replaced = rotate_session(tx, session.id, old_sha256=digest(token), new_sha256=digest(made), now_ms=now_ms)
    return made if replaced else None


def _caller_of(tx: Transaction, session: Session, person: Account) -> Caller:
    """Return the person with the account that is open: their own, where they are no member of that one any more."""
    memberships = list_memberships(tx, person.id)
    found = next((each for each in memberships if each.account.id == session.workspace_id), None)
    if found is None:
        return Caller(account=person, session=session, memberships=memberships)
    return Caller(account=found.account, session=session, own=person, role=found.role, memberships=memberships)


def _is_over(session: Session, now_ms: int) -> bool:
    is_ahead = max(session.created_at_ms, session.seen_at_ms) > now_ms + AHEAD_MS
    return is_ahead or now_ms >= session.expires_at_ms or now_ms - session.seen_at_ms >= IDLE_MS
