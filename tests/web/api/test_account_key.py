"""The JSON object of a key."""

from __future__ import annotations

import msgspec

from pagegrade.model.account import Key
from pagegrade.web.api.account import ListedKey, MadeKey, api_key, key_object, made_key_object

KEY = Key(id=3, account_id=1, name="ci", prefix="pgk_8Hs2", scopes=("reports:read",), created_at_ms=1, made_by=2)


def test_a_key_has_the_members_of_its_description() -> None:
    """Its secret is there only where it is given, and its account nowhere."""
    listed = msgspec.json.decode(key_object(KEY))
    made = msgspec.json.decode(made_key_object(KEY, "pgk_secret"))

    assert set(listed) == set(ListedKey.__struct_encode_fields__)
    assert set(made) == set(MadeKey.__struct_encode_fields__)
    assert (listed["made_by"], made["secret"]) == (2, "pgk_secret")


def test_a_key_without_end_or_use_has_null_for_them() -> None:
    """Not the year 1970."""
    assert (api_key(KEY).expires_at, api_key(KEY).last_used_at) == (None, None)
