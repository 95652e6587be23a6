from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.credentials import list_keys
from pagegrade.store.schema.migrate import FOLDER, migrate
from tests.store_builders import NOW_MS, make_empty


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account and a key."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0011")
    tx.execute(
        text(
            "INSERT INTO accounts (name, email, locale, timezone, created_at_ms) "
            "VALUES ('Alice', 'alice@example.org', 'en', 'UTC', :now)"
        ),
        {"now": NOW_MS},
    )
    tx.execute(
        text(
            "INSERT INTO api_keys (account_id, name, prefix, secret_sha256, scopes, created_at_ms) "
            "VALUES (1, 'old', 'pgk_', :secret, 'reports:read reports:write', :now)"
        ),
        {"secret": bytes(32), "now": NOW_MS},
    )


def test_old_keys_were_made_by_people_and_make_no_others(tmp_path: Path) -> None:
    """No key has the new scope unless it is asked for."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    (key,) = database.read_here(list_keys)
    database.close()

    assert (key.scopes, key.made_by) == (("reports:read", "reports:write"), None)
