from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect, text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.monitors import add_monitor, list_crossings, list_of_report
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to

MONITOR = (
    "INSERT INTO monitors (id, account_id, report_id, schedule, timezone, jitter, budgets, paused, due_at_ms, "
    "failures, created_at_ms, updated_at_ms, revision)"
)
ROWS = (
    "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (7, 'Alice', 'alice@example.org', :now)",
    "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
    "updated_at_ms) VALUES (1, 7, 'https://a.example/', 'a.example', 0, 'slug', 'completed', :now, :now, :now)",
    "INSERT INTO runs (id, report_id, account_id, number, url, target, priority, state, available_at_ms, created_at_ms)"
    " VALUES (3, 1, 7, 1, 'https://a.example/', 'a.example', 0, 'completed', :now, :now)",
    f"{MONITOR} VALUES (1, 7, 1, 'daily', 'UTC', 5, '[]', 0, :now, 1, :now, :now, 4)",
    f"{MONITOR} VALUES (2, 7, 1, 'daily', 'UTC', 5, '[]', 0, :now, 1, :now, :now, 4)",
    "INSERT INTO monitor_crossings (run_id, monitor_id, kind, account_id, report_id, run_number, at_ms, budgets)"
    " VALUES (3, 1, 'unreachable', 7, 1, 1, :now, '[]')",
    "DELETE FROM monitors WHERE id = 2",
)


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a monitor that has a crossing, and one that was deleted."""
    upgrade_to(tx, "0026")
    for row in ROWS:
        tx.execute(text(row), {"now": NOW_MS})
    if tx.dialect.name == "postgresql":
        tx.execute(text("SELECT setval(pg_get_serial_sequence('monitors', 'id'), 2)"))


def test_monitors_of_the_version_before_keep_all_they_have(tmp_path: Path) -> None:
    """Crossings, indexes and ids that are never used again, too."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    def look(tx: Transaction) -> tuple[object, ...]:
        (monitor,) = list_of_report(tx, 1)
        (crossing,) = list_crossings(tx, 1, from_run=1)
        indexes = {index["name"] for index in inspect(tx).get_indexes("monitors")}
        return monitor.id, monitor.audit_id, monitor.failures, monitor.revision, crossing.monitor_id, indexes

    found = database.read_here(look)
    added = database.write_here(
        lambda tx: add_monitor(
            tx,
            account_id=7,
            report_id=1,
            schedule="daily",
            timezone="UTC",
            jitter=1,
            budgets=(),
            paused=False,
            due_at_ms=NOW_MS,
            now_ms=NOW_MS,
        )
    )
    database.close()
    names = ("account_id", "report_id", "audit_id", "due", "parent_id")

    assert found == (1, None, 1, 4, 1, {f"ix_monitors_{name}" for name in names})
    assert added.id == 3
