from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config

from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.schema.migrate import FOLDER, migrate

ACCOUNT = "INSERT INTO accounts (name, email, created_at_ms) VALUES (?, ?, 1)"


def first_version(tx: Transaction) -> None:
    """The tables as they were before, with two accounts."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0001")
    for name in ("Alice", "Bob"):
        tx.exec_driver_sql(ACCOUNT, (name, f"{name.lower()}@example.org"))


def test_the_first_account_administers(tmp_path: Path) -> None:
    """No account has a password yet, and nothing of the accounts is lost."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'old.db'}")
    database.write_here(first_version)
    migrate(database)
    accounts = database.read_here(list_accounts)

    assert [(each.name, each.is_admin, each.has_password) for each in accounts] == [
        ("Alice", True, False),
        ("Bob", False, False),
    ]
    database.close()
