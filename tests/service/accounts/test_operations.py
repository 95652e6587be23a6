from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.operations import (
    change_account,
    clean_label,
    create_account,
    disable,
    enable,
    known_timezones,
    set_admin,
)
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.accounts import list_accounts
from tests.store_builders import NOW_MS, make_database


def test_an_account_is_made_tidy(tmp_path: Path) -> None:
    """Without blanks around its name and address, and with its language in the usual letters."""
    database = make_database(tmp_path)
    made = database.write_here(
        lambda tx: create_account(
            tx, name=" Žofie ", email=" z@example.org ", locale="PT-br", timezone="Europe/Prague", now_ms=NOW_MS
        )
    )

    assert (made.name, made.email, made.locale, made.timezone) == ("Žofie", "z@example.org", "pt-BR", "Europe/Prague")
    assert database.read_here(list_accounts) == (made,)
    database.close()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": ""}, "1 to 200 characters"),
        ({"name": "x" * 201}, "1 to 200 characters"),
        ({"name": "bell\x07"}, "control"),
        ({"email": "no-address"}, "'no-address' is no e-mail"),
        ({"email": "a b@example.org"}, "no e-mail"),
        ({"email": "a@b@example.org"}, "no e-mail"),
        ({"email": "a\x1b@example.org"}, "no e-mail"),
        ({"email": "x" * 65 + "@example.org"}, "no e-mail"),
        ({"locale": "en_US"}, "'en_US' is no language tag"),
        ({"locale": "x-klingon"}, "no language tag"),
        ({"locale": "zz"}, "no language tag"),
        ({"locale": "en-" * 1000}, "no language tag"),
        ({"timezone": "Mars/Olympus"}, "'Mars/Olympus' is no time zone"),
        ({"timezone": "../../etc/passwd"}, "no time zone"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, wrong: dict[str, str], message: str) -> None:
    """With what was wrong, and nothing is stored."""
    database = make_database(tmp_path)
    values = {"name": "Alice", "email": "alice@example.org", **wrong}

    with pytest.raises(InvalidInput, match=message):
        database.write_here(lambda tx: create_account(tx, **values, now_ms=NOW_MS))

    assert database.read_here(list_accounts) == ()
    database.close()


def test_an_address_belongs_to_one_account_that_works(tmp_path: Path) -> None:
    """In whatever case it is written; after the account is disabled it is free again."""
    database = make_database(tmp_path)
    first = database.write_here(lambda tx: create_account(tx, name="A", email="a@example.org", now_ms=NOW_MS))

    with pytest.raises(InvalidInput, match=f"account {first.id} has this"):
        database.write_here(lambda tx: create_account(tx, name="B", email="A@EXAMPLE.ORG", now_ms=NOW_MS))
    database.write_here(lambda tx: disable(tx, first.id, NOW_MS))
    second = database.write_here(lambda tx: create_account(tx, name="B", email="A@EXAMPLE.ORG", now_ms=NOW_MS))

    assert second.id > first.id
    database.close()


def test_disabling_twice_is_no_error(tmp_path: Path) -> None:
    """The second time says that nothing changed; an account that never was is an error."""
    database = make_database(tmp_path)
    made = database.write_here(lambda tx: create_account(tx, name="A", email="a@example.org", now_ms=NOW_MS))
    first = database.write_here(lambda tx: disable(tx, made.id, NOW_MS))
    second = database.write_here(lambda tx: disable(tx, made.id, NOW_MS + 1))

    assert (first[1], second[1]) == (True, False)
    assert first[0] == second[0]
    assert first[0].disabled_at_ms == NOW_MS
    with pytest.raises(NotFound, match="no account 99"):
        database.write_here(lambda tx: disable(tx, 99, NOW_MS))
    database.close()


def test_a_label_can_be_stored_everywhere() -> None:
    """A lone surrogate would break the first database that knows better."""
    assert clean_label(" a\ud800b ", what="It") == "a\N{REPLACEMENT CHARACTER}b"


def two(tmp_path: Path) -> tuple[Database, Account, Account]:
    """Alice, who administers the installation because she came first, and Bob."""
    database = make_database(tmp_path)
    made = [
        database.write_here(partial(create_account, name=name, email=f"{name.lower()}@example.org", now_ms=NOW_MS))
        for name in ("Alice", "Bob")
    ]
    return database, made[0], made[1]


def test_the_first_account_administers(tmp_path: Path) -> None:
    """The second does not."""
    database, alice, bob = two(tmp_path)

    assert (alice.is_admin, bob.is_admin) == (True, False)
    assert (alice.has_password, bob.has_password) == (False, False)
    database.close()


def test_an_owner_changes_their_account(tmp_path: Path) -> None:
    """Tidied as a new one is; their own address in other letters is free for them."""
    database, alice, _ = two(tmp_path)
    changed = database.write_here(
        lambda tx: change_account(
            tx,
            alice.id,
            name=" Ada ",
            email="ALICE@example.org",
            locale="DE",
            timezone="Europe/Prague",
            default_privacy=1,
        )
    )

    assert (changed.name, changed.email, changed.locale) == ("Ada", "ALICE@example.org", "de")
    assert (changed.timezone, changed.default_privacy) == ("Europe/Prague", 1)
    assert database.read_here(list_accounts)[0] == changed
    database.close()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"email": "no-address"}, "email"),
        ({"email": "BOB@example.org"}, "email_taken"),
        ({"locale": ""}, "locale"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": ""}, "timezone"),
        ({"default_privacy": 2}, "privacy"),
        ({"default_privacy": -1}, "privacy"),
    ],
    ids=str,
)
def test_a_change_that_cannot_be_used_changes_nothing(tmp_path: Path, wrong: dict[str, Any], reason: str) -> None:
    """And says which field it was."""
    database, alice, _ = two(tmp_path)
    values: dict[str, Any] = {"name": "Ada", "email": "ada@example.org", "locale": "en", "timezone": "UTC"}
    values |= {"default_privacy": None, **wrong}

    with pytest.raises(InvalidInput) as raised:
        database.write_here(lambda tx: change_account(tx, alice.id, **values))
    with pytest.raises(NotFound):
        database.write_here(
            lambda tx: change_account(
                tx, 99, name="A", email="x@example.org", locale="en", timezone="UTC", default_privacy=None
            )
        )

    assert raised.value.reason == reason
    assert database.read_here(list_accounts)[0] == alice
    database.close()


def test_an_administrator_neither_disables_themselves_nor_the_last_one(tmp_path: Path) -> None:
    """The operator at the machine may; other accounts can be disabled."""
    database, alice, bob = two(tmp_path)
    with pytest.raises(InvalidInput) as own:
        database.write_here(lambda tx: disable(tx, alice.id, NOW_MS, by=alice))
    with pytest.raises(InvalidInput) as last:
        database.write_here(lambda tx: disable(tx, alice.id, NOW_MS, by=bob))
    done = database.write_here(lambda tx: disable(tx, bob.id, NOW_MS, by=alice))
    by_operator = database.write_here(lambda tx: disable(tx, alice.id, NOW_MS))

    assert (own.value.reason, last.value.reason) == ("own_account", "last_admin")
    assert (done[1], by_operator[1]) == (True, True)
    database.close()


def test_rights_are_given_and_taken_but_for_the_last(tmp_path: Path) -> None:
    """A disabled account gets none."""
    database, alice, bob = two(tmp_path)

    def grant(account_id: int, *, is_admin: bool) -> bool:
        return database.write_here(lambda tx: set_admin(tx, account_id, is_admin=is_admin))[1]

    with pytest.raises(InvalidInput) as last:
        grant(alice.id, is_admin=False)
    done = [grant(bob.id, is_admin=True), grant(bob.id, is_admin=True), grant(alice.id, is_admin=False)]
    database.write_here(lambda tx: disable(tx, alice.id, NOW_MS))
    with pytest.raises(InvalidInput) as disabled:
        grant(alice.id, is_admin=True)
    with pytest.raises(NotFound):
        grant(99, is_admin=True)

    assert (last.value.reason, disabled.value.reason) == ("last_admin", "disabled")
    assert done == [True, False, True]
    database.close()


def test_an_account_comes_back_unless_its_address_is_taken(tmp_path: Path) -> None:
    """Doing it twice is no error."""
    database, _, bob = two(tmp_path)
    database.write_here(lambda tx: disable(tx, bob.id, NOW_MS))
    done = [database.write_here(lambda tx: enable(tx, bob.id)) for _ in range(2)]
    database.write_here(lambda tx: disable(tx, bob.id, NOW_MS))
    database.write_here(lambda tx: create_account(tx, name="Other", email="Bob@example.org", now_ms=NOW_MS))
    with pytest.raises(InvalidInput) as taken:
        database.write_here(lambda tx: enable(tx, bob.id))

    assert done == [(bob, True), (bob, False)]
    assert taken.value.reason == "email_taken"
    database.close()


def test_utc_is_known_everywhere() -> None:
    """Also where the system has no database of time zones."""
    assert "UTC" in known_timezones()
