from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagegrade.model.account import Caller
from pagegrade.service.access.operations import AccessFields, create_profile
from pagegrade.service.access.vault import KEY_FILE, Vault
from pagegrade.service.doctor.secret_keys import look_at_secret_keys
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from tests.store_builders import NOW_MS, add_owner, make_database

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
