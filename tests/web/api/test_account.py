from __future__ import annotations

from pathlib import Path

import httpx

from pagegrade.clock import now_ms
from pagegrade.model.account import SCOPES
from pagegrade.model.quotas import month_of
from pagegrade.web.schemas.account import AccountAnswer
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
    AccountAnswer.model_validate(answer.json())

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
