"""Migrate a database to the schema of this version.

The migration is one transaction that takes the write lock before it checks the state: two processes that start together
migrate once, and a killed process leaves the database unchanged.

On a shared database, several versions may run at the same time. So a migration only adds objects, which the previous
version can ignore. Each database stores the oldest revision whose code may use it (``WORKS_ROW``), and each version
declares the oldest schema that it can use (``NEEDS``).

On PostgreSQL this includes the tables and functions of procrastinate, which delivers runs there: they are installed and
updated in the same transaction, from the scripts of the library, so that no second command is necessary.
"""

from __future__ import annotations

import sqlite3
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, inspect, select

from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.model.identity import VERSION
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.schema.tables import installation, metadata

SCHEMA_ROW: Final = "queue_schema"
"""Row of ``installation`` with the last applied script of the library."""
VACUUM: Final = (
    "ALTER TABLE procrastinate_jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, "
    "autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000)"
)
"""Jobs are short-lived: dead rows are vacuumed soon, and statistics are updated often."""
QUIET: Final = "ALTER TABLE procrastinate_jobs DISABLE TRIGGER USER"
"""Disables the library's triggers on jobs. They send notifications inside of the transaction that adds a job, and a
NOTIFY holds a database-wide lock during the commit, which would serialize all commits (``pubsub.notifications`` sends
them afterwards). They also write a history, which is deleted with the job when the run starts."""
FOLDER: Final = Path(__file__).parent / "migrations"
OLDEST_SQLITE: Final = (3, 35, 0)
"""3.34 brought the trigram index, 3.35 RETURNING (https://www.sqlite.org/changes.html)."""
_TABLE: Final = "alembic_version"
_FIRST_TABLES: Final = frozenset({"installation", "accounts", "api_keys", "reports", "runs"})
"""Those that every revision has."""
VERSION_ROW: Final = "migrated_by"
"""Row of ``installation`` with the version of Pagegrade that changed the schema last."""

WORKS_ROW: Final = "works_from"
"""Row of ``installation`` with the oldest revision whose code may use the schema."""
NEEDS: Final = "0036"
"""Oldest schema revision that this version can use without migrating."""
WORKS_FROM: Final = "0004"
"""Oldest revision whose code can use the schema of this version."""

LOCK_MS: Final = 2_000
"""Lock timeout of a schema change for each table, and so the longest wait of other transactions behind it."""
PAUSE_S: Final = 1.0
"""Pause between two attempts."""
TRIES: Final = 20
"""Number of attempts: about a minute of locks held by others."""

Status = Literal["empty", "behind", "current", "ahead", "newer", "foreign"]


def install_queue(tx: Connection) -> None:
    """Install all scripts of this version of the library."""
    _run(tx, (_sql() / "schema.sql").read_text(encoding="utf-8"))
    _run(tx, VACUUM)
    _run(tx, QUIET)
    _note(tx, known_scripts()[-1])


def update_queue(tx: Connection) -> tuple[str, ...]:
    """Run the library's scripts that are newer than the installed ones; return their names."""
    missing = missing_scripts(tx)
    for name in missing:
        _run(tx, (_sql() / "migrations" / name).read_text(encoding="utf-8"))
    if missing:
        _run(tx, QUIET)
        _note(tx, missing[-1])
    return missing


def missing_scripts(tx: Connection) -> tuple[str, ...]:
    """Return the scripts of the library that were not applied to this database yet."""
    last = tx.execute(select(installation.c.value).where(installation.c.name == SCHEMA_ROW)).scalar()
    done = "" if last is None else bytes(last).decode("ascii")
    return tuple(name for name in known_scripts() if name > done) if done else ()


def known_scripts() -> tuple[str, ...]:
    """Return the names of the library's scripts in order; each begins with the version that added it."""
    return tuple(sorted(entry.name for entry in (_sql() / "migrations").glob("*.sql")))


def _sql() -> Path:
    # Located, not imported: the import takes half a second, and nothing else of the library is needed here.
    found = find_spec("procrastinate")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("procrastinate")
    return Path(found.origin).parent / "sql"


def _run(tx: Connection, script: str) -> None:
    # Imported late: migrations import this module on SQLite as well, where the driver may not be installed.
    from pagegrade.store.engine.postgresql import driver_of

    # The driver executes several statements at once only without parameters, so SQLAlchemy is bypassed.
    driver_of(tx).execute(script.encode())


def _note(tx: Connection, name: str) -> None:
    tx.execute(delete(installation).where(installation.c.name == SCHEMA_ROW))
    tx.execute(insert(installation).values(name=SCHEMA_ROW, value=name.encode("ascii")))


class SchemaState(msgspec.Struct, frozen=True):
    """Schema of a database, compared to that of this version."""

    current: str | None
    """Revision; ``None`` for an empty database."""
    head: str
    status: Status
    """``ahead``: of a later version that allows this one; ``newer``: of a later version that does not;
    ``foreign``: tables of another program, or not all of ours."""
    migrated_by: str | None = None
    """Version of Pagegrade that changed the schema last."""

    @property
    def is_usable(self) -> bool:
        """True if this version can use the schema without migrating."""
        if self.status == "behind":
            return self.current is not None and self.current >= NEEDS
        return self.status in {"current", "ahead"}


def migrate(database: Database, *, change: bool = True) -> SchemaState:
    """Migrate to the schema of this version, if necessary.

    Args:
        change: ``False`` to never migrate, and fail if this version cannot use the schema.

    Returns:
        State of the schema afterwards.

    Raises:
        InvalidInput: The schema is of a later version or of another program, SQLite is too old, or a migration is
            necessary and not allowed.
        Unavailable: The database cannot be written.
    """
    if not database.shared:
        check_sqlite()
    # First checked without a lock: a start without migration must not wait for a writer or fail on a full disk.
    state = check_schema(schema_state(database))
    if state.status in {"current", "ahead"}:
        return state
    if change:
        _change_patiently(database)
        return schema_state(database)
    if not state.is_usable:
        had = "no tables yet" if state.current is None else f"schema {state.current}"
        raise InvalidInput(
            f"The database has {had}; this version works with schema {NEEDS} or later. Run pagegrade migrate first.",
            reason="schema_behind",
        )
    return state


def schema_state(database: Database) -> SchemaState:
    """Return the state of the schema.

    Raises:
        Unavailable: The database cannot be read.
    """
    return database.read_here(_look)


def is_current(tx: Transaction) -> bool:
    """Return whether this version can still use the schema; cheap enough to check every second."""
    current = str(tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
    return current == revisions()[-1] or _evaluate(tx, current).is_usable


def check_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Check that SQLite has the features that the schema needs.

    Raises:
        InvalidInput: It is too old.
    """
    if version < OLDEST_SQLITE:
        raise InvalidInput(
            f"The SQLite of this Python is {'.'.join(map(str, version))}; Pagegrade needs 3.35 or later. "
            "Use a Python that was built with a newer one."
        )


def _change_patiently(database: Database) -> None:
    """Migrate, and pause between attempts if other transactions hold locks for long.

    While a schema change waits for an exclusive lock, all later transactions on the table wait behind it. Without
    pauses, a long transaction, such as a backup, would cause an outage.
    """
    for tries_left in reversed(range(TRIES)):
        try:
            database.change_schema(upgrade_within)
        except Unavailable as error:
            if error.reason != "database_locked" or not database.shared or not tries_left:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def upgrade_within(tx: Transaction) -> None:
    """Migrate within the transaction of ``Database.change_schema``; do nothing if another process was faster.

    Raises:
        InvalidInput: The schema is of a later version or of another program, or the encoding is not UTF-8.
    """
    if is_shared(tx):
        tx.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MS}")
    # Another process may have migrated while this one waited for the lock.
    if check_schema(_look(tx)).status in {"current", "ahead"}:
        return
    if is_shared(tx):
        _check_encoding(tx)
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
    if is_shared(tx):
        update_queue(tx)
    for name, value in ((VERSION_ROW, VERSION), (WORKS_ROW, WORKS_FROM)):
        tx.execute(delete(installation).where(installation.c.name == name))
        tx.execute(insert(installation).values(name=name, value=value.encode()))


def _check_encoding(tx: Transaction) -> None:
    """Check that the database can hold every text.

    Raises:
        InvalidInput: It has another encoding than UTF-8.
    """
    encoding = tx.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise InvalidInput(
            f"The database has the encoding {encoding}, which cannot hold every URL. "
            "Make one with ENCODING 'UTF8' TEMPLATE template0.",
            reason="database_encoding",
        )


def _look(tx: Connection) -> SchemaState:
    # Without Alembic, whose import takes a third of a second: nearly every start finds the current schema.
    tables = set(inspect(tx).get_table_names())
    current = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if _TABLE in tables else None
    if current is None:
        return SchemaState(None, revisions()[-1], "foreign" if tables - {_TABLE} else "empty")
    state = _evaluate(tx, current)
    needed = _FIRST_TABLES if state.status == "behind" else frozenset(metadata.tables)
    if state.status != "newer" and not tables >= needed:
        return replace(state, status="foreign")  # a revision of ours without our tables
    return state


def _evaluate(tx: Connection, current: str) -> SchemaState:
    known = revisions()
    head = known[-1]
    status: Status = "current"
    if current not in known:
        works_from = _said(tx, WORKS_ROW)
        status = "ahead" if works_from is not None and works_from <= head else "newer"
    elif current != head or _lacks_scripts(tx):
        status = "behind"
    return SchemaState(current, head, status, _said(tx, VERSION_ROW))


def _lacks_scripts(tx: Connection) -> bool:
    """Return whether the tables of procrastinate are those of an earlier version of the library."""
    if not is_shared(tx):
        return False

    return bool(missing_scripts(tx))


@cache
def revisions() -> tuple[str, ...]:
    """Return the revisions known to this version, oldest first, from the names of their files."""
    return tuple(sorted(path.stem[1:5] for path in (FOLDER / "versions").glob("v????_*.py")))


def _said(tx: Connection, name: str) -> str | None:
    """Read a row of ``installation``; a later version may have changed that table, too."""
    if not inspect(tx).has_table(installation.name):
        return None
    value = tx.execute(select(installation.c.value).where(installation.c.name == name)).scalar()
    return bytes(value).decode("ascii", "replace") if value is not None else None


def check_schema(state: SchemaState) -> SchemaState:
    """Return the state if this version can use the schema or migrate it.

    Raises:
        InvalidInput: The schema is of a later version or of another program.
    """
    if state.status == "newer":
        wanted = f"Pagegrade {state.migrated_by}" if state.migrated_by else "a later Pagegrade"
        raise InvalidInput(
            f"The database was changed by {wanted} (schema {state.current}); this is {VERSION} (schema {state.head}). "
            "Install that version or a later one, or restore a backup from before the change.",
            reason="schema_newer",
        )
    if state.status == "foreign":
        raise InvalidInput(
            "The database holds the tables of another program, or lacks tables of this one. "
            "Choose another one in PAGEGRADE_DATABASE_URL.",
            reason="schema_foreign",
        )
    return state
