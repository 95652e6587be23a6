from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.account import Brand
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_brand, load_logo, save_brand
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0030")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})


def test_accounts_of_the_version_before_have_no_look(tmp_path: Path) -> None:
    """And can choose one."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    chosen = Brand(name="Acme", credit=False, logo=b"png")
    before = database.read_here(lambda tx: load_brand(tx, 7))
    database.write_here(lambda tx: save_brand(tx, 7, Brand(name="Other")))
    database.write_here(lambda tx: save_brand(tx, 7, chosen))

    assert before == Brand()
    assert database.read_here(lambda tx: load_brand(tx, 7)) == chosen
    assert database.read_here(lambda tx: load_logo(tx, chosen.logo_key)) == b"png"
    assert database.read_here(lambda tx: load_logo(tx, "")) is None
    database.close()
