"""Helpers that calls about reports share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from pagegrade.model.errors import URLNotAllowed, ValidationFailed, Violation
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web import report_requests as module
from pagegrade.web.exchange import Exchange
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.parameters import CreateIgnoreBody, ReportListQuery
from pagegrade.web.report_requests import (
    delete_project_in_parts,
    evaluate_fields,
    has_left,
    list_query,
    read_rule,
    refuse_when_draining,
    typed_project,
    wait_until_finished,
)
from pagegrade.web.request import Request
from tests.waiting import pause_for
from tests.web.calling import Instance, with_instance

WRONG = Violation(field="privacy", place="body", code="not_in", message="No.")


def asked_for(**sent: str) -> ReportListQuery:
    """A query as it comes."""
    return read_fields(ReportListQuery, sent, "query")[0]


def refused() -> str:
    """Reading ends with an address that must not be contacted."""
    raise URLNotAllowed("No.", reason="port_not_allowed")


def test_a_query_becomes_a_list_of_the_account() -> None:
    """Results are kept as ratings."""
    asked = list_query(asked_for(search="x", result="bad", sort="asc", page="2", per_page="25"))

    assert (asked.search, asked.rating, asked.state) == ("x", 1, None)
    assert (asked.descending, asked.page, asked.per_page) == (False, 2, 25)
    assert list_query(asked_for()).rating is None


def test_what_can_be_read_is_handed_on() -> None:
    """Values without a fault."""
    assert evaluate_fields([], lambda: "read") == "read"


def test_everything_that_is_wrong_is_reported_at_once() -> None:
    """The kinds of the fields, and the faults of reading them; of one field the first."""

    def read() -> str:
        raise ValidationFailed([WRONG, Violation(field="url", place="body", code="empty", message="No.")])

    with pytest.raises(ValidationFailed) as caught:
        evaluate_fields([WRONG], read)

    assert [violation.field for violation in caught.value.violations] == ["privacy", "url"]


def test_an_address_that_is_all_that_is_wrong_keeps_its_error() -> None:
    """Together with others it is one of them."""
    with pytest.raises(URLNotAllowed):
        evaluate_fields([], refused)
    with pytest.raises(ValidationFailed) as caught:
        evaluate_fields([WRONG], refused)

    assert [violation.code for violation in caught.value.violations] == ["not_in", "port_not_allowed"]


def test_wrong_fields_are_reported_although_the_rest_can_be_read() -> None:
    """Nothing is made of half a form."""
    with pytest.raises(ValidationFailed):
        evaluate_fields([WRONG], lambda: "read")


async def begin(services: Services) -> Response:
    """Something new."""
    refuse_when_draining(services)
    return Response(status_code=200)


async def empty(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete a project."""
    await work.admit()
    return Response(
        status_code=200, content=str(await delete_project_in_parts(work, services, typed_project(request))).encode()
    )


OPERATIONS = (
    Operation(method="GET", path="/begin", name="begin", summary="Begin", handler=begin, tag=PAGES),
    Operation(
        method="GET", path="/empty/{project}", name="empty", summary="Empty", handler=empty, access="account", tag=PAGES
    ),
)


def test_a_process_that_stops_begins_nothing(tmp_path: Path) -> None:
    """The answer says when to try again."""

    async def script(instance: Instance) -> None:
        before = await instance.call("GET", "/begin", key=None)
        instance.services.draining = True
        after = await instance.call("GET", "/begin", key=None)

        assert (before.status_code, after.status_code) == (200, 503)
        assert after.headers["retry-after"] == "1"

    with_instance(tmp_path, script, operations=OPERATIONS)


def test_a_project_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    """Nor one that cannot be."""

    async def script(instance: Instance) -> None:
        for name in ("none.example", "%2F", "%22"):
            assert (await instance.page("GET", f"/empty/{name}")).status_code == 404

    with_instance(tmp_path, script, operations=OPERATIONS)


NOW_MS = 1_767_225_600_000


def body(**more: object) -> CreateIgnoreBody:
    """A body as it was read."""
    values: dict[str, Any] = {**dict.fromkeys(CreateIgnoreBody.model_fields), "check": "title", "reason": "later"}
    return CreateIgnoreBody.model_construct(None, **{**values, **more})


def test_a_rule_is_read_with_its_project_and_expiry() -> None:
    """The project as reports have it, the time with its zone."""
    rule = read_rule(body(project="HTTPS://Shop.Example/x", expires_at=NOW_MS + 1_500), [], NOW_MS)

    assert (rule.check, rule.reason, rule.project) == ("title", "later", "shop.example")
    assert rule.expires_at is not None
    assert rule.expires_at.timestamp() * 1000 == NOW_MS + 1_500


@pytest.mark.parametrize(
    ("more", "field", "code"),
    [
        ({"project": "a b"}, "project", "invalid"),
        ({"project": "shop.example", "report_id": 7}, "project", "not_with_report_id"),
        ({"expires_at": NOW_MS}, "expires_at", "past"),
        ({"check": "none"}, "check", "unknown"),
        ({"reason": ""}, "reason", "required"),
    ],
)
def test_what_cannot_be_used_is_named(more: dict[str, object], field: str, code: str) -> None:
    """By its field and a code."""
    with pytest.raises(ValidationFailed) as failed:
        read_rule(body(**more), [], NOW_MS)

    assert [(found.field, found.code) for found in failed.value.violations] == [(field, code)]


def test_a_field_that_was_refused_already_is_refused_once() -> None:
    """The first reason stands."""
    first = Violation(field="reason", place="body", code="too_long", message="At most 500 characters.")
    with pytest.raises(ValidationFailed) as failed:
        read_rule(body(reason=""), [first], NOW_MS)

    assert list(failed.value.violations) == [first]


class Client:
    """Says nothing until it hangs up."""

    def __init__(self) -> None:
        self.left = asyncio.Event()

    async def receive(self) -> MutableMapping[str, Any]:
        """The next event of the connection."""
        await self.left.wait()
        return {"type": "http.disconnect"}


class Quiet:
    """Notifies others, and hears nothing by itself."""

    def __init__(self, *, healthy: bool) -> None:
        self.healthy = healthy

    def send(self, report_id: int) -> None:
        """No process is there."""


def _ignore(report_id: int) -> None:
    """As in another process."""


async def an_exchange(instance: Instance, client: Client) -> Exchange:
    """A request of Alice, admitted."""
    headers = [(b"authorization", f"Bearer {instance.key}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers}
    exchange = Exchange(Request(scope, client.receive), instance.services)
    await exchange.work.admit()
    return exchange


async def waited(instance: Instance, seconds: float, *, leave_after: float | None = None) -> tuple[float, bool]:
    """(how long the wait for report 1 took, whether the client had gone)."""
    client = Client()
    exchange = await an_exchange(instance, client)
    if leave_after is not None:
        asyncio.get_running_loop().call_later(leave_after, client.left.set)
    started = time.monotonic()
    await wait_until_finished(exchange.request, exchange.work, exchange.services, 1, seconds)
    return time.monotonic() - started, exchange.request.gone


def test_a_finished_report_is_not_waited_for(tmp_path: Path) -> None:
    """A finished report, one that is gone, no time to wait, or a process that is about to stop."""

    async def script(instance: Instance) -> list[bool]:
        gone = await waited(instance, 30)
        await instance.create()
        none = await waited(instance, 0)
        instance.services.draining = True
        draining = await waited(instance, 30)
        instance.services.draining = False
        await instance.finish()
        finished = await waited(instance, 30)
        return [took < 15 for took, _ in (gone, none, draining, finished)]

    assert with_instance(tmp_path, script) == [True] * 4


def test_a_wait_ends_with_its_time(tmp_path: Path) -> None:
    """The report stays as it is."""

    async def script(instance: Instance) -> tuple[float, bool]:
        await instance.create()
        return await waited(instance, 0.1)

    took, gone = with_instance(tmp_path, script)

    assert took >= 0.1
    assert not gone


def test_a_wait_ends_when_it_is_notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before it would have looked by itself."""
    monkeypatch.setattr(module, "LOOK_EVERY_S", 60)

    async def script(instance: Instance) -> float:
        await instance.create()
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(waited(instance, 60))
            await instance.until_awaited()
            await instance.finish()
        return waiting.result()[0]

    assert with_instance(tmp_path, script) < 30


@pytest.mark.parametrize("is_shared", [False, True])
def test_a_wait_looks_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_shared: bool) -> None:
    """Another process may have finished the run without a notice here; or its notice does not arrive."""
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.02)

    async def script(instance: Instance) -> float:
        instance.services.changes.sender = Quiet(healthy=False) if is_shared else None
        await instance.create()
        instance.services.changes.notify = _ignore  # type: ignore[method-assign]
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(waited(instance, 60))
            await instance.until_awaited()
            await instance.finish()
        return waiting.result()[0]

    assert with_instance(tmp_path, script) < 30


def test_a_wait_ends_when_its_client_has_gone(tmp_path: Path) -> None:
    """The report is analyzed all the same."""

    async def script(instance: Instance) -> tuple[bool, bool, str]:
        await instance.create()
        took, gone = await waited(instance, 60, leave_after=0.05)
        state = (await instance.call("GET", "/api/v1/reports/1")).json()["data"]["state"]
        return took < 30, gone, state

    assert with_instance(tmp_path, script) == (True, True, "queued")


def test_a_client_that_left_is_noticed_without_waiting(tmp_path: Path) -> None:
    """One that is there has said nothing."""

    async def script(instance: Instance) -> list[bool]:
        client = Client()
        request = (await an_exchange(instance, client)).request
        before = await has_left(request)
        client.left.set()
        return [before, await has_left(request), request.gone]

    assert with_instance(tmp_path, script) == [False, True, True]


def test_a_wait_looks_seldom_while_others_are_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand waits would ask a thousand times a second; a notice of another process ends them at once."""
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(module, "LOOK_SELDOM_S", 600)

    async def script(instance: Instance) -> tuple[bool, float]:
        changes = instance.services.changes
        changes.sender = Quiet(healthy=True)
        await instance.create()
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(waited(instance, 600))
            await instance.until_awaited()
            changes.notify = _ignore  # type: ignore[method-assign]
            await instance.finish()
            await pause_for(0.2, "ten of the pauses after which it would look if it did not hear others")
            was_done = waiting.done()
            changes.hear((1,))
        return was_done, waiting.result()[0]

    was_done, took = with_instance(tmp_path, script)

    assert not was_done
    assert took < 30


def test_a_wait_can_be_ended_early(tmp_path: Path) -> None:
    """Connections run out; the client is answered with what there is, and is not gone."""

    async def script(instance: Instance) -> tuple[float, bool]:
        await instance.create()
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(waited(instance, 600))
            # Counted once the request waits.
            while not waiting.done():
                instance.services.waits.end_one()
                await asyncio.sleep(0)
        return waiting.result()

    took, gone = with_instance(tmp_path, script)

    assert took < 300
    assert not gone
