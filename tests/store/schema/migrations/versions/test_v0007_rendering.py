from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.installation import list_live
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.schema.migrate import FOLDER, WORKS_FROM, migrate, schema_state, update_queue
from tests.queue_builders import Queue, completed
from tests.store_builders import NOW_MS, make_empty

FILL = (
    "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (1, 'a', 'a@b', 1)",
    "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
    "updated_at_ms) VALUES (1, 1, 'https://example.com/', 'example.com', 0, 's', 'queued', 1, 1, 1)",
    "INSERT INTO report_counts VALUES (1, '', 'queued', 0, 1), (1, 'example.com', 'queued', 0, 1)",
    "INSERT INTO runs (id, report_id, account_id, number, url, target, priority, state, available_at_ms, "
    "created_at_ms) VALUES (1, 1, 1, 1, 'https://example.com/', 'example.com', 0, 'queued', :now_ms, :now_ms)",
)
PROCESS = (
    "INSERT INTO processes (name, kind, version, host, pid, started_at_ms, seen_at_ms) VALUES "
    "('old', 'worker', '0', 'h', 1, :now_ms, :now_ms)"
)


def version_before(tx: Transaction) -> None:
    """The tables as they were before, with a report whose run waits, and a process."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0006")
    for statement in FILL:
        tx.execute(text(statement), {"now_ms": NOW_MS} if ":now_ms" in statement else {})
    if tx.dialect.name != "sqlite":
        update_queue(tx)
        tx.execute(text(PROCESS), {"now_ms": NOW_MS})


def test_reports_and_runs_of_before_are_static_and_are_gone_on_with(tmp_path: Path) -> None:
    """A run that waited is claimed as it would have been, and its report decides nothing itself."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    before = schema_state(database)
    migrate(database)
    queue = Queue(database, account_id=1)
    report = database.read_here(lambda tx: load_report(tx, 1, 1))
    (run,) = queue.claim(browsers=0)
    changed = queue.finish(run, completed())
    state = schema_state(database)
    database.close()

    assert (before.current, before.status) == ("0006", "behind")
    assert state.status == "current"
    assert report is not None
    assert (report.render, report.device) == (None, None)
    assert run.device is None
    assert changed == (1,)


@pytest.mark.backend("postgresql", reason="elsewhere there is one process")
def test_processes_of_before_have_no_browser(tmp_path: Path) -> None:
    """They do not know of rendered runs, and none is left to them."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)

    def look(tx: Transaction) -> list[bool]:
        return [one.has_browser for one in list_live(tx, NOW_MS, 10**13)]

    found = database.write_here(look)
    database.close()

    assert found == [False]
    assert WORKS_FROM <= "0006"
