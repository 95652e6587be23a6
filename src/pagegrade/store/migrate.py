"""Bring a database to the tables this version works with.

Everything happens in one transaction that takes SQLite's write lock before it looks: two processes that start together
migrate once, and one that is killed in the middle leaves the database as it was.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, inspect, select

from pagegrade.model.errors import InvalidInput
from pagegrade.model.identity import VERSION
from pagegrade.store.database import Database, Transaction
from pagegrade.store.tables import installation

FOLDER: Final = Path(__file__).parent / "migrations"
OLDEST_SQLITE: Final = (3, 35, 0)
"""3.34 brought the trigram index, 3.35 RETURNING (https://www.sqlite.org/changes.html)."""
_TABLE: Final = "alembic_version"
VERSION_ROW: Final = "migrated_by"
"""Name of the row of ``installation`` that says which Pagegrade changed the tables last."""

Status = Literal["empty", "behind", "current", "newer", "foreign"]


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Which tables a database has, and which this version wants."""

    current: str | None
    """Revision; ``None`` where there is none yet."""
    head: str
    status: Status
    """``newer``: made by a later version; ``foreign``: the tables are those of another program."""
    migrated_by: str | None = None
    """The Pagegrade that changed the tables last."""


def migrate(database: Database) -> None:
    """Change the tables to what this version needs; nothing to do is no error.

    Raises:
        InvalidInput: The database is of a later version or of another program, or the SQLite here is too old.
        Unavailable: The database cannot be written.
    """
    check_sqlite()
    # Looked at without a lock first: a start must not wait for a writer, or fail on a full disk, for nothing to do.
    if check_schema(schema_state(database)).status != "current":
        database.change_schema(_upgrade)


def schema_state(database: Database) -> SchemaState:
    """Which tables the database has.

    Raises:
        Unavailable: The database cannot be read.
    """
    return database.read_here(_look)


def is_current(tx: Transaction) -> bool:
    """Whether the tables still are those of this version; cheap enough to be asked every second."""
    return bool(tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == revisions()[-1])


def check_sqlite(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> None:
    """Refuse a library that lacks what the tables are made of.

    Raises:
        InvalidInput: It is too old.
    """
    if version < OLDEST_SQLITE:
        raise InvalidInput(
            f"The SQLite of this Python is {'.'.join(map(str, version))}; Pagegrade needs 3.35 or later. "
            "Use a Python that was built with a newer one."
        )


def _upgrade(tx: Transaction) -> None:
    # Somebody else may have done it while we waited for the lock.
    if check_schema(_look(tx)).status == "current":
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
    tx.execute(delete(installation).where(installation.c.name == VERSION_ROW))
    tx.execute(insert(installation).values(name=VERSION_ROW, value=VERSION.encode()))


def _look(tx: Connection) -> SchemaState:
    # Without Alembic, whose import takes a third of a second: nearly every start finds nothing to do.
    known = revisions()
    head = known[-1]
    tables = set(inspect(tx).get_table_names())
    current = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if _TABLE in tables else None
    if current is None:
        return SchemaState(None, head, "foreign" if tables - {_TABLE} else "empty")
    status: Status = "current" if current == head else "behind" if current in known else "newer"
    return SchemaState(current, head, status, _last_version(tx))


def revisions() -> tuple[str, ...]:
    """The changes this version knows, oldest first: the numbers in the names of their files."""
    return tuple(sorted(path.stem[1:5] for path in (FOLDER / "versions").glob("v????_*.py")))


def _last_version(tx: Connection) -> str | None:
    """Read with care: a later version may have changed that table too."""
    if not inspect(tx).has_table(installation.name):
        return None
    value = tx.execute(select(installation.c.value).where(installation.c.name == VERSION_ROW)).scalar()
    return bytes(value).decode("ascii", "replace") if value is not None else None


def check_schema(state: SchemaState) -> SchemaState:
    """The same state, where this version can work with it or bring it up to date.

    Raises:
        InvalidInput: The database is of a later version or of another program.
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
            "The database holds the tables of another program. Choose another file in PAGEGRADE_DATABASE_URL.",
            reason="schema_foreign",
        )
    return state
