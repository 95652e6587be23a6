from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Column, String
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from pagegrade.store.tables import metadata

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

SHORT_TEXTS = [
    column
    for table in metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, String) and column.type.length is not None
]


@pytest.mark.parametrize("column", SHORT_TEXTS, ids=str)
def test_text_is_in_the_order_of_its_bytes_everywhere(column: Column[Any]) -> None:
    """Lists are sorted and paged by it: another order in another town would show a report twice."""
    kind = column.type

    assert kind.compile(PGDialect()) == f'VARCHAR({kind.length}) COLLATE "C"'
    assert kind.compile(SQLiteDialect()) == f"VARCHAR({kind.length})"
