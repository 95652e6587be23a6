from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.monitors import count_silences, load_monitor
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a monitor."""
    upgrade_to(tx, "0028")
    account = "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)"
    report = (
        "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
        "updated_at_ms) VALUES (1, 7, 'https://a.example/', 'a.example', 0, 'slug', 'queued', :now, :now, :now)"
    )
    monitor = (
        "INSERT INTO monitors (id, account_id, report_id, schedule, timezone, jitter, budgets, paused, due_at_ms, "
        "failures, created_at_ms, updated_at_ms, revision) "
        "VALUES (3, 7, 1, 'daily', 'UTC', 0, :budgets, 0, :now, 0, :now, :now, 1)"
    )
    for statement in (account, report):
        tx.execute(text(statement), {"now": NOW_MS})
    tx.execute(text(monitor), {"now": NOW_MS, "budgets": b"[]"})


def test_monitors_of_the_version_before_remind_of_nothing(tmp_path: Path) -> None:
    """And nothing is silent."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    monitor = database.read_here(lambda tx: load_monitor(tx, 7, 3))

    assert monitor is not None
    assert (monitor.remind, monitor.told_at_ms) == ("never", None)
    assert database.read_here(lambda tx: count_silences(tx, 7, NOW_MS)) == 0
    database.close()
