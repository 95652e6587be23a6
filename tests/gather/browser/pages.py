"""A small site on loopback, the rendered engine that draws it, and tripwires that count who touches them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_network
from math import inf
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.browser.render import render
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.model.rendering import Rendering
from tests.waiting import pause_for, turns

ONE_ADDRESS = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="127.0.0.1")
PLAIN = "<!doctype html><html lang=en><title>T</title><body><h1>Hello</h1><p>Some text."


@dataclass(slots=True)
class Pages:
    """A running site."""

    origin: str
    asked: list[str] = field(default_factory=list)
    """Paths in the order in which they were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """An answer of a server that takes its time."""

    after_s: float
    """For ever where it is infinite: the connection stays open without an answer."""
    body: bytes = b"late"
    kind: str = "text/plain"


Answer = str | tuple[str, bytes] | Slow


@asynccontextmanager
async def serving(pages: Mapping[str, Answer], *, host: str = "127.0.0.1") -> AsyncIterator[Pages]:
    """Serve pages by path: HTML, or (media type, body), or either later; anything else is 404."""
    site = Pages("")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        site.asked.append(path)
        found = pages.get(path)
        if isinstance(found, Slow):
            if found.after_s == inf:
                await reader.read()
                return
            await pause_for(found.after_s, "the answer is due")
            found = found.kind, found.body
        kind, body = ("text/html; charset=utf-8", found.encode()) if isinstance(found, str) else found or ("", b"")
        status = "200 OK" if found is not None else "404 Not Found"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind or 'text/plain'}\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Browsers open connections in advance: some still wait for a request when the site ends.
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await answer(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(guarded, host, 0)
    site.origin = f"http://{host}:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield site
    await turns()


@asynccontextmanager
async def tripwire(host: str) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A port on another address of loopback that notes the first bytes of every connection."""
    touched: list[bytes] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(touched)
        touched.append(b"")
        try:
            with suppress(OSError):
                touched[number] = await reader.read(200)
        finally:
            writer.close()

    server = await asyncio.start_server(note, host, 0)
    async with server:
        yield server.sockets[0].getsockname()[1], touched
    await turns()


def draw(
    program: Path, pages: Mapping[str, Any], *, policy: Policy = ONE_ADDRESS, **options: Any
) -> tuple[Rendering, Pages]:
    """Draw ``/`` of a site."""

    async def run() -> tuple[Rendering, Pages]:
        async with serving(pages) as site, HTTPClient(guard=Guard(policy)) as client:
            wanted = RenderOptions(program=program, network="none", loads=1, time_s=90.0)
            return await render(f"{site.origin}/", replace(wanted, **options), client=client), site

    return asyncio.run(run())
