from __future__ import annotations

import asyncio
import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from pagegrade.web import wait_for_report as module
from pagegrade.web.exchange import Exchange
from pagegrade.web.request import Request
from pagegrade.web.wait_for_report import has_left, wait_until_finished
from tests.waiting import pause_for
from tests.web.calling import Instance, with_instance


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
