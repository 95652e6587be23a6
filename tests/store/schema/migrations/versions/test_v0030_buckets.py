from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before."""
    upgrade_to(tx, "0029")


@pytest.mark.backend("postgresql", reason="one process counts in memory")
def test_the_version_before_goes_on_counting(tmp_path: Path) -> None:
    """With its own table, beside that of the new one, which is not written to the log of the server."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    tables = database.read_here(
        lambda tx: [
            tuple(row)
            for row in tx.exec_driver_sql(
                "SELECT relname, relpersistence FROM pg_class WHERE relname IN ('buckets', 'counters') ORDER BY relname"
            )
        ]
    )
    database.close()

    assert tables == [("buckets", "u"), ("counters", "u")]
