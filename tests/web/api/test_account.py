from __future__ import annotations

from pathlib import Path

import httpx
import msgspec
from msgspec.structs import replace

from pagegrade.clock import now_ms
from pagegrade.model.account import QUOTA_NAMES, SCOPES, Account, Key, MonthUsage, QuotaState, Usage, month_of
from pagegrade.service.options import ServiceOptions
from pagegrade.web.api.account import AccountAnswer, account_object
from tests.api_shapes import assert_described
from tests.store_builders import NOW_MS
from tests.web.calling import Instance, with_instance

PATH = "/api/v1/account"


def test_the_account_is_shown(tmp_path: Path) -> None:
    """With what it may use, has used, and the key that was sent; as it is described."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        await instance.finish()
        await instance.create("https://other.example/")
        return await instance.call("GET", PATH)

    answer = with_instance(tmp_path, script, max_reports=7, requests_per_minute=99)
    data = answer.json()["data"]
    month = str(month_of(now_ms()))
    stored_bytes = data["usage"].pop("stored_bytes")

    assert stored_bytes > 0
    assert answer.status_code == answer.json()["status"] == 200
    assert_described(AccountAnswer, answer.json())

    assert (data["object"], data["name"], data["email"]) == ("account", "Alice", "alice@example.org")
    assert data["limits"]["reports"] == 7
    assert data["limits"]["requests_per_minute"] == 99
    assert data["usage"] == {
        "reports": 2,
        "projects": 2,
        "queued_runs": 1,
        "analyses_today": 1,
        "analyses_total": 1,
        "analyses_per_month": 2,
        "browser_minutes_per_month": 0,
        "monitors": 0,
        "audits": 0,
        "audit_pages_per_month": 0,
        "stored_mb": 0,
        "months": [{"month": f"{month[:4]}-{month[4:]}", "analyses": 2, "browser_seconds": 0, "audit_pages": 0}],
    }
    assert data["api_key"]["scopes"] == list(SCOPES)


def test_no_secret_of_a_key_is_shown(tmp_path: Path) -> None:
    """Only its first characters, to recognise it by."""

    async def script(instance: Instance) -> tuple[str, httpx.Response]:
        return instance.key, await instance.call("GET", PATH)

    key, answer = with_instance(tmp_path, script)

    assert key not in answer.text
    assert answer.json()["data"]["api_key"]["prefix"] == key[:12]


def test_bob_sees_his_own_account(tmp_path: Path) -> None:
    """There is no way to name another one."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        return await instance.call("GET", f"{PATH}?id=1", key=instance.add_bob())

    data = with_instance(tmp_path, script).json()["data"]

    assert (data["name"], data["usage"]["reports"]) == ("Bob", 0)


def test_an_unchanged_account_is_not_sent_again(tmp_path: Path) -> None:
    """Until something about it changes."""

    async def script(instance: Instance) -> list[int]:
        etag = (await instance.call("GET", PATH)).headers["etag"]
        same = await instance.call("GET", PATH, headers={"If-None-Match": etag})
        await instance.create()
        changed = await instance.call("GET", PATH, headers={"If-None-Match": etag})
        return [same.status_code, changed.status_code]

    assert with_instance(tmp_path, script) == [304, 200]


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
