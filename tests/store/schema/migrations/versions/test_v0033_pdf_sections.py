from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.account import Brand
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_brand, save_brand
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to

LOOK = (
    "INSERT INTO brands (account_id, name, color, footer, reply_to, credit, logo, logo_key) "
    "VALUES (7, :name, '', '', '', 1, :logo, '')"
)


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account and its look."""
    upgrade_to(tx, "0032")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})
    tx.execute(text(LOOK), {"name": "Acme", "logo": b""})


def test_looks_of_the_version_before_leave_nothing_out(tmp_path: Path) -> None:
    """Nor do those that it writes beside this one."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    before = database.read_here(lambda tx: load_brand(tx, 7))
    database.write_here(lambda tx: save_brand(tx, 7, Brand(left_out="score history")))
    chosen = database.read_here(lambda tx: load_brand(tx, 7))
    database.write_here(lambda tx: tx.execute(text("DELETE FROM brands")))
    database.write_here(lambda tx: tx.execute(text(LOOK), {"name": "Other", "logo": b""}))

    assert before == Brand(name="Acme")
    assert chosen == Brand(left_out="score history")
    assert database.read_here(lambda tx: load_brand(tx, 7)) == Brand(name="Other")
    database.close()
