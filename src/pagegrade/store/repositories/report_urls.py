"""Find existing reports of an account by URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import select

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import is_live
from pagegrade.store.schema.tables import reports

AT_ONCE: Final = 200
"""Maximum number of URLs of one statement."""


def find_urls(
    tx: Transaction, account_id: int, urls: Sequence[str], *, expired_before_ms: int | None = None
) -> dict[str, int]:
    """Return the URLs that the account has reports for, each with the id of its newest report.

    Args:
        tx: Any transaction.
        account_id: Account of the reports.
        urls: Canonical URLs.
        expired_before_ms: Finished reports dated before this time count as deleted; ``None`` without expiry.
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
