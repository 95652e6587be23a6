from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.cli import exit_codes
from pagegrade.store.engine.data_dir import hold_locks
from pagegrade.store.schema.migrate import revisions
from tests.cli.command_line import CommandLine


@pytest.mark.backend("sqlite", "it is about a file")
def test_a_damaged_database_is_named(command_line: CommandLine) -> None:
    """With its path, and what to do."""
    command_line.folder.mkdir()
    (command_line.folder / "pagegrade.db").write_bytes(b"no database at all\n" * 1000)
    result = command_line("keys", "list")

    assert (result.code, result.out) == (exit_codes.UNAVAILABLE, "")
    assert f"{command_line.folder}/pagegrade.db is damaged" in result.err


@pytest.mark.backend("sqlite", "it is about a file")
def test_an_error_is_said_once(tmp_path: Path) -> None:
    """By the command; the event that a service would log is not printed beside it."""
    file = tmp_path / "pagegrade.db"
    file.write_bytes(b"no database at all\n" * 1000)
    result = subprocess.run(
        [sys.executable, "-m", "pagegrade", "keys", "list"],
        env=os.environ | {"PAGEGRADE_DATABASE_URL": f"sqlite:///{file}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (result.returncode, result.stdout) == (exit_codes.UNAVAILABLE, "")
    assert result.stderr.startswith(f"Error: The database {file} is damaged")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.backend("sqlite", "it is about a file")
def test_a_database_that_is_a_folder_is_named(command_line: CommandLine) -> None:
    """It cannot be opened."""
    (command_line.folder / "pagegrade.db").mkdir(parents=True)
    result = command_line("migrate")

    assert result.code == exit_codes.UNAVAILABLE
    assert "cannot be opened" in result.err


@pytest.mark.backend("sqlite", "it is about a file")
def test_a_lock_that_does_not_end_is_reported(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading goes on meanwhile; a command can run beside a server that writes."""
    monkeypatch.setattr("pagegrade.store.engine.sqlite.BUSY_MS", 50)
    command_line("migrate")
    writer = sqlite3.connect(command_line.folder / "pagegrade.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    reading = command_line("keys", "list")
    writing = command_line("keys", "create", "--name", "ci")
    writer.close()
    after = command_line("keys", "create", "--name", "ci")

    assert (reading.code, after.code) == (0, 0)
    assert (writing.code, writing.out) == (exit_codes.UNAVAILABLE, "")
    assert "has been writing" in writing.err


@pytest.mark.backend("sqlite", "it is about a file")
def test_tables_are_not_changed_under_a_running_server(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade in the middle of its work would break it; commands that find nothing to change are welcome."""
    command_line("migrate")
    known = revisions()
    with hold_locks([command_line.folder / "serve.lock"]):
        same = command_line("keys", "list")
        monkeypatch.setattr("pagegrade.store.schema.migrate.revisions", lambda: (*known, "9999"))
        newer = [command_line("keys", "list"), command_line("migrate")]

    assert same.code == 0
    assert [each.code for each in newer] == [exit_codes.USAGE] * 2
    assert all("Stop it first" in each.err for each in newer)


@pytest.mark.backend("postgresql", "a file has no others")
def test_tables_that_others_work_with_are_not_changed_by_the_way(command_line: CommandLine) -> None:
    """Only by the command for it; those of an empty database are made."""
    first = command_line("keys", "create", "--name", "a")
    database = command_line.open()
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'"))
    second = command_line("keys", "list")
    version = database.read_here(lambda tx: tx.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())
    database.close()

    assert first.code == 0
    assert second.code == 2
    assert "pagegrade migrate" in second.err
    assert version == "0001"
