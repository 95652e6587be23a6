"""The account of a person that an identity provider has signed in, and the workspaces of their groups.

A person is known by issuer and subject. An address that the provider has verified leads to an account once, to one that
nobody of that provider signs in to; an address that it has not verified leads nowhere.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.account import Account, Caller, Identity, Provider
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.operations import MAX_NAME, create_account, hold_accounts
from pagegrade.service.accounts.sessions import end_tokens, start_session
from pagegrade.service.accounts.team import find_invited, follow_group
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import (
    add_identity,
    count_accounts,
    find_account_id,
    find_email,
    list_addresses,
    load_account,
    lock_account,
    remove_identity,
    save_email,
)
from pagegrade.store.repositories.credentials import list_passkeys
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret

UNKNOWN: Final = "unknown"
"""Nobody has given the person an account."""
NO_MAIL: Final = "no_mail"
"""The provider names no address, without which there is no account."""
MAIL_TAKEN: Final = "mail_taken"
"""An account has the address, and it is not proved that it is the person's."""
DISABLED: Final = "disabled"
TAKEN: Final = "taken"
"""The person signs in to another account already."""
OFFER_MS: Final = 600_000
"""So long a person may think about connecting their account."""
MAX_OFFER: Final = 4_096
_SECRET: Final = "single-sign-on"  # noqa: S105 - its name


class Visitor(msgspec.Struct, frozen=True, kw_only=True):
    """The browser of a person who comes back from the provider."""

    locale: str
    """Language tag of the pages that it shows."""
    agent: str
    """Its User-Agent header."""
    tokens: Sequence[str]
    """Of sessions that it has had until now; they end."""
    invitation: str = ""
    """Token of an invitation that the person wants to accept; empty: of none."""


class _Offer(msgspec.Struct, frozen=True):
    issuer: str
    subject: str
    email: str
    person_id: int
    until_ms: int


def sign_in_as(tx: Transaction, identity: Identity, provider: Provider, visitor: Visitor, *, now_ms: int) -> str:
    """Sign a person in to their account, which is made where that is allowed; returns the token of the session.

    Args:
        identity: As the provider has just proved it.

    Raises:
        InvalidInput: They have no account to sign in to; ``reason`` says why.
    """
    managed = sorted({rule.account_id for rule in provider.groups})
    for account_id in managed:
        hold_account(tx, account_id)
    hold_accounts(tx)
    found = find_account_id(tx, identity.issuer, identity.subject)
    account_id = _connect(tx, identity, provider, visitor, now_ms) if found is None else found
    lock_account(tx, account_id)
    person = load_account(tx, account_id)
    if person is None or person.disabled_at_ms is not None:
        raise InvalidInput("The account is disabled.", reason=DISABLED)
    save_email(tx, identity)
    for managed_id in managed:
        roles = [
            rule.role for rule in provider.groups if rule.account_id == managed_id and rule.group in identity.groups
        ]
        follow_group(tx, managed_id, person, max(roles, default=None), now_ms=now_ms)
    end_tokens(tx, visitor.tokens)
    return start_session(tx, person, visitor.agent, now_ms)


def knows(tx: Transaction, identity: Identity) -> bool:
    """Return whether an account is the person's."""
    return find_account_id(tx, identity.issuer, identity.subject) is not None


def offer(tx: Transaction, identity: Identity, person: Account, now_ms: int) -> str:
    """Return what proves for ``OFFER_MS`` that the provider has just signed somebody in, to who was signed in here.

    Args:
        identity: As the provider has just proved it.
        person: Who may connect their account with it.
    """
    content = msgspec.json.encode(
        _Offer(identity.issuer, identity.subject, identity.email, person.id, now_ms + OFFER_MS)
    )
    mac = hmac.digest(load_or_make_secret(tx, _SECRET), content, hashlib.sha256)
    return urlsafe_b64encode(mac + content).decode("ascii")


def accept(tx: Transaction, caller: Caller, offered: str, provider: Provider, *, now_ms: int) -> None:
    """Connect the account of who is signed in with the identity of an offer.

    Args:
        caller: Who was made the offer.
        offered: As ``offer`` returned it; anybody can send anything.

    Raises:
        InvalidInput: The identity signs in to another account already.
        NotFound: It is no offer to this person, of this provider, that still holds.
    """
    read = _read_offer(tx, offered)
    if read is None or read.person_id != caller.person.id or now_ms >= read.until_ms or read.issuer != provider.issuer:
        raise NotFound
    hold_accounts(tx)
    other = find_account_id(tx, read.issuer, read.subject)
    if other not in {None, caller.person.id}:
        raise InvalidInput("Another account is connected with this identity.", reason=TAKEN)
    if other is None:
        identity = Identity(issuer=read.issuer, subject=read.subject, email=read.email)
        add_identity(tx, caller.person.id, identity, now_ms)


def find_connected(tx: Transaction, caller: Caller, provider: Provider) -> str | None:
    """Return the address that the provider has for who is signed in; ``None``: the account is not connected."""
    return find_email(tx, caller.person.id, provider.issuer)


def may_disconnect(tx: Transaction, caller: Caller, *, takes_passkeys: bool) -> bool:
    """Return whether who is signed in has a way to sign in without a provider, where that is possible.

    Args:
        takes_passkeys: The installation has an address for which browsers have passkeys.
    """
    person = load_account(tx, caller.person.id)
    has_password = person is not None and person.has_password
    return has_password or (takes_passkeys and bool(list_passkeys(tx, caller.person.id)))


def disconnect(tx: Transaction, caller: Caller, provider: Provider, *, takes_passkeys: bool) -> None:
    """Let nobody of the provider sign in to the account of who is signed in; arguments as of ``may_disconnect``.

    Raises:
        NotFound: They could not sign in any more.
    """
    lock_account(tx, caller.person.id)
    if not may_disconnect(tx, caller, takes_passkeys=takes_passkeys):
        raise NotFound
    remove_identity(tx, caller.person.id, provider.issuer)


def _connect(tx: Transaction, identity: Identity, provider: Provider, visitor: Visitor, now_ms: int) -> int:
    """Return the account of a person who comes for the first time."""
    if not identity.email:
        raise InvalidInput("The provider names no e-mail address.", reason=NO_MAIL)
    wanted = identity.email.casefold()
    known = next((number for number, email in list_addresses(tx) if email.casefold() == wanted), None)
    if known is not None:
        if not identity.is_email_verified or find_email(tx, known, identity.issuer) is not None:
            raise InvalidInput("An account has this e-mail address already.", reason=MAIL_TAKEN)
        add_identity(tx, known, identity, now_ms)
        return known
    in_group = any(rule.group in identity.groups for rule in provider.groups)
    is_invited = bool(visitor.invitation) and find_invited(tx, visitor.invitation, now_ms) is not None
    # The first account of all administers the installation, and is not made here.
    if not (provider.sign_up or in_group or is_invited) or not count_accounts(tx):
        raise InvalidInput("Nobody has given this person an account.", reason=UNKNOWN)
    shown = "".join(each for each in identity.name if each.isprintable())[:MAX_NAME].strip()
    person = create_account(
        tx, name=shown or identity.email[:MAX_NAME], email=identity.email, locale=visitor.locale, now_ms=now_ms
    )
    add_identity(tx, person.id, identity, now_ms)
    return person.id


def _read_offer(tx: Transaction, offered: str) -> _Offer | None:
    secret = load_secret(tx, _SECRET)
    try:
        data = urlsafe_b64decode(offered.encode("ascii")) if len(offered) <= MAX_OFFER else b""
    except ValueError:
        return None
    mac, content = data[: hashlib.sha256().digest_size], data[hashlib.sha256().digest_size :]
    if secret is None or not hmac.compare_digest(mac, hmac.digest(secret, content, hashlib.sha256)):
        return None
    return msgspec.json.decode(content, type=_Offer)
