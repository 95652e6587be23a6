from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import event

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.service.access.operations import KEY_FILE, AccessFields, Vault, create_profile
from pagegrade.service.doctor import storage as module
from pagegrade.service.doctor.machine import Diagnosis
from pagegrade.service.doctor.storage import (
    look_at_crawls,
    look_at_database,
    look_at_folder,
    look_at_queue,
    look_at_secret_keys,
    look_at_server,
    look_at_sqlite,
    newest_row_ms,
)
from pagegrade.store.engine.data_dir import LOCK_NAME
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from tests.audit_builders import make_audit
from tests.queue_builders import Queue
from tests.share_builders import add_shared
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

pytestmark = pytest.mark.backend("sqlite", reason="looks at the file; the other one has a doctor of its own")


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def by_topic(found: list[Diagnosis], level: str) -> dict[str, str]:
    """Topic -> what was found of that level."""
    return {one.topic: one.message for one in found if one.level == level}


def test_a_private_folder_with_room_is_fine(tmp_path: Path) -> None:
    """Nothing is left behind by the trial."""
    tmp_path.chmod(0o700)
    found = list(look_at_folder(tmp_path))

    assert {one.level for one in found if one.topic == "data folder"} == {"ok"}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    """Looking changes nothing."""
    found = list(look_at_folder(tmp_path / "a" / "b"))

    assert [one.level for one in found] == ["ok"]
    assert not (tmp_path / "a").exists()


def test_a_folder_that_may_not_be_made_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to set."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    found = list(look_at_folder(tmp_path / "a"))

    assert [one.level for one in found] == ["problem"]
    assert "PAGEGRADE_DATA_DIR" in found[0].advice


def test_a_folder_open_to_others_is_a_warning(tmp_path: Path) -> None:
    """It holds hashes of keys and passwords."""
    tmp_path.chmod(0o755)

    assert "look into it" in by_topic(list(look_at_folder(tmp_path)), "warning")["data folder"]


def test_a_disk_that_fails_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real file is written and waited for, so a full disk shows."""

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)

    assert "disk is full" in by_topic(list(look_at_folder(tmp_path)), "problem")["data folder"]


@pytest.mark.parametrize(("free", "level"), [(2 << 30, "ok"), (500 << 20, "warning"), (50 << 20, "problem")])
def test_little_room_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
    """Before the disk is full."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, free))

    assert "disk" in by_topic(list(look_at_folder(tmp_path)), level)


def test_a_network_file_system_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it lets us write."""
    monkeypatch.setattr(module, "file_system_of", lambda _: "nfs4")

    assert "nfs4" in by_topic(list(look_at_folder(tmp_path)), "problem")["data folder"]


def test_a_running_server_is_seen(tmp_path: Path) -> None:
    """By its lock, not by a file that a dead one left."""
    path = tmp_path / LOCK_NAME
    absent = look_at_server(tmp_path)
    path.write_text("4711\n")
    left = look_at_server(tmp_path)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        running = look_at_server(tmp_path)

    assert "none" in absent.message
    assert "none" in left.message
    assert "4711" in running.message


def test_an_old_sqlite_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The risk, the reason why it does not occur, and what not to do."""
    monkeypatch.setattr(module, "has_safe_checkpoints", lambda: False)
    old = look_at_sqlite()
    monkeypatch.setattr(module, "has_safe_checkpoints", lambda: True)

    assert old.level == "warning"
    assert "3.51.3" in old.message
    assert look_at_sqlite().level == "ok"


def test_a_database_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    """Looking changes nothing here either."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'none.db'}", checkpoints=False)
    found = list(look_at_database(database))
    newest = newest_row_ms(database)
    database.close()

    assert [one.level for one in found] == ["ok"]
    assert newest is None
    assert list(tmp_path.iterdir()) == []


def test_a_good_database_is_reported_with_its_sizes(tmp_path: Path) -> None:
    """And when its newest row was made."""
    database = make_file(tmp_path, durable=True)
    alice, _ = add_owner(database)
    add_shared(database, alice, now_ms=NOW_MS)
    found = list(look_at_database(database))
    newest = newest_row_ms(database)
    database.close()
    topics = by_topic(found, "ok")

    assert {one.level for one in found} == {"ok"}
    assert topics["durability"] == "journal_mode wal, synchronous full"
    assert "1 reports, 1 runs" in topics["reports"]
    assert newest == NOW_MS


def test_the_queue_is_reported_by_what_runs_wait_for(tmp_path: Path) -> None:
    """A site with as many visits as it may have keeps its next runs, and no others, from being admitted."""
    database = make_database(tmp_path)
    queue = Queue(database, add_owner(database)[0].id)
    for url in ("https://busy.example/1", "https://busy.example/2", "https://free.example/"):
        queue.add(url)
    queue.claim(1)
    limits = {"target_runs": 1, "per_minute": 20}
    (found,) = look_at_queue(database, NOW_MS + 1_000, **limits)
    (late,) = look_at_queue(database, NOW_MS + 2 * 3_600_000, **limits)
    database.close()
    missing = SQLiteDatabase(f"sqlite:///{tmp_path / 'none.db'}", checkpoints=False)
    nothing = list(look_at_queue(missing, NOW_MS, **limits))
    missing.close()

    assert (found.level, found.message) == (
        "ok",
        "1 running; admitted: 1 wait for a worker, 0 for a browser; not yet: 1 wait for their site, 0 for earlier ones "
        "of their account, 0 for one of the same page",
    )
    assert late.level == "warning"
    assert late.message.endswith("; the oldest waits for 120 minutes")
    assert nothing == []


def test_a_crawl_that_does_not_move_is_a_warning(tmp_path: Path) -> None:
    """One that a worker could go on with; not one that was asked for just now; nothing is said without a database."""
    missing = SQLiteDatabase(f"sqlite:///{tmp_path / 'missing.db'}")
    nothing = list(look_at_crawls(missing, NOW_MS, 1))
    missing.close()
    database = make_file(tmp_path)
    make_audit(database, Caller(account=add_owner(database)[0]))
    fresh, late = (list(look_at_crawls(database, now_ms() + hours * 3_600_000, 1)) for hours in (0, 2))
    database.close()

    assert nothing == []
    assert by_topic(fresh, "ok")["site audits"].startswith("0 running; waiting: 1 for a worker, 0 for another")
    assert "one has not moved for 1" in by_topic(late, "warning")["site audits"]


def test_a_file_that_may_not_be_written_is_a_problem(tmp_path: Path) -> None:
    """Though SQLite reads it, and begins transactions that write."""
    database = make_file(tmp_path)
    event.listen(database._engine, "connect", lambda connection, _: connection.execute("PRAGMA query_only = 1"))
    found = by_topic(list(look_at_database(database)), "problem")
    database.close()

    assert "readonly" in found["database"]


def test_tables_of_other_versions_and_programs_are_reported(tmp_path: Path) -> None:
    """Without touching them."""
    empty = SQLiteDatabase(f"sqlite:///{tmp_path / 'empty.db'}", checkpoints=False)
    empty.write_here(lambda _: None)
    foreign = SQLiteDatabase(f"sqlite:///{tmp_path / 'foreign.db'}", checkpoints=False)
    foreign.write_here(lambda tx: tx.exec_driver_sql("CREATE TABLE recipes (id INTEGER)"))
    newer = make_database(tmp_path)
    newer.write_here(lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
    ahead = list(look_at_database(newer))
    newer.write_here(lambda tx: tx.exec_driver_sql("DELETE FROM installation WHERE name = 'works_from'"))
    found = [list(look_at_database(database)) for database in (empty, foreign, newer)]
    for database in (empty, foreign, newer):
        database.close()

    assert "migrate" in next(one.advice for one in found[0] if one.topic == "schema")
    assert "another program" in by_topic(found[1], "problem")["schema"]
    assert "9999" in by_topic(found[2], "problem")["schema"]
    assert "can go on" in by_topic(ahead, "warning")["schema"]


@pytest.mark.parametrize("place", [0, 8192])
def test_a_damaged_database_is_a_problem(tmp_path: Path, place: int) -> None:
    """At its head, and in the middle."""
    database = make_file(tmp_path)
    add_owner(database)
    database.close()
    with database.path.open("r+b") as file:
        file.seek(place)
        file.write(b"\xff" * 4096)
    again = SQLiteDatabase(database.url, checkpoints=False)
    found = list(look_at_database(again))
    again.close()

    assert any(one.level == "problem" and "backup" in one.advice for one in found)


OLD, NEW = "o" * 32, "n" * 32
FIELDS = AccessFields(name="Staging", origins=["https://staging.example"], headers=["X-Door: n0t-Shown"])


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A database with an account."""
    made = make_database(tmp_path)
    add_owner(made)
    yield made
    made.close()


def add_profile(database: Database, vault: Vault) -> None:
    """Store a profile, encrypted by a vault."""
    account = add_owner(database, "Owner")[0]
    database.write_here(lambda tx: create_profile(tx, Caller(account=account), FIELDS, vault, NOW_MS))


def said(database: Database, vault: Vault) -> list[tuple[str, str]]:
    """(level, message and advice) of all that was found."""
    return [(one.level, f"{one.message} {one.advice}".strip()) for one in look_at_secret_keys(database, vault)]


def test_nothing_is_needed_without_profiles(database: Database, tmp_path: Path) -> None:
    """And no key is made by looking."""
    assert said(database, Vault(file=tmp_path / KEY_FILE)) == [("ok", "no access profile needs one")]
    assert said(database, Vault()) == [("ok", "no access profile needs one; the first one needs PAGEGRADE_SECRET_KEY")]
    assert not (tmp_path / KEY_FILE).exists()


def test_a_key_file_is_to_be_kept_and_to_be_private(database: Database, tmp_path: Path) -> None:
    """Backups of the database are of no use for profiles without it."""
    file = tmp_path / KEY_FILE
    add_profile(database, Vault(file=file))
    (good,) = said(database, Vault(file=file))
    file.chmod(0o644)
    open_to_all, _ = said(database, Vault(file=file))
    file.unlink()
    lost = said(database, Vault(file=file))

    assert good == (
        "ok",
        f"{file} decrypts the secrets of all access profiles (1); keep a copy of it beside the backups, which are of "
        "no use for them without it",
    )
    assert open_to_all == ("warning", f"other users of this machine may read {file} Run: chmod 600 {file}")
    assert [level for level, _ in lost] == ["problem"]
    assert f"access profiles (1 of 1) cannot be decrypted with {file}" in lost[0][1]


def test_a_former_key_is_to_be_replaced(database: Database) -> None:
    """By the command that is named; a lost one is a problem."""
    add_profile(database, Vault(keys=(OLD,)))

    assert said(database, Vault(keys=(NEW, OLD))) == [
        (
            "warning",
            "the secrets of access profiles (1 of 1) are encrypted with a former key Run: pagegrade access-profiles "
            "rotate",
        ),
        ("ok", "PAGEGRADE_SECRET_KEY decrypts the secrets of all access profiles (1)"),
    ]
    assert [level for level, _ in said(database, Vault(keys=(NEW,)))] == ["problem"]
    assert "PAGEGRADE_SECRET_KEY is not set" in said(database, Vault())[0][1]


def test_a_key_file_that_a_setting_replaces_is_named(database: Database, tmp_path: Path) -> None:
    """Unless its key is among those that are set."""
    file = tmp_path / KEY_FILE
    add_profile(database, Vault(file=file))
    key = file.read_text().strip()
    replaced = said(database, Vault(keys=(NEW,), file=file))
    added = said(database, Vault(keys=(NEW, key), file=file))

    assert [level for level, _ in replaced] == ["problem", "warning"]
    assert f"{file} has no effect, because PAGEGRADE_SECRET_KEY is set" in replaced[1][1]
    assert [level for level, _ in added] == ["warning", "ok"]
    assert "has no effect" not in added[0][1]


@pytest.mark.backend("sqlite", reason="a file that is not there")
def test_a_database_that_is_not_there_yet_is_left_to_others(tmp_path: Path) -> None:
    """Another finding says so."""
    database = SQLiteDatabase(f"sqlite:///{tmp_path / 'none.db'}", checkpoints=False)
    found = said(database, Vault())
    database.close()

    assert found == []
