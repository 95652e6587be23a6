from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts import clean_label, create_account, disable
from pagegrade.store.accounts import list_accounts
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
    ("wrong", "told"),
    [
        ({"name": ""}, "1 to 200 characters"),
        ({"name": "x" * 201}, "1 to 200 characters"),
        ({"name": "bell\x07"}, "control"),
        ({"email": "nobody"}, "'nobody' is no e-mail"),
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
def test_what_cannot_be_used_is_refused(tmp_path: Path, wrong: dict[str, str], told: str) -> None:
    """With what was wrong, and nothing is stored."""
    database = make_database(tmp_path)
    values = {"name": "Alice", "email": "alice@example.org", **wrong}

    with pytest.raises(InvalidInput, match=told):
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
