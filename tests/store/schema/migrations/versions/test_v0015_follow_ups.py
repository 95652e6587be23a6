from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.schema.migrate import FOLDER, migrate
from tests.queue_builders import Queue, completed
from tests.store_builders import NOW_MS, make_empty


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a report whose run waits."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0014")
    tx.execute(text("INSERT INTO accounts (name, email, created_at_ms) VALUES ('Alice', 'a@example.org', 1)"))
    tx.execute(
        text(
            "INSERT INTO reports (account_id, url, project, privacy, slug, state, created_at_ms, updated_at_ms, "
            "dated_at_ms) VALUES (1, 'https://example.com/', 'example.com', 0, 's', 'queued', :now, :now, :now)"
        ),
        {"now": NOW_MS},
    )
    tx.execute(text("INSERT INTO report_counts VALUES (1, '', 'queued', 0, 1), (1, 'example.com', 'queued', 0, 1)"))
    tx.execute(
        text(
            "INSERT INTO runs (report_id, account_id, number, url, target, priority, state, available_at_ms, "
            "created_at_ms) VALUES (1, 1, 1, 'https://example.com/', '', 0, 'queued', :now, :now)"
        ),
        {"now": NOW_MS},
    )


def test_nothing_follows_a_run_of_the_version_before(tmp_path: Path) -> None:
    """It goes on, ends, and no run in a browser is pending after it."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    queue = Queue(database, account_id=1)
    (run,) = queue.claim(browsers=1)
    queue.finish(run, completed())
    report = database.read_here(lambda tx: load_report(tx, 1, 1))
    pending = database.read_here(lambda tx: tx.execute(text("SELECT pending_run FROM reports")).scalar_one())
    runs = database.read_here(lambda tx: tx.execute(text("SELECT COUNT(*) FROM runs")).scalar_one())
    database.close()

    assert report is not None
    assert (report.state, pending, runs) == ("completed", None, 1)
