from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.store.schema.sqlite_inspection import (
    Durability,
    find_damage,
    has_safe_checkpoints,
    newest_ms,
    read_durability,
)
from tests.share_builders import add_shared
from tests.store_builders import NOW_MS, add_owner, make_database, make_file

ITS_FILE = pytest.mark.backend("sqlite", reason="reads the file; the other one has postgres_inspection")


@ITS_FILE
def test_a_new_database_is_whole_and_written_safely(tmp_path: Path) -> None:
    """And has no newest row."""
    database = make_file(tmp_path, durable=True)
    damage, durability = find_damage(database), read_durability(database)
    newest = database.read_here(newest_ms)
    database.close()

    assert damage == ()
    assert durability == Durability(journal_mode="wal", synchronous="full", foreign_keys=True)
    assert durability.is_right
    assert newest is None


@ITS_FILE
def test_a_row_that_refers_to_nothing_is_damage(tmp_path: Path) -> None:
    """As a program that does not check such things leaves it."""
    database = make_database(tmp_path)

    assert database.path is not None
    with contextlib.closing(sqlite3.connect(database.path)) as raw, raw:
        raw.execute(
            "INSERT INTO api_keys (account_id, name, prefix, secret_sha256, scopes, created_at_ms)"
            " VALUES (7, 'x', 'x', x'00', '', 0)"
        )
    damage = find_damage(database)
    database.close()

    assert damage == ("row 1 of api_keys refers to nothing in accounts",)


def test_the_newest_row_is_found(tmp_path: Path) -> None:
    """Of reports and runs."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    add_shared(database, alice, now_ms=NOW_MS)
    add_shared(database, alice, now_ms=NOW_MS + 5)
    newest = database.read_here(newest_ms)
    database.close()

    assert newest == NOW_MS + 5


@pytest.mark.parametrize(
    "change", [{"journal_mode": "delete"}, {"synchronous": "normal"}, {"synchronous": "off"}, {"foreign_keys": False}]
)
def test_anything_less_is_not_right(change: dict[str, object]) -> None:
    """A success that was answered must survive a power cut."""
    right = Durability(journal_mode="wal", synchronous="full", foreign_keys=True)

    assert not replace(right, **change).is_right
    assert replace(right, synchronous="extra").is_right


def test_the_version_with_safe_checkpoints_is_known() -> None:
    """The one before it is not safe."""
    assert has_safe_checkpoints((3, 51, 3))
    assert not has_safe_checkpoints((3, 51, 2))
