from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from pagegrade.clock import now_ms
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.crawls import has_due_crawl, last_crawl
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import NOW_MS, make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before, with a crawl of the command line."""
    upgrade_to(tx, "0017")
    tx.execute(
        text(
            "INSERT INTO crawls (number, start_url, state, settings, secret, engine, ruleset, created_at_ms, "
            "updated_at_ms) VALUES (1, 'https://example.com/', 'queued', :settings, :secret, '1', '1', :now, :now)"
        ),
        {"settings": b"{}", "secret": bytes(16), "now": NOW_MS},
    )


def test_crawls_of_the_command_line_stay_with_it(tmp_path: Path) -> None:
    """Whatever there was has no audit, and no worker takes it."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    crawl = database.read_here(last_crawl)
    is_due = database.read_here(lambda tx: has_due_crawl(tx, now_ms=now_ms(), account_crawls=1))
    database.close()

    assert crawl is not None
    assert (crawl.audit_id, crawl.tries, crawl.error, is_due) == (None, 0, None, False)
