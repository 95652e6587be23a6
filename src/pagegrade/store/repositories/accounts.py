"""Accounts: the owners of keys and reports, their usage, and people as an identity provider knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import bindparam, delete, func, insert, select, text, update
from sqlalchemy.types import LargeBinary

from pagegrade.model.account import Account, Brand, Identity, Member, MonthUsage, QuotaName, Quotas, Usage, month_of
from pagegrade.model.stored import UNFINISHED
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.repositories.counts import WHOLE_ACCOUNT
from pagegrade.store.schema.account_tables import (
    account_usage,
    actions,
    brands,
    identities,
    invitations,
    memberships,
    passkeys,
    sessions,
    sign_in_links,
)
from pagegrade.store.schema.tables import accounts, api_keys, report_counts, runs

SHOWN_MONTHS: Final = 12
_ANALYSIS: Final = Prepared(
    text(
        "INSERT INTO account_usage (account_id, month, analyses) VALUES (:account_id, :month, 1) "
        "ON CONFLICT (account_id, month) DO UPDATE SET analyses = account_usage.analyses + 1"
    )
)
_BROWSER: Final = text(
    "INSERT INTO account_usage (account_id, month, browser_ms) VALUES (:account_id, :month, :browser_ms) "
    "ON CONFLICT (account_id, month) DO UPDATE SET browser_ms = account_usage.browser_ms + excluded.browser_ms"
)
# The counter of the crawl still has what was counted before.
_PAGES: Final = text(
    "INSERT INTO account_usage (account_id, month, audit_pages) "
    "SELECT account_id, :month, :fetched - fetched FROM crawls "
    "WHERE id = :crawl_id AND account_id IS NOT NULL AND fetched < :fetched "
    "ON CONFLICT (account_id, month) DO UPDATE SET audit_pages = account_usage.audit_pages + excluded.audit_pages"
)
_WARNED: Final = text(
    "INSERT INTO account_usage (account_id, month, warned) VALUES (:account_id, :month, :warned) "
    "ON CONFLICT (account_id, month) DO UPDATE SET warned = excluded.warned"
).bindparams(bindparam("warned", type_=LargeBinary))
_read_warned: Final = msgspec.json.Decoder(dict[QuotaName, int]).decode
_COLUMNS: Final = (
    account_usage.c.month,
    account_usage.c.analyses,
    account_usage.c.browser_ms,
    account_usage.c.audit_pages,
)


def count_analysis(tx: Transaction, account_id: int, now_ms: int) -> None:
    """Count an analysis that is asked for; the lock of the account must be held."""
    _ANALYSIS.rows(tx, {"account_id": account_id, "month": month_of(now_ms)})


def count_browser(tx: Transaction, account_id: int, browser_ms: int, now_ms: int) -> None:
    """Count the time of an analysis in a browser; the lock of the account must be held."""
    tx.execute(_BROWSER, {"account_id": account_id, "month": month_of(now_ms), "browser_ms": browser_ms})


def count_pages(tx: Transaction, crawl_id: int, fetched: int, now_ms: int) -> None:
    """Count the pages that a crawl has fetched, before its own counter is stored; one of the command line has none."""
    tx.execute(_PAGES, {"crawl_id": crawl_id, "month": month_of(now_ms), "fetched": fetched})


def load_month(tx: Transaction, account_id: int, now_ms: int) -> MonthUsage:
    """Return what an account has used in the month of a moment."""
    month = month_of(now_ms)
    its = (account_usage.c.account_id == account_id, account_usage.c.month == month)
    row = tx.execute(select(*_COLUMNS).where(*its)).first()
    return MonthUsage(month) if row is None else MonthUsage(*row)


def load_months(tx: Transaction, account_id: int) -> tuple[MonthUsage, ...]:
    """Return the last ``SHOWN_MONTHS`` months in which an account used something, the newest first."""
    query = select(*_COLUMNS).where(account_usage.c.account_id == account_id)
    rows = tx.execute(query.order_by(account_usage.c.month.desc()).limit(SHOWN_MONTHS))
    return tuple(MonthUsage(*row) for row in rows)


def load_warned(tx: Transaction, account_id: int, now_ms: int) -> Mapping[QuotaName, int]:
    """Return name of a quota -> per cent of it that the account was told of in the month of a moment."""
    its = (account_usage.c.account_id == account_id, account_usage.c.month == month_of(now_ms))
    packed = tx.execute(select(account_usage.c.warned).where(*its)).scalar()
    return {} if packed is None else _read_warned(bytes(packed))


def save_warned(tx: Transaction, account_id: int, warned: Mapping[QuotaName, int], now_ms: int) -> None:
    """Store what the account was told of in the month of a moment; the lock of the account must be held."""
    values = {"account_id": account_id, "month": month_of(now_ms), "warned": msgspec.json.encode(warned)}
    tx.execute(_WARNED, values)


DAY_MS: Final = 86_400_000
ACCOUNT_COLUMNS: Final = (
    accounts.c.id,
    accounts.c.name,
    accounts.c.email,
    accounts.c.locale,
    accounts.c.timezone,
    accounts.c.default_privacy,
    accounts.c.created_at_ms,
    accounts.c.disabled_at_ms,
    accounts.c.is_admin,
    # Not IS NOT NULL: in a RETURNING clause SQLite 3.40 evaluates it for the wrong column, and never finds a null.
    func.length(accounts.c.password_hash),
    accounts.c.is_personal,
    accounts.c.plan,
    accounts.c.quotas,
)
"""Columns that ``account_of`` reads, in this order."""

_BRAND: Final = [brands.c[name] for name in Brand.__struct_fields__]
_quotas: Final = msgspec.json.Decoder(dict[QuotaName, int]).decode
_IS_KEPT: Final = accounts.c.erase_at_ms.is_(None)
"""Condition: the account is not being erased. An account that is counts as deleted everywhere."""
_COUNTED: Final = report_counts.c.account_id == bindparam("account")
_ITS: Final = runs.c.account_id == bindparam("account")
_USAGE: Final = select(
    *(
        part.scalar_subquery()
        for part in (
            select(func.coalesce(func.sum(report_counts.c.count), 0)).where(
                _COUNTED, report_counts.c.project == WHOLE_ACCOUNT
            ),
            # A range scan of the index; rows with a count of zero are never kept.
            select(func.count(report_counts.c.project.distinct())).where(
                _COUNTED, report_counts.c.project > WHOLE_ACCOUNT
            ),
            select(func.count()).select_from(runs).where(_ITS, runs.c.state.in_(sorted(UNFINISHED))),
            select(func.count()).select_from(runs).where(_ITS, runs.c.finished_at_ms >= bindparam("midnight_ms")),
            select(accounts.c.analyses_total).where(accounts.c.id == bindparam("account")),
            select(accounts.c.stored_bytes).where(accounts.c.id == bindparam("account")),
        )
    )
)
"""The members of ``Usage`` in their order; built once, because building it costs more than executing it."""


def add_account(
    tx: Transaction,
    *,
    name: str,
    email: str,
    now_ms: int,
    locale: str = "en",
    timezone: str = "UTC",
    is_admin: bool = False,
    is_personal: bool = True,
) -> Account:
    """Add an account without a password, sessions or members."""
    values = {
        "name": name,
        "email": email,
        "locale": locale,
        "timezone": timezone,
        "is_admin": int(is_admin),
        "is_personal": int(is_personal),
        "created_at_ms": now_ms,
    }
    return account_of(tx.execute(insert(accounts).values(values).returning(*ACCOUNT_COLUMNS)).one())


def load_account(tx: Transaction, account_id: int) -> Account | None:
    """Load an account; ``None`` if the id is unknown."""
    row = tx.execute(select(*ACCOUNT_COLUMNS).where(accounts.c.id == account_id, _IS_KEPT)).first()
    return None if row is None else account_of(row)


def lock_account(tx: Transaction, account_id: int) -> None:
    """Lock the row of the account until the transaction ends; wait for other holders.

    Only its row, not the data of the account (``store.locks``), so that values read afterwards stay true. On SQLite,
    which has one writer, this does nothing.
    """
    tx.execute(select(accounts.c.id).where(accounts.c.id == account_id).with_for_update(key_share=True))


def list_accounts(tx: Transaction) -> tuple[Account, ...]:
    """Return all accounts, oldest first."""
    return tuple(
        account_of(row) for row in tx.execute(select(*ACCOUNT_COLUMNS).where(_IS_KEPT).order_by(accounts.c.id))
    )


def disable_account(tx: Transaction, account_id: int, now_ms: int) -> bool:
    """Disable the keys of an account; ``False`` if it does not exist or is disabled already."""
    query = update(accounts).where(accounts.c.id == account_id, accounts.c.disabled_at_ms.is_(None))
    return tx.execute(query.values(disabled_at_ms=now_ms)).rowcount == 1


def enable_account(tx: Transaction, account_id: int) -> bool:
    """Enable the keys and sign-in of an account; ``False`` if it does not exist or is enabled already."""
    query = update(accounts).where(accounts.c.id == account_id, accounts.c.disabled_at_ms.is_not(None))
    return tx.execute(query.values(disabled_at_ms=None)).rowcount == 1


def mark_erasing(tx: Transaction, account_id: int, now_ms: int) -> None:
    """Mark an account as being erased, wipe its own details, and delete its keys, sessions, links and members."""
    wiped = {
        "name": "",
        "email": "",
        "locale": "en",
        "timezone": "UTC",
        "default_privacy": None,
        "password_hash": None,
        "is_admin": 0,
        "plan": None,
        "quotas": None,
        "disabled_at_ms": func.coalesce(accounts.c.disabled_at_ms, now_ms),
        "erase_at_ms": now_ms,
    }
    tx.execute(update(accounts).where(accounts.c.id == account_id).values(wiped))
    for table in (sessions, sign_in_links, api_keys, memberships, invitations, actions, brands, identities, passkeys):
        tx.execute(delete(table).where(table.c.account_id == account_id))
    tx.execute(delete(memberships).where(memberships.c.person_id == account_id))


def list_erasing(tx: Transaction) -> tuple[int, ...]:
    """Return the accounts that are being erased, in the order of the requests."""
    query = select(accounts.c.id).where(~_IS_KEPT).order_by(accounts.c.erase_at_ms, accounts.c.id)
    return tuple(tx.execute(query).scalars())


def delete_account(tx: Transaction, account_id: int) -> None:
    """Delete an account that is being erased, with all of its remaining data."""
    tx.execute(delete(accounts).where(accounts.c.id == account_id, ~_IS_KEPT))


def save_account(tx: Transaction, account: Account) -> None:
    """Store the values that the owner can change: name, e-mail address, language, time zone and default privacy."""
    values = {
        "name": account.name,
        "email": account.email,
        "locale": account.locale,
        "timezone": account.timezone,
        "default_privacy": account.default_privacy,
    }
    tx.execute(update(accounts).where(accounts.c.id == account.id).values(values))


def save_brand(tx: Transaction, account_id: int, brand: Brand) -> None:
    """Store the look of an account in place of the one before."""
    values = {**msgspec.structs.asdict(brand), "credit": int(brand.credit), "logo_key": brand.logo_key}
    tx.execute(delete(brands).where(brands.c.account_id == account_id))
    tx.execute(insert(brands).values(account_id=account_id, **values))


def load_brand(tx: Transaction, account_id: int) -> Brand:
    """Load the look of an account, which is empty where it chose nothing."""
    row = tx.execute(select(*_BRAND).where(brands.c.account_id == account_id)).first()
    return Brand() if row is None else msgspec.convert(row, Brand, from_attributes=True, strict=False)


def load_logo(tx: Transaction, key: str) -> bytes | None:
    """Load a logo by its name in addresses; ``None`` if no account has it any more."""
    return tx.execute(select(brands.c.logo).where(brands.c.logo_key == key).limit(1)).scalar() if key else None


def save_admin(tx: Transaction, account_id: int, *, is_admin: bool) -> bool:
    """Grant or revoke administrator rights; ``False`` if nothing changed."""
    query = update(accounts).where(accounts.c.id == account_id, accounts.c.is_admin != int(is_admin))
    return tx.execute(query.values(is_admin=int(is_admin))).rowcount == 1


def save_quotas(tx: Transaction, account_id: int, *, plan: str | None, quotas: Quotas) -> None:
    """Store the plan of an account and the quotas of its own."""
    values = {"plan": plan, "quotas": msgspec.json.encode(quotas) if quotas else None}
    tx.execute(update(accounts).where(accounts.c.id == account_id).values(values))


def save_password(tx: Transaction, account_id: int, password_hash: str) -> None:
    """Store the hash of a new password."""
    tx.execute(update(accounts).where(accounts.c.id == account_id).values(password_hash=password_hash))


def load_password(tx: Transaction, account_id: int) -> str | None:
    """Load the password hash; ``None`` if there is none."""
    found = tx.execute(select(accounts.c.password_hash).where(accounts.c.id == account_id)).scalar()
    return None if found is None else str(found)


def list_addresses(tx: Transaction) -> tuple[tuple[int, str], ...]:
    """Return (id, e-mail address) of enabled accounts that people sign in to."""
    query = select(accounts.c.id, accounts.c.email).where(
        accounts.c.disabled_at_ms.is_(None), accounts.c.is_personal == 1
    )
    query = query.order_by(accounts.c.id)
    return tuple((account_id, email) for account_id, email in tx.execute(query))


def count_admins(tx: Transaction) -> int:
    """Return the number of enabled accounts with administrator rights."""
    query = select(func.count()).select_from(accounts)
    return int(tx.execute(query.where(accounts.c.is_admin == 1, accounts.c.disabled_at_ms.is_(None))).scalar_one())


def count_accounts(tx: Transaction) -> int:
    """Return the number of accounts, including disabled ones, without those that are being erased."""
    return int(tx.execute(select(func.count()).select_from(accounts).where(_IS_KEPT)).scalar_one())


def list_members(
    tx: Transaction, *, account_id: int | None = None, limit: int = 1, offset: int = 0
) -> tuple[Member, ...]:
    """Return accounts with their usage, oldest first.

    Args:
        account_id: Only this account; ``None`` for all.
    """
    parts = (
        select(func.coalesce(func.sum(report_counts.c.count), 0)).where(
            report_counts.c.account_id == accounts.c.id, report_counts.c.project == WHOLE_ACCOUNT
        ),
        select(func.max(sessions.c.seen_at_ms)).where(sessions.c.account_id == accounts.c.id),
        select(func.max(api_keys.c.last_used_at_ms)).where(api_keys.c.account_id == accounts.c.id),
        select(func.count())
        .select_from(api_keys)
        .where(api_keys.c.account_id == accounts.c.id, api_keys.c.revoked_at_ms.is_(None)),
    )
    query = select(
        *ACCOUNT_COLUMNS,
        accounts.c.analyses_total,
        accounts.c.stored_bytes,
        *(part.scalar_subquery() for part in parts),
    )
    query = query.where(_IS_KEPT).order_by(accounts.c.id)
    if account_id is not None:
        query = query.where(accounts.c.id == account_id)
    return tuple(_member_of(row) for row in tx.execute(query.limit(limit).offset(offset)))


def load_usage(tx: Transaction, account_id: int, now_ms: int) -> Usage:
    """Load the usage of an account from counters and indexes, without reading reports."""
    row = tx.execute(_USAGE, {"account": account_id, "midnight_ms": now_ms - now_ms % DAY_MS}).one()
    return Usage(
        reports=int(row[0]),
        projects=int(row[1]),
        queued_runs=int(row[2]),
        analyses_today=int(row[3]),
        analyses_total=int(row[4] or 0),
        stored_bytes=int(row[5] or 0),
    )


def _member_of(row: Sequence[Any]) -> Member:
    analyses, stored, reports, seen, used, keys = row[len(ACCOUNT_COLUMNS) :]
    return Member(
        account=account_of(row[: len(ACCOUNT_COLUMNS)]),
        reports=int(reports),
        analyses_total=int(analyses),
        stored_bytes=int(stored),
        keys=int(keys),
        seen_at_ms=max((moment for moment in (seen, used) if moment is not None), default=None),
    )


def account_of(row: Sequence[Any]) -> Account:
    """Convert a row of ``ACCOUNT_COLUMNS`` to an account."""
    account_id, name, email, locale, timezone, default_privacy, created, disabled, *flags, plan, quotas = row
    is_admin, has_password, is_personal = map(bool, flags)
    return Account(
        id=account_id,
        name=name,
        email=email,
        locale=locale,
        timezone=timezone,
        default_privacy=default_privacy,
        created_at_ms=created,
        disabled_at_ms=disabled,
        is_admin=is_admin,
        has_password=has_password,
        is_personal=is_personal,
        plan=plan,
        quotas={} if quotas is None else _quotas(bytes(quotas)),
    )


def find_account_id(tx: Transaction, issuer: str, subject: str) -> int | None:
    """Return the account that a person signs in to; ``None``: no account is theirs."""
    query = select(identities.c.account_id).where(identities.c.issuer == issuer, identities.c.subject == subject)
    found: int | None = tx.execute(query).scalar()
    return found


def find_email(tx: Transaction, account_id: int, issuer: str) -> str | None:
    """Return the address that a provider has for the person of an account, empty where it has none.

    ``None``: it does not sign anybody in to the account.
    """
    query = select(identities.c.email).where(identities.c.account_id == account_id, identities.c.issuer == issuer)
    found: str | None = tx.execute(query).scalar()
    return found


def add_identity(tx: Transaction, account_id: int, identity: Identity, now_ms: int) -> None:
    """Let a person sign in to an account, who signs in to none yet; no other person of that provider does any more."""
    remove_identity(tx, account_id, identity.issuer)
    values = {
        "issuer": identity.issuer,
        "subject": identity.subject,
        "account_id": account_id,
        "email": identity.email,
        "linked_at_ms": now_ms,
    }
    tx.execute(insert(identities).values(values))


def save_email(tx: Transaction, identity: Identity) -> None:
    """Store the address that a provider has for a person now."""
    query = update(identities).where(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
    tx.execute(query.where(identities.c.email != identity.email).values(email=identity.email))


def remove_identity(tx: Transaction, account_id: int, issuer: str) -> None:
    """Delete the sign-ins of an account through a provider."""
    tx.execute(delete(identities).where(identities.c.account_id == account_id, identities.c.issuer == issuer))
