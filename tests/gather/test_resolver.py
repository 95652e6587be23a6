"""Name resolution against a name server of our own on loopback."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from pagegrade.gather.resolver import Answer, CachingResolver, DNSResolver, ResolveError
from tests.waiting import turns

Zone = dict[tuple[str, str], list[str]]
Reply = Callable[[dns.message.Message, str, str], dns.message.Message | bytes | None]


def from_zone(zone: Zone) -> Reply:
    """Answer from records; a name without any does not exist."""

    def reply(query: dns.message.Message, name: str, kind: str) -> dns.message.Message:
        response = dns.message.make_response(query)
        known = name
        while ("CNAME", known) in zone:
            target = zone["CNAME", known][0]
            response.answer.append(dns.rrset.from_text(f"{known}.", 60, "IN", "CNAME", f"{target}."))
            known = target
        if (kind, known) in zone:
            response.answer.append(dns.rrset.from_text(f"{known}.", 60, "IN", kind, *zone[kind, known]))
        elif not any(name == known for _, name in zone):
            response.set_rcode(dns.rcode.NXDOMAIN)
        return response

    return reply


class NameServer(asyncio.DatagramProtocol):
    """Answers over UDP and TCP, and keeps the names it was asked for."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked: list[tuple[str, str]] = []
        self.max_udp_bytes = 512
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def answer(self, wire: bytes) -> bytes | None:
        query = dns.message.from_wire(wire)
        question = query.question[0]
        name = question.name.to_text(omit_final_dot=True)
        kind = dns.rdatatype.to_text(question.rdtype)
        self.asked.append((kind, name))
        response = self.reply(query, name, kind)
        return response.to_wire(max_size=65_535) if isinstance(response, dns.message.Message) else response

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        wire = self.answer(data)
        if wire is None or self.transport is None:
            return
        if len(wire) > self.max_udp_bytes:
            short = dns.message.make_response(dns.message.from_wire(data))
            short.flags |= dns.flags.TC
            wire = short.to_wire()
        self.transport.sendto(wire, addr)

    async def stream(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        (size,) = struct.unpack("!H", await reader.readexactly(2))
        wire = self.answer(await reader.readexactly(size)) or b""
        writer.write(struct.pack("!H", len(wire)) + wire)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def name_server(reply: Reply, *, timeout_s: float = 10.0) -> AsyncIterator[tuple[NameServer, DNSResolver]]:
    """A name server on loopback and a resolver that asks it."""
    server = NameServer(reply)
    loop = asyncio.get_running_loop()
    listener = await asyncio.start_server(server.stream, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    transport, _ = await loop.create_datagram_endpoint(lambda: server, local_addr=("127.0.0.1", port))
    try:
        yield server, DNSResolver(timeout_s=timeout_s, nameservers=(("127.0.0.1", port),))
    finally:
        transport.close()
        listener.close()
        await turns()


def resolve(reply: Reply, host: str, *, timeout_s: float = 10.0) -> Answer | ResolveError:
    """One look-up."""

    async def main() -> Answer | ResolveError:
        async with name_server(reply, timeout_s=timeout_s) as (_, resolver):
            try:
                return await resolver.resolve(host)
            except ResolveError as error:
                return error

    return asyncio.run(main())


def reason(reply: Reply, host: str = "site.com", *, timeout_s: float = 10.0) -> str:
    """The reason of a failed look-up."""
    result = resolve(reply, host, timeout_s=timeout_s)
    assert isinstance(result, ResolveError)
    return result.reason


def test_text_records_are_read_and_none_is_no_error() -> None:
    """Strings of a record are one text; what is no answer is none."""
    zone: Zone = {("TXT", "_pagegrade.site.com"): ['"one" "two"', '"other"']}

    async def main() -> list[tuple[str, ...]]:
        async with name_server(from_zone(zone)) as (_, resolver):
            return [await resolver.texts(name) for name in ("_pagegrade.site.com", "_pagegrade.other.com", "a..b")]

    found, missing, wrong = asyncio.run(main())

    assert sorted(found) == ["onetwo", "other"]
    assert (missing, wrong) == ((), ())


def test_both_families_are_asked_and_alternate() -> None:
    """IPv6 first, as browsers do."""
    zone: Zone = {("A", "site.com"): ["11.0.0.1", "11.0.0.2"], ("AAAA", "site.com"): ["2a00::1"]}
    answer = resolve(from_zone(zone), "site.com")

    assert isinstance(answer, Answer)
    assert sorted(answer.addresses[1:]) == ["11.0.0.1", "11.0.0.2"]
    assert answer.addresses[0] == "2a00::1"
    assert answer.canonical_name is None
    assert answer.duration_ms > 0


def test_a_chain_of_names_is_followed_and_its_end_reported() -> None:
    """Row C06 begins here: the addresses at the end are checked by the guard."""
    zone: Zone = {("CNAME", "site.com"): ["cdn.net"], ("A", "cdn.net"): ["10.0.0.1"]}
    answer = resolve(from_zone(zone), "site.com")

    assert isinstance(answer, Answer)
    assert answer.addresses == ("10.0.0.1",)
    assert answer.canonical_name == "cdn.net"


def test_all_addresses_are_handed_on() -> None:
    """Row C10: a long answer comes over TCP, and every address of it must be checked."""
    addresses = [f"11.0.{number // 250}.{number % 250 + 1}" for number in range(300)]
    answer = resolve(from_zone({("A", "site.com"): addresses}), "site.com")

    assert isinstance(answer, Answer)
    assert sorted(answer.addresses) == sorted(addresses)


def test_a_name_that_does_not_exist_or_has_no_address() -> None:
    """Row C08: NXDOMAIN and NODATA."""
    assert reason(from_zone({})) == "dns_nxdomain"
    assert reason(from_zone({("MX", "site.com"): []})) == "dns_nxdomain"


@pytest.mark.parametrize("code", [dns.rcode.SERVFAIL, dns.rcode.REFUSED])
def test_a_server_that_fails_is_an_error(code: dns.rcode.Rcode) -> None:
    """Row C08."""

    def reply(query: dns.message.Message, _name: str, _kind: str) -> dns.message.Message:
        response = dns.message.make_response(query)
        response.set_rcode(code)
        return response

    assert reason(reply) == "dns_error"


def test_servers_that_failed_are_asked_once_more() -> None:
    """An error that passes is none; no answer and no such name are final."""
    failed: list[str] = []
    zone = from_zone({("A", "site.com"): ["11.0.0.1"]})

    def reply(query: dns.message.Message, name: str, kind: str) -> Any:
        if failed.count(kind) < 1:
            failed.append(kind)
            response = dns.message.make_response(query)
            response.set_rcode(dns.rcode.SERVFAIL)
            return response
        return zone(query, name, kind)

    answer = resolve(reply, "site.com")

    assert isinstance(answer, Answer)
    assert answer.addresses == ("11.0.0.1",)
    assert sorted(failed) == ["A", "AAAA"]


def test_a_silent_server_is_a_time_out() -> None:
    """Row C09."""
    assert reason(lambda *_: None, timeout_s=0.6) == "dns_timeout"


def test_garbage_and_forged_answers_are_not_believed() -> None:
    """Row C11: they are ignored, as a spoofer's would have to be, until the time is over."""

    def wrong_id(query: dns.message.Message, name: str, kind: str) -> bytes:
        wire = from_zone({("A", "site.com"): ["11.6.6.6"]})(query, name, kind)
        assert isinstance(wire, dns.message.Message)
        wire.id = (query.id + 1) % 65_536
        return wire.to_wire()

    def loop_in_name(query: dns.message.Message, _name: str, _kind: str) -> bytes:
        return query.to_wire()[:2] + b"\x81\x80\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01"

    assert reason(wrong_id, timeout_s=0.6) in ("dns_timeout", "dns_error")
    assert reason(loop_in_name, timeout_s=0.6) in ("dns_timeout", "dns_error")


def test_one_family_that_fails_does_not_matter() -> None:
    """A server that never answers AAAA does not prevent IPv4."""
    zone = from_zone({("A", "site.com"): ["11.0.0.1"]})
    answer = resolve(
        lambda query, name, kind: None if kind == "AAAA" else zone(query, name, kind), "site.com", timeout_s=1.5
    )

    assert isinstance(answer, Answer)
    assert answer.addresses == ("11.0.0.1",)


def test_names_are_absolute() -> None:
    """Row C12: the server is asked for the name itself, never with a search domain."""

    async def main() -> list[tuple[str, str]]:
        async with name_server(from_zone({})) as (server, resolver):
            with pytest.raises(ResolveError):
                await resolver.resolve("site")
            return server.asked

    assert {name for _, name in asyncio.run(main())} == {"site"}


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".com"])
def test_an_impossible_name_is_an_error(host: str) -> None:
    """It is not asked for."""
    assert reason(from_zone({}), host) == "dns_error"


def test_localhost_is_known_only_where_local_names_are() -> None:
    """No server is asked for the name."""

    async def main() -> tuple[Answer, list[tuple[str, str]]]:
        async with name_server(from_zone({})) as (server, resolver):
            return await resolver.resolve("localhost", local_names=True), server.asked

    answer, asked = asyncio.run(main())

    assert answer.addresses == ("127.0.0.1", "::1")
    assert asked == []
    assert reason(from_zone({}), "localhost") == "dns_nxdomain"


def test_local_names_come_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """/etc/hosts and what else the machine knows, without repeating addresses."""

    def tables(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if host != "box":
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, 1, 6, "", ("10.0.0.7", 0)), (socket.AF_INET, 2, 17, "", ("10.0.0.7", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", tables)

    async def main() -> tuple[Answer, str]:
        resolver = DNSResolver()
        with pytest.raises(ResolveError) as caught:
            await resolver.resolve("elsewhere", local_names=True)
        return await resolver.resolve("box", local_names=True), caught.value.reason

    answer, why = asyncio.run(main())

    assert answer.addresses == ("10.0.0.7",)
    assert why == "dns_nxdomain"


def test_the_cache_asks_once_also_for_failures() -> None:
    """Row C15, with all callers at the same time and later."""

    async def main() -> list[tuple[str, str]]:
        async with name_server(from_zone({("A", "site.com"): ["11.0.0.1"]})) as (server, resolver):
            cache = CachingResolver(resolver)
            found = await asyncio.gather(*(cache.resolve("site.com") for _ in range(20)))
            assert len({answer.addresses for answer in found}) == 1
            for _ in range(3):
                with pytest.raises(ResolveError):
                    await cache.resolve("unknown.com")
            assert cache.has_asked("site.com")
            await cache.aclose()
            return server.asked

    asked = asyncio.run(main())

    assert sorted(asked) == [("A", "site.com"), ("A", "unknown.com"), ("AAAA", "site.com"), ("AAAA", "unknown.com")]


def test_a_cancelled_caller_takes_nothing_from_the_others() -> None:
    """The look-up goes on for the other callers."""
    going_on = asyncio.Event()

    class Slow:
        async def texts(self, name: str) -> tuple[str, ...]:
            return ()

        async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
            await going_on.wait()
            return Answer(host=host, addresses=("11.0.0.1",))

    async def main() -> Answer:
        cache = CachingResolver(Slow())
        async with asyncio.TaskGroup() as group:
            other = group.create_task(cache.resolve("site.com"))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(cache.resolve("site.com"), 0.01)
            going_on.set()
        return other.result()

    assert asyncio.run(main()).addresses == ("11.0.0.1",)
