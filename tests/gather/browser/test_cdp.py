from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pagegrade.gather.browser.cdp import CommandFailed, Connection
from pagegrade.gather.browser.options import RenderingFailed


def talk(answers: bytes, use: Callable[[Connection], Awaitable[Any]]) -> tuple[Any, list[dict[str, Any]]]:
    """Use a connection to a browser that says ``answers`` and leaves; the result, and the commands that it was sent."""

    async def run() -> tuple[Any, list[dict[str, Any]]]:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        incoming, outgoing = os.pipe()
        transport, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(outgoing, "wb", 0)
        )
        connection = Connection(reader, asyncio.StreamWriter(transport, protocol, None, loop))
        reading = asyncio.ensure_future(connection.run())  # noqa: TID251 - the test waits for it
        work = asyncio.ensure_future(use(connection))  # noqa: TID251 - as above
        await asyncio.sleep(0)
        reader.feed_data(answers)
        reader.feed_eof()
        try:
            return await work, sent(incoming)
        finally:
            await reading
            connection.close()
            os.close(incoming)

    def sent(incoming: int) -> list[dict[str, Any]]:
        data = os.read(incoming, 65_536)
        return [json.loads(part) for part in data.split(b"\0") if part]

    return asyncio.run(run())


def test_an_answer_goes_to_its_command() -> None:
    """By its number, in any order."""

    async def use(connection: Connection) -> list[Any]:
        first, second = connection.send("A.a", {"x": 1}), connection.send("B.b", session="s")
        return [await first, await second]

    result, commands = talk(b'{"id":2,"result":{"b":2}}\0{"id":1,"result":{"a":1}}\0', use)

    assert result == [{"a": 1}, {"b": 2}]
    assert commands == [
        {"id": 1, "method": "A.a", "params": {"x": 1}},
        {"id": 2, "method": "B.b", "sessionId": "s"},
    ]


def test_an_error_is_raised_where_the_command_is_awaited() -> None:
    """With the browser's text, shortened."""

    async def use(connection: Connection) -> None:
        await connection.send("A.a")

    with pytest.raises(CommandFailed, match=r"A\.a: no such node"):
        talk(b'{"id":1,"error":{"message":"no such node"}}\0', use)


def test_events_go_to_their_handlers_with_their_session() -> None:
    """Until the handlers are removed."""
    seen: list[tuple[dict[str, Any], str]] = []

    async def use(connection: Connection) -> None:
        connection.on("Page.loaded", lambda event, session: seen.append((event, session)))
        await connection.send("A.a")

    talk(b'{"method":"Page.loaded","params":{"t":1},"sessionId":"s"}\0{"method":"X.y"}\0{"id":1,"result":{}}\0', use)

    assert seen == [({"t": 1}, "s")]


@pytest.mark.parametrize("answer", [b"{]\0", b"[1]\0", b"\xff\0", b""])
def test_a_browser_that_talks_nonsense_or_ends_fails_what_waits(answer: bytes) -> None:
    """Nothing waits for ever."""

    async def use(connection: Connection) -> None:
        await connection.send("A.a")

    with pytest.raises(RenderingFailed) as failed:
        talk(answer, use)

    assert failed.value.code == "browser_crash"


def test_a_message_may_be_as_large_as_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not one byte larger, whether it ends or not."""
    answer = b'{"id":1,"result":{}}'
    monkeypatch.setattr("pagegrade.gather.browser.cdp.MAX_MESSAGE_BYTES", len(answer))

    async def use(connection: Connection) -> Any:
        return await connection.send("A.a")

    whole = talk(answer + b"\0", use)[0]
    with pytest.raises(RenderingFailed) as failed:
        talk(answer + b" ", use)

    assert (whole, failed.value.code) == ({}, "too_large")


def test_all_messages_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page cannot fill the process with events."""
    answers = b'{"method":"X.y"}\0' * 10
    monkeypatch.setattr("pagegrade.gather.browser.cdp.MAX_TOTAL_BYTES", len(answers) - 1)

    async def use(connection: Connection) -> Any:
        return await connection.send("A.a")

    with pytest.raises(RenderingFailed) as failed:
        talk(answers, use)

    assert failed.value.code == "too_large"
