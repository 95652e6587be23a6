"""The JSON object of an account."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account, Key, Usage
from pagegrade.model.quotas import QUOTA_NAMES, MonthUsage, QuotaState
from pagegrade.service.options import ServiceOptions
from pagegrade.web.schemas.account import account_object
from tests.store_builders import NOW_MS


def test_an_account_has_its_limits_and_usage() -> None:
    """With the defaults of the installation where the account has none of its own."""
    account = Account(id=1, name='Ex"ample', email="owner@example.org", created_at_ms=NOW_MS)
    key = Key(id=3, account_id=1, name="ci", prefix="pgk_8Hs2", scopes=("reports:read",), created_at_ms=NOW_MS)
    usage = Usage(reports=118, projects=9, queued_runs=0, analyses_today=41, analyses_total=902, stored_bytes=7)
    quotas = [QuotaState(name=name, used=3, most=9) for name in QUOTA_NAMES if name != "reports"]
    reports = [QuotaState(name="reports", used=118, most=most) for most in (500, None)]
    months = (MonthUsage(202601, 5, 61_000, 7),)
    of_plan = replace(account, plan="agency", default_privacy=1)
    shown, own = (
        msgspec.json.decode(account_object(of, key, usage, ServiceOptions(), quotas=[*quotas, each], months=months))
        for of, each in zip((account, of_plan), reports, strict=True)
    )

    assert shown["name"] == 'Ex"ample'
    assert shown["plan"] == {"id": 1, "name": "self-hosted", "features": {"api": 1, "reports": 500}}
    assert shown["limits"] == {
        "requests_per_minute": 120, "analyses_per_minute": 30, "queued_runs": 1000, "reports": 500,
        "retention_days": None, "batch": 500, "analyses_per_month": 9, "browser_minutes_per_month": 9, "monitors": 9,
        "audits": 9, "audit_pages_per_month": 9, "stored_mb": 9,
    }  # fmt: skip
    assert own["plan"]["name"] == "agency"
    assert (shown["usage"]["reports"], shown["usage"]["analyses_per_month"]) == (118, 3)
    assert shown["usage"]["months"] == [{"month": "2026-01", "analyses": 5, "browser_seconds": 61, "audit_pages": 7}]
    assert shown["usage"]["analyses_total"] == 902
    assert shown["defaults"] == {"privacy": 0, "per_page": 10}
    assert shown["api_key"]["scopes"] == ["reports:read"]
    assert (shown["api_key"]["expires_at"], shown["created_at"]) == (None, "2026-01-01T00:00:00.000Z")
    assert (own["defaults"]["privacy"], own["plan"]["features"]["reports"]) == (1, -1)
