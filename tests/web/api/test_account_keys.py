"""Keys that keys make: with no more rights than their maker, and not beyond its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import DEFAULT_SCOPES
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts import own_keys
from tests.web.calling import Instance, with_instance

PATH: Final = "/api/v1/account/keys"
HOUR_MS: Final = 3_600_000


async def make_key(instance: Instance, key: str | None = "", **body: Any) -> httpx.Response:
    """Ask for a key, with the key of the instance unless another is given."""
    return await instance.call("POST", PATH, key=key, json={"name": "build", **body})


def test_a_made_key_works_and_cannot_make_others(tmp_path: Path) -> None:
    """It has the scopes of its maker but the one to make keys; its secret is in the first answer only."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await make_key(instance, project="https://www.example.com/")
        secret = made.json()["data"]["secret"]
        return [
            made,
            await instance.call("GET", "/api/v1/account", key=secret),
            await make_key(instance, key=secret),
            await instance.call("GET", f"{PATH}/{made.json()['data']['id']}"),
            await instance.call("GET", PATH),
        ]

    made, account, another, shown, listed = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert made.status_code == 201
    assert made.headers["cache-control"] == "no-store"
    assert data["scopes"] == [*DEFAULT_SCOPES, "access", "members"]
    assert (data["project"], data["made_by"]) == ("example.com", 1)
    assert account.json()["data"]["api_key"]["id"] == data["id"]
    assert (another.status_code, another.json()["code"]) == (403, "insufficient_scope")
    assert shown.json()["data"] == {name: value for name, value in data.items() if name != "secret"}
    assert [key["made_by"] for key in listed.json()["data"]] == [1, None]
    assert data["secret"] not in shown.text + listed.text


@pytest.mark.parametrize("scopes", [["keys"], ["reports:write"], ["reports:read", "monitors"], ["all"], []])
def test_no_scope_that_the_maker_lacks_is_passed_on(tmp_path: Path, scopes: list[str]) -> None:
    """Nor the one to make keys, nor none at all; the field is named."""

    async def script(instance: Instance) -> httpx.Response:
        return await make_key(instance, key=instance.add_key("reports:read", "keys"), scopes=scopes)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["scopes"])


@pytest.mark.parametrize(
    ("beyond_ms", "status"), [(None, 201), (-1, 201), (0, 201), (1, 422)], ids=["unsaid", "before", "same", "after"]
)
def test_a_made_key_expires_with_its_maker_at_the_latest(tmp_path: Path, beyond_ms: int | None, status: int) -> None:
    """Without a time of its own, at the same time."""
    last_ms = now_ms() + HOUR_MS

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        key = instance.add_key(expires_at_ms=last_ms)
        body = {} if beyond_ms is None else {"expires_at": timestamp(last_ms + beyond_ms)}
        return await make_key(instance, key=key, **body), await make_key(instance, expires_at="2020-01-01T00:00:00Z")

    answer, past = with_instance(tmp_path, script)

    data, errors = answer.json().get("data", {}), answer.json().get("errors", {})

    assert (answer.status_code, past.status_code) == (status, 422)
    assert data.get("expires_at") == (timestamp(last_ms + (beyond_ms or 0)) if status == 201 else None)
    assert list(errors) == ([] if status == 201 else ["expires_at"])


def test_revoking_a_key_revokes_what_it_made(tmp_path: Path) -> None:
    """At once, also by itself; a key that a person made goes on working."""

    async def script(instance: Instance) -> tuple[list[int], list[dict[str, Any]]]:
        maker = instance.add_key("reports:read", "keys")
        secrets = [(await make_key(instance, key=maker)).json()["data"]["secret"] for _ in range(2)]
        number = (await instance.call("GET", PATH, key=maker)).json()["data"][-1]["id"] + 1
        revoked = await instance.call("DELETE", f"{PATH}/{number}", key=maker)
        answers = [await instance.call("GET", "/api/v1/reports", key=key) for key in (maker, *secrets, "")]
        left = (await instance.call("GET", PATH)).json()["data"]
        return [revoked.status_code, *(each.status_code for each in answers)], left

    statuses, left = with_instance(tmp_path, script)

    assert statuses == [200, 401, 401, 401, 200]
    assert [key["id"] for key in left] == [1]


def test_there_is_an_end_to_how_many_keys_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one is made, the next is refused until one is revoked."""
    monkeypatch.setattr(own_keys, "MAX_KEYS", 3)

    async def script(instance: Instance) -> list[httpx.Response]:
        answers = [await make_key(instance) for _ in range(3)]
        await instance.call("DELETE", f"{PATH}/2")
        return [*answers, await make_key(instance)]

    answers = with_instance(tmp_path, script)

    assert [each.status_code for each in answers] == [201, 201, 429, 201]
    assert answers[2].json()["code"] == "quota_exceeded"


def test_a_repeated_request_does_not_show_the_secret_again(tmp_path: Path) -> None:
    """Only a hash of it is stored."""

    async def script(instance: Instance) -> list[httpx.Response]:
        headers = {"Idempotency-Key": "one"}
        body = {"name": "build"}
        return [await instance.call("POST", PATH, json=body, headers=headers) for _ in range(2)]

    first, second = (each.json()["data"] for each in with_instance(tmp_path, script))

    assert first["secret"].startswith("pgk_")
    assert second == {**first, "secret": None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x07b"}, "name"),
        ({"project": "///"}, "project"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, body: dict[str, str], field: str) -> None:
    """By its field."""

    async def script(instance: Instance) -> httpx.Response:
        return await make_key(instance, **body)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, list(answer.json()["errors"])) == (422, [field])
