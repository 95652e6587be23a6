from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.account import Caller
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_account
from pagegrade.store.repositories.members import add_action, list_actions
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account."""
    upgrade_to(tx, "0019")
    tx.execute(
        text("INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"),
        {"now": NOW_MS},
    )


def test_an_account_gets_a_log(tmp_path: Path) -> None:
    """Empty, as nobody knows who did what before."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    before = database.read_here(lambda tx: list_actions(tx, 7))

    def work(tx: Transaction) -> None:
        account = load_account(tx, 7)
        assert account is not None
        add_action(tx, Caller(account=account), operation="delete_report", target=1, now_ms=NOW_MS)

    database.write_here(work)
    after = database.read_here(lambda tx: list_actions(tx, 7))

    assert before == []
    assert [(each.actor, each.operation, each.target) for each in after] == [("Alice", "delete_report", 1)]
    database.close()
