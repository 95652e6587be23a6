"""The JSON object of an account."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from pagegrade.model.account import Account, Key, Usage
from pagegrade.service.options import ServiceOptions
from pagegrade.web.schemas.account import account_object
from tests.store_builders import NOW_MS


def test_an_account_has_its_limits_and_usage() -> None:
    """With the defaults of the installation where the account has none of its own."""
    account = Account(id=1, name='Ex"ample', email="owner@example.org", created_at_ms=NOW_MS)
    key = Key(id=3, account_id=1, name="ci", prefix="pgk_8Hs2", scopes=("reports:read",), created_at_ms=NOW_MS)
    usage = Usage(reports=118, projects=9, queued_runs=0, analyses_today=41, analyses_total=902, stored_bytes=7)
    shown = msgspec.json.decode(account_object(account, key, usage, ServiceOptions(max_reports=500)))
    own = msgspec.json.decode(account_object(replace(account, default_privacy=1), key, usage, ServiceOptions()))

    assert shown["name"] == 'Ex"ample'
    assert shown["plan"] == {"id": 1, "name": "self-hosted", "features": {"api": 1, "reports": 500}}
    assert shown["limits"] == {
        "requests_per_minute": 120, "analyses_per_minute": 30, "queued_runs": 1000, "reports": 500,
        "retention_days": None, "batch": 500,
    }  # fmt: skip
    assert shown["usage"]["analyses_total"] == 902
    assert shown["defaults"] == {"privacy": 0, "per_page": 10}
    assert shown["api_key"]["scopes"] == ["reports:read"]
    assert (shown["api_key"]["expires_at"], shown["created_at"]) == (None, "2026-01-01T00:00:00.000Z")
    assert (own["defaults"]["privacy"], own["plan"]["features"]["reports"]) == (1, -1)
