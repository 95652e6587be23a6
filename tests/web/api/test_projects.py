from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pagegrade.service.reports import projects as service
from pagegrade.service.reports.projects import ProjectSize
from pagegrade.web.api.projects import DeletedProject, ProjectAnswer, ProjectList, project_object
from tests.api_shapes import assert_described
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

PATH = "/api/v1/projects"


async def fill(instance: Instance) -> None:
    """Three reports of Alice on two hosts."""
    for url in ("https://www.example.com/", "https://example.com/b", "http://example.com:8080/"):
        await instance.create(url)


def test_projects_are_listed_by_name(tmp_path: Path) -> None:
    """With their counts, in pages, and as they are described."""

    async def script(instance: Instance) -> httpx.Response:
        await fill(instance)
        return await instance.call("GET", f"{PATH}?per_page=25")

    answer = with_instance(tmp_path, script)
    body: dict[str, Any] = answer.json()

    assert_described(ProjectList, body)

    assert [(item["project"], item["reports"]) for item in body["data"]] == [
        ("example.com", 2),
        ("example.com:8080", 1),
    ]
    assert body["meta"]["total"] == 2
    assert body["links"]["first"] == f"{BASE_URL}{PATH}?per_page=25&page=1"
    assert 'rel="first"' in answer.headers["link"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("example.com", ("example.com", 2)),
        ("WWW.Example.COM", ("example.com", 2)),
        ("example.com:8080", ("example.com:8080", 1)),
        ("example.com%3A8080", ("example.com:8080", 1)),
        ("https%3A%2F%2Fexample.com%2Fx", ("example.com", 2)),
    ],
)
def test_a_project_is_known_in_every_spelling(tmp_path: Path, typed: str, expected: tuple[str, int]) -> None:
    """As the filter of the list knows it."""

    async def script(instance: Instance) -> httpx.Response:
        await fill(instance)
        return await instance.call("GET", f"{PATH}/{typed}")

    answer = with_instance(tmp_path, script)
    data = answer.json()["data"]

    assert_described(ProjectAnswer, answer.json())

    assert (data["project"], data["reports"]) == expected


@pytest.mark.parametrize("typed", ["other.example", "%00", "..", "%20", "a" * 5_000])
def test_there_is_no_other_project(tmp_path: Path, typed: str) -> None:
    """404 for reading and for deleting."""

    async def script(instance: Instance) -> list[int]:
        await fill(instance)
        return [(await instance.call(method, f"{PATH}/{typed}")).status_code for method in ("GET", "DELETE")]

    assert with_instance(tmp_path, script) == [404, 404]


def test_bob_has_projects_of_his_own(tmp_path: Path) -> None:
    """The same host is another project for him; deleting it does nothing to Alice."""

    async def script(instance: Instance) -> list[Any]:
        await fill(instance)
        bob = instance.add_bob()
        return [
            (await instance.call("GET", PATH, key=bob)).json()["data"],
            (await instance.call("GET", f"{PATH}/example.com", key=bob)).status_code,
            (await instance.call("DELETE", f"{PATH}/example.com", key=bob)).status_code,
            (await instance.call("GET", f"{PATH}/example.com")).json()["data"]["reports"],
        ]

    assert with_instance(tmp_path, script) == [[], 404, 404, 2]


def test_deleting_a_project_deletes_its_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, however many parts that takes, and no others."""
    monkeypatch.setattr(service, "DELETED_AT_ONCE", 1)
    monkeypatch.setattr(service.delete_project, "__kwdefaults__", {"limit": 1})

    async def script(instance: Instance) -> tuple[httpx.Response, list[str], int]:
        await fill(instance)
        gone = await instance.call("DELETE", f"{PATH}/www.example.com")
        left = (await instance.call("GET", REPORTS)).json()["data"]
        again = await instance.call("DELETE", f"{PATH}/example.com")
        return gone, [item["url"] for item in left], again.status_code

    gone, left, again = with_instance(tmp_path, script)

    assert_described(DeletedProject, gone.json())

    assert gone.json() == {
        "project": "example.com",
        "object": "project",
        "deleted": True,
        "reports": 2,
        "status": 200,
    }
    assert left == ["http://example.com:8080/"]
    assert again == 404


def test_a_project_has_a_name_and_a_number_of_reports() -> None:
    """A port that is not the scheme's own belongs to the name."""
    project = ProjectSize(name="example.com:8080", reports=4, tags=("shop",))

    assert msgspec.json.decode(project_object(project)) == {
        "object": "project", "project": "example.com:8080", "reports": 4, "tags": ["shop"]
    }  # fmt: skip


def test_projects_are_tagged_and_found_by_tag(tmp_path: Path) -> None:
    """In small letters, each once; the order and a search of the list go together with the tag."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        sent = {"tags": [" Client A", "shop", "SHOP"]}
        tagged = await instance.call("PUT", f"{PATH}/www.example.com", json=sent)
        both = await instance.call("GET", f"{PATH}?sort=desc")
        found = await instance.call("GET", f"{PATH}?tag=Client%20%20a&search=EXAMPLE&sort_by=score")
        none = await instance.call("GET", f"{PATH}?tag=shop&search=8080")
        removed = await instance.call("PUT", f"{PATH}/example.com", json={"tags": []})

        assert_described(ProjectAnswer, tagged.json())
        assert tagged.json()["data"]["tags"] == ["client a", "shop"]
        assert [each["project"] for each in both.json()["data"]] == ["example.com:8080", "example.com"]
        assert [each["project"] for each in found.json()["data"]] == ["example.com"]
        first = found.json()["links"]["first"]
        assert first.endswith("?search=EXAMPLE&tag=Client%20%20a&sort_by=score&per_page=10&page=1")
        assert none.json()["data"] == []
        assert removed.json()["data"]["tags"] == []

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({}, "required"),
        ({"tags": "a"}, "type"),
        ({"tags": [1]}, "type"),
        ({"tags": ["x" * 40] + [f"t{number}" for number in range(19)]}, "accepted"),
        ({"tags": [f"t{number}" for number in range(21)]}, "too_many"),
        ({"tags": ["x" * 41]}, "too_long"),
        ({"tags": ["a,b"]}, "invalid"),
    ],
)
def test_tags_have_limits(tmp_path: Path, sent: dict[str, Any], code: str) -> None:
    """At each of them, and one past it."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await instance.call("PUT", f"{PATH}/example.com", json=sent)

        found = [each["code"] for each in answer.json().get("violations", [{"code": "accepted"}])]
        assert found == [code], answer.text

    with_instance(tmp_path, script)
