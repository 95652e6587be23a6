"""Access profiles over the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from pagegrade.model.access import StoredAccess
from pagegrade.web.api.access_profiles import AccessProfile, access_profile_object
from tests.web.calling import BASE_URL, Instance, with_instance

PROFILES = "/api/v1/access-profiles"
REPORTS = "/api/v1/reports"
STAGING: dict[str, Any] = {
    "name": "Staging",
    "origins": ["https://staging.example"],
    "user": "reader",
    "password": "n0t-Shown-1",
    "headers": ["X-Door: n0t-Shown-2"],
    "cookies": ["session=n0t-Shown-3"],
    "query": ["key=n0t-Shown-4"],
}


def test_a_profile_is_created_shown_listed_changed_and_deleted(tmp_path: Path) -> None:
    """And its secrets are in no answer."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", PROFILES, json=STAGING)
        place = made.headers["location"].removeprefix(BASE_URL)
        tag = made.headers["etag"]
        return [
            made,
            await instance.call("GET", place),
            await instance.call("GET", place, headers={"If-None-Match": tag}),
            await instance.call("GET", PROFILES),
            await instance.call("PUT", place, json={"headers": ["X-Other: n0t-Shown-5", "X-Door"]}),
            await instance.call("PUT", place, json={"name": "Other"}, headers={"If-Match": tag}),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, shown, same, listed, changed, lost, deleted, gone = answers = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert [each.status_code for each in answers] == [201, 200, 304, 200, 200, 412, 200, 404]
    assert data["origins"] == ["https://staging.example"]
    assert (data["user"], data["password"], data["headers"]) == ("reader", True, ["X-Door"])
    assert (data["cookies"], data["query"]) == (["session"], ["key"])
    assert shown.json()["data"] == data
    assert shown.headers["etag"] == made.headers["etag"]
    assert listed.json()["data"] == [data]
    assert changed.json()["data"]["headers"] == ["X-Other", "X-Door"]
    assert deleted.json()["deleted"] is True
    assert not any("n0t-Shown" in each.text for each in answers)
    assert same.content == b""
    assert lost.json()["code"] == "precondition_failed"
    assert gone.json()["code"] == "not_found"


def test_a_report_of_its_origin_is_private_unless_asked_for(tmp_path: Path) -> None:
    """With a warning either way; one without an access stays as it was."""

    async def script(instance: Instance) -> list[dict[str, Any]]:
        before = await instance.create("https://staging.example/before")
        made = await instance.call("POST", PROFILES, json=STAGING)
        found = [made.json(), (await instance.call("GET", f"{REPORTS}/{before['id']}")).json()]
        for more in ({}, {"privacy": 0}, {"access": "none"}, {"access": "1"}, {"access": "Staging"}):
            answer = await instance.call("POST", REPORTS, data={"url": "https://staging.example/x", **more})
            found.append(answer.json())
        return found

    made, before, default, public, none, by_id, by_name = with_instance(tmp_path, script)

    def seen(answer: dict[str, Any]) -> tuple[int, list[str]]:
        return answer["data"]["privacy"], [each["code"] for each in answer.get("warnings", [])]

    assert [each["code"] for each in made["warnings"]] == ["made_private"]
    assert before["data"]["privacy"] == 1
    assert seen(default) == (1, ["made_private"])
    assert seen(public) == (0, ["made_with_access"])
    assert seen(none) == (0, [])
    assert seen(by_id) == seen(by_name) == (1, ["made_private"])


def test_a_profile_that_is_not_for_the_url_is_refused(tmp_path: Path) -> None:
    """So is what is no profile, when a report is created and when it is changed."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.call("POST", PROFILES, json=STAGING)
        report = await instance.create("https://example.com/")
        place = f"{REPORTS}/{report['id']}"
        return [
            await instance.call("POST", REPORTS, data={"url": "https://example.com/", "access": "1"}),
            await instance.call("POST", REPORTS, data={"url": "https://staging.example/", "access": "7"}),
            await instance.call("POST", REPORTS, data={"url": "https://staging.example/", "access": "mine"}),
            await instance.call("PUT", place, data={"access": "1"}),
            await instance.call("PUT", place, data={"access": "none"}),
        ]

    *refused, changed = with_instance(tmp_path, script)

    assert [each.status_code for each in refused] == [422] * 4
    assert all(list(each.json()["errors"]) == ["access"] for each in refused)
    assert changed.status_code == 200


def test_a_key_needs_its_permission(tmp_path: Path) -> None:
    """It is none of those that a key has by default."""

    async def script(instance: Instance) -> httpx.Response:
        made = await instance.call("POST", "/api/v1/account/keys", json={"name": "ci", "scopes": ["reports:write"]})
        return await instance.call("GET", PROFILES, key=made.json()["data"]["secret"])

    refused = with_instance(tmp_path, script)

    assert refused.status_code == 403
    assert 'scope="access"' in refused.headers["www-authenticate"]


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

    assert list(shown) == list(AccessProfile.__struct_encode_fields__)
    assert (shown["user"], shown["user_agent"], shown["password"]) == (None, None, False)
    assert "n0t-Shown" not in json.dumps(shown)
