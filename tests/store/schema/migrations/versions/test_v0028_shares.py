from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.migrate import migrate
from tests.store_builders import make_empty, upgrade_to


def version_before(tx: Transaction) -> None:
    """The tables of the version before."""
    upgrade_to(tx, "0027")


@pytest.mark.backend("postgresql", reason="the queue is shared")
@pytest.mark.parametrize("share", [1, 2, 3], ids=["first jobs", "the next in line", "further jobs"])
def test_runs_of_an_account_are_found_by_an_index(tmp_path: Path, share: int) -> None:
    """In the order of their turns, whatever else the account has."""
    database = make_empty(tmp_path)
    database.write_here(version_before)
    migrate(database)
    first = (
        f"EXPLAIN SELECT id FROM runs WHERE state = 'queued' AND offered = 1 AND share = {share} AND leader_id IS NULL "  # noqa: S608
        "AND account_id = 5 AND priority = 0 AND device = 'none' ORDER BY turn, id LIMIT 1"
    )

    def plan(tx: Transaction) -> str:
        tx.exec_driver_sql("SET LOCAL enable_seqscan = off")
        return "\n".join(row[0] for row in tx.exec_driver_sql(first))

    found = database.write_here(plan)
    database.close()

    assert "ix_runs_shares" in found
    assert "Sort" not in found
