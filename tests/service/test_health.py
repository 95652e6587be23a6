"""The answer for a database that is well, and for one that is not."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service import health as module
from pagegrade.service.health import Health
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.installation import prove_writable
from tests.fault.full import no_room
from tests.store_builders import make_database, make_file

Usage = namedtuple("Usage", ["total", "used", "free"])  # noqa: PYI024 - as shutil gives it


def words_of(database: Database) -> dict[str, str]:
    """One look."""
    try:
        return asyncio.run(Health(database).words())
    finally:
        database.close()


def test_working_database_is_ok(tmp_path: Path) -> None:
    """All of it; the disk of a server is the server's."""
    database = make_database(tmp_path)
    disk = "none" if database.shared else "ok"

    assert words_of(database) == {"database": "ok", "schema": "ok", "disk": disk}


@pytest.mark.backend("postgresql", "one process does not wait for itself")
def test_a_process_that_stands_still_does_not_make_others_unwell(tmp_path: Path) -> None:
    """It holds the row that each of them writes to prove that it can."""
    database = make_database(tmp_path)
    words_of(database)
    database, other = open_database(database.url), open_database(database.url)
    held, done = threading.Event(), threading.Event()

    def stand_still(tx: Transaction) -> None:
        prove_writable(tx, 1)
        held.set()
        done.wait(60)

    standing = threading.Thread(target=other.write_here, args=(stand_still,))
    standing.start()
    is_held = held.wait(60)
    words = words_of(database)
    done.set()
    standing.join()
    other.close()

    assert is_held
    assert words["database"] == "ok"


@pytest.mark.backend("postgresql", "SQLite asks the disk itself")
def test_a_server_whose_disk_is_full_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its own word."""
    database = make_database(tmp_path)

    def fail(_tx: Transaction, _now_ms: int) -> None:
        raise Unavailable(reason="database_full")

    monkeypatch.setattr(module, "prove_writable", fail)

    assert words_of(database) == {"database": "unavailable", "schema": "ok", "disk": "full"}


@pytest.mark.backend("sqlite", "it is about a file")
def test_database_that_cannot_grow_is_unavailable(tmp_path: Path) -> None:
    """P02: reading is not enough; and with room again it is well again, without a restart."""
    database = make_database(tmp_path)

    async def scenario() -> list[str]:
        health = Health(database, kept_s=0)
        said = [(await health.words())["database"]]
        with no_room():
            said.append((await health.words())["database"])
        return [*said, (await health.words())["database"]]

    try:
        said = asyncio.run(scenario())
    finally:
        database.close()

    assert said == ["ok", "unavailable", "ok"]


@pytest.mark.backend("sqlite", "it is about a file")
def test_locked_database_is_slow(tmp_path: Path) -> None:
    """Another process holds the lock longer than a client would wait."""
    database = make_file(tmp_path)
    with contextlib.closing(sqlite3.connect(database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        async def scenario() -> dict[str, str]:
            said = await Health(database, patience_s=0.5).words()
            other.execute("ROLLBACK")
            return said

        try:
            words = asyncio.run(scenario())
        finally:
            database.close()

    assert words == {"database": "slow", "schema": "ok", "disk": "ok"}


def test_damaged_database_is_unavailable(tmp_path: Path) -> None:
    """Whatever the file has become."""
    path = tmp_path / "broken.db"
    path.write_bytes(b"no database at all" * 500)

    assert words_of(SQLiteDatabase(f"sqlite:///{path}"))["database"] == "unavailable"


def test_tables_of_another_version_are_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """They were migrated under a process of an older version, which cannot work with them. The log says so."""
    database = make_database(tmp_path)
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
    database.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM installation WHERE name = 'works_from'"))

    assert words_of(database)["schema"] == "changed"
    assert [record.getMessage() for record in caplog.records] == ["schema_changed"]


@pytest.mark.backend("sqlite", "it is about a file")
def test_full_disk_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a write fails."""
    monkeypatch.setattr("shutil.disk_usage", lambda _path: Usage(10**9, 10**9, 1000))

    assert words_of(make_database(tmp_path))["disk"] == "full"


def test_answer_is_kept_for_a_moment(tmp_path: Path) -> None:
    """Clients may ask as often as they like, and the database is asked once."""
    database = make_database(tmp_path)
    commits: list[int] = []

    async def scenario() -> None:
        health = Health(database, kept_s=3600)
        database.on_commit = lambda count, _seconds: commits.append(count)
        await asyncio.gather(*(health.words() for _ in range(50)))

    try:
        asyncio.run(scenario())
    finally:
        database.close()

    assert commits == [1]
