from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.decisions import load_results
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a report."""
    upgrade_to(tx, "0024")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    tx.execute(text(account), {"now": NOW_MS})
    report = (
        "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
        "updated_at_ms) VALUES (1, 7, 'https://a.example/', 'a.example', 0, 'slug', 'queued', :now, :now, :now)"
    )
    tx.execute(text(report), {"now": NOW_MS})


def test_reports_of_the_version_before_have_no_results_of_persons(tmp_path: Path) -> None:
    """They stay as they are."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    assert database.read_here(lambda tx: load_results(tx, 1)) == ()
    database.close()
