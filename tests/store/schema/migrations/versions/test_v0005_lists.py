from __future__ import annotations

from pathlib import Path

from sqlalchemy import inspect

from pagegrade.store.schema.tables import reports
from tests.store_builders import make_database


def test_every_order_and_filter_has_its_index_afterwards(tmp_path: Path) -> None:
    """Those of the tables in the code, column by column."""
    database = make_database(tmp_path)
    there = database.read_here(lambda tx: inspect(tx).get_indexes("reports"))
    database.close()
    found = {index["name"]: index["column_names"] for index in there}

    assert {index.name: [column.name for column in index.columns] for index in reports.indexes}.items() <= found.items()
