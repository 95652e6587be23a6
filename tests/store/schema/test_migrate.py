from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, insert, inspect, text, update

from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.model.identity import VERSION
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.postgresql import driver_of
from pagegrade.store.schema import migrate as migrate_module
from pagegrade.store.schema.migrate import (
    FOLDER,
    SCHEMA_ROW,
    WORKS_ROW,
    SchemaState,
    check_sqlite,
    known_scripts,
    migrate,
    missing_scripts,
    revisions,
    schema_state,
    update_queue,
)
from pagegrade.store.schema.tables import installation, metadata
from tests.store_builders import add_owner, make_database, make_empty

of_the_queue = pytest.mark.backend("postgresql", reason="procrastinate works nowhere else")

TRIGGERS = (
    "SELECT tgname, tgenabled::text FROM pg_trigger WHERE tgrelid = 'procrastinate_jobs'::regclass AND NOT tgisinternal"
)
CATALOG = (
    "SELECT 'column', format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default) "
    "FROM information_schema.columns WHERE table_schema = 'public' AND table_name LIKE 'procrastinate%'",
    "SELECT 'key', format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint "
    "WHERE conrelid::regclass::text LIKE 'procrastinate%'",
    "SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename LIKE 'procrastinate%'",
    "SELECT 'function', pg_get_functiondef(oid) FROM pg_proc WHERE proname LIKE 'procrastinate%'",
    "SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'procrastinate%' "
    "AND NOT tgisinternal",
    "SELECT 'type', format('%s %s %s %s', typname, attnum, attname, atttypid::regtype) FROM pg_type JOIN pg_attribute "
    "ON attrelid = typrelid JOIN pg_class ON pg_class.oid = typrelid WHERE typname LIKE 'procrastinate%' "
    "AND relkind = 'c'",
    "SELECT 'value', format('%s %s', enumtypid::regtype, enumlabel) FROM pg_enum",
)
"""Every object whose name begins like that of the library, as the server lists it."""
OLDER = (
    "02.06.00_01_add_cancel_states.sql",
    "02.14.01_01_add_indexes_for_fetch_job.sql",
    "03.03.00_01_pre_priority_lock_fetch_job.sql",
)
"""Scripts that came last in earlier versions of the library: since 2.6 its scripts need no transaction of their own."""
OTHERS = ("reports_search", "procrastinate_", "counters", "buckets")
"""Tables of the search of one database, and of the queue and the rate limits of the other."""
ONLY_SHARED = (
    "ix_runs_parked",
    "ix_runs_suspects",
    "ix_runs_places",
    "ix_runs_line",
    "ix_runs_shares",
    "ix_reports_parts",
    "ix_report_counts_unfinished",
)
"""Indexes that only one of them has; Alembic does not know for whom they are meant."""


def catalog(tx: Transaction) -> set[tuple[str, str]]:
    """The objects of the library; spaces and line breaks do not count."""
    return {
        (kind, " ".join(text.split()))
        for statement in CATALOG
        for kind, text in driver_of(tx).execute(statement.encode())
    }


def of_the_library(tmp_path: Path) -> set[tuple[str, str]]:
    """The same where the library has installed itself."""
    database = make_empty(tmp_path)
    database.write_here(
        lambda tx: migrate_module._run(tx, (migrate_module._sql() / "schema.sql").read_text(encoding="utf-8"))
    )
    found = database.read_here(catalog)
    database.close()
    return found


def install_until(tx: Transaction, script: str) -> None:
    """The objects that a version of the library had installed whose last script was this one."""
    metadata.create_all(tx)
    for name in known_scripts():
        if name <= script:
            migrate_module._run(tx, (migrate_module._sql() / "migrations" / name).read_text(encoding="utf-8"))
    migrate_module._note(tx, script)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A migrated database."""
    made = make_database(tmp_path)
    yield made
    made.close()


def forget_since(database: Database, script: str) -> None:
    """Let the database seem to have the tables of the time in which this script came last."""
    statement = "UPDATE installation SET value = %s WHERE name = %s"
    database.write_here(lambda tx: tx.exec_driver_sql(statement, (script.encode(), SCHEMA_ROW)))


@of_the_queue
def test_the_library_brings_its_scripts_in_order() -> None:
    """The first one makes the tables; the later ones name the version they came with."""
    scripts = known_scripts()

    assert scripts[0] == "00.00.00_01_initial.sql"
    assert list(scripts) == sorted(scripts)
    assert scripts[-1] >= "03.04"


@of_the_queue
def test_a_migrated_database_lacks_nothing(database: Database) -> None:
    """And bringing it up to date again does nothing."""
    assert database.read_here(missing_scripts) == ()
    assert database.write_here(update_queue) == ()


@of_the_queue
def test_newer_scripts_are_missed(database: Database) -> None:
    """Those after the one that was run last."""
    *_, last_but_one, last = known_scripts()
    forget_since(database, last_but_one)

    assert database.read_here(missing_scripts) == (last,)


@of_the_queue
def test_jobs_are_made_without_a_sound(database: Database) -> None:
    """A NOTIFY inside of a transaction would let all commits of the database stand in one line."""
    triggers = database.read_here(lambda tx: tx.exec_driver_sql(TRIGGERS).all())

    assert len(triggers) >= 6
    assert {enabled for _, enabled in triggers} == {"D"}


@of_the_queue
def test_what_is_installed_is_what_the_library_would_install(database: Database, tmp_path: Path) -> None:
    """Tables, keys, indexes, functions, triggers and types."""
    wanted = of_the_library(tmp_path)

    assert len(wanted) > 60
    assert database.read_here(catalog) == wanted


@of_the_queue
@pytest.mark.parametrize("script", OLDER)
def test_tables_of_an_earlier_library_are_brought_up_to_date(tmp_path: Path, script: str) -> None:
    """To the same as if they were made anew; and the triggers are quiet afterwards, too."""
    database = make_empty(tmp_path)
    database.write_here(lambda tx: install_until(tx, script))
    before = database.read_here(catalog)
    database.write_here(update_queue)
    after = database.read_here(catalog)
    triggers = database.read_here(lambda tx: tx.exec_driver_sql(TRIGGERS).all())
    left = database.read_here(missing_scripts)
    database.close()

    assert before != after
    assert after == of_the_library(tmp_path)
    assert {enabled for _, enabled in triggers} == {"D"}
    assert left == ()


def shape(path: Path) -> dict[str, object]:
    """Tables, columns, keys and indexes as SQLite lists them; not the order in which they were written."""
    described: dict[str, object] = {}
    with sqlite3.connect(path) as raw:
        for name, sql in raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            if name.startswith(("sqlite_", "reports_search", "alembic_version")):
                continue
            columns = sorted(row[1:] for row in raw.execute(f"PRAGMA table_xinfo({name})"))
            references = sorted(row[2:] for row in raw.execute(f"PRAGMA foreign_key_list({name})"))
            indexes = sorted(
                (index, unique, tuple(row[2:5] for row in raw.execute(f"PRAGMA index_xinfo({index})")))
                for _, index, unique, *_ in raw.execute(f"PRAGMA index_list({name})").fetchall()
            )
            described[name] = (columns, references, indexes, "AUTOINCREMENT" in sql)
    raw.close()
    return described


@pytest.mark.backend("sqlite", reason="asks SQLite for its schema; the other one: migrations/versions/test_v0003")
def test_migrations_lead_to_the_tables_of_the_code(tmp_path: Path) -> None:
    """Every table, column, type, key and index that the code works with, and nothing else."""
    database = make_database(tmp_path)
    straight = create_engine(f"sqlite:///{tmp_path / 'straight.db'}")
    metadata.create_all(straight)
    straight.dispose()

    assert database.path is not None
    assert shape(database.path) == shape(tmp_path / "straight.db")
    database.close()


def test_alembic_finds_nothing_left_to_do(tmp_path: Path) -> None:
    """The output of ``alembic revision --autogenerate`` would be empty."""

    def differences(tx: Transaction) -> list[object]:
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": lambda name, kind, _parents: kind != "table" or not name.startswith(OTHERS),
        }
        found = compare_metadata(MigrationContext.configure(tx, opts=options), metadata)
        return [each for each in found if not (each[0].endswith("_index") and each[1].name in ONLY_SHARED)]

    database = make_database(tmp_path)

    assert database.read_here(differences) == []
    database.close()


def test_migrations_form_one_line_in_the_order_of_their_files() -> None:
    """Each builds on the one before; the newest of the files is the one that everything ends at."""
    script = ScriptDirectory(str(FOLDER))
    line = [each.revision for each in script.walk_revisions()]

    assert tuple(reversed(line)) == revisions()
    assert script.get_heads() == [revisions()[-1]]


def test_an_empty_database_is_distinguished_from_a_migrated_one(tmp_path: Path) -> None:
    """And both from the revision they have."""
    database = make_empty(tmp_path)
    before = schema_state(database)
    migrate(database)
    after = schema_state(database)
    database.close()

    assert before == SchemaState(None, after.head, "empty")
    assert after == SchemaState(after.head, after.head, "current", VERSION)


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    """Every start of every command does it."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    migrate(database)
    names = database.read_here(lambda tx: tx.exec_driver_sql("SELECT name FROM accounts").scalars().all())
    database.close()

    assert names == [account.name]


def test_a_migrated_database_is_not_locked_to_look_at_it(tmp_path: Path) -> None:
    """A command can start while the server writes."""
    database = make_database(tmp_path)

    def start_meanwhile(tx: Transaction) -> None:
        tx.execute(insert(installation).values(name="x", value=b""))
        other = open_database(database.url)
        migrate(other)
        other.close()

    database.write_here(start_meanwhile)
    database.close()


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """The message says which version to install."""
    database = make_database(tmp_path)

    def from_the_future(tx: Transaction) -> None:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        for name, value in (("migrated_by", b"9.8.7"), (WORKS_ROW, b"9999")):
            tx.execute(update(installation).where(installation.c.name == name).values(value=value))

    database.write_here(from_the_future)

    with pytest.raises(InvalidInput, match=r"Pagegrade 9\.8\.7 \(schema 9999\).*Install that version") as raised:
        migrate(database)

    assert raised.value.reason == "schema_newer"
    database.close()


def test_a_later_version_that_left_no_name_is_refused_too(tmp_path: Path) -> None:
    """It may keep that note elsewhere."""
    database = make_database(tmp_path)

    def from_the_future(tx: Transaction) -> None:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        tx.exec_driver_sql("DROP TABLE installation")

    database.write_here(from_the_future)

    with pytest.raises(InvalidInput, match="a later Pagegrade"):
        migrate(database)
    database.close()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """A wrong path must not mix two programs in one file."""
    database = make_empty(tmp_path)
    database.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE bookmarks (id INTEGER)"))

    with pytest.raises(InvalidInput, match="another program"):
        migrate(database)
    tables = database.read_here(lambda tx: inspect(tx).get_table_names())

    assert tables == ["bookmarks"]
    database.close()


def test_an_old_sqlite_is_named(tmp_path: Path) -> None:
    """Before a statement fails with an unclear error."""
    with pytest.raises(InvalidInput, match=r"3\.31\.1.*needs 3\.35"):
        check_sqlite((3, 31, 1))


def test_migrations_lie_inside_the_package() -> None:
    """So that they are in every wheel."""
    package = Path(sys.modules["pagegrade"].__path__[0])

    assert FOLDER.is_relative_to(package)
    assert (FOLDER / "env.py").is_file()


def test_tables_of_the_version_before_are_used_unchanged_without_the_right_to_change_them(tmp_path: Path) -> None:
    """Nothing but what is needed refuses a start; the message says what to do."""
    database = make_empty(tmp_path)

    with pytest.raises(InvalidInput, match=r"has no tables yet.*Run pagegrade migrate first") as raised:
        migrate(database, change=False)

    migrate(database)
    after = migrate(database, change=False)
    database.close()

    assert raised.value.reason == "schema_behind"
    assert after.status == "current"


@pytest.mark.backend("postgresql", reason="elsewhere one process has the database for itself")
def test_a_change_does_not_stand_in_the_way_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long lock on a table is waited for a little at a time; with time the change comes through."""
    monkeypatch.setattr(migrate_module, "LOCK_MS", 100)
    monkeypatch.setattr(migrate_module, "PAUSE_S", 0.05)
    database = make_database(tmp_path)
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '0002'"))
    head = migrate_module.revisions()[-1]
    tries: list[str] = []

    def upgrade(tx: Transaction) -> None:
        tx.exec_driver_sql(f"SET LOCAL lock_timeout = {migrate_module.LOCK_MS}")
        tries.append("")
        tx.exec_driver_sql("ALTER TABLE reports ADD COLUMN note text")
        tx.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": head})

    monkeypatch.setattr(migrate_module, "upgrade_within", upgrade)
    url = database.url.replace("+psycopg", "")
    with psycopg.connect(url) as reader:
        reader.execute("SELECT count(*) FROM reports")
        monkeypatch.setattr(migrate_module, "TRIES", 2)
        with pytest.raises(Unavailable) as raised:
            migrate(database)
        monkeypatch.setattr(migrate_module, "TRIES", 100)
        monkeypatch.setattr(time, "sleep", lambda _: reader.close() if len(tries) > 4 else None)
        after = migrate(database)
    database.close()

    assert raised.value.reason == "database_locked"
    assert len(tries) > 4
    assert after.status == "current"
