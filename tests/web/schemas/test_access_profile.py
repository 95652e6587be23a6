from __future__ import annotations

import json

from pagegrade.model.access import StoredAccess
from pagegrade.web.schemas.access_profile import AccessProfile, access_profile_object


def test_the_object_has_the_described_members_and_no_secret() -> None:
    """Members without a value are null."""
    stored = StoredAccess(
        id=4,
        account_id=1,
        name="Staging",
        origins=("https://staging.example",),
        user="",
        has_password=False,
        headers=("X-Door",),
        cookies=(),
        query=(),
        user_agent="",
        certificates=("CN=Company",),
        sealed=b"n0t-Shown",
        created_at_ms=0,
        updated_at_ms=0,
        revision=1,
    )
    shown = json.loads(access_profile_object(stored))

    assert list(shown) == list(AccessProfile.model_fields)
    assert (shown["user"], shown["user_agent"], shown["password"]) == (None, None, False)
    assert "n0t-Shown" not in json.dumps(shown)
