from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.credentials import add_passkey, find_passkey
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0033")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})


def test_accounts_of_the_version_before_can_have_passkeys(tmp_path: Path) -> None:
    """And what deletes an account without knowing of them, as that version does, leaves none."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    database.write_here(
        lambda tx: add_passkey(
            tx,
            7,
            name="Laptop",
            credential_id=b"1",
            credential=b"data",
            sign_count=0,
            challenged_at_ms=NOW_MS,
            now_ms=NOW_MS,
        )
    )
    found = database.read_here(lambda tx: find_passkey(tx, b"1"))
    database.write_here(lambda tx: tx.execute(text("DELETE FROM accounts WHERE id = 7")))

    assert found is not None
    assert database.read_here(lambda tx: find_passkey(tx, b"1")) is None
    database.close()
