from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.web.api.checks import CheckAnswer, CheckList
from tests.api_shapes import assert_described
from tests.web.calling import Instance, with_instance

PATH = "/api/v1/checks"


def test_the_catalogue_is_public_and_whole(tmp_path: Path) -> None:
    """Every check in its order, as it is described, without a key."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", PATH, key=None)

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 200
    assert_described(CheckList, answer.json())

    assert [entry["id"] for entry in answer.json()["data"]] == list(all_checks())
    assert answer.json()["meta"]["total"] == len(all_checks())
    assert answer.headers["cache-control"].startswith("public")


def test_checks_of_a_site_are_a_catalogue_of_their_own(tmp_path: Path) -> None:
    """In the same shape, with what each is not evaluated without."""

    async def script(instance: Instance) -> list[httpx.Response]:
        return [
            await instance.call("GET", f"{PATH}{path}", key=None) for path in ("?of=site", "/orphan-pages", "/site")
        ]

    listed, shown, none = with_instance(tmp_path, script)
    assert_described(CheckList, listed.json())
    assert_described(CheckAnswer, shown.json())

    assert [entry["id"] for entry in listed.json()["data"]] == list(all_site_checks())
    assert {entry["category"] for entry in listed.json()["data"]} == {"site"}
    assert shown.json()["data"]["requires"] == ["complete", "sitemap"]
    assert none.status_code == 404


def test_a_check_is_shown_with_its_documentation(tmp_path: Path) -> None:
    """Each of its sections."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", f"{PATH}/title", key=None)

    answer = with_instance(tmp_path, script)

    assert_described(CheckAnswer, answer.json())

    assert answer.json()["data"]["id"] == "title"
    assert all(answer.json()["data"]["documentation"].values())


@pytest.mark.parametrize("name", ["nothing", "Title", "title%00", "None", "%2e%2e"])
def test_there_is_no_other_check(tmp_path: Path, name: str) -> None:
    """Names are exact."""

    async def script(instance: Instance) -> int:
        return (await instance.call("GET", f"{PATH}/{name}", key=None)).status_code

    assert with_instance(tmp_path, script) == 404


def test_an_unchanged_catalogue_is_not_sent_again(tmp_path: Path) -> None:
    """It changes with releases only."""

    async def script(instance: Instance) -> httpx.Response:
        etag = (await instance.call("GET", PATH, key=None)).headers["etag"]
        return await instance.call("GET", PATH, key=None, headers={"If-None-Match": f"W/{etag}"})

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.content) == (304, b"")
    assert "content-type" not in answer.headers
