from __future__ import annotations

from pathlib import Path

from pagegrade.model.audit import AuditSettings
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawls import add_crawl, last_crawl
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before."""
    upgrade_to(tx, "0015")


def test_a_database_of_the_version_before_gets_the_tables(tmp_path: Path) -> None:
    """Nothing else of it changes, so that the version before can go on with it."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    made = database.write_here(
        lambda tx: add_crawl(tx, "https://example.com/", AuditSettings(), secret=bytes(16), now_ms=NOW_MS)
    )
    found = database.read_here(last_crawl)
    database.close()

    assert found == made
