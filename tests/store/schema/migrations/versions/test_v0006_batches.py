from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import batch_reports, batches
from tests.store_builders import make_database


def test_the_tables_are_those_of_the_code(tmp_path: Path) -> None:
    """Columns, and what goes with an account or a report that is deleted."""
    database = make_database(tmp_path)

    def look(tx: Transaction) -> dict[str, tuple[list[str], set[tuple[str, str]]]]:
        seen = inspect(tx)
        return {
            table.name: (
                [column["name"] for column in seen.get_columns(table.name)],
                {(key["referred_table"], key["options"]["ondelete"]) for key in seen.get_foreign_keys(table.name)},
            )
            for table in (batches, batch_reports)
        }

    found = database.read_here(look)
    database.close()

    assert found == {
        "batches": ([column.name for column in batches.columns], {("accounts", "CASCADE")}),
        "batch_reports": (
            [column.name for column in batch_reports.columns],
            {("batches", "CASCADE"), ("reports", "CASCADE")},
        ),
    }
