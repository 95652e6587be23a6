from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before."""
    upgrade_to(tx, "0022")


@pytest.mark.backend("postgresql", reason="the queue is shared")
def test_the_first_in_line_is_found_by_an_index(tmp_path: Path) -> None:
    """Whatever waits behind it."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    first = (
        "EXPLAIN SELECT id FROM runs WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL "
        "AND target = 'example.com' AND device = 'none' ORDER BY priority, turn, id LIMIT 1"
    )

    def plan(tx: Transaction) -> str:
        tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
        return "\n".join(row[0] for row in tx.exec_driver_sql(first))

    found = database.write_here(plan)
    database.close()

    assert "ix_runs_line" in found
    assert "Sort" not in found
