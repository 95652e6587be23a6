from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from pagegrade.model.account import Session
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import mark_erasing
from pagegrade.store.repositories.credentials import (
    AHEAD_MS,
    add_link,
    add_passkey,
    add_session,
    count_keys,
    end_oldest,
    end_session,
    end_sessions,
    end_token,
    find_caller,
    find_link,
    find_passkey,
    find_session,
    forget_ended,
    forget_links,
    list_keys,
    list_passkeys,
    list_sessions,
    note_passkey_use,
    remove_passkey,
    replace_token,
    revoke_key,
    rotate_session,
    touch_keys,
    touch_session,
    use_link,
)
from pagegrade.store.repositories.credentials import add_key as save_key
from pagegrade.store.repositories.installation import AgeMs
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

DAY_MS = 86_400_000


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


def sha(text: str) -> bytes:
    """A hash as it is stored."""
    return hashlib.sha256(text.encode()).digest()


def open_session(database: Database, account_id: int, token: str, *, at_ms: int = NOW_MS, by_link: bool = False) -> int:
    """The id of a new session with this token."""
    return database.write_here(
        lambda tx: add_session(
            tx,
            account_id,
            token_sha256=sha(token),
            agent="Firefox",
            now_ms=at_ms,
            expires_at_ms=at_ms + DAY_MS,
            by_link=by_link,
        )
    ).id


def test_a_session_is_found_by_its_token_with_its_account(tmp_path: Path) -> None:
    """Every member as it was stored; another token finds nothing."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one", by_link=True)
    found = database.read_here(lambda tx: find_session(tx, sha("one")))
    expected = Session(
        id=session_id,
        account_id=alice.id,
        agent="Firefox",
        created_at_ms=NOW_MS,
        rotated_at_ms=NOW_MS,
        seen_at_ms=NOW_MS,
        expires_at_ms=NOW_MS + DAY_MS,
        by_link=True,
    )

    assert found == (expected, alice, False)
    assert database.read_here(lambda tx: find_session(tx, sha("two"))) is None
    database.close()


def test_of_two_that_rotate_a_token_one_wins(tmp_path: Path) -> None:
    """The one before stays known as such; the one before that is gone."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")

    def rotate(old: str, new: str) -> bool:
        return database.write_here(
            lambda tx: rotate_session(tx, session_id, old_sha256=sha(old), new_sha256=sha(new), now_ms=NOW_MS + 1)
        )

    def known(token: str) -> bool | None:
        found = database.read_here(lambda tx: find_session(tx, sha(token)))
        return None if found is None else found[2]

    assert [rotate("one", "two"), rotate("one", "other")] == [True, False]
    assert [known("one"), known("two"), known("other")] == [True, False, None]
    assert rotate("two", "three")
    assert [known("one"), known("two"), known("three")] == [None, True, False]
    database.close()


def test_a_replaced_token_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    """As is wanted after a new password; a session that has ended gets none."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")
    done = database.write_here(lambda tx: replace_token(tx, session_id, sha("two"), NOW_MS))
    gone = database.write_here(lambda tx: replace_token(tx, session_id + 1, sha("three"), NOW_MS))

    assert (done, gone) == (True, False)
    assert database.read_here(lambda tx: find_session(tx, sha("one"))) is None
    assert database.read_here(lambda tx: find_session(tx, sha("two"))) is not None
    database.close()


def test_sessions_end_one_by_one_and_all_but_one(tmp_path: Path) -> None:
    """Only those of the account; the one used last is listed first."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    first, second, third = (open_session(database, alice.id, name) for name in ("one", "two", "three"))
    bobs = open_session(database, bob.id, "bob")
    database.write_here(lambda tx: touch_session(tx, second, NOW_MS + 5))
    listed = [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))]
    foreign = database.write_here(lambda tx: end_session(tx, alice.id, bobs))
    own = database.write_here(lambda tx: end_session(tx, alice.id, first))
    others = database.write_here(lambda tx: end_sessions(tx, alice.id, but=third))

    assert listed == [second, first, third]
    assert (foreign, own, others) == (False, True, 1)
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [third]
    assert database.write_here(lambda tx: end_sessions(tx, alice.id)) == 1
    assert len(database.read_here(lambda tx: list_sessions(tx, bob.id))) == 1
    database.close()


def test_the_sessions_left_alone_the_longest_end(tmp_path: Path) -> None:
    """All but so many of the account; of two used at the same moment the older one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, _ = add_owner(database, "Bob")
    first, _, third = (open_session(database, alice.id, name) for name in ("one", "two", "three"))
    open_session(database, bob.id, "bob")
    database.write_here(lambda tx: touch_session(tx, first, NOW_MS + 5))
    none = database.write_here(lambda tx: end_oldest(tx, alice.id, but=3))
    one = database.write_here(lambda tx: end_oldest(tx, alice.id, but=2))

    assert (none, one) == (0, 1)
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [first, third]
    assert len(database.read_here(lambda tx: list_sessions(tx, bob.id))) == 1
    database.close()


def test_a_token_ends_its_session_also_as_the_one_before(tmp_path: Path) -> None:
    """A browser that signs out may not have heard of the new one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    session_id = open_session(database, alice.id, "one")
    database.write_here(
        lambda tx: rotate_session(tx, session_id, old_sha256=sha("one"), new_sha256=sha("two"), now_ms=NOW_MS)
    )

    assert not database.write_here(lambda tx: end_token(tx, sha("never")))
    assert database.write_here(lambda tx: end_token(tx, sha("one")))
    assert database.read_here(lambda tx: list_sessions(tx, alice.id)) == ()
    database.close()


def test_a_link_is_used_once(tmp_path: Path) -> None:
    """Until then it can be looked at; afterwards, and after its end, it is as if it had never been."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    for name in ("used", "late", "dropped"):
        database.write_here(
            partial(add_link, account_id=alice.id, token_sha256=sha(name), now_ms=NOW_MS, expires_at_ms=NOW_MS + 9)
        )

    def found(name: str, at_ms: int) -> bool:
        return database.read_here(lambda tx: find_link(tx, sha(name), at_ms)) == alice

    ahead = [found("used", NOW_MS - AHEAD_MS), found("used", NOW_MS - AHEAD_MS - 1)]
    too_early = database.write_here(lambda tx: use_link(tx, sha("used"), NOW_MS - AHEAD_MS - 1))
    looked = [found("used", NOW_MS), found("used", NOW_MS)]
    used = [database.write_here(lambda tx: use_link(tx, sha("used"), NOW_MS)) for _ in range(2)]
    late = database.write_here(lambda tx: use_link(tx, sha("late"), NOW_MS + 9))

    assert ahead == [True, False]  # of a clock that was set back since
    assert not too_early

    assert looked == [True, True]
    assert used == [True, False]
    assert not late
    assert [found("used", NOW_MS), found("late", NOW_MS + 9), found("late", NOW_MS + 8)] == [False, False, True]
    assert database.write_here(lambda tx: forget_links(tx, alice.id)) == 3
    assert not found("dropped", NOW_MS)
    database.close()


def test_what_is_over_is_forgotten(tmp_path: Path) -> None:
    """Sessions past their end or unused for too long, and links past theirs; the others stay."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    open_session(database, alice.id, "ended", at_ms=NOW_MS - DAY_MS)
    open_session(database, alice.id, "idle", at_ms=NOW_MS - 10)
    kept = open_session(database, alice.id, "kept")
    for name, until_ms in (("old", NOW_MS), ("new", NOW_MS + 1)):
        database.write_here(
            partial(add_link, account_id=alice.id, token_sha256=sha(name), now_ms=NOW_MS - 5, expires_at_ms=until_ms)
        )
    forgotten = database.write_here(lambda tx: forget_ended(tx, age=AgeMs(NOW_MS), idle_ms=5))

    assert forgotten == 3
    assert [each.id for each in database.read_here(lambda tx: list_sessions(tx, alice.id))] == [kept]
    assert database.read_here(lambda tx: find_link(tx, sha("new"), NOW_MS)) == alice
    database.close()


def test_passkeys_are_found_listed_used_and_removed(tmp_path: Path) -> None:
    """By the id that the device gave them, or by account; another account's hand removes nothing."""
    database = make_database(tmp_path)
    alice, bob = add_owner(database)[0], add_owner(database, "Bob")[0]
    made = {"credential": b"data", "sign_count": 1, "challenged_at_ms": NOW_MS, "now_ms": NOW_MS}

    def add(account_id: int, credential_id: bytes) -> int | None:
        return database.write_here(
            lambda tx: add_passkey(tx, account_id, name="Laptop", credential_id=credential_id, **made)  # type: ignore[arg-type]
        )

    first, second = add(alice.id, b"\x00"), add(alice.id, b"\x00\x00")

    assert first is not None
    assert add(bob.id, b"\x00") is None
    database.write_here(
        lambda tx: note_passkey_use(tx, first, sign_count=2**32 - 1, challenged_at_ms=9, now_ms=NOW_MS + 1)
    )
    found = database.read_here(lambda tx: find_passkey(tx, b"\x00"))

    assert found is not None
    assert (found.id, found.account_id, found.credential, found.sign_count) == (first, alice.id, b"data", 2**32 - 1)
    assert (found.challenged_at_ms, found.created_at_ms, found.used_at_ms) == (9, NOW_MS, NOW_MS + 1)
    assert [each.id for each in database.read_here(lambda tx: list_passkeys(tx, alice.id))] == [first, second]
    assert not database.write_here(lambda tx: remove_passkey(tx, bob.id, first))
    assert database.write_here(lambda tx: remove_passkey(tx, alice.id, first))
    assert database.read_here(lambda tx: find_passkey(tx, b"\x00")) is None


def test_erasure_leaves_none(tmp_path: Path) -> None:
    """Not even while the rest of the account is still being erased."""
    database = make_database(tmp_path)
    alice = add_owner(database)[0]
    database.write_here(
        lambda tx: add_passkey(
            tx,
            alice.id,
            name="Laptop",
            credential_id=b"1",
            credential=b"data",
            sign_count=0,
            challenged_at_ms=NOW_MS,
            now_ms=NOW_MS,
        )
    )
    database.write_here(lambda tx: mark_erasing(tx, alice.id, NOW_MS))

    assert database.read_here(lambda tx: find_passkey(tx, b"1")) is None
