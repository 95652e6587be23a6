"""Accounts: who owns keys and reports, and how much of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import bindparam, func, insert, select, update

from pagegrade.model.account import Account
from pagegrade.model.stored import UNFINISHED
from pagegrade.store.counts import WHOLE_ACCOUNT
from pagegrade.store.database import Transaction
from pagegrade.store.tables import accounts, report_counts, runs

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
)
"""What ``account_of`` reads, in this order."""

_COUNTED: Final = report_counts.c.account_id == bindparam("account")
_ITS: Final = runs.c.account_id == bindparam("account")
_USAGE: Final = select(
    *(
        part.scalar_subquery()
        for part in (
            select(func.coalesce(func.sum(report_counts.c.count), 0)).where(
                _COUNTED, report_counts.c.project == WHOLE_ACCOUNT
            ),
            # A range, which the index has in one piece; rows that count nothing are never kept.
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
"""The members of ``Usage`` in their order; built once, because building it costs more than asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What an account has and has had."""

    reports: int
    projects: int
    """Different hosts among the reports."""
    queued_runs: int
    """Runs that are not finished, those under way included."""
    analyses_today: int
    """Runs finished since midnight UTC."""
    analyses_total: int
    stored_bytes: int
    """Runs ever finished, also those of reports since deleted."""


def add_account(
    tx: Transaction, *, name: str, email: str, now_ms: int, locale: str = "en", timezone: str = "UTC"
) -> Account:
    """A new account."""
    values = {"name": name, "email": email, "locale": locale, "timezone": timezone, "created_at_ms": now_ms}
    return account_of(tx.execute(insert(accounts).values(values).returning(*ACCOUNT_COLUMNS)).one())


def load_account(tx: Transaction, account_id: int) -> Account | None:
    """The account; ``None``: there is none of this id."""
    row = tx.execute(select(*ACCOUNT_COLUMNS).where(accounts.c.id == account_id)).first()
    return None if row is None else account_of(row)


def list_accounts(tx: Transaction) -> tuple[Account, ...]:
    """All accounts, oldest first."""
    return tuple(account_of(row) for row in tx.execute(select(*ACCOUNT_COLUMNS).order_by(accounts.c.id)))


def disable_account(tx: Transaction, account_id: int, now_ms: int) -> bool:
    """Let none of its keys work any more; ``False``: there is no such account, or it was disabled before."""
    query = update(accounts).where(accounts.c.id == account_id, accounts.c.disabled_at_ms.is_(None))
    return tx.execute(query.values(disabled_at_ms=now_ms)).rowcount == 1


def load_usage(tx: Transaction, account_id: int, now_ms: int) -> Usage:
    """What the account has, from counters and indexes: no report is read for it."""
    row = tx.execute(_USAGE, {"account": account_id, "midnight_ms": now_ms - now_ms % DAY_MS}).one()
    return Usage(
        reports=int(row[0]),
        projects=int(row[1]),
        queued_runs=int(row[2]),
        analyses_today=int(row[3]),
        analyses_total=int(row[4] or 0),
        stored_bytes=int(row[5] or 0),
    )


def account_of(row: Sequence[Any]) -> Account:
    """The account of a row of ``ACCOUNT_COLUMNS``."""
    account_id, name, email, locale, timezone, default_privacy, created, disabled = row
    return Account(
        id=account_id,
        name=name,
        email=email,
        locale=locale,
        timezone=timezone,
        default_privacy=default_privacy,
        created_at_ms=created,
        disabled_at_ms=disabled,
    )
