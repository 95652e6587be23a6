from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from pagegrade.model.stored import ListPart
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.schema.tables import accounts
from tests.store_builders import add_owner, make_database


def test_rows_come_newest_first_in_both_directions(tmp_path: Path) -> None:
    """Those just beside an id, whether its row is there or not, and those of a numbered page."""
    database = make_database(tmp_path)
    for name in ("Alice", "Bob", "Charlie", "Dora"):
        add_owner(database, name)

    def ids(count: int, beside: int | None = None, *, backward: bool = False, page: int | None = None) -> list[int]:
        query = select(accounts.c.id).where(accounts.c.id != 3)
        part = ListPart(per_page=count, beside=beside, backward=backward, page=page)
        return database.read_here(lambda tx: [row.id for row in rows_of(tx, query, accounts.c.id, part)])

    beside = [ids(2), ids(2, 3), ids(2, 1), ids(1, 1, backward=True), ids(9, 1, backward=True), ids(9, 4)]
    pages = [ids(2, page=number) for number in (1, 2, 3)]
    database.close()

    assert beside == [[4, 2], [2, 1], [], [2], [4, 2], [2, 1]]
    assert pages == [[4, 2], [1], []]
