"""SOCKS5 proxy through which a browser reaches the network, and nothing else: each connection passes the guard.

The browser sits in a network namespace with a loopback interface only. The proxy listens there on a socket that was
made inside, and dials outside, through the resolver and the guard of all other requests.

Source: RFC 1928 (SOCKS5), RFC 1929 is not offered.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address
from typing import Final

import msgspec

from pagegrade.gather.browser.options import Line, NetworkShape, ProxyLimits, wait_until
from pagegrade.gather.exchange import FetchError
from pagegrade.gather.guard import Guard, Permit
from pagegrade.gather.outgoing_proxy import ProxyHop, open_through
from pagegrade.gather.transfer import trusted_roots

_VERSION: Final = 5
_NO_AUTHENTICATION: Final = 0
_NO_METHOD: Final = 0xFF
_CONNECT: Final = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_SUCCEEDED, _FAILED, _NOT_ALLOWED, _UNREACHABLE, _REFUSED = 0, 1, 2, 4, 5
_NO_COMMAND, _NO_ADDRESS_TYPE = 7, 8
_CHUNK_BYTES: Final = 16_384
"""Moved at a time; the smaller, the more evenly connections share a line."""
_BUFFER_BYTES: Final = 131_072
"""Held of one direction of a connection while it is on its way; more waits at the sender."""
_REFUSALS: Final = frozenset({"address_not_allowed", "budget"})
"""Failures that are decisions of ours: the guard's, or a limit's."""
_HANDSHAKE_S: Final = 10.0


class Traffic(msgspec.Struct):
    """Figures of what went through the proxy."""

    connections: int = 0
    down_bytes: int = 0
    up_bytes: int = 0
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    """Host -> connections that the guard or a limit refused."""
    limit: str = ""
    """The first limit that was reached: ``hosts``, ``connections``, ``down_bytes`` or ``up_bytes``."""


PermitFunction = Callable[[str], Awaitable[Permit]]


class Proxy:
    """Serves one browser on a listening socket of its namespace.

    Args:
        permit: Resolves and checks the host of a URL; raises ``FetchError``.
        guard: Checks the address of each socket once more before it is connected.
        shape: Conditions of the line.
        limits: Amounts for the whole run.
    """

    def __init__(self, *, permit: PermitFunction, guard: Guard, shape: NetworkShape, limits: ProxyLimits) -> None:
        self.traffic = Traffic()
        self._permit = permit
        self._guard = guard
        self._shape = shape
        self._limits = limits
        self._hosts: set[tuple[str, int]] = set()
        self._open = 0
        half = shape.round_trip_s / 2
        self._down = Line(latency_s=half, bytes_per_s=shape.down_bytes_per_s)
        self._up = Line(latency_s=half, bytes_per_s=shape.up_bytes_per_s)
        self._tasks: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def serve(self, listener: socket.socket) -> AsyncIterator[None]:
        """Serve connections while the context is open; afterwards every connection is closed."""
        server = await asyncio.start_server(self._connected, sock=listener, limit=_CHUNK_BYTES)
        try:
            yield
        finally:
            server.close()
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        self._open += 1
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.CancelledError):
                await self._serve_one(reader, writer)
        finally:
            self._open -= 1
            if task is not None:
                self._tasks.discard(task)
            if not writer.is_closing():
                writer.transport.abort()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HANDSHAKE_S):
            asked = await self._read_request(reader, writer)
        if asked is None:
            return
        host, port = asked
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._limits.connect_s):
                outside = await self._dial(host, port)
        except FetchError as error:
            if error.code in _REFUSALS:
                self.traffic.refused[host] += 1
            _reply(writer, _NOT_ALLOWED if error.code == "address_not_allowed" else _UNREACHABLE)
        except TimeoutError:
            _reply(writer, _UNREACHABLE)
        except OSError:
            _reply(writer, _REFUSED)
        else:
            await wait_until(started + self._shape.round_trip_s)
            _reply(writer, _SUCCEEDED)
            await self._relay(reader, writer, *outside)
            return
        writer.close()

    async def _read_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int] | None:
        """The host and port that the browser asks for; ``None`` where that was no request we answer."""
        version, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        if version != _VERSION or _NO_AUTHENTICATION not in methods:
            writer.write(bytes((_VERSION, _NO_METHOD)))
            return None
        writer.write(bytes((_VERSION, _NO_AUTHENTICATION)))
        version, command, _, kind = await reader.readexactly(4)
        if kind == _IPV4:
            host = str(IPv4Address(await reader.readexactly(4)))
        elif kind == _IPV6:
            host = f"[{IPv6Address(await reader.readexactly(16))}]"
        elif kind == _NAME:
            length = (await reader.readexactly(1))[0]
            host = (await reader.readexactly(length)).decode("ascii", "replace")
            if ":" in host:
                host = f"[{host.strip('[]')}]"
        else:
            _reply(writer, _NO_ADDRESS_TYPE)
            return None
        (port,) = struct.unpack("!H", await reader.readexactly(2))
        if version != _VERSION or command != _CONNECT:
            _reply(writer, _NO_COMMAND)
            return None
        return host, port

    async def _dial(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open the connection outside.

        Raises:
            FetchError: The guard or a limit refuses it, or the name has no address.
            OSError: No address of the host accepts it.
        """
        self._count(host, port)
        permit = await self._permit(f"http://{host}:{port}/")
        if permit.via is not None:
            return await self._dial_through(permit, permit.via)
        error: OSError = ConnectionRefusedError()
        for address in permit.addresses:
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            if not self._guard.check_socket(family, str(address), permit.port, permit):
                raise FetchError("address_not_allowed", "The address is not contacted.", reason="target_refused")
            try:
                return await asyncio.open_connection(
                    str(address), permit.port, family=family, limit=_CHUNK_BYTES, flags=socket.AI_NUMERICHOST
                )
            except OSError as failed:
                error = failed
        raise error

    async def _dial_through(self, permit: Permit, hop: ProxyHop) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open the connection through the operator's proxy.

        Raises:
            FetchError: The guard refuses it now, or the proxy does not connect.
        """
        for address in hop.addresses:
            family = socket.AF_INET if address.version == 4 else socket.AF_INET6
            if not self._guard.check_socket(family, str(address), hop.proxy.port, permit):
                raise FetchError("address_not_allowed", "The address is not contacted.", reason="target_refused")
        return await open_through(
            hop,
            permit.asked_address or permit.host,
            permit.port,
            roots=trusted_roots(self._guard.policy.authorities) if hop.proxy.scheme == "https" else None,
            limit=_CHUNK_BYTES,
        )

    def _count(self, host: str, port: int) -> None:
        reached = ""
        if (host, port) not in self._hosts and len(self._hosts) >= self._limits.hosts:
            reached = "hosts"
        elif self.traffic.connections >= self._limits.connections or self._open > self._limits.connections_at_once:
            reached = "connections"
        if reached:
            self.traffic.limit = self.traffic.limit or reached
            raise FetchError("budget", "The page opens more connections than are made for it.", reason=reached)
        self._hosts.add((host, port))
        self.traffic.connections += 1

    async def _relay(
        self,
        inner_reader: asyncio.StreamReader,
        inner_writer: asyncio.StreamWriter,
        outer_reader: asyncio.StreamReader,
        outer_writer: asyncio.StreamWriter,
    ) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._move(outer_reader, inner_writer, self._down, "down_bytes"))
                group.create_task(self._move(inner_reader, outer_writer, self._up, "up_bytes"))
        except* (OSError, _LimitReached):
            pass
        finally:
            outer_writer.transport.abort()

    async def _move(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: Line, amount: str) -> None:
        """Move bytes one way until their sender ends, each chunk when the line delivers it."""
        loop = asyncio.get_running_loop()
        on_the_way: deque[tuple[float, bytes]] = deque()
        held = 0
        arrived, writable = asyncio.Event(), asyncio.Event()

        async def deliver() -> None:
            nonlocal held
            while True:
                while not on_the_way:
                    arrived.clear()
                    await arrived.wait()
                due, chunk = on_the_way.popleft()
                await wait_until(due)
                if not chunk:
                    break
                writer.write(chunk)
                await writer.drain()
                held -= len(chunk)
                writable.set()
            if writer.can_write_eof():
                writer.write_eof()

        async with asyncio.TaskGroup() as group:
            group.create_task(deliver())
            while True:
                while held >= _BUFFER_BYTES:
                    writable.clear()
                    await writable.wait()
                chunk = await reader.read(_CHUNK_BYTES)
                total = getattr(self.traffic, amount) + len(chunk)
                setattr(self.traffic, amount, total)
                if total > getattr(self._limits, amount):
                    self.traffic.limit = self.traffic.limit or amount
                    raise _LimitReached
                held += len(chunk)
                on_the_way.append((line.delivery(loop.time(), len(chunk)), chunk))
                arrived.set()
                if not chunk:
                    break


class _LimitReached(Exception):
    """The browser has taken all that it may take."""


def _reply(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((_VERSION, code, 0, _IPV4)) + bytes(6))
