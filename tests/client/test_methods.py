"""Every operation of the API has its method, with an argument for everything that can be sent."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx2
import pytest

from devtools.gen_client import VERBS, Method, read_methods
from pagegrade.client import AsyncClient, Client, NotFound, StillRunning
from pagegrade.client.methods import SyncMethods
from pagegrade.client.operations import OPERATIONS
from pagegrade.web.app import Routes
from pagegrade.web.operations import Operation
from pagegrade.web.routes import ALL_OPERATIONS, describe_api
from tests.web.calling import BASE_URL, Instance, make_instance

DESCRIPTION = json.loads(describe_api())
DECLARED = read_methods(DESCRIPTION)
ROUTES = Routes(ALL_OPERATIONS)
BY_NAME: Mapping[str, Operation] = {operation.name: operation for operation in ALL_OPERATIONS}


def first_value(kind: str) -> Any:
    """A value of a type as it is written in a signature."""
    first = kind.split(" | ", maxsplit=1)[0]
    if first.startswith("Literal["):
        return json.loads(first.removeprefix("Literal[").split(",")[0].rstrip("]").replace("'", '"'))
    return {"str": "one two/3", "int": 7, "float": 0.5, "bool": True, "list[str]": ["a", "b"]}[first]


def test_every_operation_of_the_description_has_a_method() -> None:
    """An operation without one could only be reached by hand."""
    operations = {
        operation["operationId"]
        for item in DESCRIPTION["paths"].values()
        for verb, operation in item.items()
        if verb in VERBS
    }

    assert sorted(name for name in operations if not hasattr(Client, name)) == []
    assert sorted(name for name in operations if not hasattr(AsyncClient, name)) == []
    assert set(OPERATIONS) == operations


def test_both_clients_have_the_same_methods() -> None:
    """A script and a service can do the same."""
    for name, method in inspect.getmembers(SyncMethods, inspect.isfunction):
        other = getattr(AsyncClient, name)

        assert inspect.signature(method).parameters == inspect.signature(other).parameters, name


@pytest.mark.parametrize("method", DECLARED, ids=lambda method: method.name)
def test_a_method_sends_all_its_arguments_to_its_operation(method: Method) -> None:
    """Path, query, body and headers, each under the name that the API knows."""
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={"data": [], "links": {"next": None}})

    values = {argument.name: first_value(argument.type) for argument in method.arguments}
    with Client("http://localhost", "pgk_x", transport=httpx2.MockTransport(answer)) as client:
        getattr(client, method.name)(**values)
    found = ROUTES.find(sent[0].url.raw_path.decode().partition("?")[0])
    body = sent[0].content.decode()
    fields = json.loads(body) if method.body == "application/json" else dict(parse_qsl(body))
    query = dict(parse_qsl(sent[0].url.query.decode()))

    assert found is not None
    assert found[0].operations[sent[0].method] is BY_NAME[method.name]
    assert found[1] == {one.sent_as: str(values[one.name]) for one in method.arguments if one.place == "path"}
    assert query == {one.sent_as: str(values[one.name]) for one in method.arguments if one.place == "query"}
    assert {name: str(value) for name, value in fields.items()} == {
        one.sent_as: str(values[one.name]) for one in method.arguments if one.place == "body"
    }
    assert all(
        str(values[one.name]) in sent[0].headers[one.sent_as] for one in method.arguments if one.place == "header"
    )
    assert sent[0].headers["authorization"] == "Bearer pgk_x"


@pytest.mark.parametrize("method", [one for one in DECLARED if one.pages], ids=lambda method: method.name)
def test_a_list_is_iterated_by_the_links_of_its_pages(method: Method) -> None:
    """From the first page to the one that has no next."""
    asked: list[dict[str, str]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(dict(parse_qsl(request.url.query.decode(), keep_blank_values=True)))
        following = None if len(asked) == 2 else f"https://elsewhere.example{request.url.path}?page=2&cursor=abc"
        return httpx2.Response(200, json={"data": [len(asked)], "links": {"next": following}})

    required = {argument.name: first_value(argument.type) for argument in method.arguments if argument.required}
    with Client("http://localhost", "pgk_x", transport=httpx2.MockTransport(answer)) as client:
        items = list(getattr(client, method.name.replace("list_", "iterate_"))(**required))

    assert items == [1, 2]
    assert asked == [{"cursor": ""} if method.cursor else {}, {"page": "2", "cursor": "abc"}]


def test_what_is_not_given_is_not_sent() -> None:
    """The defaults are those of the service."""
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(200, json={"data": {}})

    with Client("http://localhost", transport=httpx2.MockTransport(answer)) as client:
        client.create_report("https://example.com/")
        client.patch_report(7, password=None)

    assert sent[0].content == b"url=https%3A%2F%2Fexample.com%2F"
    assert "prefer" not in sent[0].headers
    assert "authorization" not in sent[0].headers
    assert json.loads(sent[1].content) == {"password": None}


def client_of(instance: Instance) -> AsyncClient:
    """A client of the application."""
    return AsyncClient(BASE_URL, instance.key, transport=httpx2.ASGITransport(app=instance.app))


def test_a_report_is_created_awaited_listed_compared_and_deleted(tmp_path: Path) -> None:
    """The whole life of a report, by methods only."""

    async def life() -> None:
        async with make_instance(tmp_path) as instance, client_of(instance) as client:
            report = await client.create_report("https://example.com/", privacy=1)
            with pytest.raises(StillRunning):
                await client.wait_for_report(report["id"], limit_s=0)
            await instance.finish()
            finished = await client.wait_for_report(report["id"])
            await client.update_report(report["id"], results=1)
            await instance.finish()
            listed = [one["id"] async for one in client.iterate_reports(sort="asc", per_page=10)]
            runs = [one["number"] async for one in client.iterate_runs(report["id"])]
            compared = await client.compare_runs(report["id"], from_=1, to=2)
            sarif = await client.show_report_file(report["id"], "sarif")
            gone = await client.delete_report(report["id"])
            with pytest.raises(NotFound) as caught:
                await client.show_report(report["id"])

            assert report["state"] == "queued"
            assert finished["state"] == "completed"
            assert listed == [report["id"]]
            assert runs == [2, 1]
            assert (compared["from"], compared["to"]) == (1, 2)
            assert sarif.startswith(b"{")
            assert gone["deleted"]
            assert caught.value.code == "not_found"
            assert caught.value.problem["type"] == f"{BASE_URL}/problems/not-found"

    asyncio.run(life())
