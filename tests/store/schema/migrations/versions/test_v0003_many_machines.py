from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import text

from pagegrade.model.stored import ListQuery
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.counts import count_change
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.schema.migrate import FOLDER, migrate, schema_state
from pagegrade.store.schema.tables import metadata
from tests.postgres import execute
from tests.store_builders import NOW_MS, add_owner, make_database, make_empty

ON_SERVERS = pytest.mark.backend("postgresql", reason="what only a database that is shared has")


def second_version(tx: Transaction) -> None:
    """The tables as they were before."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = tx
    command.upgrade(config, "0002")


def add(tx: Transaction, path: str) -> None:
    """A report of the first account, as the version before stores it."""
    values = {"url": f"https://example.com/{path}", "slug": path, "now_ms": NOW_MS}
    tx.execute(
        text(
            "INSERT INTO reports (account_id, url, project, privacy, slug, state, dated_at_ms, created_at_ms, "
            "updated_at_ms) VALUES (1, :url, 'example.com', 0, :slug, 'queued', :now_ms, :now_ms, :now_ms)"
        ),
        values,
    )
    count_change(tx, 1, "example.com", was=None, is_=("queued", None))


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


def test_what_was_there_before_is_there_afterwards(tmp_path: Path) -> None:
    """Accounts and reports of the version before, which the new one finds and goes on with."""
    database = make_empty(tmp_path)
    database.write_here(second_version)
    database.write_here(
        lambda tx: tx.exec_driver_sql("INSERT INTO accounts (name, email, created_at_ms) VALUES ('a', 'a@b', 1)")
    )
    for path in ("1", "2"):
        database.write_here(partial(add, path=path))
    before = schema_state(database)
    migrate(database)
    after = schema_state(database)
    found, total = database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1)))
    database.close()

    assert (before.status, before.current) == ("behind", "0002")
    assert after.status == "current"
    assert total == 2
    assert {report.url for report in found} == {"https://example.com/1", "https://example.com/2"}


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
        add_owner(database)
        for path in ("pricing", "Pricing/old", "about"):
            database.write_here(partial(add, path=path))
        totals.append(database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1, search="RICIN")))[1])
        database.close()

    assert has == [[(1,)], []]
    assert totals == [2, 2]
