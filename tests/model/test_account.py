from __future__ import annotations

import pytest

from pagegrade.model.account import SCOPES, Account, Caller, Key

ALICE = Account(id=7, name="Alice", email="alice@example.org", created_at_ms=1)
KEY = Key(id=3, account_id=7, name="ci", prefix="pgk_8Hs2", scopes=SCOPES, created_at_ms=1)


def test_keys_are_counted_each_for_itself_and_people_as_their_account() -> None:
    """An account and a key of the same number are not the same."""
    assert Caller(account=ALICE, key=KEY).identity == "3"
    assert Caller(account=ALICE).identity == "account 7"


def test_a_person_has_no_key_to_show() -> None:
    """If every operation needs a key, asking for it is a fault of ours."""
    assert Caller(account=ALICE, key=KEY).api_key == KEY
    with pytest.raises(RuntimeError):
        _ = Caller(account=ALICE).api_key
