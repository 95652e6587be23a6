"""Make and disable accounts."""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from zoneinfo import available_timezones

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.parse.language_tags import parse_language_tag
from pagegrade.report.clean import clean_text
from pagegrade.store.accounts import add_account, disable_account, list_accounts, load_account
from pagegrade.store.database import Transaction

MAX_NAME: Final = 200
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}")
"""Enough to catch a slip, within RFC 5321 section 4.5.3.1; whether mail arrives, only mail can tell."""


def create_account(
    tx: Transaction, *, name: str, email: str, locale: str = "en", timezone: str = "UTC", now_ms: int
) -> Account:
    """A new account, without a key.

    Args:
        tx: One that may write.
        name: 1 to 200 characters.
        email: Of its owner; no other account that works may have it.
        locale: BCP 47 language tag.
        timezone: Name from the IANA database, e.g. ``Europe/Prague``.
        now_ms: The time now, in milliseconds since 1970.

    Raises:
        InvalidInput: One of them cannot be used.
    """
    label = clean_label(name, what="The name of an account")
    address = email.strip()
    if _EMAIL.fullmatch(address) is None or not address.isprintable():
        raise InvalidInput(f"{address!r} is no e-mail address.")
    tag = parse_language_tag(locale)
    if tag is None or tag.private_use or not tag.registered:
        raise InvalidInput(f"{locale!r} is no language tag. Write it like en or pt-BR.")
    # A system without a time zone database knows none, not even UTC.
    if timezone not in {"UTC", *available_timezones()}:
        raise InvalidInput(f"{timezone!r} is no time zone here. Write it like UTC or Europe/Prague.")
    for other in list_accounts(tx):
        if other.email.casefold() == address.casefold() and other.disabled_at_ms is None:
            raise InvalidInput(f"The account {other.id} has this e-mail address already.")
    return add_account(tx, name=label, email=address, locale=tag.text, timezone=timezone, now_ms=now_ms)


def disable(tx: Transaction, account_id: int, now_ms: int) -> tuple[Account, bool]:
    """Let no key of the account work any more, from the next request on.

    Returns:
        The account, and whether it worked until now.

    Raises:
        NotFound: There is no such account.
    """
    changed = disable_account(tx, account_id, now_ms)
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
    return account, changed


def clean_label(text: str, *, what: str) -> str:
    """A name that somebody gave something: without blanks around it.

    Raises:
        InvalidInput: It is empty, too long, or has control characters, which could play tricks on terminals.
    """
    label = clean_text(text).strip()
    if not 0 < len(label) <= MAX_NAME or any(unicodedata.category(character) == "Cc" for character in label):
        raise InvalidInput(f"{what} has 1 to {MAX_NAME} characters, and no control characters.")
    return label
