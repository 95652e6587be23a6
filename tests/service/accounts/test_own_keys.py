from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.account import SCOPES
from pagegrade.model.errors import InvalidInput, NotFound, Unauthenticated
from pagegrade.service.accounts import own_keys
from pagegrade.service.accounts.access import authenticate
from pagegrade.service.accounts.own_keys import find_own_key, issue_own_key, revoke_own_key
from pagegrade.store.engine.database import Database
from tests.store_builders import NOW_MS, add_key, add_owner, make_database


def issue(database: Database, account_id: int, expires_at_ms: int | None = None) -> str:
    """The secret of a new key."""
    return database.write_here(
        lambda tx: issue_own_key(tx, account_id, name="mine", scopes=SCOPES, expires_at_ms=expires_at_ms, now_ms=NOW_MS)
    )[1]


def test_a_key_of_mine_works_until_i_revoke_it(tmp_path: Path) -> None:
    """Revoking it twice is no error."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    secret = issue(database, alice.id)
    key = database.read_here(lambda tx: authenticate(tx, secret, NOW_MS)).api_key
    revoked = [database.write_here(lambda tx: revoke_own_key(tx, alice.id, key.id, NOW_MS)) for _ in range(2)]

    assert [each.id for each in revoked] == [key.id] * 2
    assert database.read_here(lambda tx: find_own_key(tx, alice.id, key.id)).revoked_at_ms == NOW_MS
    with pytest.raises(Unauthenticated):
        database.read_here(lambda tx: authenticate(tx, secret, NOW_MS))
    database.close()


def test_a_key_of_another_account_is_not_found(tmp_path: Path) -> None:
    """It is neither shown nor revoked, and goes on working."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, secret = add_owner(database, "Bob")
    key = database.read_here(lambda tx: authenticate(tx, secret, NOW_MS)).api_key

    with pytest.raises(NotFound):
        database.read_here(lambda tx: find_own_key(tx, alice.id, key.id))
    with pytest.raises(NotFound):
        database.write_here(lambda tx: revoke_own_key(tx, alice.id, key.id, NOW_MS))

    assert database.read_here(lambda tx: authenticate(tx, secret, NOW_MS)).account == bob
    database.close()


def test_there_is_an_end_to_how_many_keys_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that are revoked or have expired do not count, nor do those of others."""
    monkeypatch.setattr(own_keys, "MAX_KEYS", 3)
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    add_owner(database, "Bob")
    add_key(database, alice.id, expires_at_ms=NOW_MS)
    for _ in range(2):
        issue(database, alice.id)

    with pytest.raises(InvalidInput) as raised:
        issue(database, alice.id)
    database.write_here(lambda tx: revoke_own_key(tx, alice.id, 1, NOW_MS))
    issue(database, alice.id)

    assert raised.value.reason == "too_many"
    database.close()
