"""The tables and functions of procrastinate, which delivers runs where several processes share a database.

They are installed and brought up to date by our own migration, in its transaction, from the scripts that the library
brings along: nobody has to run a second command, and none is forgotten.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from pagegrade.store.engine.postgresql import driver_of
from pagegrade.store.schema.tables import installation

SCHEMA_ROW: Final = "queue_schema"
"""Name of the row of ``installation`` that says which of the library's scripts came last."""
VACUUM: Final = (
    "ALTER TABLE procrastinate_jobs SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, "
    "autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000)"
)
"""Jobs live for moments: rows that have gone are cleared away soon, and the planner's knowledge is kept fresh."""
QUIET: Final = "ALTER TABLE procrastinate_jobs DISABLE TRIGGER USER"
"""Turns off what the library does beside every change of a job. It tells of new jobs inside of the transaction that
makes them, and a NOTIFY holds a lock of the whole database while its transaction is committed: so all commits would
stand in one line (``notices`` tells of them afterwards). And it keeps a history, which goes with the job in the moment
in which the run starts."""


def install_queue(tx: Connection) -> None:
    """Make everything anew, as this version of the library wants it."""
    _run(tx, (_sql() / "schema.sql").read_text(encoding="utf-8"))
    _run(tx, VACUUM)
    _run(tx, QUIET)
    _note(tx, known_scripts()[-1])


def update_queue(tx: Connection) -> tuple[str, ...]:
    """Run the library's scripts that are newer than what is installed; their names."""
    missing = missing_scripts(tx)
    for name in missing:
        _run(tx, (_sql() / "migrations" / name).read_text(encoding="utf-8"))
    if missing:
        _run(tx, QUIET)
        _note(tx, missing[-1])
    return missing


def missing_scripts(tx: Connection) -> tuple[str, ...]:
    """Scripts of the library that were not run on this database yet."""
    last = tx.execute(select(installation.c.value).where(installation.c.name == SCHEMA_ROW)).scalar()
    done = "" if last is None else bytes(last).decode("ascii")
    return tuple(name for name in known_scripts() if name > done) if done else ()


def known_scripts() -> tuple[str, ...]:
    """The names of the library's scripts, in their order; each begins with the version that brought it."""
    return tuple(sorted(entry.name for entry in (_sql() / "migrations").glob("*.sql")))


def _sql() -> Path:
    # Found, not imported: that takes half a second, and nothing else of the library is needed here.
    found = find_spec("procrastinate")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("procrastinate")
    return Path(found.origin).parent / "sql"


def _run(tx: Connection, script: str) -> None:
    # Several statements at once: only without parameters, so not by way of SQLAlchemy.
    driver_of(tx).execute(script.encode())


def _note(tx: Connection, name: str) -> None:
    tx.execute(delete(installation).where(installation.c.name == SCHEMA_ROW))
    tx.execute(insert(installation).values(name=SCHEMA_ROW, value=name.encode("ascii")))
