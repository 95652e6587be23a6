"""Servers on loopback whose answers a test scripts, and short ways to ask them."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_network

from pagegrade.gather.exchange import Exchange, FetchError, Followed, Limits, Request
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import Answer, ResolveError
from tests.waiting import pause_for, turns

Script = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


OWN = Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host="site.com")


FAST = Limits(headers_s=0.6, connect_s=0.6)
"""For waits that must end without an answer; an answer may come from a busy machine."""


PATIENT = Limits(headers_s=10.0, connect_s=10.0)


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


HEAD = b"HTTP/1.1 200 OK\r\n"


class Names:
    """A resolver with given answers that counts."""

    def __init__(self, addresses: dict[str, tuple[str, ...]] | None = None) -> None:
        self.addresses = addresses or {}
        self.asked: list[str] = []

    async def texts(self, name: str) -> tuple[str, ...]:
        """It has no records."""
        return ()

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        self.asked.append(host)
        if host.startswith("unknown"):
            raise ResolveError("dns_nxdomain", "The name does not exist or has no address.")
        return Answer(host=host, addresses=self.addresses.get(host, ("127.0.0.1",)), duration_ms=1.5)


class Server:
    """Answers connections from a list of scripts, the last one for ever, and keeps the requests."""

    def __init__(self, scripts: Sequence[Script], *, per_connection: int = 1) -> None:
        self.scripts = list(scripts)
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0
        self.greeting: bytes | None = None
        self._per_connection = per_connection
        self._tasks: set[asyncio.Task[object]] = set()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # Transports are closed by the loop in the turns after they were aborted.
        await turns()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        try:
            if self.greeting is not None:
                writer.write(self.greeting)
                await silent(writer)
            for _ in range(self._per_connection):
                self.requests.append(await reader.readuntil(b"\r\n\r\n"))
                script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
                if isinstance(script, bytes):
                    writer.write(script.replace(b"{port}", str(self.port).encode()))
                    await writer.drain()
                else:
                    await script(writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(
    *scripts: Script, per_connection: int = 1, tls: ssl.SSLContext | None = None, greeting: bytes | None = None
) -> AsyncIterator[Server]:
    """A server on loopback for as long as the block lasts."""
    server = Server(scripts, per_connection=per_connection)
    server.greeting = greeting
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.close()


def fetch(
    *scripts: Script,
    request: dict[str, object] | None = None,
    limits: Limits = PATIENT,
    follow: bool = False,
    policy: Policy = OWN,
) -> tuple[Followed | FetchError, Server]:
    """Serve the scripts, ask once, hand back what came and what the server saw."""

    async def main() -> tuple[Followed | FetchError, Server]:
        async with (
            serving(*scripts) as server,
            HTTPClient(guard=Guard(policy), resolver=Names(), limits=limits) as client,
        ):
            asked = {"url": f"http://site.com:{server.port}/", "timeout_s": 10.0, **(request or {})}
            wanted = Request(**asked)  # type: ignore[arg-type]
            try:
                if follow:
                    return await client.follow(wanted), server
                return Followed(exchange=await client.fetch(wanted)), server
            except FetchError as error:
                return error, server

    return asyncio.run(main())


def answer(*scripts: Script, **more: object) -> Exchange:
    """The result of ``fetch``, when it must be an answer."""
    result, _ = fetch(*scripts, **more)  # type: ignore[arg-type]
    if isinstance(result, FetchError):
        raise result
    return result.exchange


def failure(*scripts: Script, **more: object) -> FetchError:
    """The result of ``fetch``, when it must be a failure."""
    result, _ = fetch(*scripts, **more)  # type: ignore[arg-type]
    assert isinstance(result, FetchError)
    return result


def endless(head: bytes, piece: bytes) -> Script:
    """Say ``piece`` again and again."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for _ in range(100_000):
            writer.write(piece)
            await writer.drain()

    return script


def dripping(head: bytes, rest: bytes) -> Script:
    """Say ``rest`` byte by byte, each in good time."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for byte in rest:
            writer.write(bytes([byte]))
            await writer.drain()
            await pause_for(0.05, "the time between two bytes of a slow server")

    return script


def resetting(head: bytes) -> Script:
    """Say ``head`` and break the connection off."""

    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await turns()  # a reset takes back what has not been read
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return script


async def silent(_: asyncio.StreamWriter) -> None:
    """Send nothing for longer than any wait."""
    await asyncio.Event().wait()


def redirect(location: bytes, status: bytes = b"302") -> bytes:
    """An answer that leads to ``location``."""
    return b"HTTP/1.1 " + status + b" Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"
