from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.model.monitors import PageSet
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.monitors import add_monitor, delete_monitor, list_of_parent, list_of_report
from pagegrade.store.schema.migrate import migrate
from tests.store.schema.migrations.versions.test_v0027_monitored_audits import ROWS
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a monitor, and one that was deleted."""
    upgrade_to(tx, "0035")
    for row in ROWS:
        tx.execute(text(row), {"now": NOW_MS})
    if tx.dialect.name == "postgresql":
        tx.execute(text("SELECT setval(pg_get_serial_sequence('monitors', 'id'), 2)"))


def add(tx: Transaction, **which: object) -> int:
    """A monitor more."""
    return add_monitor(
        tx, account_id=7, schedule="daily", timezone="UTC", jitter=0, budgets=(), paused=False, due_at_ms=NOW_MS,
        now_ms=NOW_MS, **which,  # type: ignore[arg-type]
    ).id  # fmt: skip


def test_monitors_of_the_version_before_are_of_no_set(tmp_path: Path) -> None:
    """No id is used again, and a set takes the monitors of its pages along."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    (kept,) = database.read_here(lambda tx: list_of_report(tx, 1))
    pages = PageSet(kind="tag", value="shop")
    parent = database.write_here(lambda tx: add(tx, pages=pages))
    child = database.write_here(lambda tx: add(tx, report_id=1, parent_id=parent))
    of_set = database.read_here(lambda tx: list_of_parent(tx, parent))
    database.write_here(lambda tx: delete_monitor(tx, 7, parent))

    assert (kept.pages, kept.parent_id, kept.pages_found) == (None, None, None)
    assert (parent, child) == (3, 4)
    assert [each.id for each in of_set] == [child]
    assert database.read_here(lambda tx: list_of_report(tx, 1)) == (kept,)
    database.close()
