"""Read-only health checks of the SQLite database file."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec
from sqlalchemy import select

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.schema.tables import reports, runs

MAX_COMPLAINTS: Final = 5
SQLITE_VERSION: Final = sqlite3.sqlite_version
SAFE_CHECKPOINTS: Final = (3, 51, 3)
"""Before this version two processes that checkpoint at the same moment could corrupt the database
(https://www.sqlite.org/wal.html#walresetbug)."""
_SYNCHRONOUS: Final = ("off", "normal", "full", "extra")


class Durability(msgspec.Struct, frozen=True, kw_only=True):
    """Durability settings of the product's connections."""

    journal_mode: str
    """``wal`` if configured correctly."""
    synchronous: str
    """``full``; otherwise a power failure may lose the last commits."""
    foreign_keys: bool

    @property
    def is_right(self) -> bool:
        """True if successful requests survive a crash and a power failure."""
        return self.journal_mode == "wal" and self.synchronous in {"full", "extra"} and self.foreign_keys


def has_safe_checkpoints(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Return whether several processes may checkpoint the same database."""
    return version >= SAFE_CHECKPOINTS


def find_damage(database: Database) -> tuple[str, ...]:
    """Return SQLite's messages about corruption of the file; empty if it is intact. Reads all of it.

    Raises:
        Unavailable: The database cannot be read.
    """

    def work(tx: Transaction) -> tuple[str, ...]:
        rows = tx.exec_driver_sql(f"PRAGMA quick_check({MAX_COMPLAINTS})").scalars().all()
        complaints = [str(row) for row in rows if row != "ok"]
        orphans = tx.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(MAX_COMPLAINTS)
        return (*complaints, *(f"row {row[1]} of {row[0]} refers to nothing in {row[2]}" for row in orphans))

    return database.read_here(work)


def read_durability(database: Database) -> Durability:
    """Return the settings of a connection.

    Raises:
        Unavailable: The database cannot be read.
    """

    def work(tx: Transaction) -> Durability:
        synchronous = int(tx.exec_driver_sql("PRAGMA synchronous").scalar_one())
        return Durability(
            journal_mode=str(tx.exec_driver_sql("PRAGMA journal_mode").scalar_one()).lower(),
            synchronous=_SYNCHRONOUS[synchronous] if synchronous < len(_SYNCHRONOUS) else str(synchronous),
            foreign_keys=bool(tx.exec_driver_sql("PRAGMA foreign_keys").scalar_one()),
        )

    return database.read_here(work)


def newest_ms(tx: Transaction) -> int | None:
    """Return the creation time of the newest report or run in milliseconds since 1970; ``None`` without one."""
    found = [
        tx.execute(select(table.c.created_at_ms).order_by(table.c.id.desc()).limit(1)).scalar()
        for table in (reports, runs)
    ]
    return max((moment for moment in found if moment is not None), default=None)
