from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account, load_months
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0023")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})


def test_accounts_of_the_version_before_have_no_quotas(tmp_path: Path) -> None:
    """Nor a plan, nor any use of a month."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    account = database.read_here(lambda tx: load_account(tx, 7))

    assert account is not None
    assert (account.plan, account.quotas) == (None, {})
    assert database.read_here(lambda tx: load_months(tx, 7)) == ()
    database.close()
