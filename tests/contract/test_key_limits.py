"""Limits of keys, over every operation of the table: scopes, and a single project."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from pagegrade.model.account import SCOPES
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.audit_builders import claim, fill
from tests.web.calling import Instance, with_instance

LIMITED: Final = tuple(one for one in ALL_OPERATIONS if one.tag != PAGES and one.scope is not None)
"""Operations that need a key."""
FOR_PROJECTS: Final = tuple(one for one in LIMITED if one.for_projects)
OBJECTS: Final = tuple(one for one in FOR_PROJECTS if "{" in one.path)
"""Operations on one object of a project."""
WITHOUT_OBJECTS: Final = {"answer_agent", "show_account"}
"""Operations that a key of a project may use and that show nothing of a project themselves; tools call others."""
CREATES: Final[Mapping[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "create_report": ({"data": {"url": "https://own.example/new"}}, {"data": {"url": "https://other.example/new"}}),
    "create_ignore": (
        {"json": {"check": "image-alt", "reason": "Known.", "project": "own.example"}},
        {"json": {"check": "image-alt", "reason": "Known.", "project": "other.example"}},
    ),
    "create_access_profile": (
        {"json": {"name": "Own", "origins": ["https://own.example"], "user": "reader"}},
        {"json": {"name": "Other", "origins": ["https://own.example", "https://other.example"], "user": "reader"}},
    ),
    "create_audit": ({"json": {"url": "https://own.example/"}}, {"json": {"url": "https://other.example/"}}),
}
"""Operations that create something -> requests for the project of the key, and for another one."""


async def world(instance: Instance) -> dict[str, dict[str, Any]]:
    """Objects of two projects: a report with two runs, a rule, an access profile, and an audit with two crawls."""
    found: dict[str, dict[str, Any]] = {}
    for name in ("own", "other"):
        report = await instance.create(f"https://{name}.example/")
        await instance.finish()
        await instance.call("PUT", f"/api/v1/reports/{report['id']}", data={"results": 1})
        await instance.finish()
        rule = {"check": "image-alt", "reason": "Known.", "report_id": report["id"]}
        ignore = (await instance.call("POST", "/api/v1/ignores", json=rule)).json()["data"]
        await instance.call("PUT", f"/api/v1/reports/{report['id']}/criteria/1.4.5", json={"outcome": "passed"})
        # Of another origin than the report, which stays as it is.
        access = {"name": name, "origins": [f"http://{name}.example"], "user": "reader"}
        profile = (await instance.call("POST", "/api/v1/access-profiles", json=access)).json()["data"]
        audit = (await instance.call("POST", "/api/v1/audits", json={"url": f"https://{name}.example/"})).json()["data"]
        # Crawled twice, so that there is something to compare.
        for again in (0, 1):
            await instance.call("PUT", f"/api/v1/audits/{audit['id']}", json={"results": again})
            crawl = await asyncio.to_thread(claim, instance.services.database, account_crawls=2)
            await asyncio.to_thread(fill, instance.services.database, crawl)
        found[name] = {
            "audit": audit["id"],
            "id": report["id"],
            "ignore": ignore["id"],
            "profile": profile["id"],
            "project": f"{name}.example",
        }
    await instance.call("POST", "/api/v1/ignores", json={"check": "image-alt", "reason": "All."})
    return found


def filled(operation: Operation, objects: Mapping[str, Any]) -> str:
    """The path of an operation with the number of an object of a project."""
    kinds = {"/api/v1/ignores": "ignore", "/api/v1/access-profiles": "profile", "/api/v1/audits": "audit"}
    kind = next((kinds[path] for path in kinds if operation.path.startswith(path)), "id")
    number = objects.get(kind, objects["id"])
    values = {"id": number, "project": objects["project"], "number": 1, "picture": "viewport", "criterion": "1.4.5"}
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], 1)), operation.path)


def test_a_key_without_the_scope_of_an_operation_is_refused(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Whatever else it may do."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        return [
            (
                operation,
                await instance.call(
                    operation.method,
                    filled(operation, {"id": 1, "ignore": 1, "project": "a"}),
                    key=instance.add_key(*(scope for scope in SCOPES if scope != operation.scope)),
                ),
            )
            for operation in LIMITED
        ]

    for operation, answer in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            assert operation.scope in SCOPES
            assert answer.status_code == 403
            assert f'scope="{operation.scope}"' in answer.headers["www-authenticate"]


def test_a_key_of_a_project_is_refused_where_whole_accounts_are_meant(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """An operation must declare that its use cases look at the project."""

    async def script(instance: Instance) -> list[tuple[Operation, httpx.Response]]:
        key = instance.add_key(project="own.example")
        objects = {"id": 1, "ignore": 1, "project": "a"}
        return [
            (operation, await instance.call(operation.method, filled(operation, objects), key=key))
            for operation in LIMITED
            if not operation.for_projects
        ]

    for operation, answer in with_instance(tmp_path, script):
        with subtests.test(operation=operation.name):
            assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")
            assert "own.example" in answer.json()["detail"]


@pytest.mark.parametrize("operation", OBJECTS, ids=lambda operation: operation.name)
def test_an_object_of_another_project_is_not_there(tmp_path: Path, operation: Operation) -> None:
    """As one that never was; the key does with its own what an unlimited key does."""

    async def script(instance: Instance) -> tuple[httpx.Response, ...]:
        objects = await world(instance)
        key = instance.add_key(project="own.example")
        nothing = {"id": 10**6, "ignore": 10**6, "project": "nothing.example"}
        fields = {"privacy": 1, "outcome": "passed", "tags": "spring"}
        sent: dict[str, Any] = {"data": fields} if operation.method in {"PUT", "POST"} else {}
        sent = {"json": {"privacy": 1}} if operation.method == "PATCH" else sent
        calls = ((objects["other"], key), (nothing, key), (objects["other"], ""), (objects["own"], key))
        paths = [(filled(operation, found), secret) for found, secret in calls]
        return tuple([await instance.call(operation.method, path, key=secret, **sent) for path, secret in paths])

    other, nothing, unlimited, own = with_instance(tmp_path, script)
    without = {"instance", "request_id"}
    refused, unknown = (
        {name: value for name, value in one.json().items() if name not in without} for one in (other, nothing)
    )

    assert other.status_code == 404
    assert refused == unknown
    assert own.status_code == unlimited.status_code
    assert own.status_code == 200 or operation.name == "show_picture"


@pytest.mark.parametrize(
    "operation",
    [one for one in FOR_PROJECTS if one.method == "GET" and one not in OBJECTS and one.name not in WITHOUT_OBJECTS],
    ids=lambda operation: operation.name,
)
@pytest.mark.parametrize("query", ["", "?project=other.example", "?cursor=", "?page=2"])
def test_a_list_has_objects_of_the_project_only(tmp_path: Path, operation: Operation, query: str) -> None:
    """And counts no others."""

    async def script(instance: Instance) -> tuple[httpx.Response, dict[str, dict[str, Any]]]:
        objects = await world(instance)
        return await instance.call("GET", operation.path + query, key=instance.add_key(project="own.example")), objects

    answer, objects = with_instance(tmp_path, script)
    found = [str(item.get("id", item.get("project"))) for item in answer.json()["data"]]
    own = {str(value) for value in objects["own"].values()}
    nothing = query == "?page=2" or (query.startswith("?project") and operation.name in {"list_reports", "list_audits"})

    assert answer.status_code == 200
    assert set(found) <= own
    assert len(found) == (0 if nothing else 1)
    assert answer.json()["meta"].get("total", 1) == (0 if "project=" in query and nothing else 1)


@pytest.mark.parametrize(
    "operation",
    [one for one in FOR_PROJECTS if one.method == "POST" and one not in OBJECTS and one.name not in WITHOUT_OBJECTS],
    ids=lambda operation: operation.name,
)
def test_nothing_is_created_in_another_project(tmp_path: Path, operation: Operation) -> None:
    """In the project of the key it is."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response, httpx.Response]:
        key = instance.add_key(project="own.example")
        own, other = CREATES[operation.name]
        made = await instance.call("POST", operation.path, key=key, **own)
        refused = await instance.call("POST", operation.path, key=key, **other)
        return made, refused, await instance.call("GET", operation.path)

    made, refused, listed = with_instance(tmp_path, script)

    assert made.status_code == 201
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_scope")
    assert listed.json()["meta"]["total"] == 1


def test_a_rule_for_the_whole_account_needs_a_key_of_the_whole_account(tmp_path: Path) -> None:
    """It would hide findings of other projects."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        objects = await world(instance)
        key = instance.add_key(project="own.example")
        rule = {"check": "image-alt", "reason": "Known."}
        everywhere = await instance.call("POST", "/api/v1/ignores", key=key, json=rule)
        foreign = {**rule, "report_id": objects["other"]["id"]}
        return everywhere, await instance.call("POST", "/api/v1/ignores", key=key, json=foreign)

    everywhere, foreign = with_instance(tmp_path, script)

    assert everywhere.status_code == 403
    assert foreign.status_code == 422


def test_the_account_names_the_project_of_the_key(tmp_path: Path) -> None:
    """A program can find out why it sees little."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/api/v1/account", key=instance.add_key(project="own.example"))

    key = with_instance(tmp_path, script).json()["data"]["api_key"]

    assert key["project"] == "own.example"
    assert key["scopes"] == list(SCOPES)
