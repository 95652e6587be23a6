from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_month, load_warned
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account that has used something."""
    upgrade_to(tx, "0025")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})
    tx.execute(text("INSERT INTO account_usage (account_id, month, analyses) VALUES (7, 202601, 12)"))


def test_accounts_of_the_version_before_were_told_of_no_quota(tmp_path: Path) -> None:
    """Their usage stays."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    assert database.read_here(lambda tx: load_month(tx, 7, NOW_MS)).analyses == 12
    assert database.read_here(lambda tx: load_warned(tx, 7, NOW_MS)) == {}
    database.close()
