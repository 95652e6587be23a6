from __future__ import annotations

import asyncio
import re
import sqlite3
from functools import partial
from pathlib import Path

import pytest

from pagegrade.model.account import KEYS, MEMBERS, SCOPES, Caller
from pagegrade.model.errors import InsufficientScope, InvalidInput, NotFound, Unauthenticated
from pagegrade.service.accounts.access import (
    MINUTE_MS,
    PREFIX_CHARACTERS,
    KeyUses,
    authenticate,
    can_be_secret,
    check_bootstrap,
    choose_account,
    ensure_owner,
    is_well_formed,
    issue_key,
    make_secret,
    prefix_of,
    require_scope,
    revoke,
)
from pagegrade.service.accounts.operations import create_account, disable
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.repositories.accounts import list_accounts
from pagegrade.store.repositories.credentials import list_keys
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

CHOSEN = "a-key-that-a-person-chose"


class Untouchable:
    """Stands for a transaction that must not be asked anything."""

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"the database was asked: {name}")


UNTOUCHABLE: Transaction = Untouchable()  # type: ignore[assignment]


def caller_of(database: Database, secret: str | None, now_ms: int = NOW_MS) -> Caller:
    """The caller with this secret."""
    return database.read_here(lambda tx: authenticate(tx, secret, now_ms))


def refused(database: Database, secret: str | None, now_ms: int = NOW_MS) -> Unauthenticated:
    """The refusal of this secret."""
    with pytest.raises(Unauthenticated) as raised:
        caller_of(database, secret, now_ms)
    return raised.value


def test_secrets_look_alike_and_are_never_the_same() -> None:
    """A mark that scanners find, 43 characters of chance, 6 of checksum."""
    secrets = {make_secret() for _ in range(1000)}

    assert len(secrets) == 1000
    assert all(re.fullmatch("pgk_[0-9A-Za-z]{49}", each) for each in secrets)
    assert all(map(is_well_formed, secrets))


def test_every_slip_of_the_keyboard_is_noticed() -> None:
    """One wrong character, two that changed places, one too few or too many."""
    secret = make_secret()
    wrong = [secret[:at] + ("x" if secret[at] != "x" else "y") + secret[at + 1 :] for at in range(len(secret))]
    wrong += [
        secret[:at] + secret[at + 1] + secret[at] + secret[at + 2 :]
        for at in range(len(secret) - 1)
        if secret[at] != secret[at + 1]
    ]
    wrong += [secret[:-1], secret + "0", secret.lower(), f" {secret}", f"{secret}\n", ""]

    assert [each for each in wrong if is_well_formed(each)] == []


def test_the_owner_is_known_by_the_key(tmp_path: Path) -> None:
    """With the account, and what the key may do."""
    database = make_database(tmp_path)
    account, secret = add_owner(database)
    caller = caller_of(database, secret)

    assert caller.account == account
    assert caller.api_key.scopes == SCOPES
    assert secret.startswith(caller.api_key.prefix)
    database.close()


@pytest.mark.parametrize("nothing", [None, ""])
def test_no_key_is_distinguished_from_a_wrong_one(tmp_path: Path, nothing: str | None) -> None:
    """L01: the words are the same, and only a client that sent one learns that it is not valid."""
    database = make_database(tmp_path)
    without, wrong = refused(database, nothing), refused(database, "x" * 30)

    assert without.message == wrong.message
    assert (without.presented, wrong.presented) == (False, True)
    database.close()


IMPOSSIBLE = {
    "wrong checksum": "pgk_" + "1" * 49,
    "strange character": make_secret()[:-1] + "\u00e9",
    "zeros": "pgk_" + "0" * 49,
    "mark alone": "pgk_",
    "short": "too-short",
    "blanks": "with blanks in the middle of it",
    "umlaut": "schlüssel-mit-umlaut-und-so",
    "NUL": "null\x00null\x00null\x00null\x00null",
    "lines": "line\nline\nline\nline\nline",
    "surrogates": "\ud800" * 30,
    "a little long": "x" * 513,
    "a megabyte": "x" * 1_000_000,
    "wide megabytes": "\U0001f511" * 1_000_000,
    "many keys": make_secret() * 20_000,
}


@pytest.mark.parametrize("kind", IMPOSSIBLE)
def test_what_cannot_be_a_key_is_refused_without_asking(kind: str) -> None:
    """L02, L13: the database hears nothing of it."""
    with pytest.raises(Unauthenticated) as raised:
        authenticate(UNTOUCHABLE, IMPOSSIBLE[kind], NOW_MS)

    assert raised.value.presented


class Unread(str):
    """Text that knows its length and must not be read."""

    __slots__ = ()

    def startswith(self, *_: object) -> bool:
        raise AssertionError("a character was looked at")

    encode = isascii = isprintable = __getitem__ = __iter__ = startswith  # type: ignore[assignment]


def test_a_long_key_costs_no_more_than_its_length() -> None:
    """L13: how long it is decides; nothing of it is read."""
    assert not can_be_secret(Unread("x" * 513))


def test_unknown_revoked_expired_and_disabled_get_the_same_error(tmp_path: Path) -> None:
    """L03, L04: no client learns from the answer whether a key ever was one."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    bob, of_disabled = add_owner(database, "Bob")
    revoked_key, revoked = add_key(database, alice.id)
    _, expired = add_key(database, alice.id, expires_at_ms=NOW_MS)
    database.write_here(lambda tx: revoke(tx, str(revoked_key.id), NOW_MS))
    database.write_here(lambda tx: disable(tx, bob.id, NOW_MS))
    errors = [refused(database, secret) for secret in (make_secret(), revoked, expired, of_disabled)]

    assert {(each.message, each.presented, each.retry_after_s) for each in errors} == {(errors[0].message, True, None)}
    database.close()


def test_a_key_works_until_the_moment_it_expires(tmp_path: Path) -> None:
    """And not a millisecond longer."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    _, secret = add_key(database, alice.id, expires_at_ms=NOW_MS + 1000)

    assert caller_of(database, secret, NOW_MS + 999).account == alice
    assert refused(database, secret, NOW_MS + 1000).presented
    database.close()


def test_a_key_that_was_revoked_elsewhere_is_refused_at_once(tmp_path: Path) -> None:
    """L04: nothing is remembered between requests; another process revokes, this one knows."""
    database = make_database(tmp_path)
    beside = open_database(database.url, checkpoints=False)
    _, secret = add_owner(database)
    before = caller_of(database, secret)
    beside.write_here(lambda tx: revoke(tx, str(before.api_key.id), NOW_MS))

    assert refused(database, secret).presented
    beside.close()
    database.close()


def test_keys_can_be_changed_without_a_gap(tmp_path: Path) -> None:
    """L10: the new key works while the old one does; then the old one is dead and the new one lives."""
    database = make_database(tmp_path)
    alice, old = add_owner(database)
    _, new = add_key(database, alice.id)
    both = [caller_of(database, secret).account for secret in (old, new)]
    database.write_here(lambda tx: revoke(tx, old, NOW_MS))

    assert both == [alice, alice]
    assert refused(database, old).presented
    assert caller_of(database, new).account == alice
    database.close()


@pytest.mark.backend("sqlite", reason="reads the files")
def test_the_database_holds_no_secret(tmp_path: Path) -> None:
    """L08, L09: neither whole nor in large part, in no table, index or log of it."""
    database = make_database(tmp_path)
    alice, first = add_owner(database)
    _, made = database.write_here(lambda tx: issue_key(tx, alice.id, name="ci", now_ms=NOW_MS))
    database.write_here(lambda tx: [tx.exec_driver_sql("DELETE FROM api_keys"), ensure_owner(tx, CHOSEN, NOW_MS)][1])

    assert database.path is not None
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    database.close()
    with sqlite3.connect(database.path) as raw:
        dump = "\n".join(raw.iterdump())
    raw.close()

    for secret in (first, made, CHOSEN):
        assert secret[4:12] not in dump.replace(secret[:8], "")
        assert not any(secret[8:16].encode() in content for content in files)


def test_scopes_are_kept(tmp_path: Path) -> None:
    """A key that may read does not write, and the refusal names what is missing."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    _, secret = add_key(database, alice.id, scopes=("reports:read",))
    caller = caller_of(database, secret)
    require_scope(caller, "reports:read")

    with pytest.raises(InsufficientScope, match="reports:write"):
        require_scope(caller, "reports:write")
    database.close()


def test_a_key_is_issued_with_its_limits(tmp_path: Path) -> None:
    """Scopes in the order of the list, each once; the secret works at once."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    key, secret = database.write_here(
        lambda tx: issue_key(
            tx,
            alice.id,
            name="  ci ",
            scopes=("account:read", "reports:read", "account:read"),
            expires_at_ms=NOW_MS + 1,
            now_ms=NOW_MS,
        )
    )

    assert (key.name, key.scopes, key.expires_at_ms) == ("ci", ("reports:read", "account:read"), NOW_MS + 1)
    assert caller_of(database, secret).key == key
    database.close()


@pytest.mark.parametrize(
    ("typed", "project"),
    [
        (None, None),
        ("", None),
        ("  ", None),
        ("example.com", "example.com"),
        (" WWW.Example.COM ", "example.com"),
        ("https://example.com:8443/a?b", "example.com:8443"),
    ],
)
def test_a_key_is_limited_to_a_project_in_any_spelling(tmp_path: Path, typed: str | None, project: str | None) -> None:
    """As reports name their project; without one it can use all."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    key, secret = database.write_here(lambda tx: issue_key(tx, alice.id, name="ci", project=typed, now_ms=NOW_MS))
    caller = caller_of(database, secret)

    assert key.project == caller.project == project
    assert caller.may_use("example.com") == (project in {None, "example.com"})
    assert caller.may_use("other.example") == (project is None)
    database.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "red\x1b[31m"}, "control"),
        ({"scopes": ()}, "at least one scope"),
        ({"scopes": ("reports:read", "admin")}, "'admin' is no scope"),
        ({"expires_at_ms": NOW_MS}, "expired"),
        ({"project": "a b"}, "A project is a host"),
    ],
)
def test_a_key_that_makes_no_sense_is_not_issued(tmp_path: Path, wrong: dict[str, object], message: str) -> None:
    """And nothing is stored."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    arguments: dict[str, object] = {"name": "ci", "now_ms": NOW_MS, **wrong}

    with pytest.raises(InvalidInput, match=message):
        database.write_here(lambda tx: issue_key(tx, alice.id, **arguments))  # type: ignore[arg-type]

    assert len(database.read_here(list_keys)) == 1
    database.close()


def test_a_key_needs_an_account_that_works(tmp_path: Path) -> None:
    """One that exists, and is not disabled."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    database.write_here(lambda tx: disable(tx, alice.id, NOW_MS))

    with pytest.raises(InvalidInput, match="disabled"):
        database.write_here(lambda tx: issue_key(tx, alice.id, name="ci", now_ms=NOW_MS))
    with pytest.raises(NotFound, match="no account 99"):
        database.write_here(lambda tx: issue_key(tx, 99, name="ci", now_ms=NOW_MS))
    database.close()


def test_the_first_start_makes_an_owner_and_a_key(tmp_path: Path) -> None:
    """The secret is returned once; the next start finds both and returns nothing."""
    database = make_database(tmp_path)
    owner, secret = database.write_here(lambda tx: ensure_owner(tx, None, NOW_MS))
    again = database.write_here(lambda tx: ensure_owner(tx, None, NOW_MS))

    assert secret is not None
    assert caller_of(database, secret).account == owner
    assert set(caller_of(database, secret).api_key.scopes) == {*SCOPES} - {KEYS, MEMBERS}
    assert again == (owner, None)
    database.close()


def test_the_first_key_can_be_chosen(tmp_path: Path) -> None:
    """It works, and little of it is shown; chosen later, when there are keys, it does not count."""
    database = make_database(tmp_path)
    owner, secret = database.write_here(lambda tx: ensure_owner(tx, CHOSEN, NOW_MS))
    database.write_here(lambda tx: ensure_owner(tx, "another-key-that-was-chosen", NOW_MS))
    caller = caller_of(database, CHOSEN)

    assert secret is None
    assert caller.account == owner
    assert caller.api_key.prefix == prefix_of(CHOSEN)
    assert set(caller.api_key.scopes) == {*SCOPES} - {KEYS, MEMBERS}
    assert refused(database, "another-key-that-was-chosen").presented
    database.close()


def test_an_account_without_a_key_gets_its_first(tmp_path: Path) -> None:
    """The account may have been made by hand before the first start."""
    database = make_database(tmp_path)
    made = database.write_here(lambda tx: create_account(tx, name="Alice", email="a@example.org", now_ms=NOW_MS))
    owner, secret = database.write_here(lambda tx: ensure_owner(tx, None, NOW_MS))

    assert owner == made
    assert secret is not None
    database.close()


def test_revoking_every_key_does_not_make_a_new_one(tmp_path: Path) -> None:
    """An owner who revoked all keys wants them to stay revoked after the next start."""
    database = make_database(tmp_path)
    _, secret = add_owner(database)
    database.write_here(lambda tx: revoke(tx, secret, NOW_MS))
    _, again = database.write_here(lambda tx: ensure_owner(tx, CHOSEN, NOW_MS))

    assert again is None
    assert refused(database, CHOSEN).presented
    database.close()


@pytest.mark.parametrize("secret", ["short", "x" * 513, "with a blank in its middle", "schlüssel-mit-umlaut-und-so"])
def test_a_first_key_that_no_header_can_carry_is_refused(secret: str) -> None:
    """At the start, and without repeating it."""
    with pytest.raises(InvalidInput, match="20 to 512 visible ASCII") as raised:
        check_bootstrap(secret)

    assert secret not in raised.value.message


def test_a_first_key_of_ours_with_a_slip_is_refused() -> None:
    """It would never be accepted; a whole one is, and so is any that only begins like one."""
    secret = make_secret()
    check_bootstrap(secret)
    check_bootstrap("pgk_of-my-own-choice")
    slip = secret[:-1] + ("a" if secret[-1] != "a" else "b")

    with pytest.raises(InvalidInput, match="a character in it is wrong"):
        check_bootstrap(slip)


def test_a_made_secret_can_be_the_first_key(tmp_path: Path) -> None:
    """It may have been generated on another machine."""
    database = make_database(tmp_path)
    secret = make_secret()
    owner, _ = database.write_here(lambda tx: ensure_owner(tx, secret, NOW_MS))

    assert can_be_secret(secret)
    assert caller_of(database, secret).account == owner
    database.close()


def test_a_key_is_revoked_by_id_prefix_or_secret(tmp_path: Path) -> None:
    """Whatever of it is at hand; twice is no error."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    keys = [add_key(database, alice.id) for _ in range(3)]
    named = [str(keys[0][0].id), keys[1][0].prefix, keys[2][1]]
    revoked = [database.write_here(partial(revoke, which=which, now_ms=NOW_MS)) for which in named]
    _, again = database.write_here(lambda tx: revoke(tx, named[0], NOW_MS + 1))

    assert [key.id for key, _ in revoked] == [key.id for key, _ in keys]
    assert all(changed for _, changed in revoked)
    assert not again
    assert all(refused(database, secret).presented for _, secret in keys)
    database.close()


def test_a_prefix_of_several_keys_revokes_none(tmp_path: Path) -> None:
    """The keys are listed, and none is revoked, whether they work or not."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    (first, _), (second, _) = add_key(database, alice.id), add_key(database, alice.id)
    database.write_here(lambda tx: tx.exec_driver_sql("UPDATE api_keys SET prefix = 'pgk_samesame'"))

    with pytest.raises(InvalidInput, match=rf"the id of .*{first.id} \(.+\) or {second.id} \(.+\)"):
        database.write_here(lambda tx: revoke(tx, "pgk_samesame", NOW_MS))
    with pytest.raises(NotFound, match="keys list"):
        database.write_here(lambda tx: revoke(tx, "pgk_nonenone", NOW_MS))
    database.write_here(lambda tx: revoke(tx, str(first.id), NOW_MS))
    with pytest.raises(InvalidInput, match="revoked"):
        database.write_here(lambda tx: revoke(tx, "pgk_samesame", NOW_MS))

    assert [key.revoked_at_ms for key in database.read_here(list_keys) if key.id == second.id] == [None]
    database.close()


@pytest.mark.parametrize("count", range(1, PREFIX_CHARACTERS))
def test_a_short_prefix_revokes_nothing(tmp_path: Path, count: int) -> None:
    """Not even where only one key begins with it: it is listed, with its id."""
    database = make_database(tmp_path)
    owner, secret = database.write_here(lambda tx: ensure_owner(tx, None, NOW_MS))
    (key,) = database.read_here(list_keys)

    with pytest.raises(InvalidInput, match=rf"too short .* {key.id} \("):
        database.write_here(lambda tx: revoke(tx, str(secret)[:count], NOW_MS))

    assert caller_of(database, str(secret)).account == owner
    database.close()


def test_prefixes_distinguish_keys(tmp_path: Path) -> None:
    """Also those of chosen keys, of which at least sixteen characters are never kept."""
    database = make_database(tmp_path)
    alice, _ = add_owner(database)
    for _ in range(20):
        add_key(database, alice.id)
    prefixes = [key.prefix for key in database.read_here(list_keys)]
    long, short = "pgk_" + "a" * (PREFIX_CHARACTERS + 12), "pgk_" + "a" * (PREFIX_CHARACTERS + 11)

    assert len(set(prefixes)) == len(prefixes)
    assert {len(prefix) for prefix in prefixes} == {PREFIX_CHARACTERS}
    assert prefix_of(long) == long[:PREFIX_CHARACTERS]
    assert prefix_of(short)[:5] == "pgk_~"
    assert prefix_of(short) != prefix_of(short[:-1] + "b")
    assert len(prefix_of(short)) == PREFIX_CHARACTERS
    database.close()


def test_the_only_account_need_not_be_named(tmp_path: Path) -> None:
    """An empty database gets one; with several that work one must be said; disabled ones do not count."""
    database = make_database(tmp_path)
    owner = database.write_here(lambda tx: choose_account(tx, None, NOW_MS))
    same = database.write_here(lambda tx: choose_account(tx, None, NOW_MS))
    bob, _ = add_owner(database, "Bob")
    with pytest.raises(InvalidInput, match=r"1 \(Owner\), 2 \(Bob\)"):
        database.read_here(lambda tx: choose_account(tx, None, NOW_MS))
    named = database.read_here(lambda tx: choose_account(tx, bob.id, NOW_MS))
    database.write_here(lambda tx: disable(tx, owner.id, NOW_MS))
    left = database.read_here(lambda tx: choose_account(tx, None, NOW_MS))
    database.write_here(lambda tx: disable(tx, bob.id, NOW_MS))
    with pytest.raises(InvalidInput, match="Every account is disabled"):
        database.write_here(lambda tx: choose_account(tx, None, NOW_MS))
    with pytest.raises(NotFound, match="no account 99"):
        database.read_here(lambda tx: choose_account(tx, 99, NOW_MS))

    assert owner == same
    assert named == left == bob
    assert len(database.read_here(list_accounts)) == 2
    database.close()


def test_uses_of_keys_are_saved_to_the_minute(tmp_path: Path) -> None:
    """Many uses make one write."""
    database = make_database(tmp_path)
    _, secret = add_owner(database)
    key = caller_of(database, secret).api_key
    uses = KeyUses()
    for at_ms in (NOW_MS + 1, NOW_MS + 30_000, NOW_MS + MINUTE_MS + 5):
        uses.note(key.id, at_ms)
    asyncio.run(uses.save(database))
    asyncio.run(uses.save(database))

    assert caller_of(database, secret).api_key.last_used_at_ms == NOW_MS + MINUTE_MS
    database.close()


def test_uses_that_cannot_be_saved_are_kept(tmp_path: Path) -> None:
    """A full disk costs no truth: the next time writes them."""
    database = make_database(tmp_path)
    _, secret = add_owner(database)
    key = caller_of(database, secret).api_key
    gone = SQLiteDatabase(f"sqlite:///{tmp_path / 'missing' / 'gone.db'}")
    uses = KeyUses()
    uses.note(key.id, NOW_MS)
    asyncio.run(uses.save(gone))
    asyncio.run(uses.save(database))

    assert caller_of(database, secret).api_key.last_used_at_ms == NOW_MS
    gone.close()
    database.close()
