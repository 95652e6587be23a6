from __future__ import annotations

import pytest
from sqlalchemy import String
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from pagegrade.store.schema.tables import metadata

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

SHORT_TEXTS: dict[str, String] = {
    str(column): column.type
    for table in metadata.sorted_tables
    for column in table.columns
    if isinstance(column.type, String) and column.type.length is not None
}


@pytest.mark.parametrize("kind", SHORT_TEXTS.values(), ids=SHORT_TEXTS.keys())
def test_text_is_in_the_order_of_its_bytes_everywhere(kind: String) -> None:
    """Lists are sorted and paged by it: another order in another town would show a report twice."""
    on_postgresql = kind.compile(PGDialect())  # type: ignore[no-untyped-call]

    assert on_postgresql == f'VARCHAR({kind.length}) COLLATE "C"'
    assert kind.compile(SQLiteDialect()) == f"VARCHAR({kind.length})"
