from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from pagegrade.store.engine.database import Database, Transaction
from tests.store_builders import add_owner, make_database

INSERT = (
    "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, updated_at_ms) "
    "VALUES (:account_id, :url, 'example.com', 0, :slug, 'queued', 1, 1, 1) RETURNING id"
)
SEARCH_TABLE = pytest.mark.backend("sqlite", reason="a table and triggers that the other one does without")


def insert(database: Database, account_id: int, url: str) -> int:
    """A report of this URL, straight into the table."""
    values = {"account_id": account_id, "url": url, "slug": url[-22:]}
    return database.write_here(lambda tx: int(tx.execute(text(INSERT), values).scalar_one()))


def find(database: Database, part: str) -> list[int]:
    """The reports whose URL has this text."""
    return database.read_here(
        lambda tx: [
            int(found)
            for found in tx.exec_driver_sql(
                "SELECT rowid FROM reports_search WHERE reports_search MATCH ? ORDER BY rowid", (f'"{part}"',)
            ).scalars()
        ]
    )


def search_is_sound(tx: Transaction) -> bool:
    """The index agrees with the table, entry for entry; SQLite raises an error where it does not."""
    tx.exec_driver_sql("INSERT INTO reports_search (reports_search, rank) VALUES ('integrity-check', 1)")
    return True


@SEARCH_TABLE
def test_reports_are_found_by_a_part_of_their_url(tmp_path: Path) -> None:
    """In whatever case it is typed."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    pricing = insert(database, account.id, "https://example.com/Pricing")
    insert(database, account.id, "https://example.com/about")

    assert find(database, "pricing") == find(database, "RICIN") == [pricing]
    database.close()


@SEARCH_TABLE
def test_the_search_follows_every_change_of_a_report(tmp_path: Path) -> None:
    """Also when its account goes and takes it along."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    first = insert(database, account.id, "https://example.com/first")
    second = insert(database, account.id, "https://example.com/second")
    database.write_here(
        lambda tx: tx.exec_driver_sql("UPDATE reports SET url = 'https://example.com/third' WHERE id = ?", (first,))
    )
    renamed = find(database, "third"), find(database, "first")
    database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM reports WHERE id = ?", (second,)))
    deleted = find(database, "second")
    sound = database.write_here(search_is_sound)
    database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM accounts"))

    assert renamed == ([first], [])
    assert deleted == []
    assert sound
    assert find(database, "example") == []
    database.close()


def test_numbers_of_reports_are_never_given_twice(tmp_path: Path) -> None:
    """An id that was deleted must not come to mean another page."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    first = insert(database, account.id, "https://example.com/1")
    database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM reports"))
    second = insert(database, account.id, "https://example.com/2")
    database.close()

    assert second > first
