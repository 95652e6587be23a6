"""Usage of accounts in each month (UTC), which stays when reports and audits are deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from sqlalchemy import bindparam, select, text
from sqlalchemy.types import LargeBinary

from pagegrade.model.account import MonthUsage, QuotaName, month_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.prepared import Prepared
from pagegrade.store.schema.account_tables import account_usage

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
