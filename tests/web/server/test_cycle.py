"""The answer to a client of an application that fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.web.wires import PATIENCE_S, Recorder, replies_in, request, serving


def said_by(app: Any, *, path: str = "/") -> bytes:
    """Everything a client hears after one request."""

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(request(path=path))

    return asyncio.run(scenario())


async def half(_scope: Any, _receive: Any, send: Any) -> None:
    """Fail in the middle of an answer."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
    await send({"type": "http.response.body", "body": b"abc", "more_body": True})
    raise LookupError("s3cret")


@pytest.mark.parametrize("path", ["/broken", "/silent"])
def test_failing_application_is_answered_for(path: str, caplog: pytest.LogCaptureFixture) -> None:
    """The last resort is a problem document; the reason is for the log."""
    (answer,) = replies_in(said_by(Recorder(), path=path))

    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.problem["code"] == "internal_error"
    assert b"s3cret" not in answer.body
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_answer_that_breaks_off_does_not_look_whole(caplog: pytest.LogCaptureFixture) -> None:
    """The client was promised 100 bytes, and the connection ends."""
    said = said_by(half)

    assert b"HTTP/1.1 200" in said or said == b""
    assert b"500" not in said
    assert len(caplog.records) == 1


def test_application_may_fail_when_its_client_has_gone(caplog: pytest.LogCaptureFixture) -> None:
    """It is no fault, so nothing is logged."""

    async def scenario() -> None:
        begun, failed = asyncio.Event(), asyncio.Event()

        async def app(_scope: Any, receive: Any, _send: Any) -> None:
            begun.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            failed.set()
            raise ConnectionError

        async with serving(app) as site:
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(request())
            await asyncio.wait_for(begun.wait(), PATIENCE_S)
            writer.transport.abort()
            await asyncio.wait_for(failed.wait(), PATIENCE_S)

    asyncio.run(scenario())

    assert caplog.records == []


def test_what_one_request_binds_stays_with_it() -> None:
    """The names in its log lines do not reach the next request of the connection."""
    import contextvars

    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="unset")

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        was = name.get()
        name.set(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(was))]})
        await send({"type": "http.response.body", "body": was.encode()})

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n", request(path="/2"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"unset", b"unset"]
