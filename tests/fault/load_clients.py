"""Many clients at once in one process: they ask for reports, wait for them, and write down the answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from tests.waiting import pause_for

ANSWER_S: Final = 30.0
"""A request without an answer by then is written down as unanswered."""
AGAIN_S: Final = 0.2
ENDED: Final = frozenset({"completed", "failed"})


@dataclass(slots=True)
class Book:
    """The answers that clients got."""

    accepted: dict[int, str] = field(default_factory=dict)
    """Id -> URL of everything that was answered with 201."""
    refused: Counter[str] = field(default_factory=Counter)
    """By status and code."""
    unanswered: int = 0
    post_s: list[float] = field(default_factory=list)
    """Seconds of each request for a report that got an answer."""
    refused_s: list[float] = field(default_factory=list)
    """Seconds of those that were answered with 503."""
    seen_s: dict[int, float] = field(default_factory=dict)
    """Id -> seconds from asking until the client saw the end."""


class Client:
    """One connection of one account; made anew whenever it breaks."""

    def __init__(self, port: int, key: str, book: Book) -> None:
        self._port, self._key, self.book = port, key, book
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, Any]:
        """(status, what the JSON says); the status is 0 when no answer came."""
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._ask(method, path, form, headers)
        except (OSError, TimeoutError, EOFError, ValueError):
            self.close()
            return 0, None

    async def _ask(
        self, method: str, path: str, form: dict[str, str] | None, headers: dict[str, str]
    ) -> tuple[int, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        body = urlencode(form or {}).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: load", f"Authorization: Bearer {self._key}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        if form is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        top, *fields = head.split("\r\n")
        sent = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in fields if line)}
        text = await reader.readexactly(int(sent.get("content-length", "0")))
        if sent.get("connection", "").lower() == "close":
            self.close()
        return int(top.split(" ")[1]), json.loads(text) if text else None

    async def create(self, url: str) -> int | None:
        """Ask for a report; its id, or ``None`` with the reason in the book."""
        started_s = time.monotonic()
        status, said = await self.ask("POST", "/api/v1/reports", {"url": url}, Prefer="respond-async")
        took_s = time.monotonic() - started_s
        if status == 0:
            self.book.unanswered += 1
            return None
        self.book.post_s.append(took_s)
        if status == 201:
            number = int(said["data"]["id"])
            self.book.accepted[number] = url
            return number
        if status == 503:
            self.book.refused_s.append(took_s)
        self.book.refused[f"{status} {said['code']}"] += 1
        return None

    async def wait(self, number: int, *, within_s: float) -> str | None:
        """The state in which a report ended; ``None`` when it did not in time."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            status, said = await self.ask("GET", f"/api/v1/reports/{number}", Prefer="wait=10")
            if status == 200 and said["data"]["state"] in ENDED:
                return str(said["data"]["state"])
            if status != 200:
                await pause_for(AGAIN_S, "a client's patience")
        return None

    async def create_and_wait(self, url: str, *, within_s: float) -> None:
        """One report from asking to its end."""
        started_s = time.monotonic()
        number = await self.create(url)
        if number is None:
            await pause_for(AGAIN_S, "a client's patience")
        elif await self.wait(number, within_s=within_s) is not None:
            self.book.seen_s[number] = time.monotonic() - started_s

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


@asynccontextmanager
async def clients(count: int, ports: list[int], keys: list[str], book: Book) -> AsyncIterator[list[Client]]:
    """So many, spread over the processes and accounts."""
    made = [Client(ports[number % len(ports)], keys[number % len(keys)], book) for number in range(count)]
    try:
        yield made
    finally:
        for client in made:
            client.close()
