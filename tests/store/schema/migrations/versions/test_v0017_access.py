from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.access_profiles import all_profiles
from pagegrade.store.repositories.reports import load_report
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a report."""
    upgrade_to(tx, "0016")
    tx.execute(text("INSERT INTO accounts (name, email, created_at_ms) VALUES ('Alice', 'a@example.org', 1)"))
    tx.execute(
        text(
            "INSERT INTO reports (account_id, url, project, privacy, slug, state, created_at_ms, updated_at_ms, "
            "dated_at_ms) VALUES (1, 'https://example.com/', 'example.com', 0, 's', 'queued', :now, :now, :now)"
        ),
        {"now": NOW_MS},
    )


def test_reports_of_the_version_before_use_the_profile_of_their_origin(tmp_path: Path) -> None:
    """There is none yet, and nothing of them has changed."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    report = database.read_here(lambda tx: load_report(tx, 1, 1))
    profiles = database.read_here(lambda tx: all_profiles(tx, 1))
    database.close()

    assert report is not None
    assert (report.access, report.privacy, profiles) == (None, 0, ())
