from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import monitor_crossings, monitors
from tests.store_builders import make_database


def test_the_tables_are_those_of_the_code(tmp_path: Path) -> None:
    """Columns, and what goes with an account, a report or a run that is deleted."""
    database = make_database(tmp_path)

    def look(tx: Transaction) -> dict[str, tuple[list[str], set[tuple[str, str]]]]:
        seen = inspect(tx)
        return {
            table.name: (
                [column["name"] for column in seen.get_columns(table.name)],
                {(key["referred_table"], key["options"]["ondelete"]) for key in seen.get_foreign_keys(table.name)},
            )
            for table in (monitors, monitor_crossings)
        }

    found = database.read_here(look)
    database.close()
    owners = {("accounts", "CASCADE"), ("reports", "CASCADE")}

    assert found == {
        "monitors": (
            [column.name for column in monitors.columns],
            {*owners, ("audits", "CASCADE"), ("monitors", "CASCADE")},
        ),
        "monitor_crossings": (
            [column.name for column in monitor_crossings.columns],
            {*owners, ("runs", "CASCADE"), ("monitors", "CASCADE")},
        ),
    }
