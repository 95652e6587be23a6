from __future__ import annotations

from functools import partial
from pathlib import Path

from sqlalchemy import text

from pagegrade.model.stored import Privacy
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.audits import load_audit
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with two audits."""
    upgrade_to(tx, "0021")
    values = {"now": NOW_MS, "empty": b"{}", "secret": b"s" * 16}
    for statement in (
        "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)",
        "INSERT INTO audits (id, account_id, start_url, project, settings, crawls, created_at_ms, updated_at_ms) "
        "VALUES (1, 7, 'https://a.example/', 'a.example', :empty, 1, :now, :now), "
        "(2, 7, 'https://a.example/', 'a.example', :empty, 1, :now, :now)",
        "INSERT INTO crawls (id, account_id, audit_id, number, start_url, state, settings, secret, engine, ruleset, "
        "created_at_ms, updated_at_ms) "
        "VALUES (1, 7, 1, 1, 'https://a.example/', 'queued', :empty, :secret, '1', '1', :now, :now), "
        "(2, 7, 2, 1, 'https://a.example/', 'queued', :empty, :secret, '1', '1', :now, :now)",
    ):
        tx.execute(text(statement), {name: value for name, value in values.items() if f":{name}" in statement})


def test_audits_of_the_version_before_stay_private(tmp_path: Path) -> None:
    """None of them has a link, and that none has does not make them the same."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    found = [database.read_here(partial(load_audit, account_id=7, audit_id=number)) for number in (1, 2)]

    assert [(one.privacy, one.password_hash, one.slug) for one in found if one] == [(Privacy.PRIVATE, None, "")] * 2
    database.close()
