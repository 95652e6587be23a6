from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.postgresql import driver_of
from pagegrade.store.schema import procrastinate as room
from pagegrade.store.schema.procrastinate import SCHEMA_ROW, known_scripts, missing_scripts, update_queue
from pagegrade.store.schema.tables import metadata
from tests.store_builders import make_database, make_empty

pytestmark = pytest.mark.backend("postgresql", reason="procrastinate works nowhere else")

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
    database.write_here(lambda tx: room._run(tx, (room._sql() / "schema.sql").read_text(encoding="utf-8")))
    found = database.read_here(catalog)
    database.close()
    return found


def install_until(tx: Transaction, script: str) -> None:
    """The objects that a version of the library had installed whose last script was this one."""
    metadata.create_all(tx)
    for name in known_scripts():
        if name <= script:
            room._run(tx, (room._sql() / "migrations" / name).read_text(encoding="utf-8"))
    room._note(tx, script)


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


def test_the_library_brings_its_scripts_in_order() -> None:
    """The first one makes the tables; the later ones name the version they came with."""
    scripts = known_scripts()

    assert scripts[0] == "00.00.00_01_initial.sql"
    assert list(scripts) == sorted(scripts)
    assert scripts[-1] >= "03.04"


def test_a_migrated_database_lacks_nothing(database: Database) -> None:
    """And bringing it up to date again does nothing."""
    assert database.read_here(missing_scripts) == ()
    assert database.write_here(update_queue) == ()


def test_newer_scripts_are_missed(database: Database) -> None:
    """Those after the one that was run last."""
    *_, last_but_one, last = known_scripts()
    forget_since(database, last_but_one)

    assert database.read_here(missing_scripts) == (last,)


def test_jobs_are_made_without_a_sound(database: Database) -> None:
    """A NOTIFY inside of a transaction would let all commits of the database stand in one line."""
    triggers = database.read_here(lambda tx: tx.exec_driver_sql(TRIGGERS).all())

    assert len(triggers) >= 6
    assert {enabled for _, enabled in triggers} == {"D"}


def test_what_is_installed_is_what_the_library_would_install(database: Database, tmp_path: Path) -> None:
    """Tables, keys, indexes, functions, triggers and types."""
    wanted = of_the_library(tmp_path)

    assert len(wanted) > 60
    assert database.read_here(catalog) == wanted


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
