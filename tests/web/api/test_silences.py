"""Silences over the API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from pagegrade.clock import now_ms
from pagegrade.report.serialize import timestamp
from tests.web.calling import BASE_URL, Instance, with_instance

SILENCES = "/api/v1/silences"


def test_a_silence_is_begun_shown_listed_and_ended(tmp_path: Path) -> None:
    """Once with one idempotency key; wrong fields are named."""

    async def script(instance: Instance) -> list[httpx.Response]:
        body: dict[str, Any] = {"project": "example.com", "reason": "Move.", "until": timestamp(now_ms() + 60_000)}
        key = {"Idempotency-Key": "one"}
        made = [await instance.call("POST", SILENCES, json=body, headers=key) for _ in range(2)]
        place = made[0].headers["location"].removeprefix(BASE_URL)
        return [
            *made,
            await instance.call("GET", place),
            await instance.call("GET", SILENCES),
            await instance.call("POST", SILENCES, json={**body, "until": "2001-01-01T00:00:00Z"}),
            await instance.call("POST", SILENCES, json={"project": "example.com", "until": "later"}),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, again, shown, listed, past, wrong, ended, gone = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert [made.status_code, again.status_code, shown.status_code, ended.status_code] == [201, 201, 200, 200]
    assert (data["project"], data["monitor_id"]) == ("example.com", None)
    assert (data["reason"], data["author"]) == ("Move.", "test")
    assert again.json()["data"] == shown.json()["data"] == data
    assert listed.json()["data"] == [data]
    assert [(one["field"], one["code"]) for one in past.json()["violations"]] == [("until", "past")]
    assert {(one["field"], one["code"]) for one in wrong.json()["violations"]} == {
        ("reason", "required"),
        ("until", "not_a_time"),
    }
    assert gone.status_code == 404
