"""The test site for benches: the same answers byte for byte, each made once and then only sent.

The site shares its cores with what is measured. Its own server, written for tests, makes every answer anew in Python,
which takes a quarter of a millisecond; a site that serves files takes a tenth of that, and so does this one. What is
sent is what the application of ``tests.site`` answers, with the Date that its server adds.
"""

from __future__ import annotations

import asyncio
import http
import re
import sys
import time
from email.utils import formatdate
from typing import Any, Final

from pagegrade.web.server.serve import loop_factory
from tests.site.app import make_app

MAX_KNOWN: Final = 10_000
"""Answers that are kept; a path that should not exist has a new name in every report, and is made each time after."""
_ACCEPTED: Final = re.compile(rb"\r\n[Aa]ccept-[Ee]ncoding: ([^\r]*)")
_HOST: Final = re.compile(rb"\r\n[Hh]ost: ([^\r]*)")
_app: Final = make_app()


async def make_answer(method: str, path: str, host: bytes, accepted: bytes) -> tuple[bytes, bytes]:
    """(status line, everything after the Date) of what the test site answers."""
    scope = {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": path,
        "headers": [(b"host", host), (b"accept-encoding", accepted)],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    await _app(scope, receive, send)
    start, body = sent
    status = http.HTTPStatus(start["status"])
    lines = b"".join(b"%s: %s\r\n" % header for header in start["headers"])
    return b"HTTP/1.1 %d %s\r\n" % (status.value, status.phrase.encode()), lines + b"\r\n" + body["body"]


class FileServer(asyncio.Protocol):
    """One connection: requests without a body, one after the other."""

    known: Final[dict[tuple[bytes, ...], tuple[bytes, bytes]]] = {}
    _date: tuple[int, bytes] = (0, b"")

    def __init__(self) -> None:
        self._held = b""
        self._asked: asyncio.Queue[bytes] = asyncio.Queue()
        self._answering: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport: Any = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as asyncio calls it
        """End."""
        if self._answering is not None:
            self._answering.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer at once what is known already and has nothing before it."""
        *heads, self._held = (self._held + data).split(b"\r\n\r\n")
        for head in heads:
            known = self.known.get(self._key(head)) if self._answering is None else None
            if known is not None:
                self._send(known)
                continue
            self._asked.put_nowait(head)
            if self._answering is None:
                self._answering = asyncio.get_running_loop().create_task(self._answer_all())

    def _key(self, head: bytes) -> tuple[bytes, ...]:
        method, target, _ = head.split(b" ", 2)
        host, accepted = _HOST.search(head), _ACCEPTED.search(head)
        return method, target.partition(b"?")[0], host[1] if host else b"", accepted[1] if accepted else b""

    async def _answer_all(self) -> None:
        while not self._asked.empty():
            key = self._key(self._asked.get_nowait())
            answer = await make_answer(key[0].decode(), key[1].decode(), key[2], key[3])
            if len(self.known) < MAX_KNOWN:
                self.known[key] = answer
            self._send(answer)
        self._answering = None

    def _send(self, answer: tuple[bytes, bytes]) -> None:
        second = int(time.monotonic())
        if FileServer._date[0] != second:
            FileServer._date = second, b"date: %s\r\n" % formatdate(usegmt=True).encode()
        self._transport.write(answer[0] + FileServer._date[1] + answer[1])


async def serve() -> None:
    """Serve on a free port of the loopback address and say where, until the process is ended."""
    server = await asyncio.get_running_loop().create_server(FileServer, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/\n")
    sys.stdout.flush()
    await server.serve_forever()


def main() -> None:
    """Entry of the process."""
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve())


if __name__ == "__main__":
    main()
