from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.run_history import list_runs
from pagegrade.store.schema.migrate import FOLDER, migrate
from tests.store_builders import NOW_MS, make_empty


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a run under way."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0012")
    tx.execute(
        text(
            "INSERT INTO accounts (name, email, locale, timezone, created_at_ms) "
            "VALUES ('Alice', 'alice@example.org', 'en', 'UTC', :now)"
        ),
        {"now": NOW_MS},
    )
    tx.execute(
        text(
            "INSERT INTO reports (account_id, url, project, privacy, slug, state, created_at_ms, updated_at_ms, "
            "dated_at_ms) VALUES (1, 'https://example.com/', 'example.com', 0, 'slug', 'running', :now, :now, :now)"
        ),
        {"now": NOW_MS},
    )
    tx.execute(
        text(
            "INSERT INTO runs (report_id, account_id, number, url, target, priority, state, available_at_ms, "
            "created_at_ms) VALUES (1, 1, 1, 'https://example.com/', '', 0, 'running', :now, :now)"
        ),
        {"now": NOW_MS},
    )


def test_runs_of_the_version_before_have_no_step(tmp_path: Path) -> None:
    """They go on, and are finished as before."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    ((run,), total) = database.read_here(lambda tx: list_runs(tx, 1, 1, 10))

    assert (run.state, run.step, total) == ("running", None, 1)

    database.close()
