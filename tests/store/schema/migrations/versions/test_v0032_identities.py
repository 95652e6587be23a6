from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.account import Identity
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import add_identity, find_account_id
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to

BOB = Identity(issuer="https://login.example.org", subject="bob", email="bob@example.org")


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0031")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})


def test_accounts_of_the_version_before_can_be_connected(tmp_path: Path) -> None:
    """And what deletes an account without knowing of it, as that version does, leaves nothing."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    database.write_here(lambda tx: add_identity(tx, 7, BOB, NOW_MS))
    found = database.read_here(lambda tx: find_account_id(tx, BOB.issuer, BOB.subject))
    database.write_here(lambda tx: tx.execute(text("DELETE FROM accounts WHERE id = 7")))

    assert found == 7
    assert database.read_here(lambda tx: find_account_id(tx, BOB.issuer, BOB.subject)) is None
    database.close()
