"""A receiver of webhooks on loopback, scripted, and deliveries to it without a worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

OK = b"HTTP/1.1 204 No Content\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came."""

    line: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        """The body read."""
        return json.loads(self.body)


@dataclass(slots=True)
class Receiver:
    """Answers each request with the next answer, and the last one again and again; ``None`` stays silent."""

    answers: list[bytes | None] = field(default_factory=lambda: [OK])
    received: list[Received] = field(default_factory=list)
    port: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None
    """Nothing is answered before it is set; ``None``: at once."""
    most_at_once: int = 0
    """Requests that were open at the same time, at most."""
    _given: int = 0
    _open: int = 0

    @property
    def url(self) -> str:
        """URL of the receiver."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request."""
        self._open += 1
        self.most_at_once = max(self.most_at_once, self._open)
        try:
            await self._answer(reader, writer)
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *rest = head.strip().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in rest)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.received.append(Received(line, headers, body))
            answer = self.answers[min(self._given, len(self.answers) - 1)]
            self._given += 1
            self.arrived.set()
            if self.gate is not None:
                await self.gate.wait()
            if answer is None:
                await reader.read()
            else:
                writer.write(answer)
                await writer.drain()


@contextlib.asynccontextmanager
async def receiving(*answers: bytes | None) -> AsyncIterator[Receiver]:
    """A receiver that listens for the length of a block."""
    receiver = Receiver(list(answers) or [OK])
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(receiver.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def answer(status: int, body: bytes = b"", *headers: str) -> bytes:
    """A whole answer."""
    lines = [f"HTTP/1.1 {status} Any", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
