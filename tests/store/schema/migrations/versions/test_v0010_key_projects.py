from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.credentials import list_keys
from pagegrade.store.schema.migrate import FOLDER, migrate
from tests.store_builders import NOW_MS, make_empty

BEFORE = ("reports:read reports:write account:read", "reports:read", "reports:write")


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with an account and a key for each set of scopes."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0009")
    tx.execute(
        text(
            "INSERT INTO accounts (name, email, locale, timezone, created_at_ms) "
            "VALUES ('Alice', 'alice@example.org', 'en', 'UTC', :now)"
        ),
        {"now": NOW_MS},
    )
    for number, scopes in enumerate(BEFORE):
        tx.execute(
            text(
                "INSERT INTO api_keys (account_id, name, prefix, secret_sha256, scopes, created_at_ms) "
                "VALUES (1, 'old', 'pgk_', :secret, :scopes, :now)"
            ),
            {"secret": bytes([number]) * 32, "scopes": scopes, "now": NOW_MS},
        )


def test_old_keys_keep_what_they_could_do_and_no_more(tmp_path: Path) -> None:
    """A key that could change ignore rules with ``reports:write`` has the new scope; none is limited to a project."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    keys = database.read_here(list_keys)
    database.close()

    assert [key.scopes for key in keys] == [
        ("reports:read", "reports:write", "account:read", "ignores"),
        ("reports:read",),
        ("reports:write", "ignores"),
    ]
    assert {key.project for key in keys} == {None}
