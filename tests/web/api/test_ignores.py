"""Ignore rules over the API."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pagegrade.model.outcome import MAX_RULES, IgnoreRule, StoredIgnore
from pagegrade.store.repositories.decisions import add_ignore
from pagegrade.web.api.ignores import Ignore, ignore_object
from tests.store_builders import NOW_MS, add_owner
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

IGNORES = "/api/v1/ignores"
RULE: dict[str, Any] = {"check": "image-alt", "reason": "The banner is replaced in May."}


def test_a_rule_is_created_shown_listed_and_deleted(tmp_path: Path) -> None:
    """With the members that were sent, and who made it."""

    async def script(instance: Instance) -> list[httpx.Response]:
        sent = {**RULE, "project": "WWW.Example.com", "selector": ".banner", "url_pattern": "*.png", "places": 3}
        made = await instance.call("POST", IGNORES, json={**sent, "expires_at": "2999-01-02T03:04:05.678Z"})
        place = made.headers["location"].removeprefix(BASE_URL)
        tag = {"If-None-Match": made.headers["etag"]}
        return [
            made,
            await instance.call("GET", place),
            await instance.call("GET", place, headers=tag),
            await instance.call("GET", IGNORES),
            await instance.call("GET", f"{IGNORES}?check=title"),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, shown, same, listed, filtered, deleted, gone = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert [made.status_code, shown.status_code, same.status_code] == [201, 200, 304]
    assert shown.json()["data"] == data
    assert listed.json()["data"] == [data]
    assert filtered.json()["data"] == []
    assert (deleted.json()["deleted"], gone.status_code) == (True, 404)
    assert data | {"id": 1, "created_at": ""} == {
        "id": 1,
        "object": "ignore",
        "check": "image-alt",
        "report_id": None,
        "project": "example.com",
        "selector": ".banner",
        "url_pattern": "*.png",
        "state": None,
        "places": 3,
        "reason": "The banner is replaced in May.",
        "author": "Alice",
        "expires_at": "2999-01-02T03:04:05.678Z",
        "created_at": "",
    }


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"check": "image-alts"}, "check", "unknown"),
        ({"check": None}, "check", "required"),
        ({"reason": " "}, "reason", "required"),
        ({"reason": "x" * 501}, "reason", "too_long"),
        ({"selector": "a:hover"}, "selector", "invalid"),
        ({"selector": "x" * 501}, "selector", "too_long"),
        ({"url_pattern": "x" * 501}, "url_pattern", "too_long"),
        ({"state": "none"}, "state", "unknown"),
        ({"places": 0}, "places", "too_small"),
        ({"report_id": 4711}, "report_id", "unknown"),
        ({"report_id": 1, "project": "a.example"}, "project", "not_with_report_id"),
        ({"project": "//"}, "project", "invalid"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at", "past"),
        ({"expires_at": "tomorrow"}, "expires_at", "not_a_time"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, change: dict[str, Any], field: str, code: str) -> None:
    """Each field with its own code."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", IGNORES, json={**RULE, **change})

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 422
    assert [(one["field"], one["code"]) for one in answer.json()["violations"]] == [(field, code)]


def test_limits_are_where_they_are_said_to_be(tmp_path: Path) -> None:
    """The longest texts, and the last rule of an account."""

    async def script(instance: Instance) -> list[int]:
        longest = {**RULE, "reason": "x" * 500, "selector": "x" * 500, "url_pattern": "*" * 500}
        statuses = [(await instance.call("POST", IGNORES, json=longest)).status_code]

        def fill(tx: Any) -> None:
            for _ in range(MAX_RULES - 2):
                add_ignore(tx, instance.alice.id, IgnoreRule(check="title", reason="x"), report_id=None, now_ms=NOW_MS)

        instance.services.database.write_here(fill)
        statuses += [(await instance.call("POST", IGNORES, json=RULE)).status_code for _ in range(2)]
        return statuses

    assert with_instance(tmp_path, script) == [201, 201, 429]


def test_a_request_with_an_idempotency_key_makes_one_rule(tmp_path: Path) -> None:
    """And answers 410 once that is deleted."""

    async def script(instance: Instance) -> list[httpx.Response]:
        key = {"Idempotency-Key": "one"}
        made = [await instance.call("POST", IGNORES, json=RULE, headers=key) for _ in range(2)]
        made.append(await instance.call("POST", IGNORES, json={**RULE, "reason": "Other."}, headers=key))
        await instance.call("DELETE", f"{IGNORES}/1")
        made.append(await instance.call("POST", IGNORES, json=RULE, headers=key))
        return [*made, await instance.call("GET", IGNORES)]

    first, again, other, deleted, listed = with_instance(tmp_path, script)

    assert first.json()["data"] == again.json()["data"]
    assert again.headers["idempotency-replayed"] == "true"
    assert [other.status_code, deleted.status_code, listed.json()["meta"]["total"]] == [422, 410, 0]


def test_a_rule_for_a_report_remembers_how_bad_it_is(tmp_path: Path) -> None:
    """Its state and number of places, unless others are sent; reports of others are not there."""

    async def script(instance: Instance) -> list[httpx.Response]:
        report = await instance.create("https://example.com/")
        await instance.finish()
        results = (await instance.call("GET", f"{REPORTS}/{report['id']}")).json()["data"]["results"]
        check = next(name for name, one in results.items() if one["passed"] is False)
        rule = {"check": check, "reason": "Known.", "report_id": report["id"]}
        _, key = add_owner(instance.services.database, "Bob")
        made = [
            await instance.call("POST", IGNORES, json=rule),
            await instance.call("POST", IGNORES, json={**rule, "places": 9}),
            await instance.call("POST", IGNORES, json=rule, key=key),
        ]
        await instance.call("DELETE", f"{REPORTS}/{report['id']}")
        return [*made, await instance.call("GET", IGNORES)]

    own, chosen, foreign, left = with_instance(tmp_path, script)

    assert own.json()["data"]["state"]
    assert (chosen.json()["data"]["state"], chosen.json()["data"]["places"]) == (None, 9)
    assert foreign.status_code == 422
    assert left.json()["data"] == []


def test_rules_of_a_project_go_with_it(tmp_path: Path) -> None:
    """Those for the account stay."""

    async def script(instance: Instance) -> list[Any]:
        await instance.create("https://example.com/")
        for project in ("example.com", None):
            await instance.call("POST", IGNORES, json={**RULE, "project": project})
        await instance.call("DELETE", "/api/v1/projects/example.com")
        listed = await instance.call("GET", IGNORES)
        return [one["project"] for one in listed.json()["data"]]

    assert with_instance(tmp_path, script) == [None]


def test_what_a_rule_does_not_limit_is_null() -> None:
    """Every member of the description is there, in its order."""
    rule = IgnoreRule(id=12, check="image-alt", reason="Known.", author="Ann")
    members = msgspec.json.decode(ignore_object(StoredIgnore(rule=rule, report_id=None, created_at_ms=0)))

    assert list(members) == list(Ignore.__struct_encode_fields__)
    assert {name for name, value in members.items() if value is None} == {
        *("report_id", "project", "selector", "url_pattern", "state", "places", "expires_at"),
    }


def test_moments_are_in_utc_with_milliseconds() -> None:
    """As everywhere in the API."""
    moment = datetime(2027, 5, 1, 2, 3, 4, 5_000, tzinfo=UTC)
    rule = IgnoreRule(id=12, check="image-alt", reason="Known.", expires_at=moment)
    members = msgspec.json.decode(ignore_object(StoredIgnore(rule=rule, report_id=7, created_at_ms=1)))

    assert (members["expires_at"], members["created_at"]) == ("2027-05-01T02:03:04.005Z", "1970-01-01T00:00:00.001Z")
