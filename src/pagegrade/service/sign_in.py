"""Signing in: with e-mail address and password, or with a link that does it once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagegrade.model.account import Account, Caller, Session, Usage
from pagegrade.model.errors import InvalidInput, RateLimited
from pagegrade.service.accounts.operations import need_person
from pagegrade.service.accounts.passwords import MAX_CHARACTERS, MIN_ACCOUNT_CHARACTERS
from pagegrade.service.accounts.sessions import (
    digest,
    end_tokens,
    is_token,
    list_open,
    make_token,
    renew_token,
    start_session,
)
from pagegrade.service.container import Services
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import (
    list_addresses,
    load_account,
    load_password,
    load_usage,
    lock_account,
    save_password,
)
from pagegrade.store.repositories.credentials import add_link, end_sessions, find_link, forget_links, use_link

HOUR_MS: Final = 3_600_000
LINK_HOURS: Final = 24
"""Default lifetime of a link that was created on the command line."""
MAX_LINK_HOURS: Final = 720
INVITATION_HOURS: Final = 7 * 24
MAX_EMAIL: Final = 320
"""Characters of an e-mail address (RFC 5321 section 4.5.3.1)."""
FRESH_LINK_MS: Final = 600_000
"""Time after signing in with a link in which a person may set a password without the current one."""
PLACE: Final = "/sign-in/"


class WrongPassword(InvalidInput):
    """No account has this e-mail address and this password."""


async def sign_in_with_password(
    services: Services, email: str, password: str, *, client: str, agent: str, tokens: Sequence[str], now_ms: int
) -> str:
    """The token of a new session.

    Args:
        email: As it was typed.
        password: As it was typed; it counts exactly so.
        client: Whom to count the attempt for, beside the e-mail address.
        tokens: Of sessions that the browser has had until now; they end.

    Raises:
        RateLimited: There were too many attempts; nothing was hashed.
        WrongPassword: It is wrong, or there is no such account, or it has no password or is disabled; which of these
            it was takes no longer to find out than any other.
    """
    address = email.strip()[:MAX_EMAIL]
    taken = await services.sign_in_attempts.take(address, client)
    if taken.wait_s is not None:
        raise RateLimited("There were too many attempts to sign in.", retry_after_s=taken.wait_s)
    if not 0 < len(password) <= MAX_CHARACTERS:
        raise WrongPassword
    account_id, hashed = await services.database.read(lambda tx: _find(tx, address))
    if not await services.passwords.verify(hashed, password):
        raise WrongPassword

    def work(tx: Transaction) -> str | None:
        # Hashing took its time: meanwhile the password may have been changed, or the account disabled. From here on
        # either of them waits, and ends the session that is started here.
        lock_account(tx, account_id)
        account = load_account(tx, account_id)
        if account is None or account.disabled_at_ms is not None or load_password(tx, account_id) != hashed:
            return None
        end_tokens(tx, tokens)
        return start_session(tx, account, agent, now_ms)

    token = await services.database.write(work)
    if token is None:
        raise WrongPassword
    await services.sign_in_attempts.give_back(taken)
    return token


def make_link(tx: Transaction, account_id: int, *, hours: int, now_ms: int) -> tuple[str, int]:
    """Create a link that signs in to the account once; returns its token, for the owner only, and its expiry.

    Args:
        account_id: Of an account that works.
        hours: 1 to 720.

    Raises:
        InvalidInput: There is no such account, it is disabled or shared, or that is no number of hours.
    """
    if not 1 <= hours <= MAX_LINK_HOURS:
        raise InvalidInput(f"A link is good for 1 to {MAX_LINK_HOURS} hours.")
    account = load_account(tx, account_id)
    if account is None or account.disabled_at_ms is not None:
        raise InvalidInput(f"There is no account {account_id} that is enabled.")
    need_person(account)
    token = make_token()
    until_ms = now_ms + hours * HOUR_MS
    add_link(tx, account_id, token_sha256=digest(token), now_ms=now_ms, expires_at_ms=until_ms)
    return token, until_ms


def link_url(origin: str, token: str) -> str:
    """The whole address of a link.

    Args:
        origin: Of this installation, without a slash at the end.
    """
    return f"{origin}{PLACE}{token}"


def find_linked(tx: Transaction, token: str, now_ms: int) -> Account | None:
    """Return the account that a link would sign in, without using it; ``None`` if it is invalid, used or expired.

    Args:
        token: As in the address, however long or strange.
    """
    account = find_link(tx, digest(token), now_ms) if is_token(token) else None
    return None if account is None or account.disabled_at_ms is not None else account


def sign_in_with_link(
    tx: Transaction, token: str, *, agent: str, tokens: Sequence[str], now_ms: int
) -> tuple[Account, str] | None:
    """Use a link: the account, and the token of a new session; ``None``: it is none, was used, or has ended.

    Args:
        token: As in the address, however long or strange.
        tokens: Of sessions that the browser has had until now; they end.
    """
    linked = find_linked(tx, token, now_ms)
    if linked is None:
        return None
    lock_account(tx, linked.id)
    account = find_linked(tx, token, now_ms)
    if account is None or not use_link(tx, digest(token), now_ms):
        return None
    end_tokens(tx, tokens)
    return account, start_session(tx, account, agent, now_ms, by_link=True)


def needs_current_password(account: Account, session: Session, now_ms: int) -> bool:
    """Return whether the account's owner has to type the password they have to get another one."""
    fresh = session.by_link and now_ms - session.created_at_ms < FRESH_LINK_MS
    return account.has_password and not fresh


def check_new_password(password: str) -> None:
    """Refuse what is no password for an account.

    Raises:
        InvalidInput: It is too short or too long.
    """
    if not MIN_ACCOUNT_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise InvalidInput(
            f"A password has {MIN_ACCOUNT_CHARACTERS} to {MAX_CHARACTERS} characters.",
            reason="too_short" if len(password) < MIN_ACCOUNT_CHARACTERS else "too_long",
        )


async def change_password(
    services: Services, account: Account, session: Session, *, current: str, new: str, client: str, now_ms: int
) -> str:
    """Set the password of an account from one of its sessions, whose new token is returned; all others end.

    Args:
        current: The password until now, as it was typed; not looked at where ``needs_current_password`` says no.
        new: As it was typed.
        client: Whom to count a wrong current password for.

    Raises:
        InvalidInput: The new one is too short or too long.
        RateLimited: The current one was guessed at too often.
        WrongPassword: The current one is wrong, or the session has ended.
    """
    check_new_password(new)
    stored = await services.database.read(lambda tx: load_password(tx, account.id))
    if needs_current_password(account, session, now_ms):
        await check_password(services, account, stored, current, client=client)
    hashed = await services.passwords.hash(new)

    def work(tx: Transaction) -> str | None:
        lock_account(tx, account.id)
        token = renew_token(tx, session, now_ms) if load_password(tx, account.id) == stored else None
        if token is not None:
            store_password(tx, account.id, hashed, but=session.id)
        return token

    token = await services.database.write(work)
    if token is None:
        raise WrongPassword
    return token


async def check_password(services: Services, account: Account, stored: str | None, typed: str, *, client: str) -> None:
    """Verify the password of an account whose owner has signed in, and types it to confirm something.

    Args:
        stored: Its hash.
        typed: As it was typed.
        client: Whom to count a wrong one for.

    Raises:
        RateLimited: It was guessed at too often.
        WrongPassword: It is wrong.
    """
    taken = await services.sign_in_attempts.take(account.email, client)
    if taken.wait_s is not None:
        raise RateLimited("There were too many wrong passwords.", retry_after_s=taken.wait_s)
    if not 0 < len(typed) <= MAX_CHARACTERS or not await services.passwords.verify(stored, typed):
        raise WrongPassword
    await services.sign_in_attempts.give_back(taken)


def find_password_hash(tx: Transaction, account_id: int) -> str | None:
    """Return the hash of an account's password; ``None``: it has none."""
    return load_password(tx, account_id)


def find_usage_and_sessions(tx: Transaction, caller: Caller, now_ms: int) -> tuple[Usage, tuple[Session, ...]]:
    """Return what the person's own account has used, and where it is signed in."""
    return load_usage(tx, caller.person.id, now_ms), list_open(tx, caller.person.id, now_ms)


def store_password(tx: Transaction, account_id: int, hashed: str, *, but: int | None = None) -> None:
    """Store a new password; all sessions and sign-in links of the account end.

    Args:
        hashed: PHC string.
        but: The session that goes on; ``None``: none does.
    """
    save_password(tx, account_id, hashed)  # first, because a concurrent sign-in locks the account
    sign_out_everywhere(tx, account_id, but=but)


def sign_out_everywhere(tx: Transaction, account_id: int, *, but: int | None = None) -> int:
    """End the sessions of an account and its links; how many sessions ended.

    Args:
        but: The session that goes on; ``None``: none does.
    """
    lock_account(tx, account_id)
    forget_links(tx, account_id)
    return end_sessions(tx, account_id, but=but)


def _find(tx: Transaction, address: str) -> tuple[int, str | None]:
    """(id, hash of the password) of the working account with this address; (0, ``None``) where there is none."""
    wanted = address.casefold()
    found = [account_id for account_id, email in list_addresses(tx) if email.casefold() == wanted]
    return (found[0], load_password(tx, found[0])) if found else (0, None)
