"""The site that load runs look at: pages of 20 kB after 50 ms, some malicious ones, and a count of the requests.

``python -m tests.fault.load_site`` serves it in a process of its own, on a free port of the loopback, until its
standard input ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final

from tests.waiting import pause_for

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE_BYTES: Final = 20_000
PAGE_S: Final = 0.05
DRIP_S: Final = 0.2
MAX_DRIPS: Final = 600
HOSTILE: Final = ("/drip", "/bomb", "/loop", "/reset", "/endless", "/stall", "/error", "/deep", "/headers")
COUNTS: Final = "/.counts"

_ITEM: Final = (
    '<div class="card" id="i{n}"><h2>Part {n}</h2><p>Words about <a href="/page?topic={n}">topic {n}</a> and <em>more'
    "</em> of them, so that a line is full.</p>{picture}</div>"
)
_PICTURE: Final = '<img src="/i/{n}.png" alt="Picture {n}" width="300" height="200">'
PICTURE_EVERY: Final = 10


def make_page() -> bytes:
    """An ordinary page of exactly ``PAGE_BYTES``."""
    head = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page under load</title>'
        '<meta name="description" content="Looked at by many at once."></head><body><main><h1>Load</h1>'
    )
    tail = "</main></body></html>"
    items = ""
    number = 0
    while len(head) + len(items) + len(tail) + len(_ITEM) + len(_PICTURE) < PAGE_BYTES:
        picture = "" if number % PICTURE_EVERY else _PICTURE.format(n=number)
        items += _ITEM.format(n=number, picture=picture)
        number += 1
    text = head + items
    return (text + " " * (PAGE_BYTES - len(text) - len(tail)) + tail).encode()


PAGE: Final = make_page()
BOMB: Final = gzip.compress(bytes(200_000_000), 9)
DEEP: Final = b"<!doctype html><title>Deep</title>" + b"<div>" * 200_000


class LoadSite:
    """Answers, and counts GET requests by path and query."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection; requests have no bodies."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, target, _ = head.decode("latin-1").split(" ", 2)
                if method == "GET":
                    self.asked[target] += 1
                if not await self._reply(target, writer, bare=method == "HEAD"):
                    break
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return
        finally:
            writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _reply(self, target: str, writer: asyncio.StreamWriter, *, bare: bool) -> bool:
        """Return whether the connection can be used again."""
        path = target.partition("?")[0]
        if path == COUNTS:
            return await _send(writer, 200, json.dumps(self.asked).encode(), bare=bare)
        if path in {"/page", "/"}:
            await pause_for(PAGE_S, "the answer of a page")
            return await _send(writer, 200, PAGE, bare=bare)
        if path in HOSTILE and not bare:
            return await _harm(path, target, writer)
        return await _send(writer, 404, b"<!doctype html><title>Not here</title><p>Not here.", bare=bare)


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes, *more: str, bare: bool = False) -> bool:
    lines = (
        f"HTTP/1.1 {status} So",
        "Content-Type: text/html; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Cache-Control: max-age=60",
        *more,
    )
    writer.write("\r\n".join((*lines, "", "")).encode("latin-1") + (b"" if bare else body))
    await writer.drain()
    return True


async def _harm(path: str, target: str, writer: asyncio.StreamWriter) -> bool:
    if path == "/loop":
        number = int(target.rpartition("=")[2] or 0) if "hop=" in target else 0
        return await _send(writer, 302, b"", f"Location: /loop?hop={number + 1}")
    if path == "/bomb":
        return await _send(writer, 200, BOMB, "Content-Encoding: gzip")
    if path == "/error":
        return await _send(writer, 500, b"<!doctype html><title>Broken</title>")
    if path == "/deep":
        return await _send(writer, 200, DEEP)
    if path == "/headers":
        return await _send(writer, 200, PAGE, *(f"X-{number}: {'y' * 200}" for number in range(2_000)))
    if path == "/reset":
        writer.write(b"HTTP/1.1 200 So\r\nContent-Type: text/html\r\nContent-Length: 20000\r\n\r\n<!doctype html>")
        await writer.drain()
        writer.transport.abort()
        return False
    if path == "/stall":
        await pause_for(MAX_DRIPS * DRIP_S, "a site that stalls")
        return False
    writer.write(b"HTTP/1.1 200 So\r\nContent-Type: text/html\r\n\r\n<!doctype html><title>Slow</title>")
    for _ in range(MAX_DRIPS if path == "/drip" else 4_000):
        writer.write(b"x" if path == "/drip" else b"<p>more</p>" * 6_000)
        await writer.drain()
        await pause_for(DRIP_S if path == "/drip" else 0, "a site that drips")
    return False


async def serve() -> None:
    """Serve until standard input ends."""
    server = await asyncio.start_server(LoadSite().answer, "127.0.0.1", 0, backlog=1_024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    server.close()


@contextlib.contextmanager
def load_site() -> Iterator[str]:
    """Its origin, while the block lasts."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fault.load_site"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        if process.stdout is None:
            raise AssertionError("the site has no output")
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.kill()
        process.communicate()


def asked_for(origin: str) -> dict[str, int]:
    """Path and query -> how often it was asked for."""
    connection = HTTPConnection(origin.removeprefix("http://"), timeout=30)
    try:
        connection.request("GET", COUNTS)
        found: dict[str, Any] = json.loads(connection.getresponse().read())
        return {path: int(count) for path, count in found.items() if path != COUNTS}
    finally:
        connection.close()


if __name__ == "__main__":
    asyncio.run(serve())
