"""A real server on loopback and clients that write bytes, for tests of what is below HTTP libraries."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pagegrade.web.http.request_headers import Network
from pagegrade.web.server.limits import Refusal, ServerLimits
from pagegrade.web.server.serve import serve
from tests.waiting import turns

GET: Final = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
PATIENCE_S: Final = 120.0
"""Only a broken server makes a test wait so long."""


@dataclass
class Recorder:
    """An application that echoes what it was asked, and remembers it."""

    hold: asyncio.Event = field(default_factory=asyncio.Event)
    """Answers to ``/hold`` wait for it."""
    held: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    size: int = 0
    """Bytes of the answer to ``/large``."""
    scopes: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    left: int = 0
    """The number of clients that were seen to leave."""

    async def holding(self, count: int) -> None:
        """Come back when ``count`` requests wait for ``hold``."""
        for _ in range(count):
            await asyncio.wait_for(self.held.acquire(), PATIENCE_S)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer one request."""
        self.scopes.append(scope)
        if scope["path"] == "/broken":
            raise ValueError("s3cret")
        if scope["path"] == "/silent":
            return
        if scope["path"] != "/early":
            body = b""
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    self.left += 1
                    return
                body += message["body"]
                if not message["more_body"]:
                    break
            self.bodies.append(body)
        if scope["path"] == "/hold":
            self.held.release()
            await self.hold.wait()
        answer = b"x" * self.size if scope["path"] == "/large" else scope["path"].encode()
        headers = [(b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else answer})


@dataclass
class Site:
    """A running server."""

    url: str
    port: int
    stop: asyncio.Event
    task: asyncio.Task[None]
    refusals: list[tuple[Refusal, str, str]]

    async def talk(self, *pieces: bytes, host: str = "127.0.0.1") -> bytes:
        """Everything the server says to these bytes until it hangs up, or until both have nothing left to say."""
        reader, writer = await asyncio.open_connection(host, self.port)
        try:
            with contextlib.suppress(ConnectionError):  # hung up on before it was all said
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await turns()  # or else the pieces might arrive together
            return await read_all(reader)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


@dataclass(frozen=True)
class Reply:
    """One answer as read from the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@contextlib.asynccontextmanager
async def serving(
    app: Callable[..., Any],
    *,
    limits: ServerLimits | None = None,
    hosts: Sequence[str] = ("127.0.0.1",),
    grace_s: float = PATIENCE_S,
    patience_s: float = PATIENCE_S * 3,
    always: frozenset[str] = frozenset(),
    trusted_proxies: Sequence[Network] = (),
    on_pressure: Callable[[], None] | None = None,
) -> AsyncIterator[Site]:
    """A server for ``app``, stopped at the end of the block."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[str] = loop.create_future()
    stop = asyncio.Event()
    refusals: list[tuple[Refusal, str, str]] = []
    async with asyncio.timeout(patience_s), asyncio.TaskGroup() as group:
        task = group.create_task(
            serve(
                app,
                hosts=hosts,
                port=0,
                stop=stop,
                ready=ready.set_result,
                grace_s=grace_s,
                limits=limits,
                base_url="https://reports.example",
                on_refusal=lambda *refusal: refusals.append(refusal),
                always=always,
                trusted_proxies=trusted_proxies,
                on_pressure=on_pressure,
            )
        )
        url = await ready
        try:
            yield Site(url, int(url.rpartition(":")[2]), stop, task, refusals)
        finally:
            stop.set()


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """Until the end; what came before a reset counts as well."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while piece := await asyncio.wait_for(reader.read(65536), PATIENCE_S):
            data += piece
    return data


async def read_reply(reader: asyncio.StreamReader) -> Reply:
    """One answer with a Content-Length."""
    lines = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE_S)).decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:-2])}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Reply(int(lines[0].split()[1]), headers, body)


def replies_in(data: bytes) -> list[Reply]:
    """All answers in what a server said, none of them to a HEAD request."""
    found = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        length = int(headers.get("content-length", "0"))
        found.append(Reply(int(lines[0].split()[1]), headers, data[:length]))
        data = data[length:]
    return found


def request(method: str = "GET", path: str = "/", *headers: str, body: bytes = b"") -> bytes:
    """A request that ends the connection."""
    lines = [f"{method} {path} HTTP/1.1", "Host: a.example", "Connection: close", *headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
