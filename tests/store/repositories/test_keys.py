from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from pagegrade.store.repositories.keys import add_key as save_key
from pagegrade.store.repositories.keys import count_keys, find_caller, list_keys, revoke_key, touch_keys
from tests.store_builders import NOW_MS, add_key, add_owner, make_database


def digest(secret: str) -> bytes:
    """The stored digest of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def test_a_caller_is_found_by_the_hash_of_the_secret(tmp_path: Path) -> None:
    """With exactly the key and the account that were stored; valid or not is not decided here."""
    database = make_database(tmp_path)
    add_owner(database)
    bob, _ = add_owner(database, "Bob")
    key, secret = add_key(database, bob.id, name="ci", scopes=("reports:read",), expires_at_ms=NOW_MS - 1)
    found = database.read_here(lambda tx: find_caller(tx, digest(secret)))

    assert found is not None
    assert (found.account, found.key) == (bob, key)
    assert database.read_here(lambda tx: find_caller(tx, digest("x"))) is None
    database.close()


def test_keys_are_listed_oldest_first(tmp_path: Path) -> None:
    """Of one account or of all."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    key, _ = add_key(database, alice.id)
    everyone = database.read_here(list_keys)
    hers = database.read_here(lambda tx: list_keys(tx, alice.id))

    assert [each.account_id for each in everyone] == [alice.id, bob.id, alice.id]
    assert hers == (everyone[0], key)
    assert database.read_here(count_keys) == 3
    database.close()


def test_a_key_is_revoked_once(tmp_path: Path) -> None:
    """The first time stays written."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    key, _ = add_key(database, alice.id)
    changed = [database.write_here(partial(revoke_key, key_id=key.id, now_ms=NOW_MS + at)) for at in (1, 2)]
    unknown = database.write_here(lambda tx: revoke_key(tx, 99, NOW_MS))

    assert changed == [True, False]
    assert not unknown
    assert database.read_here(list_keys)[1].revoked_at_ms == NOW_MS + 1
    database.close()


def test_the_last_use_only_moves_forward(tmp_path: Path) -> None:
    """Two processes may write theirs in any order; a key that is gone is no error."""
    database = make_database(tmp_path)
    add_owner(database)
    for used_at_ms in (NOW_MS, NOW_MS + 60_000, NOW_MS - 60_000):
        database.write_here(partial(touch_keys, used_at_ms={1: used_at_ms, 99: used_at_ms}))
    database.write_here(lambda tx: touch_keys(tx, {}))

    assert database.read_here(list_keys)[0].last_used_at_ms == NOW_MS + 60_000
    database.close()


def test_one_secret_belongs_to_one_key(tmp_path: Path) -> None:
    """A secret that opened two accounts would open the wrong one."""
    database = make_database(tmp_path)
    alice, secret = add_owner(database)

    with pytest.raises(IntegrityError):
        database.write_here(
            lambda tx: save_key(
                tx,
                alice.id,
                name="again",
                prefix="pgk_",
                secret_sha256=digest(secret),
                scopes=(),
                expires_at_ms=None,
                now_ms=NOW_MS,
            )
        )
    database.close()
