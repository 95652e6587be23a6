from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pagegrade.model.stored import ListQuery
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.counts import count_change
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.schema.migrate import migrate, schema_state, update_queue
from pagegrade.store.schema.tables import metadata
from tests.postgres import execute
from tests.queue_builders import Queue, completed
from tests.store_builders import NOW_MS, add_owner, make_database, make_empty, upgrade_to

ON_SERVERS = pytest.mark.backend("postgresql", reason="what only a database that is shared has")
INSERT = (
    "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, updated_at_ms) "
    "VALUES (:account_id, :url, 'example.com', 0, :slug, 'queued', 1, 1, 1) RETURNING id"
)
SEARCH_TABLE = pytest.mark.backend("sqlite", reason="a table and triggers that the other one does without")
FILL = (
    "INSERT INTO accounts (id, name, email, created_at_ms) VALUES (1, 'a', 'a@b', 1)",
    "INSERT INTO reports (id, account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
    "updated_at_ms) VALUES (1, 1, 'https://example.com/', 'example.com', 0, 's', 'queued', 1, 1, 1)",
    "INSERT INTO report_counts VALUES (1, '', 'queued', 0, 1), (1, 'example.com', 'queued', 0, 1)",
    "INSERT INTO runs (id, report_id, account_id, number, url, target, priority, state, available_at_ms, "
    "created_at_ms) VALUES (1, 1, 1, 1, 'https://example.com/', 'example.com', 0, 'queued', :now_ms, :now_ms)",
)


def first_release(tx: Transaction) -> None:
    """The tables of 0.1.0, with a report whose run waits."""
    upgrade_to(tx, "0015")
    for statement in FILL:
        tx.execute(text(statement), {"now_ms": NOW_MS} if ":now_ms" in statement else {})
    if tx.dialect.name != "sqlite":
        update_queue(tx)


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


def shape(tx: Transaction) -> dict[str, list[tuple[Any, ...]]]:
    """Columns, keys and indexes of our tables as PostgreSQL lists them; not the order in which they were written."""
    asked = {
        "columns": "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, "
        "collation_name, is_identity FROM information_schema.columns WHERE table_schema = 'public'",
        "keys": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint",
        "indexes": "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    }
    return {
        kind: sorted(tuple(map(str, row)) for row in tx.exec_driver_sql(statement) if row[0] in metadata.tables)
        for kind, statement in asked.items()
    }


@ON_SERVERS
def test_the_tables_are_those_of_the_code(tmp_path: Path) -> None:
    """Every column, type, length, collation, key and index that the code works with, and nothing else."""
    migrated, straight = make_database(tmp_path), make_empty(tmp_path)
    straight.write_here(metadata.create_all)
    was, wanted = migrated.read_here(shape), straight.read_here(shape)
    for each in (migrated, straight):
        each.close()
    # Made where the server has the extension for it, which the tables in the code cannot say.
    was["indexes"] = [each for each in was["indexes"] if "ix_reports_parts" not in each[1]]

    assert was == wanted


@ON_SERVERS
def test_all_text_is_compared_by_its_bytes(tmp_path: Path) -> None:
    """On every server the same, in whatever language it was set up."""
    database = make_database(tmp_path)
    words = database.read_here(
        lambda tx: tx.exec_driver_sql(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
            "AND data_type = 'character varying' AND collation_name IS DISTINCT FROM 'C' "
            "AND table_name <> 'alembic_version' AND table_name NOT LIKE 'procrastinate%%'"
        ).all()
    )
    database.close()

    assert words == []


def test_what_the_first_release_left_is_gone_on_with(tmp_path: Path) -> None:
    """Its run that waited is claimed and ends, nothing follows it, and its report is found."""
    database = make_empty(tmp_path)
    database.write_here(first_release)
    before = schema_state(database)
    migrate(database)
    queue = Queue(database, account_id=1)
    (run,) = queue.claim(browsers=0)
    changed = queue.finish(run, completed())
    found, total = database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1)))
    pending = database.read_here(lambda tx: tx.execute(text("SELECT pending_run FROM reports")).scalar_one())
    after = schema_state(database)
    database.close()

    assert (before.status, before.current) == ("behind", "0015")
    assert after.status == "current"
    assert (run.device, changed, pending) == (None, (1,), None)
    assert (total, [report.url for report in found]) == (1, ["https://example.com/"])


@ON_SERVERS
def test_parts_of_addresses_are_found_with_and_without_the_extension(tmp_path: Path) -> None:
    """A role that may not install it migrates all the same, and searches find the same reports."""
    with_it, without = make_database(tmp_path), make_empty(tmp_path)
    name = without.url.rpartition("/")[2]
    execute(without.url, f"REVOKE CREATE ON DATABASE {name} FROM pagegrade")
    migrate(without)
    has = [
        each.read_here(lambda tx: tx.exec_driver_sql("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'").all())
        for each in (with_it, without)
    ]
    totals = []
    for database in (with_it, without):
        account, _ = add_owner(database)
        for path in ("pricing", "Pricing/old", "about"):
            insert(database, account.id, f"https://example.com/{path}")
            count = partial(count_change, account_id=account.id, project="example.com", was=None, is_=("queued", None))
            database.write_here(count)
        totals.append(database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1, search="RICIN")))[1])
        database.close()

    assert has == [[(1,)], []]
    assert totals == [2, 2]
