"""Which addresses an account has reports of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import select

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import is_live
from pagegrade.store.schema.tables import reports

AT_ONCE: Final = 200
"""Addresses of one statement."""


def find_addresses(
    tx: Transaction, account_id: int, urls: Sequence[str], *, expired_before_ms: int | None = None
) -> dict[str, int]:
    """Those of the addresses that the account has reports of, each with the newest report's id.

    Args:
        tx: Any transaction.
        account_id: Whose reports are looked at.
        urls: Canonical.
        expired_before_ms: Finished reports dated before are as good as deleted; ``None``: none expires.
    """
    found: dict[str, int] = {}
    for start in range(0, len(urls), AT_ONCE):
        some = tuple(urls[start : start + AT_ONCE])
        statement = (
            select(reports.c.url, reports.c.id)
            .where(reports.c.account_id == account_id, reports.c.url.in_(some))
            .order_by(reports.c.id)
        )
        if expired_before_ms is not None:
            statement = statement.where(is_live)
        rows = tx.execute(statement, {} if expired_before_ms is None else {"expired_before": expired_before_ms})
        found.update((url, number) for url, number in rows)
    return found
