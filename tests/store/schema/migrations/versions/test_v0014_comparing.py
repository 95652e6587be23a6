from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import FOLDER, migrate
from pagegrade.store.schema.migrations.versions.v0014_comparing import INDEX
from tests.store_builders import NOW_MS, make_empty


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with runs that asked for a phone."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0013")
    tx.execute(text("INSERT INTO accounts (name, email, created_at_ms) VALUES ('Alice', 'a@example.org', 1)"))
    tx.execute(
        text(
            "INSERT INTO reports (account_id, url, project, privacy, slug, state, created_at_ms, updated_at_ms, "
            "dated_at_ms) VALUES (1, 'https://example.com/', 'example.com', 0, 's', 'completed', :now, :now, :now)"
        ),
        {"now": NOW_MS},
    )
    for number, (state, summary) in enumerate(
        (("completed", b'{"engine":"static"}'), ("completed", b'{"engine":"rendered"}'), ("queued", None)), start=1
    ):
        tx.execute(
            text(
                "INSERT INTO runs (report_id, account_id, number, url, target, priority, state, device, summary, "
                "available_at_ms, created_at_ms) "
                "VALUES (1, 1, :number, 'https://example.com/', '', 0, :state, 'mobile', :summary, :now, :now)"
            ),
            {"number": number, "state": state, "summary": summary, "now": NOW_MS},
        )


def devices(tx: Transaction) -> list[str]:
    """Of the runs, in order."""
    return list(tx.execute(text("SELECT device FROM runs ORDER BY number")).scalars())


def test_a_run_that_did_without_a_browser_is_a_static_one(tmp_path: Path) -> None:
    """Although it was to use one; runs that used it, and runs that wait, keep their device."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    found = database.read_here(devices)
    indexes = database.read_here(lambda tx: {index["name"] for index in inspect(tx).get_indexes("runs")})
    database.close()

    assert found == ["none", "mobile", "mobile"]
    assert INDEX in indexes


def test_an_index_that_was_created_before_is_kept(tmp_path: Path) -> None:
    """On a large table it is made while the service runs."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    database.write_here(
        lambda tx: tx.execute(text(f"CREATE INDEX {INDEX} ON runs (report_id, device, ruleset, finished_at_ms)"))
    )
    migrate(database)
    found = database.read_here(devices)
    database.close()

    assert found == ["none", "mobile", "mobile"]
