"""Bring a database to the tables this version works with.

Everything happens in one transaction that takes the write lock before it looks: two processes that start together
migrate once, and one that is killed in the middle leaves the database as it was.

Where several processes share a database, versions work side by side for a while. So a migration only adds: what the
version before does not know of, it can do without. Each database says which code may work with it (``WORKS_ROW``), and
each version knows which tables it can do with (``NEEDS``).
"""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal

from sqlalchemy import Connection, delete, insert, inspect, select

from pagegrade.model.errors import InvalidInput, Unavailable
from pagegrade.model.identity import VERSION
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.schema.tables import installation

FOLDER: Final = Path(__file__).parent / "migrations"
OLDEST_SQLITE: Final = (3, 35, 0)
"""3.34 brought the trigram index, 3.35 RETURNING (https://www.sqlite.org/changes.html)."""
_TABLE: Final = "alembic_version"
VERSION_ROW: Final = "migrated_by"
"""Name of the row of ``installation`` that says which Pagegrade changed the tables last."""

WORKS_ROW: Final = "works_from"
"""Name of the row of ``installation`` that says which is the oldest revision whose code may work with the tables."""
NEEDS: Final = "0011"
"""The oldest revision whose tables this version can work with, should it not be the one to change them."""
WORKS_FROM: Final = "0004"
"""The oldest revision whose code can work with the tables that this version makes."""

LOCK_MS: Final = 2_000
"""So long a change waits for each table; so long others wait behind it."""
PAUSE_S: Final = 1.0
"""Between two tries."""
TRIES: Final = 20
"""About a minute of others that hold the tables."""

Status = Literal["empty", "behind", "current", "ahead", "newer", "foreign"]


@dataclass(frozen=True, slots=True)
class SchemaState:
    """Which tables a database has, and which this version wants."""

    current: str | None
    """Revision; ``None`` where there is none yet."""
    head: str
    status: Status
    """``ahead``: made by a later version, which says that this one may go on; ``newer``: by one that does not;
    ``foreign``: the tables are those of another program."""
    migrated_by: str | None = None
    """The Pagegrade that changed the tables last."""

    @property
    def is_usable(self) -> bool:
        """Whether this version can work with the tables as they are."""
        if self.status == "behind":
            return self.current is not None and self.current >= NEEDS
        return self.status in {"current", "ahead"}


def migrate(database: Database, *, change: bool = True) -> SchemaState:
    """Change the tables to what this version needs; nothing to do is no error.

    Args:
        database: Any.
        change: ``False``: change nothing, and refuse tables that this version cannot work with.

    Returns:
        What they are afterwards.

    Raises:
        InvalidInput: The database is of a later version or of another program, the SQLite here is too old, or the
            tables would have to be changed and must not be.
        Unavailable: The database cannot be written.
    """
    if not database.shared:
        check_sqlite()
    # Looked at without a lock first: a start must not wait for a writer, or fail on a full disk, for nothing to do.
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
    """Which tables the database has.

    Raises:
        Unavailable: The database cannot be read.
    """
    return database.read_here(_look)


def is_current(tx: Transaction) -> bool:
    """Whether this version can still work with the tables; cheap enough to be asked every second."""
    current = str(tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one())
    return current == revisions()[-1] or _judge(tx, current).is_usable


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


def _change_patiently(database: Database) -> None:
    """Change the tables, and where others hold them for long, let everybody else go first now and then.

    Whoever waits for a table to be his alone keeps everybody from it who comes later. Behind a long transaction, such
    as a backup, that would be an outage.
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
    """The change itself, for ``Database.change_schema``; nothing where somebody else was quicker.

    Raises:
        InvalidInput: The database is of a later version or of another program.
    """
    if is_shared(tx):
        tx.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MS}")
    # Somebody else may have done it while we waited for the lock.
    if check_schema(_look(tx)).status in {"current", "ahead"}:
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = tx
    command.upgrade(config, "head")
    if is_shared(tx):
        from pagegrade.store.schema.procrastinate import update_queue

        update_queue(tx)
    for name, value in ((VERSION_ROW, VERSION), (WORKS_ROW, WORKS_FROM)):
        tx.execute(delete(installation).where(installation.c.name == name))
        tx.execute(insert(installation).values(name=name, value=value.encode()))


def _look(tx: Connection) -> SchemaState:
    # Without Alembic, whose import takes a third of a second: nearly every start finds nothing to do.
    tables = set(inspect(tx).get_table_names())
    current = tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if _TABLE in tables else None
    if current is None:
        return SchemaState(None, revisions()[-1], "foreign" if tables - {_TABLE} else "empty")
    return _judge(tx, current)


def _judge(tx: Connection, current: str) -> SchemaState:
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
    """Whether the queue's own tables are those of an earlier version of its library."""
    if not is_shared(tx):
        return False
    from pagegrade.store.schema.procrastinate import missing_scripts

    return bool(missing_scripts(tx))


@cache
def revisions() -> tuple[str, ...]:
    """The changes this version knows, oldest first: the numbers in the names of their files."""
    return tuple(sorted(path.stem[1:5] for path in (FOLDER / "versions").glob("v????_*.py")))


def _said(tx: Connection, name: str) -> str | None:
    """A row of ``installation``, read with care: a later version may have changed that table too."""
    if not inspect(tx).has_table(installation.name):
        return None
    value = tx.execute(select(installation.c.value).where(installation.c.name == name)).scalar()
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
            "The database holds the tables of another program. Choose another one in PAGEGRADE_DATABASE_URL.",
            reason="schema_foreign",
        )
    return state
