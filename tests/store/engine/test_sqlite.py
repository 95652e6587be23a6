from __future__ import annotations

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


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("not a url", "cannot be read"),
        ("postgresql+psycopg://localhost/pagegrade", "postgresql"),
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
