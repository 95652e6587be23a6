"""The tables and functions of procrastinate, which delivers runs on a shared database.

They are installed and updated by Pagegrade's own migration, in its transaction, from the scripts of the library, so
that no second command is necessary.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from pagegrade.store.schema.tables import installation

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
