"""What a look at the database file tells about its health; changes nothing."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select

from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.schema.tables import reports, runs

MAX_COMPLAINTS: Final = 5
SQLITE_VERSION: Final = sqlite3.sqlite_version
SAFE_CHECKPOINTS: Final = (3, 51, 3)
"""Before it two processes that checkpoint at the same moment could damage the database
(https://www.sqlite.org/wal.html#walresetbug)."""
_SYNCHRONOUS: Final = ("off", "normal", "full", "extra")


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability:
    """How connections of ours write."""

    journal_mode: str
    """``wal``, where everything is as it should be."""
    synchronous: str
    """``full``, or a power cut may take the last commits."""
    foreign_keys: bool

    @property
    def is_right(self) -> bool:
        """Whether what was answered with success survives a crash and a power cut."""
        return self.journal_mode == "wal" and self.synchronous in {"full", "extra"} and self.foreign_keys


def has_safe_checkpoints(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Whether several processes may checkpoint the same database."""
    return version >= SAFE_CHECKPOINTS


def find_damage(database: Database) -> tuple[str, ...]:
    """What is wrong with the file itself, in SQLite's words; empty when nothing is. Reads all of it.

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
    """How a connection of ours is set.

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
    """When the newest report or run was made, in milliseconds since 1970; ``None``: there is none."""
    found = [
        tx.execute(select(table.c.created_at_ms).order_by(table.c.id.desc()).limit(1)).scalar()
        for table in (reports, runs)
    ]
    return max((moment for moment in found if moment is not None), default=None)
