"""Collections follow the conventions of the API, each by a row of a table: monitors, webhooks, keys and so on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.report.serialize import timestamp
from pagegrade.web.routes import ALL_OPERATIONS
from tests.web.calling import BASE_URL, Instance, with_instance

PREFIX: Final = "/api/v1"
COUNT: Final = 12
"""Items of a list: one more page than one of ten."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A list, and how one more item of it is made."""

    path: str
    make: str
    """Path that is posted to."""
    body: dict[str, Any] | None
    invalid: dict[str, Any] | None = None
    change: dict[str, Any] | None = None
    """A body for PUT; ``None``: items do not change."""
    existing: int = 0
    """Items that are there before one is made."""

    @property
    def is_whole(self) -> bool:
        """True if items are created, shown and deleted by themselves."""
        return self.body is not None


IGNORES: Final = Collection("/ignores", "/ignores", {"check": "image-alt", "reason": "Known."}, {"check": "none"})
MONITORS: Final = Collection(
    "/monitors", "/monitors", {"report_id": 1, "schedule": "daily"}, {"schedule": "often"}, {"paused": 1}
)
_SOON: Final = timestamp(now_ms() + 3_600_000)
SILENCES: Final = Collection(
    "/silences",
    "/silences",
    {"project": "example.com", "reason": "Move.", "until": _SOON},
    {"project": "example.com", "until": _SOON},
)
WEBHOOKS: Final = Collection(
    "/webhooks", "/webhooks", {"url": "https://hook.example/"}, {"url": "http://127.0.0.1/"}, {"disabled": 1}
)
DELIVERIES: Final = Collection("/webhooks/1/deliveries", "/webhooks/1/test", None)
KEYS: Final = Collection(
    "/account/keys", "/account/keys", {"name": "build"}, {"name": "build", "scopes": ["none"]}, existing=1
)
"""The key of the requests is one of them."""
INVITATIONS: Final = Collection(
    "/account/invitations", "/account/invitations", {"label": "Bob", "role": "editor"}, {"label": "Bob", "role": "boss"}
)
PROFILES: Final = Collection(
    "/access-profiles",
    "/access-profiles",
    {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"},
    {"name": "Staging", "origins": ["staging"], "user": "reader"},
    {"name": "Other"},
)
AUDITS: Final = Collection(
    "/audits",
    "/audits",
    {"url": "https://site.example/"},
    {"url": "https://site.example/", "max_pages": 0},
    {"paused": 1},
)
COLLECTIONS: Final = (IGNORES, MONITORS, SILENCES, WEBHOOKS, DELIVERIES, PROFILES, AUDITS, KEYS, INVITATIONS)
each_list = pytest.mark.parametrize("collection", COLLECTIONS, ids=lambda each: each.path)
each_whole = pytest.mark.parametrize(
    "collection", [each for each in COLLECTIONS if each.is_whole], ids=lambda each: each.path
)
each_changeable = pytest.mark.parametrize(
    "collection", [each for each in COLLECTIONS if each.change], ids=lambda each: each.path
)


async def make(instance: Instance, collection: Collection, **more: Any) -> httpx.Response:
    """One more item."""
    return await instance.call("POST", f"{PREFIX}{collection.make}", json=collection.body, **more)


def scripted(
    tmp_path: Path, collection: Collection, script: Callable[[Instance], Awaitable[list[httpx.Response]]], count: int
) -> list[httpx.Response]:
    """The answers of a script that finds a report, and so many items in the list."""

    async def whole(instance: Instance) -> list[httpx.Response]:
        await instance.create("https://example.com/")
        if not collection.is_whole:
            await make(instance, WEBHOOKS)
        for _ in range(count - collection.existing):
            made = await make(instance, collection)
            assert made.status_code in {201, 202}, made.text
        return await script(instance)

    return with_instance(tmp_path, whole)


def ids(answer: httpx.Response) -> list[int]:
    """Of the items of a list."""
    return [item["id"] for item in answer.json()["data"]]


def test_the_table_has_every_list_of_them() -> None:
    """A new list gets a row."""
    tags = {"Access profiles", "Audits", "Monitors", "Silences", "Webhooks", "Ignore rules", "Keys", "Invitations"}
    lists = {each.path for each in ALL_OPERATIONS if each.tag in tags and each.name.startswith("list_")}

    assert lists == {f"{PREFIX}{each.path}".replace("/1/", "/{id}/") for each in COLLECTIONS}


@each_list
def test_lists_are_walked_by_cursor(tmp_path: Path, collection: Collection) -> None:
    """None is missed or repeated while others are created; back again; counted where asked for."""
    path = f"{PREFIX}{collection.path}"

    async def script(instance: Instance) -> list[httpx.Response]:
        first = await instance.call("GET", f"{path}?cursor=&per_page=10")
        await make(instance, collection)
        second = await instance.call("GET", first.json()["links"]["next"].removeprefix(BASE_URL))
        back = await instance.call("GET", second.json()["links"]["prev"].removeprefix(BASE_URL))
        counted = await instance.call("GET", f"{path}?cursor=&count=1&per_page=25")
        return [first, second, back, counted]

    first, second, back, counted = scripted(tmp_path, collection, script, COUNT)

    assert (ids(first), ids(second)) == (list(range(12, 2, -1)), [2, 1])
    assert ids(back) == ids(first)
    assert second.json()["links"]["next"] is None
    assert back.json()["links"]["prev"] is not None
    assert "total" not in first.json()["meta"]
    assert (counted.json()["meta"]["total"], len(ids(counted))) == (13, 13)
    assert f'<{first.json()["links"]["next"]}>; rel="next"' in first.headers["link"]


@each_list
def test_lists_have_pages_and_tags(tmp_path: Path, collection: Collection) -> None:
    """Numbered pages go on working; a page that the client has is 304; what cannot be read is named."""
    path = f"{PREFIX}{collection.path}"

    async def script(instance: Instance) -> list[httpx.Response]:
        page = await instance.call("GET", f"{path}?page=2")
        walked = await instance.call("GET", f"{path}?cursor=")
        tags = [{"If-None-Match": each.headers["etag"]} for each in (page, walked)]
        return [
            page,
            await instance.call("GET", f"{path}?page=2", headers=tags[0]),
            await instance.call("GET", f"{path}?cursor=", headers=tags[1]),
            await instance.call("GET", f"{path}?cursor=&page=2"),
            await instance.call("GET", f"{path}?cursor=nonsense"),
            await instance.call("GET", f"{path}?per_page=7"),
        ]

    page, *same, both, unreadable, wrong = scripted(tmp_path, collection, script, COUNT)

    assert (ids(page), page.json()["meta"]["total"]) == ([2, 1], COUNT)
    assert [each.status_code for each in same] == [304, 304]
    assert [each.status_code for each in (both, unreadable, wrong)] == [422, 422, 422]
    assert [sorted(each.json()["errors"]) for each in (both, unreadable, wrong)] == [["page"], ["cursor"], ["per_page"]]


@each_whole
def test_a_repeated_creation_makes_one(tmp_path: Path, collection: Collection) -> None:
    """By its Idempotency-Key; another body is refused, and after the deletion the answer is that it is gone."""

    async def script(instance: Instance) -> list[httpx.Response]:
        key = {"Idempotency-Key": "one"}
        first, second = [await make(instance, collection, headers=key) for _ in range(2)]
        others = {
            "reason": "Other.",
            "label": "Other",
            "schedule": "weekly",
            "project": "example.org",
            "user": "other",
            "max_depth": 7,
        }
        changed = {**(collection.body or {}), **others}
        other = await instance.call("POST", f"{PREFIX}{collection.path}", json=changed, headers=key)
        listed = await instance.call("GET", f"{PREFIX}{collection.path}")
        await instance.call("DELETE", f"{PREFIX}{collection.path}/{new}")
        return [first, second, other, listed, await make(instance, collection, headers=key)]

    new = collection.existing + 1
    first, second, other, listed, gone = scripted(tmp_path, collection, script, 0)

    assert first.headers["location"] == f"{BASE_URL}{PREFIX}{collection.path}/{new}"
    assert (second.status_code, second.json()["data"]["id"]) == (201, new)
    assert second.headers["idempotency-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert ids(listed) == list(range(new, 0, -1))
    assert (gone.status_code, gone.json()["code"]) == (410, "report_deleted")


@each_whole
def test_items_have_tags_and_problems(tmp_path: Path, collection: Collection) -> None:
    """304 for what the client has; the same 404 for what is unknown and for what is another account's."""
    path = f"{PREFIX}{collection.path}"
    new = collection.existing + 1

    async def script(instance: Instance) -> list[httpx.Response]:
        shown = await instance.call("GET", f"{path}/{new}")
        bob = instance.add_bob()
        return [
            shown,
            await instance.call("GET", f"{path}/{new}", headers={"If-None-Match": shown.headers["etag"]}),
            await instance.call("POST", path, json=collection.invalid),
            await instance.call("GET", f"{path}/{new}", key=bob),
            await instance.call("DELETE", f"{path}/{new}", key=bob),
            await instance.call("GET", f"{path}/9"),
            await instance.call("GET", f"{path}/{'9' * 30}"),
            await instance.call("DELETE", f"{path}/{new}"),
        ]

    shown, same, invalid, *hidden, deleted = scripted(tmp_path, collection, script, new)

    assert (shown.status_code, same.status_code) == (200, 304)
    assert (invalid.status_code, invalid.json()["code"]) == (422, "validation_failed")
    assert invalid.json()["violations"]
    assert [each.status_code for each in hidden] == [404] * 4
    assert {each.headers["content-type"] for each in (invalid, *hidden)} == {"application/problem+json"}
    assert deleted.json() == {"id": new, "object": shown.json()["data"]["object"], "deleted": True, "status": 200}


@each_changeable
def test_a_change_needs_the_state_that_the_client_knows(tmp_path: Path, collection: Collection) -> None:
    """If the client names one: else 412 with the tag of now, and nothing changes. The description has it."""
    path = f"{PREFIX}{collection.path}/1"

    async def script(instance: Instance) -> list[httpx.Response]:
        before = (await instance.call("GET", path)).headers["etag"]
        changed = await instance.call("PUT", path, json=collection.change, headers={"If-Match": before})
        return [
            changed,
            await instance.call("PUT", path, json=collection.change, headers={"If-Match": before}),
            await instance.call("DELETE", path, headers={"If-Match": before}),
            await instance.call("PUT", path, json={}),
            await instance.call("GET", "/api/v1/openapi.json"),
            await instance.call("DELETE", path, headers={"If-Match": changed.headers["etag"]}),
        ]

    changed, *lost, nothing, described, deleted = scripted(tmp_path, collection, script, 1)
    operations = described.json()["paths"][f"{PREFIX}{collection.path}/{{id}}"]

    assert changed.status_code == 200
    assert [each.status_code for each in lost] == [412, 412]
    assert [each.headers["etag"] for each in lost] == [changed.headers["etag"]] * 2
    assert (nothing.status_code, nothing.headers["etag"]) == (200, changed.headers["etag"])
    assert all("412" in operations[method]["responses"] for method in ("put", "delete"))
    assert deleted.status_code == 200
