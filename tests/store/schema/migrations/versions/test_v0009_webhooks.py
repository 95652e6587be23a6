from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect

from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.tables import deliveries, events, webhooks
from tests.store_builders import make_database


def test_the_tables_are_those_of_the_code(tmp_path: Path) -> None:
    """Columns, and what goes with an account, a report or a webhook that is deleted."""
    database = make_database(tmp_path)

    def look(tx: Transaction) -> dict[str, tuple[list[str], set[tuple[str, str]]]]:
        seen = inspect(tx)
        return {
            table.name: (
                [column["name"] for column in seen.get_columns(table.name)],
                {(key["referred_table"], key["options"]["ondelete"]) for key in seen.get_foreign_keys(table.name)},
            )
            for table in (webhooks, events, deliveries)
        }

    found = database.read_here(look)
    database.close()

    assert found == {
        "webhooks": ([column.name for column in webhooks.columns], {("accounts", "CASCADE")}),
        "events": ([column.name for column in events.columns], {("accounts", "CASCADE"), ("reports", "CASCADE")}),
        "deliveries": (
            [column.name for column in deliveries.columns],
            {("events", "CASCADE"), ("webhooks", "CASCADE")},
        ),
    }
