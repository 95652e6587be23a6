"""Make, change and disable accounts."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from msgspec.structs import replace

from pagegrade.model.account import PDF_SECTIONS, Account, Brand, Caller, Usage
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.stored import Privacy
from pagegrade.parse.files.png import MAX_SIDE_PX, clean_png
from pagegrade.parse.language_tags import parse_language_tag
from pagegrade.parse.mail import domain_of
from pagegrade.report.sanitize import clean_text
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account, hold_place
from pagegrade.store.repositories.accounts import (
    add_account,
    count_accounts,
    count_admins,
    disable_account,
    enable_account,
    list_addresses,
    load_account,
    load_brand,
    load_logo,
    load_usage,
    save_account,
    save_admin,
    save_brand,
)
from pagegrade.store.repositories.credentials import end_sessions, forget_links

MAX_NAME: Final = 200
_EMAIL: Final = re.compile(r"[^\s@]{1,64}@[^\s@]{1,255}")
"""Enough to catch a slip, within RFC 5321 section 4.5.3.1; only sending mail proves that an address works."""
NAME: Final = "name"
EMAIL: Final = "email"
EMAIL_TAKEN: Final = "email_taken"
LOCALE: Final = "locale"
TIMEZONE: Final = "timezone"
PRIVACY: Final = "privacy"
MAX_BRAND_NAME: Final = 60
MAX_FOOTER: Final = 300
MAX_LOGO_BYTES: Final = 65_536
COLOR: Final = "color"
FOOTER: Final = "footer"
REPLY_TO: Final = "reply_to"
LOGO: Final = "logo"
LOGO_NAME: Final = "logo_name"
_COLOR: Final = re.compile(r"#[0-9a-f]{6}")
LAST_ADMIN: Final = "last_admin"
OWN_ACCOUNT: Final = "own_account"
DISABLED: Final = "disabled"
SHARED: Final = "shared"


def create_account(
    tx: Transaction, *, name: str, email: str, locale: str = "en", timezone: str = "UTC", now_ms: int
) -> Account:
    """A new account, without a key or a password. The first one of all administers the installation.

    Args:
        name: 1 to 200 characters.
        email: Of its owner; no other account that works may have it.
        locale: BCP 47 language tag.
        timezone: Name from the IANA database, e.g. ``Europe/Prague``.

    Raises:
        InvalidInput: One of them cannot be used; ``reason`` says which.
    """
    label = clean_label(name, what="The name of an account")
    address = _clean_email(email)
    tag = _clean_locale(locale)
    _check_timezone(timezone)
    hold_accounts(tx)
    _check_free(tx, address)
    is_first = count_accounts(tx) == 0
    return add_account(tx, name=label, email=address, locale=tag, timezone=timezone, is_admin=is_first, now_ms=now_ms)


def find_usage(tx: Transaction, caller: Caller, now_ms: int) -> Usage:
    """Return what the caller's account has, and has used."""
    return load_usage(tx, caller.account.id, now_ms)


def change_account(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    email: str,
    locale: str,
    timezone: str,
    default_privacy: int | None,
) -> Account:
    """Change what its owner may change.

    Args:
        name: As of ``create_account``, and so are the next three.
        email: Of its owner.
        locale: BCP 47 language tag.
        timezone: Name from the IANA database.
        default_privacy: Of new reports; ``None``: as the installation is set.

    Raises:
        InvalidInput: One of them cannot be used; ``reason`` says which.
        NotFound: There is no such account.
    """
    label = clean_label(name, what="The name of an account")
    address = _clean_email(email)
    tag = _clean_locale(locale)
    _check_timezone(timezone)
    # A report that anyone with the password may see needs a password of its own.
    if default_privacy not in {None, Privacy.PUBLIC, Privacy.PRIVATE}:
        raise InvalidInput(f"{default_privacy!r} is no privacy for new reports.", reason=PRIVACY)
    hold_accounts(tx)
    account = _load(tx, account_id)
    _check_free(tx, address, but=account_id)
    changed = replace(
        account, name=label, email=address, locale=tag, timezone=timezone, default_privacy=default_privacy
    )
    save_account(tx, changed)
    return changed


def clean_logo(data: bytes) -> bytes:
    """Return a logo that holds nothing but the picture.

    Args:
        data: As it was sent.

    Raises:
        InvalidInput: It is no PNG, a broken one, or too large.
    """
    logo = clean_png(data) if len(data) <= MAX_LOGO_BYTES else None
    if logo is None:
        raise InvalidInput(
            f"The logo must be a PNG of at most {MAX_LOGO_BYTES // 1024} KB and {MAX_SIDE_PX} by {MAX_SIDE_PX} pixels.",
            reason=LOGO,
        )
    return logo


def clean_brand(brand: Brand) -> Brand:
    """Return a look as it is kept.

    Args:
        brand: As it was typed, with a logo of ``clean_logo``.

    Raises:
        InvalidInput: A value cannot be used; ``reason`` says which.
    """
    name = clean_label(brand.name, what="The name", most=MAX_BRAND_NAME) if brand.name.strip() else ""
    footer = " ".join(clean_text(brand.footer).split())
    color, reply_to = brand.color.strip().lower(), brand.reply_to.strip()
    if color and _COLOR.fullmatch(color) is None:
        raise InvalidInput("A color is written like #1b5e50.", reason=COLOR)
    if len(footer) > MAX_FOOTER:
        raise InvalidInput(f"The footer has at most {MAX_FOOTER} characters.", reason=FOOTER)
    if reply_to and (domain_of(reply_to) is None or not reply_to.isascii()):
        raise InvalidInput("The address for answers is no e-mail address.", reason=REPLY_TO)
    if brand.logo and not name:
        raise InvalidInput("A logo needs the name, which is read where it is not seen.", reason=LOGO_NAME)
    left_out = " ".join(each for each in PDF_SECTIONS if each in brand.left_out.split())
    return replace(brand, name=name, color=color, footer=footer, reply_to=reply_to, left_out=left_out)


def show_brand(tx: Transaction, caller: Caller) -> Brand:
    """Return the look of the open account, as it was chosen."""
    return load_brand(tx, caller.account.id)


def change_brand(tx: Transaction, caller: Caller, brand: Brand, *, logo: bytes | None) -> None:
    """Store the look of the open account.

    Args:
        brand: As it was typed, without a logo.
        logo: The new one as of ``clean_logo``, empty for none; ``None``: the one there is stays.

    Raises:
        InvalidInput: As of ``clean_brand``.
    """
    hold_account(tx, caller.account.id)
    kept = load_brand(tx, caller.account.id).logo if logo is None else logo
    save_brand(tx, caller.account.id, clean_brand(replace(brand, logo=kept)))


def brand_of(tx: Transaction, account_id: int) -> Brand:
    """Return the look that an account chose."""
    return load_brand(tx, account_id)


def find_logo(tx: Transaction, key: str, *, own: Brand) -> bytes | None:
    """Return a logo by its name in addresses, of an account or of the installation; ``None``: there is none."""
    return own.logo if own.logo and key == own.logo_key else load_logo(tx, key)


def disable(tx: Transaction, account_id: int, now_ms: int, *, by: Account | None = None) -> tuple[Account, bool]:
    """Disable the account: its keys stop working with the next request, and its sessions end.

    Args:
        by: The administrator who wants it, and may neither do it to themselves nor leave the installation without
            one; ``None``: the operator at the machine, who may.

    Returns:
        The account, and whether it worked until now.

    Raises:
        InvalidInput: That administrator may not; ``reason`` says why.
        NotFound: There is no such account.
    """
    hold_accounts(tx)
    account = _load(tx, account_id)
    if by is not None:
        if by.id == account_id:
            raise InvalidInput("You cannot disable your own account.", reason=OWN_ACCOUNT)
        keep_an_admin(tx, account)
    changed = disable_account(tx, account_id, now_ms)
    end_sessions(tx, account_id)
    forget_links(tx, account_id)
    return (replace(account, disabled_at_ms=now_ms) if changed else account), changed


def enable(tx: Transaction, account_id: int) -> tuple[Account, bool]:
    """Let the keys of the account work again, and its owner sign in.

    Returns:
        The account, and whether it was disabled until now.

    Raises:
        InvalidInput: Another account has its e-mail address meanwhile.
        NotFound: There is no such account.
    """
    hold_accounts(tx)
    account = _load(tx, account_id)
    if account.is_personal:
        _check_free(tx, account.email, but=account_id)
    return replace(account, disabled_at_ms=None), enable_account(tx, account_id)


def set_admin(tx: Transaction, account_id: int, *, is_admin: bool) -> tuple[Account, bool]:
    """Let the owner of the account administer the installation, or no longer.

    Returns:
        The account, and whether that was a change.

    Raises:
        InvalidInput: The account is disabled, is the last administrator, or is shared.
        NotFound: There is no such account.
    """
    hold_accounts(tx)
    account = _load(tx, account_id)
    need_person(account)
    if is_admin and account.disabled_at_ms is not None:
        raise InvalidInput(f"The account {account_id} is disabled; enable it first.", reason=DISABLED)
    if not is_admin:
        keep_an_admin(tx, account)
    return replace(account, is_admin=is_admin), save_admin(tx, account_id, is_admin=is_admin)


@cache
def known_timezones() -> frozenset[str]:
    """Names of time zones; a system without a time zone database knows none but UTC."""
    return frozenset({"UTC", *available_timezones()})


def clean_label(text: str, *, what: str, most: int = MAX_NAME) -> str:
    """Return a name of at most so many characters that a person chose, without surrounding blanks.

    Raises:
        InvalidInput: It is empty, too long, or has control characters, which could play tricks on terminals.
    """
    label = clean_text(text).strip()
    if not 0 < len(label) <= most or any(unicodedata.category(character) == "Cc" for character in label):
        raise InvalidInput(f"{what} has 1 to {most} characters, and no control characters.", reason=NAME)
    return label


def hold_accounts(tx: Transaction) -> None:
    """Let accounts be made and changed one after the other, whichever process does it.

    Else two of them have one e-mail address, or the last two administrators send each other away.
    """
    hold_place(tx, "owner")


def _load(tx: Transaction, account_id: int) -> Account:
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
    return account


def _clean_email(email: str) -> str:
    address = email.strip()
    if _EMAIL.fullmatch(address) is None or not address.isprintable():
        raise InvalidInput(f"{address!r} is no e-mail address.", reason=EMAIL)
    return address


def _clean_locale(locale: str) -> str:
    tag = parse_language_tag(locale)
    if tag is None or tag.private_use or not tag.registered:
        raise InvalidInput(f"{locale!r} is no language tag. Write it like en or pt-BR.", reason=LOCALE)
    return tag.text


def _check_timezone(timezone: str) -> None:
    if timezone not in known_timezones():
        raise InvalidInput(f"{timezone!r} is no time zone here. Write it like UTC or Europe/Prague.", reason=TIMEZONE)


def _check_free(tx: Transaction, address: str, *, but: int | None = None) -> None:
    """Refuse an e-mail address that another working account has."""
    for account_id, email in list_addresses(tx):
        if account_id != but and email.casefold() == address.casefold():
            raise InvalidInput(f"The account {account_id} has this e-mail address already.", reason=EMAIL_TAKEN)


def need_person(account: Account) -> None:
    """Refuse an account that only has members.

    Raises:
        InvalidInput: Only its members sign in, to their own.
    """
    if not account.is_personal:
        raise InvalidInput(
            f"Account {account.id} ({account.name}) has no sign-in of its own: its members sign in to theirs.",
            reason=SHARED,
        )


def keep_an_admin(tx: Transaction, account: Account) -> None:
    """Refuse to take the last administrator away."""
    if account.is_admin and account.disabled_at_ms is None and count_admins(tx) <= 1:
        raise InvalidInput(
            "This is the only administrator of the installation; make another account an administrator first.",
            reason=LAST_ADMIN,
        )
