from __future__ import annotations

from pathlib import Path

import httpx

from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.routes import ALL_OPERATIONS
from tests.web.calling import BASE_URL, Instance, with_instance

PATH = "/api/v1/openapi.json"


def test_the_description_needs_no_key(tmp_path: Path) -> None:
    """Of this installation, without a key, and keep it for a while."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", PATH, key=None)

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 200
    assert answer.json() == build_openapi(ALL_OPERATIONS, base_url=BASE_URL)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "public, max-age=3600"


def test_an_unchanged_description_is_not_sent_again(tmp_path: Path) -> None:
    """By its entity tag, which another address changes."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        first = await instance.call("GET", PATH, key=None)
        return first, await instance.call("GET", PATH, key=None, headers={"If-None-Match": first.headers["etag"]})

    first, second = with_instance(tmp_path, script)
    other, _ = with_instance(tmp_path, script, base_url="https://other.example.org")

    assert second.status_code == 304
    assert second.content == b""
    assert second.headers["etag"] == first.headers["etag"] != other.headers["etag"]


def test_an_application_describes_what_it_can_do(tmp_path: Path) -> None:
    """Not what another one could."""
    few = [operation for operation in ALL_OPERATIONS if operation.tag == "Service"]

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", PATH, key=None)

    assert list(with_instance(tmp_path, script, operations=few).json()["paths"]) == [PATH]
