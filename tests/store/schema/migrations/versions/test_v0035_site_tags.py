from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.projects import set_tags, tags_of
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0034")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})


def test_sites_of_the_version_before_can_have_tags(tmp_path: Path) -> None:
    """And what deletes an account without knowing of them, as that version does, leaves none."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    database.write_here(lambda tx: set_tags(tx, 7, {"a.example": ("shop",)}))
    before = database.read_here(lambda tx: tags_of(tx, 7, ("a.example",)))
    database.write_here(lambda tx: tx.execute(text("DELETE FROM accounts WHERE id = 7")))

    assert before == {"a.example": ("shop",)}
    assert database.read_here(lambda tx: tags_of(tx, 7, ("a.example",))) == {"a.example": ()}
    database.close()
