from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.stored import ListPart
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.webhooks import list_deliveries
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a delivery."""
    upgrade_to(tx, "0020")
    for statement in (
        "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)",
        "INSERT INTO webhooks (id, account_id, kind, url, events, project, secret_salt, created_at_ms) "
        "VALUES (3, 7, 'webhook', 'https://hook.example/', 'report.failed', '', :salt, :now)",
        "INSERT INTO events (id, public_id, account_id, type, data, created_at_ms) "
        "VALUES (5, 'msg_1', 7, 'report.failed', :salt, :now)",
        "INSERT INTO deliveries (event_id, webhook_id, state, created_at_ms) VALUES (5, 3, 'waiting', :now)",
    ):
        values = {"now": NOW_MS, "salt": b"x"}
        tx.execute(text(statement), {name: value for name, value in values.items() if f":{name}" in statement})


def test_an_event_of_the_version_before_is_about_no_audit(tmp_path: Path) -> None:
    """It is delivered as it was."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    listed = database.read_here(lambda tx: list_deliveries(tx, 3, ListPart(per_page=10)))

    assert [(each.type, each.report_id, each.audit_id) for each in listed] == [("report.failed", None, None)]
    database.close()
