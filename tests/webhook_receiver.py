"""A receiver of webhooks on loopback, scripted, and deliveries to it without a worker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html.parser import HTMLParser  # noqa: TID251 - reads markup of our own
from typing import Any, Final

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


ADDRESSES: Final = {
    "ntfy": "/pages-of-example?token=tk_0123456789abcdef",
    "gotify": "/message?token=A0123456789abcd",
    "telegram": "/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/sendMessage?chat_id=-1001234567890",
    "matrix": "/_matrix/client/v3/rooms/!room:example.org/send/m.room.message?access_token=syt_0123456789abcdef",
}
"""Path and query of an address of each kind whose API wants more than a body there."""
SECRETS: Final = {
    "ntfy": ("tk_0123456789abcdef", "pages-of-example"),
    "gotify": ("A0123456789abcd",),
    "telegram": ("AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",),
    "matrix": ("syt_0123456789abcdef",),
}
"""Parts of an address that nobody may see."""


class Markup(HTMLParser):
    """Text and elements of HTML; tags that do not fit raise."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.open: list[str] = []
        self.links: list[str | None] = []
        self.tags: set[str] = set()
        self.feed(markup)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name == "href"]
        assert {name for name, _ in attrs} == ({"href"} if tag == "a" else set())
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check_published(kind: str, request: Received) -> None:
    """Check a request as the receiver's own documentation has it.

    Sources: https://docs.ntfy.sh/publish/ and the limits of its server (a JSON body has twice the bytes of a message),
    https://gotify.net/docs/pushmsg, https://gotify.net/docs/msgextras,
    https://core.telegram.org/bots/api#sendmessage, https://core.telegram.org/bots/api#html-style,
    https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid,
    https://spec.matrix.org/latest/client-server-api/#size-limits
    """
    method, target, _ = request.line.split(" ")
    body, headers = request.json, request.headers
    assert headers["content-type"] == "application/json"
    assert "token=" not in target
    if kind == "ntfy":
        assert (method, target, headers["authorization"]) == ("POST", "/", "Bearer tk_0123456789abcdef")
        assert body["topic"] == "pages-of-example"
        assert 0 < len(body["message"].encode()) <= 4_096
        assert len(request.body) <= 8_192
        assert set(body) <= {"topic", "title", "message", "click"}, "neither Markdown nor actions"
    elif kind == "gotify":
        assert (method, target, headers["x-gotify-key"]) == ("POST", "/message", "A0123456789abcd")
        assert body["message"]
        assert body["extras"]["client::display"] == {"contentType": "text/plain"}
    elif kind == "telegram":
        assert (method, target) == ("POST", ADDRESSES["telegram"].partition("?")[0])
        shown = Markup(body["text"])
        assert body["chat_id"] == "-1001234567890"
        assert body["parse_mode"] == "HTML"
        assert shown.tags <= {"b", "code", "pre", "a"}
        assert 1 <= len(shown.text.encode("utf-16-le")) // 2 <= 4_096
        assert body["link_preview_options"] == {"is_disabled": True}
    else:
        assert method == "PUT"
        assert re.fullmatch(re.escape(ADDRESSES["matrix"].partition("?")[0]) + "/[0-9a-f]{64}", target)
        assert headers["authorization"] == "Bearer syt_0123456789abcdef"
        assert (body["msgtype"], body["format"]) == ("m.text", "org.matrix.custom.html")
        assert body["body"]
        assert Markup(body["formatted_body"]).tags <= {"b", "code", "pre", "a", "br"}
        assert body["m.mentions"] == {}
        assert len(request.body) <= 60_000, "an event has 65,536 bytes, with what the server adds"
