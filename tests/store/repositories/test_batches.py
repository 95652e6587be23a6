from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.batches import add_batch, delete_batch, list_batches, load_batch, load_batch_reports
from pagegrade.store.repositories.reports import add_report, delete_report, load_report
from pagegrade.store.schema.tables import batch_reports
from tests.store_builders import NOW_MS, add_owner, make_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Two accounts."""
    made = make_database(tmp_path)
    add_owner(made)
    add_owner(made, "Bob")
    yield made
    made.close()


def fill(database: Database, *, account_id: int = 1) -> tuple[int, list[int]]:
    """(a batch, its reports)."""
    ids = [
        database.write_here(
            lambda tx, number=number: add_report(  # type: ignore[misc]
                tx, account_id=account_id, url=f"https://a.example/{number}", project="a.example", privacy=0,
                password_hash=None, slug=f"{account_id}-{number}", now_ms=NOW_MS,
            )
        ).id
        for number in range(3)
    ]  # fmt: skip
    ids.reverse()
    batch = database.write_here(lambda tx: add_batch(tx, account_id, ids, refused=b"[]", now_ms=NOW_MS))
    return batch, ids


def test_reports_come_in_the_order_in_which_they_were_asked_for(database: Database) -> None:
    """Whatever their numbers are."""
    batch, ids = fill(database)
    found = database.read_here(lambda tx: load_batch_reports(tx, (batch,), expired_before_ms=None))

    assert [report.id for report in found[batch]] == ids
    assert {report.state for report in found[batch]} == {"queued"}


def test_what_is_deleted_is_gone_from_its_batch(database: Database) -> None:
    """A report from the list, a batch without its reports."""
    batch, ids = fill(database)
    database.write_here(lambda tx: delete_report(tx, 1, ids[0]))
    left = database.read_here(lambda tx: load_batch_reports(tx, (batch,), expired_before_ms=None))[batch]
    deleted = [database.write_here(lambda tx: delete_batch(tx, 1, batch)) for _ in range(2)]
    rows = database.read_here(lambda tx: tx.execute(select(func.count()).select_from(batch_reports)).scalar_one())

    assert [report.id for report in left] == ids[1:]
    assert deleted == [True, False]
    assert rows == 0
    assert database.read_here(lambda tx: load_report(tx, 1, ids[1])) is not None


def test_batches_of_others_are_not_there(database: Database) -> None:
    """Neither to be seen nor to be deleted; nor are numbers that no database counts to."""
    batch, _ = fill(database)
    others = ((2, batch), (1, batch + 1), (1, 2**63), (1, 0))
    seen = [database.read_here(lambda tx, w=where: load_batch(tx, *w)) for where in others]  # type: ignore[misc]
    deleted = [database.write_here(lambda tx, w=where: delete_batch(tx, *w)) for where in others]  # type: ignore[misc]

    assert (seen, deleted) == ([None] * 4, [False] * 4)
    assert database.read_here(lambda tx: list_batches(tx, 2, 1, 10)) == ((), 0)
    assert database.read_here(lambda tx: load_batch(tx, 1, batch)) is not None


def test_batches_are_listed_newest_first_in_pages(database: Database) -> None:
    """Numbers are never used again."""
    numbers = []
    for _ in range(5):
        batch = database.write_here(lambda tx: add_batch(tx, 1, [], refused=b"[]", now_ms=NOW_MS))
        numbers.append(batch)
    database.write_here(lambda tx: delete_batch(tx, 1, numbers[-1]))
    numbers[-1] = database.write_here(lambda tx: add_batch(tx, 1, [], refused=b"[]", now_ms=NOW_MS))
    pages = [database.read_here(lambda tx, page=page: list_batches(tx, 1, page, 2)) for page in (1, 3, 4)]  # type: ignore[misc]

    assert numbers == [1, 2, 3, 4, 6]
    assert [[batch.id for batch in found] for found, _ in pages] == [[6, 4], [1], []]
    assert {total for _, total in pages} == {5}
