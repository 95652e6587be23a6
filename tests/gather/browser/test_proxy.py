from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address, ip_network

import pytest
from msgspec.structs import replace

from pagegrade.gather.browser.options import SHAPES, NetworkShape, ProxyLimits
from pagegrade.gather.browser.proxy import Proxy
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from tests.ports import free_port

ALLOWED = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="127.0.0.1")
SUCCEEDED, NOT_ALLOWED, UNREACHABLE, REFUSED, NO_COMMAND, NO_ADDRESS = 0, 2, 4, 5, 7, 8


@asynccontextmanager
async def serving(
    policy: Policy = ALLOWED, *, limits: ProxyLimits | None = None, shape: NetworkShape = SHAPES["none"]
) -> AsyncIterator[tuple[Proxy, int]]:
    """A proxy on a port of this machine."""
    listener = socket.create_server(("127.0.0.1", 0))
    async with HTTPClient(guard=Guard(policy)) as client:
        proxy = Proxy(permit=client.permit, guard=client.guard, shape=shape, limits=limits or ProxyLimits())
        async with proxy.serve(listener):
            yield proxy, listener.getsockname()[1]


@asynccontextmanager
async def echo() -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that answers every line with itself."""
    lines: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            lines.append(line)
            writer.write(line)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], lines


def by_name(host: str, port: int) -> bytes:
    """An address as a name."""
    return b"\x03" + bytes((len(host),)) + host.encode() + struct.pack("!H", port)


def by_number(host: str, port: int) -> bytes:
    """An address as four or sixteen bytes."""
    address = ip_address(host)
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed + struct.pack("!H", port)


@asynccontextmanager
async def asked(
    proxy_port: int, address: bytes, *, command: int = 1
) -> AsyncIterator[tuple[int, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Ask the proxy for a connection; its reply, and the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy_port)
    try:
        writer.write(b"\x05\x01\x00" + bytes((5, command, 0)) + address)
        assert await reader.readexactly(2) == b"\x05\x00"
        reply = await reader.readexactly(10)
        yield reply[1], reader, writer
    finally:
        writer.close()


async def code_of(proxy_port: int, address: bytes, *, command: int = 1) -> int:
    """The proxy's reply alone."""
    async with asked(proxy_port, address, command=command) as (code, _, _):
        return code


@pytest.mark.parametrize("spelled", [by_name, by_number])
def test_bytes_go_both_ways(spelled: object) -> None:
    """Through a connection that is allowed, by name or by number."""

    async def run() -> None:
        async with echo() as (port, _), serving() as (proxy, proxy_port):
            async with asked(proxy_port, spelled("127.0.0.1", port)) as (code, reader, writer):  # type: ignore[operator]
                writer.write(b"hello\n")
                assert (code, await reader.readline()) == (SUCCEEDED, b"hello\n")
            assert (proxy.traffic.connections, proxy.traffic.up_bytes, proxy.traffic.down_bytes) == (1, 6, 6)

    asyncio.run(run())


@pytest.mark.parametrize(
    "address",
    [
        by_number("127.0.0.2", 80),
        by_name("127.0.0.2", 80),
        by_name("0x7f000002", 80),
        by_name("2130706434", 80),
        by_name("localhost", 22),
        by_name("metadata.google.internal", 80),
        by_number("169.254.169.254", 80),
        by_number("10.0.0.1", 443),
        by_number("::1", 80),
        by_number("::ffff:127.0.0.2", 80),
        by_number("::ffff:169.254.169.254", 80),
        by_number("fd00::1", 80),
        by_name("[::1]", 80),
        by_name("::1", 80),
        by_number("8.8.8.8", 25),
        by_number("0.0.0.0", 80),
    ],
)
def test_what_the_guard_refuses_is_not_connected(address: bytes) -> None:
    """Private addresses in all spellings, names of the inside, other ports: refused by the rule, never tried."""

    async def run() -> None:
        async with serving() as (proxy, proxy_port):
            assert await code_of(proxy_port, address) in {NOT_ALLOWED, UNREACHABLE}
            assert sum(proxy.traffic.refused.values()) == 1

    asyncio.run(run())


def test_a_closed_port_is_reported_as_such() -> None:
    """The browser can distinguish it from a host that may not be contacted."""

    async def run() -> None:
        async with serving() as (_, proxy_port):
            assert await code_of(proxy_port, by_name("127.0.0.1", free_port())) == REFUSED

    asyncio.run(run())


@pytest.mark.parametrize(("command", "reply"), [(2, NO_COMMAND), (3, NO_COMMAND)])
def test_only_connections_are_made(command: int, reply: int) -> None:
    """Neither listening ports nor datagrams."""

    async def run() -> None:
        async with serving() as (_, proxy_port):
            assert await code_of(proxy_port, by_name("127.0.0.1", 80), command=command) == reply

    asyncio.run(run())


@pytest.mark.parametrize(
    "sent", [b"GET / HTTP/1.1\r\n\r\n", b"\x04\x01\x00\x50\x7f\x00\x00\x01\x00", b"\x05\x01\x02", b""]
)
def test_what_is_no_request_is_closed(sent: bytes) -> None:
    """Nothing but SOCKS5 without a password is spoken."""

    async def run() -> None:
        async with serving() as (_, proxy_port):
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy_port)
            writer.write(sent)
            writer.write_eof()
            answer = await reader.read()
            writer.close()
            assert answer in {b"", b"\x05\xff"}

    asyncio.run(run())


@pytest.mark.parametrize(("limit", "name"), [("connections", "connections"), ("hosts", "hosts")])
def test_connections_and_hosts_are_limited(limit: str, name: str) -> None:
    """As many as the limit says, and not one more."""

    async def run() -> None:
        async with echo() as (first, _), echo() as (second, _), echo() as (third, _):
            limits = replace(ProxyLimits(), **{limit: 2})
            async with serving(limits=limits) as (proxy, proxy_port):
                codes = [await code_of(proxy_port, by_name("127.0.0.1", port)) for port in (first, second, third)]
                assert codes == [SUCCEEDED, SUCCEEDED, UNREACHABLE]
                assert proxy.traffic.limit == name

    asyncio.run(run())


@pytest.mark.parametrize("direction", ["up_bytes", "down_bytes"])
def test_bytes_are_limited(direction: str) -> None:
    """A connection that goes one byte beyond the limit is closed, one that reaches it is not."""
    limits = replace(ProxyLimits(), **{direction: 10})

    async def run(line: bytes) -> tuple[bytes, str]:
        async with (
            echo() as (port, _),
            serving(limits=limits) as (proxy, proxy_port),
            asked(proxy_port, by_name("127.0.0.1", port)) as (_, reader, writer),
        ):
            writer.write(line)
            writer.write_eof()
            return await reader.read(), proxy.traffic.limit

    assert asyncio.run(run(b"123456789\n")) == (b"123456789\n", "")
    assert asyncio.run(run(b"1234567890\n")) == (b"", direction)
