"""The HTTP client against servers that misbehave on purpose, on this machine's loopback."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import TypeVar

import pytest
import trustme

from pagegrade.gather.exchange import Exchange, FetchError, Followed, Limits, Request
from pagegrade.gather.guard import Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.gather.resolver import Answer, ResolveError
from pagegrade.gather.transfer import request_headers

T = TypeVar("T")
Script = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]

OWN = Policy(allow_networks=(ip_network("127.0.0.0/8"),))
FAST = Limits(headers_s=0.6, connect_s=0.6)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
HEAD = b"HTTP/1.1 200 OK\r\n"


class Names:
    """A resolver that knows what it is told and counts."""

    def __init__(self, addresses: dict[str, tuple[str, ...]] | None = None) -> None:
        self.addresses = addresses or {}
        self.asked: list[str] = []

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
        # Transports are closed by the loop a moment after they were aborted.
        await asyncio.sleep(0.01)

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
    limits: Limits = FAST,
    follow: bool = False,
    policy: Policy = OWN,
) -> tuple[Followed | FetchError, Server]:
    """Serve the scripts, ask once, hand back what came and what the server saw."""

    async def main() -> tuple[Followed | FetchError, Server]:
        async with (
            serving(*scripts) as server,
            HTTPClient(policy=policy, resolver=Names(), limits=limits) as client,
        ):
            wanted = Request(url=f"http://site.com:{server.port}/", timeout_s=1.5, **(request or {}))  # type: ignore[arg-type]
            try:
                if follow:
                    return await client.follow(wanted), server
                return Followed(exchange=await client.fetch(wanted)), server
            except FetchError as error:
                return error, server

    return asyncio.run(main())


def answer(*scripts: Script, **more: object) -> Exchange:
    """What ``fetch`` brings, when it must be an answer."""
    result, _ = fetch(*scripts, **more)  # type: ignore[arg-type]
    if isinstance(result, FetchError):
        raise result
    return result.exchange


def failure(*scripts: Script, **more: object) -> FetchError:
    """What ``fetch`` brings, when it must be a failure."""
    result, _ = fetch(*scripts, **more)  # type: ignore[arg-type]
    if not isinstance(result, FetchError):
        raise AssertionError(result.response)
    return result


def endless(head: bytes, piece: bytes) -> Script:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for _ in range(100_000):
            writer.write(piece)
            await writer.drain()

    return script


def dripping(head: bytes, rest: bytes) -> Script:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for byte in rest:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.05)

    return script


def resetting(head: bytes) -> Script:
    async def script(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await writer.drain()
        await asyncio.sleep(0.05)
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return script


async def silent(_: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


def test_an_ordinary_answer_is_measured() -> None:
    """Status, headers, body, sizes and timings of one exchange."""
    exchange = answer(OK)

    response = exchange.response
    assert (response.status, response.http_version, response.body) == (200, "HTTP/1.1", b"hi")
    assert response.headers == (("Content-Length", "2"),)
    assert (response.wire_bytes, response.header_bytes) == (2, len(OK) - 2)
    assert response.truncated is None
    assert response.notes == ()
    assert response.timings.dns_ms == 1.5
    assert response.timings.connect_ms is not None
    assert response.timings.tls_ms is None
    assert response.timings.total_ms > 0


def test_an_address_that_is_not_public_is_not_shown() -> None:
    """The loopback address stays inside, where the operator's own networks are allowed."""
    exchange = answer(OK)

    assert exchange.response.address is None
    assert exchange.dialled_address == "127.0.0.1"


def test_the_wire_carries_the_fixed_headers_and_nothing_else() -> None:
    """No cookie, no credentials, nothing from the environment."""
    _, server = fetch(OK, request={"referer": "https://site.com/"})

    lines = server.requests[0].decode().split("\r\n")
    wanted = [line for line in request_headers(Request(url="http://site.com/", referer="https://site.com/"))]
    assert lines == ["GET / HTTP/1.1", f"Host: site.com:{server.port}", *wanted, "", ""]


def test_environment_proxies_have_no_influence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy named by the environment is not contacted."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert answer(OK).response.status == 200


def test_head_brings_no_body() -> None:
    """HEAD is sent as such and its Content-Length is not waited for."""
    result, server = fetch(HEAD + b"Content-Length: 5000\r\n\r\n", request={"method": "HEAD"})

    assert isinstance(result, Followed)
    assert result.response.body == b""
    assert result.response.truncated is None
    assert server.requests[0].startswith(b"HEAD / ")


NOT_HTTP: dict[str, Script] = {
    "nothing": b"",
    "http_0_9": b"<html>no head at all</html>",
    "icy": b"ICY 200 OK\r\n\r\nx",
    "http_2_0": b"HTTP/2.0 200 OK\r\n\r\nx",
    "http_2_in_clear": b"HTTP/2 200\r\n\r\nx",
    "status_99": b"HTTP/1.1 99 Low\r\n\r\n",
    "status_1000": b"HTTP/1.1 1000 High\r\n\r\n",
    "status_700": b"HTTP/1.1 700 High\r\nContent-Length: 0\r\n\r\n",
    "status_abc": b"HTTP/1.1 abc OK\r\n\r\n",
    "two_lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi!",
    "negative_length": HEAD + b"Content-Length: -2\r\n\r\nhi",
    "plus_length": HEAD + b"Content-Length: +2\r\n\r\nhi",
    "huge_length": HEAD + b"Content-Length: 99999999999999999999\r\n\r\nhi",
    "blank_before_colon": HEAD + b"Content-Length : 2\r\n\r\nhi",
    "unknown_transfer_coding": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "identity_after_chunked": HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    "chunk_size_zz": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n",
    "chunk_size_0x5": HEAD + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhi\r\n0\r\n\r\n",
    "switching_protocols": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxx",
    "nul_in_header": HEAD + b"X: a\0b\r\nContent-Length: 2\r\n\r\nhi",
    "no_colon": HEAD + b"Foo\r\nContent-Length: 2\r\n\r\nhi",
    "tls_alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "too_many_headers": HEAD + b"Set-Cookie: a=b\r\n" * 300 + b"\r\n",
    "too_many_interim": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 11 + OK,
    "endless_header": endless(HEAD + b"X: ", b"a" * 8_192),
    "endless_headers": endless(HEAD, b"X: a\r\n" * 50),
    "endless_status": endless(b"HTTP/1.1 200 ", b"a" * 8_192),
    "endless_interim": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 5),
}


@pytest.mark.parametrize("script", NOT_HTTP.values(), ids=NOT_HTTP.keys())
def test_what_is_not_proper_http_is_refused(script: Script) -> None:
    """Rows E04, E07, E10 to E12, E15 to E17, E19, E21, E23."""
    assert failure(script).reason == "http_protocol"


@pytest.mark.parametrize(
    ("script", "note"),
    [
        (b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", "bare_line_feed"),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "no_reason_phrase"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK, "early_hints"),
        (
            HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
            "length_and_chunked",
        ),
    ],
)
def test_tolerated_oddities_are_noted(script: bytes, note: str) -> None:
    """Rows E13, E14, E22: the answer is used and says what was odd."""
    response = answer(script).response

    assert response.body == b"hi"
    assert response.notes == (note,)


@pytest.mark.parametrize(
    ("script", "body", "why"),
    [
        (HEAD + b"Content-Length: 20\r\n\r\nhi", b"hi", "connection"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", b"hi", "connection"),
        (resetting(HEAD + b"Content-Length: 20\r\n\r\nhi"), b"hi", "connection"),
    ],
    ids=["short", "no_last_chunk", "reset"],
)
def test_a_body_cut_off_by_the_server_is_kept(script: Script, body: bytes, why: str) -> None:
    """Rows E01, E17, E18."""
    response = answer(script).response

    assert (response.body, response.truncated) == (body, why)


def test_a_dripping_body_ends_at_the_time_limit_and_is_kept() -> None:
    """Row E06: each byte comes in time, the whole does not."""
    response = answer(dripping(HEAD + b"Content-Length: 1000\r\n\r\n", b"x" * 1_000)).response

    assert response.truncated == "time"
    assert response.body.startswith(b"xx")


@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        (resetting(b""), "connect", "conn_reset"),
        (resetting(HEAD), "connect", "conn_reset"),
        (resetting(HEAD + b"Content-Length: 20\r\n\r\n"), "connect", "conn_reset"),
        (silent, "timeout", "headers_timeout"),
        (dripping(b"", HEAD + b"X: y\r\n" * 50), "timeout", "headers_timeout"),
    ],
    ids=["reset_at_once", "reset_in_head", "reset_before_body", "silent", "dripping_head"],
)
def test_no_answer_says_why(script: Script, code: str, reason: str) -> None:
    """Rows E01, E03, E05."""
    error = failure(script)

    assert (error.code, error.reason) == (code, reason)


def test_a_refused_connection_says_so() -> None:
    """Row E01: nobody listens."""

    async def main() -> FetchError:
        async with serving(OK) as server:
            port = server.port
        async with HTTPClient(policy=OWN, resolver=Names()) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"http://site.com:{port}/"))
            return caught.value

    error = asyncio.run(main())

    assert (error.code, error.reason) == ("connect", "connect_refused")


def test_a_body_beyond_the_wire_limit_is_cut_exactly() -> None:
    """Row E08."""
    response = answer(endless(HEAD + b"\r\n", b"a" * 65_536), request={"max_wire_bytes": 100_001}).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (100_001, 100_001, "limit")


def test_kept_bytes_are_cut_and_the_rest_is_counted() -> None:
    """An image's first bytes are stored, its size is still known."""
    whole = b"x" * 50_000
    response = answer(HEAD + b"Content-Length: 50000\r\n\r\n" + whole, request={"keep_bytes": 100}).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (100, 50_000, None)


def test_a_coded_body_is_decoded() -> None:
    """Size on the wire and decoded body are both known."""
    coded = gzip.compress(b"hello " * 100)
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: " + str(len(coded)).encode() + b"\r\n\r\n"
    response = answer(head + coded).response

    assert response.body == b"hello " * 100
    assert response.wire_bytes == len(coded)
    assert response.content_encodings == ("gzip",)


@pytest.mark.parametrize(
    ("coding", "body", "truncated", "note"),
    [
        (b"gzip", gzip.compress(bytes(30_000_000)), "limit", "decode_bomb"),
        (b"gzip", gzip.compress(b"hello" * 100)[:-20], "coding", "truncated_stream"),
        (b"gzip", gzip.compress(b"hello") + b"junk", None, "trailing_garbage"),
        (b"gzip", b"plain text", "coding", "plain_body"),
        (b"foo", b"???", "coding", "unknown_coding"),
        (b"gzip, gzip, gzip", b"???", "coding", "too_many_codings"),
    ],
)
def test_odd_codings_are_data(coding: bytes, body: bytes, truncated: str | None, note: str) -> None:
    """Rows F01, F04, F06 to F09 as they come out of the client."""
    head = HEAD + b"Content-Encoding: " + coding + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n\r\n"
    response = answer(head + body).response

    assert (response.truncated, response.notes) == (truncated, (note,))
    assert len(response.body) <= 20_000_000


def test_control_bytes_in_headers_are_escaped() -> None:
    """Row E21: bytes beyond ASCII are kept as Latin-1, control bytes can do nothing."""
    response = answer(HEAD + b"X: caf\xe9 \x07\r\nContent-Length: 2\r\n\r\nhi").response

    assert response.header("x") == "café \\x07"


def redirect(location: bytes, status: bytes = b"302") -> bytes:
    return b"HTTP/1.1 " + status + b" Found\r\nLocation: " + location + b"\r\nContent-Length: 0\r\n\r\n"


def test_redirects_are_followed_and_kept() -> None:
    """Row D07: relative targets are joined against the URL they came from."""
    result, server = fetch(redirect(b"/a/b/c"), redirect(b"../d?x#frag"), redirect(b"?y", b"308"), OK, follow=True)

    assert isinstance(result, Followed)
    paths = [request.split(b" ")[1] for request in server.requests]
    assert paths == [b"/", b"/a/b/c", b"/a/d?x", b"/a/d?y"]
    assert [hop.status for hop in result.hops] == [302, 302, 308]
    assert result.response.url == f"http://site.com:{server.port}/a/d?y"


@pytest.mark.parametrize(
    "location",
    [
        b"http://127.0.0.2.:81/x",
        b"http://10.0.0.1/",
        b"http://169.254.169.254/latest/meta-data/",
        b"http://[::ffff:169.254.169.254]/",
        b"http://2852039166/",
        b"file:///etc/passwd",
        b"gopher://site.com/",
        b"javascript:alert(1)",
        b"data:text/html,x",
        b"https://a:b@site.com/",
        b"http://site.com/\x01",
        b"http://exa mple.com/",
        b"http://[/",
        b"/" + b"x" * 9_000,
    ],
)
def test_a_redirect_to_what_may_not_be_contacted_is_refused(location: bytes) -> None:
    """Rows D01 to D03, D08, D09; the chain up to the refusal is kept and no address is told."""
    policy = Policy(allow_networks=(ip_network("127.0.0.1/32"),))
    error = failure(redirect(location), follow=True, policy=policy)

    assert (error.code, error.reason) == ("address_not_allowed", "redirect_refused")
    assert [hop.status for hop in error.hops] == [302]
    assert "169.254" not in error.detail
    assert "10.0.0.1" not in error.detail


def test_a_redirect_to_a_name_with_a_forbidden_address_is_refused() -> None:
    """Every hop is judged anew, with all addresses of its name."""

    async def main() -> FetchError:
        names = Names({"inside.com": ("127.0.0.1", "10.0.0.1")})
        async with (
            serving(redirect(b"http://inside.com:{port}/")) as server,
            HTTPClient(policy=OWN, resolver=names) as client,
        ):
            with pytest.raises(FetchError) as caught:
                await client.follow(Request(url=f"http://site.com:{server.port}/"))
            return caught.value

    error = asyncio.run(main())

    assert error.reason == "redirect_refused"
    assert len(error.hops) == 1


@pytest.mark.parametrize("location", [b"/", b"#here", b""])
def test_a_loop_ends_at_its_first_repeat(location: bytes) -> None:
    """Row D04; an empty Location leads nowhere instead (D06)."""
    result, server = fetch(redirect(location), follow=True)

    if location:
        assert isinstance(result, FetchError)
        assert result.reason == "redirect_loop"
    else:
        assert isinstance(result, Followed)
        assert result.response.notes == ("redirect_without_location",)
    assert len(server.requests) == 1


def test_the_eleventh_redirect_is_too_many() -> None:
    """Row D05."""
    error = failure(*(redirect(b"/" + str(number).encode()) for number in range(12)), follow=True)

    assert error.reason == "too_many_redirects"
    assert len(error.hops) == 11


def test_two_locations_that_differ_are_refused() -> None:
    """Row D06: readers would follow different ones."""
    script = b"HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"

    assert failure(script, follow=True).reason == "http_protocol"


def test_the_body_of_a_redirect_is_not_decoded() -> None:
    """Row D13: a bomb in a redirect costs nothing."""
    bomb = gzip.compress(bytes(3_000_000))
    head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Encoding: gzip\r\nContent-Length: "
    result, _ = fetch(head + str(len(bomb)).encode() + b"\r\n\r\n" + bomb, OK, follow=True)

    assert isinstance(result, Followed)
    assert (result.hops[0].body, result.hops[0].truncated) == (b"", None)


def test_an_endless_body_of_a_redirect_is_not_read() -> None:
    """Row D13: it is left after 64 kB, well before the wire limit."""
    head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n"
    result, _ = fetch(endless(head, b"a" * 8_192), OK, follow=True)

    assert isinstance(result, Followed)
    assert (result.hops[0].wire_bytes or 0) < 200_000


@pytest.mark.parametrize("status", [b"300", b"304", b"305"])
def test_other_statuses_of_the_300s_are_answers(status: bytes) -> None:
    """Row D14: they are not followed, whatever Location they carry."""
    result, server = fetch(redirect(b"/x", status), follow=True)

    assert isinstance(result, Followed)
    assert result.response.status == int(status)
    assert len(server.requests) == 1


def ask(policy: Policy, url: str, addresses: tuple[str, ...]) -> tuple[str, list[str]]:
    """Reason of the failure, and the names asked for."""

    async def main() -> tuple[str, list[str]]:
        names = Names({"site.com": addresses})
        async with HTTPClient(policy=policy, resolver=names, limits=FAST) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=url))
            return caught.value.reason, names.asked

    return asyncio.run(main())


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("11.0.0.1", "10.0.0.1"), ("2a00::1", "::1"), ("fe80::1%lo",)])
def test_a_name_with_any_forbidden_address_is_not_dialled(addresses: tuple[str, ...]) -> None:
    """Rows C01, C02, C04."""
    assert ask(Policy(), "http://site.com/", addresses) == ("target_refused", ["site.com"])


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://site.com:22/", "http://printer/"])
def test_what_is_forbidden_by_its_url_is_not_looked_up(url: str) -> None:
    """The name servers learn nothing of it."""
    assert ask(Policy(), url, ()) == ("target_refused", [])


def test_an_unknown_name_says_so() -> None:
    """Row C08."""
    assert ask(Policy(), "http://unknown.com/", ())[0] == "dns_nxdomain"


def test_a_typed_private_server_is_reached_but_leads_nowhere_private() -> None:
    """What somebody types at the terminal is theirs; where it redirects to is not."""

    async def main() -> tuple[int, str]:
        async with serving(redirect(b"http://127.0.0.1:{port}/other"), OK) as server:
            policy = Policy(typed_private=frozenset({("site.com", server.port)}))
            async with HTTPClient(policy=policy, resolver=Names()) as client:
                first = await client.fetch(Request(url=f"http://site.com:{server.port}/"))
                server.scripts.insert(0, redirect(b"http://127.0.0.1:{port}/other"))
                with pytest.raises(FetchError) as caught:
                    await client.follow(Request(url=f"http://site.com:{server.port}/"))
                return first.response.status, caught.value.reason

    assert asyncio.run(main()) == (302, "redirect_refused")


def test_a_name_is_looked_up_once_per_client() -> None:
    """Row C15, also when many ask at once."""

    async def main() -> tuple[list[str], int]:
        names = Names()
        async with serving(OK) as server, HTTPClient(policy=OWN, resolver=names) as client:
            wanted = [Request(url=f"http://site.com:{server.port}/{number}") for number in range(12)]
            done = await asyncio.gather(*(client.fetch(request) for request in wanted))
            return names.asked, sum(exchange.response.status == 200 for exchange in done)

    assert asyncio.run(main()) == (["site.com"], 12)


def test_connections_are_kept_and_limited() -> None:
    """At most six at a time to one host, and a kept one is used again."""

    async def main() -> tuple[int, int, float | None]:
        async with serving(OK, per_connection=50) as server, HTTPClient(policy=OWN, resolver=Names()) as client:
            url = f"http://site.com:{server.port}/"
            await asyncio.gather(*(client.fetch(Request(url=f"{url}{number}")) for number in range(20)))
            busy = server.connections
            again = await client.fetch(Request(url=url))
            return busy, server.connections, again.response.timings.connect_ms

    busy, total, connect_ms = asyncio.run(main())

    assert 1 <= busy <= 6
    assert total == busy
    assert connect_ms is None


def test_an_answer_that_was_not_asked_for_is_not_used() -> None:
    """Row E30: what a server pushes after its answer is never the answer to the next request."""

    async def main() -> list[bytes]:
        pushed = OK + b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        async with serving(pushed, OK, per_connection=2) as server, HTTPClient(policy=OWN, resolver=Names()) as client:
            url = f"http://site.com:{server.port}/"
            first = await client.fetch(Request(url=url))
            await asyncio.sleep(0.05)
            second = await client.fetch(Request(url=url))
            return [first.response.body, second.response.body]

    assert asyncio.run(main()) == [b"hi", b"hi"]


def test_cookies_are_never_sent_back() -> None:
    """Row D11: there is no jar at all."""
    script = b"HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"
    _, server = fetch(script, OK, follow=True)

    assert b"ookie" not in server.requests[1]


def test_the_deadline_of_the_client_ends_an_exchange() -> None:
    """A report's own clock is above every time-out of an exchange."""

    async def main() -> FetchError:
        deadline = asyncio.get_running_loop().time() + 0.2
        async with serving(silent) as server, HTTPClient(policy=OWN, resolver=Names(), deadline=deadline) as client:
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"http://site.com:{server.port}/"))
            with pytest.raises(FetchError) as later:
                await client.fetch(Request(url=f"http://site.com:{server.port}/"))
            assert later.value.code == "budget"
            return caught.value

    assert asyncio.run(main()).code == "budget"


def test_a_cancelled_exchange_leaves_the_client_usable() -> None:
    """Its handle is thrown away, so that it cannot disturb the next exchange."""

    async def main() -> int:
        async with serving(silent, OK) as server, HTTPClient(policy=OWN, resolver=Names()) as client:
            request = Request(url=f"http://site.com:{server.port}/")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.1):
                    await client.fetch(request)
            return (await client.fetch(request)).response.status

    assert asyncio.run(main()) == 200


def test_a_mistake_inside_a_callback_is_an_internal_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is neither printed nor mistaken for the server's fault."""

    def broken(*_: object) -> bool:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("pagegrade.gather.decode.BodyDecoder.feed", broken)
    error = failure(OK)

    assert error.code == "internal"
    assert isinstance(error.__cause__, RuntimeError)


@pytest.fixture(name="authority")
def make_authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> trustme.CA:
    """An intranet's own authority, trusted through SSL_CERT_FILE."""
    authority = trustme.CA()
    path = tmp_path / "roots.pem"
    authority.cert_pem.write_to_path(str(path))
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return authority


def context(authority: trustme.CA, *names: str, expired: bool = False) -> ssl.SSLContext:
    when = datetime.now(UTC) - timedelta(days=1) if expired else None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, not_after=when).configure_cert(made)
    return made


def secure(tls: ssl.SSLContext, **more: object) -> list[Exchange | FetchError]:
    """Two exchanges over TLS, one after the other."""

    async def main() -> list[Exchange | FetchError]:
        found: list[Exchange | FetchError] = []
        async with serving(OK, tls=tls) as server, HTTPClient(policy=OWN, resolver=Names(), limits=FAST) as client:
            for _ in range(2):
                try:
                    found.append(
                        await client.fetch(Request(url=f"https://site.com:{server.port}/", **more))  # type: ignore[arg-type]
                    )
                except FetchError as error:
                    found.append(error)
        return found

    return asyncio.run(main())


def test_a_valid_certificate_verifies(authority: trustme.CA) -> None:
    """The chain is handed on in PEM, leaf first, and the handshake is timed."""
    exchange = secure(context(authority, "site.com"))[0]

    assert isinstance(exchange, Exchange)
    assert exchange.response.certificate_error is None
    assert exchange.response.timings.tls_ms is not None
    assert exchange.certificates_pem[0].startswith("-----BEGIN CERTIFICATE-----")
    assert exchange.verify_result == 0


@pytest.mark.parametrize(
    ("names", "expired", "trusted", "word"),
    [
        (("site.com",), True, True, "expired"),
        (("other.com",), False, True, "wrong_host"),
        (("site.com",), False, False, "untrusted"),
    ],
)
def test_a_certificate_that_does_not_verify_is_a_fact(
    authority: trustme.CA, names: tuple[str, ...], expired: bool, trusted: bool, word: str
) -> None:
    """Row E24: the answer is had without verification, and says so on every exchange."""
    issuer = authority if trusted else trustme.CA()
    found = secure(context(issuer, *names, expired=expired))

    for exchange in found:
        assert isinstance(exchange, Exchange)
        assert exchange.response.certificate_error == word
        assert exchange.response.body == b"hi"
        assert exchange.verify_result > 1
    assert isinstance(found[0], Exchange)
    assert found[0].certificates_pem


def test_a_required_certificate_that_does_not_verify_is_a_failure(authority: trustme.CA) -> None:
    """Nothing is read over the connection."""
    error = secure(context(authority, "other.com"), verify_tls="require")[0]

    assert isinstance(error, FetchError)
    assert (error.code, error.reason) == ("tls", "tls_error")


def greet(words: bytes) -> FetchError:
    """Ask for https where the server says ``words`` and then nothing."""

    async def main() -> FetchError:
        async with (
            serving(OK, greeting=words) as server,
            HTTPClient(policy=OWN, resolver=Names(), limits=FAST) as client,
        ):
            with pytest.raises(FetchError) as caught:
                await client.fetch(Request(url=f"https://site.com:{server.port}/"))
            return caught.value

    return asyncio.run(main())


def test_plain_http_on_a_tls_port_is_a_tls_error(authority: trustme.CA) -> None:
    """Row E23."""
    error = greet(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    assert error.code == "tls"
    assert error.detail == "The server does not speak TLS on this port."


def test_a_stalled_handshake_ends_in_time(authority: trustme.CA) -> None:
    """Row E26."""
    assert greet(b"").reason == "tls_error"
