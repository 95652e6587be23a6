from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.sqlite import sqlite_path
from pagegrade.store.engine.sqlite_database import SQLiteDatabase

pytestmark = pytest.mark.backend("sqlite", reason="the connections of SQLite")


def test_a_commit_is_on_disk_before_it_is_reported(tmp_path: Path) -> None:
    """A created report must survive the power going off: the log is flushed at every commit."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'notes.db'}")
    settings = database.write_here(
        lambda tx: [
            tx.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("synchronous", "journal_mode", "foreign_keys")
        ]
    )

    assert settings == [2, "wal", 1]  # 2: FULL
    database.close()


@pytest.mark.parametrize("checkpoints", [True, False])
def test_one_process_only_moves_the_log_into_the_database(tmp_path: Path, *, checkpoints: bool) -> None:
    """Commands beside the server leave that to it."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'notes.db'}", checkpoints=checkpoints)
    every = database.write_here(lambda tx: tx.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar_one())

    assert every == (1000 if checkpoints else 0)
    database.close()


_SPILL = """
import os, sys
from pagegrade.store.engine.sqlite_database import SQLiteDatabase

database = SQLiteDatabase(f"sqlite:///{sys.argv[1]}")
database.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (words)"))
database.write_here(
    lambda tx: tx.exec_driver_sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "INSERT INTO notes SELECT hex(randomblob(500)) FROM n"
    )
)

def change(tx):
    tx.exec_driver_sql("SAVEPOINT work")
    tx.exec_driver_sql("UPDATE notes SET words = words || 'x'")
    links = []
    for name in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    print("\\n".join(link for link in links if "etilqs" in link))

database.write_here(change)
database.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for open files")
def test_large_changes_spill_into_the_folder_of_the_database(tmp_path: Path) -> None:
    """Not into a folder for temporary files, which may be full or not there, and is no place for what is private."""
    folder = tmp_path / "it's here"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _SPILL, str(folder / "notes.db")],
        env={**os.environ, "TMPDIR": str(tmp_path), "SQLITE_TMPDIR": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    spilled = done.stdout.split("\n")[:-1]

    assert spilled
    assert all(path.startswith(f"{folder}/") for path in spilled)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("not a url", "cannot be read"),
        ("postgresql+psycopg://localhost/pagegrade", "postgresql"),
        ("sqlite:////x.db?mode=ro", "SQLite file"),
        ("sqlite://", "SQLite file"),
        ("sqlite:///:memory:", "SQLite file"),
    ],
)
def test_an_url_that_names_no_file_is_refused(url: str, message: str) -> None:
    """With an example of a right one."""
    with pytest.raises(InvalidInput, match=message) as refused:
        sqlite_path(url)

    assert "sqlite:////" in refused.value.message


def test_an_url_with_a_password_is_not_repeated() -> None:
    """The message goes to logs."""
    with pytest.raises(InvalidInput) as refused:
        sqlite_path("postgresql://user:hunter2@localhost/pagegrade")

    assert "hunter2" not in refused.value.message
