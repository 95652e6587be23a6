"""Hostile rows K13 to K15 and T23: what a client can do with bytes."""

from __future__ import annotations

import asyncio
import re
from importlib.metadata import requires, version
from ipaddress import ip_network
from typing import Any, Final

import httptools
import pytest

from pagegrade.web.server.limits import (
    BAD_CODING,
    BAD_HOST,
    BAD_TARGET,
    BAD_VERSION,
    Refusal,
    RefusedError,
    ServerLimits,
)
from pagegrade.web.server.protocol import check_headers, read_target
from tests.waiting import pause_for, turns, wait_for
from tests.web.wires import GET, PATIENCE_S, Recorder, Site, read_all, read_reply, replies_in, request, serving

CHUNKED: Final = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
SMUGGLED: Final = b"GET /admin HTTP/1.1\r\nHost: a\r\n\r\n"

POST: Final = b"POST / HTTP/1.1\r\nHost: a\r\n"
END: Final = b"0\r\n\r\n"

MALFORMED: Final = {
    "transfer coding and length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + END,
    "length and transfer coding": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + END,
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    "two equal lengths": POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
    "list of lengths": POST + b"Content-Length: 5, 5\r\n\r\nabcde",
    "signed length": POST + b"Content-Length: +5\r\n\r\nabcde",
    "hexadecimal length": POST + b"Content-Length: 0x5\r\n\r\nabcde",
    "huge length": POST + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n" + END,
    "coding before chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + END,
    "coding after chunked": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n" + END,
    "identity": POST + b"Transfer-Encoding: identity\r\n\r\nabc",
    "two codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n" + END,
    "chunked in 1.0": b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + END,
    "vertical tab before coding": POST + b"Transfer-Encoding:\x0bchunked\r\n\r\n" + END,
    "blank before colon": POST + b"Transfer-Encoding : chunked\r\n\r\n" + END,
    "bare LF": b"GET / HTTP/1.1\nHost: a\n\n",
    "bare LF between headers": b"GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "bare CR between headers": b"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
    "folded header": b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n",
    "NUL in a header": b"GET / HTTP/1.1\r\nHost: a\r\nX: b\x00c\r\n\r\n",
    "escape in a header": b"GET / HTTP/1.1\r\nHost: a\r\nX: \x1b[31m\r\n\r\n",
    "header without a name": b"GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
    "header without a colon": b"GET / HTTP/1.1\r\nHost: a\r\nabc\r\n\r\n",
    "bare LF after a chunk size": CHUNKED + b"1\na\n0\n\n",
    "bare LF after a chunk extension": CHUNKED + b"1;a=b\na\r\n0\r\n\r\n",
    "negative chunk": CHUNKED + b"-1\r\na\r\n0\r\n\r\n",
    "chunk size with 0x": CHUNKED + b"0x1\r\na\r\n0\r\n\r\n",
    "chunk size overflow": CHUNKED + b"ffffffffffffffff1\r\na\r\n0\r\n\r\n",
    "chunk longer than said": CHUNKED + b"1\r\naXX0\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "two hosts in 1.0": b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
    "host with a path": b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
    "host with a user": b"GET / HTTP/1.1\r\nHost: b@a\r\n\r\n",
    "host with a query": b"GET / HTTP/1.1\r\nHost: a?b\r\n\r\n",
    "host with a blank": b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "target begins with @": b"GET @evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "target without a slash": b"GET evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "target with a user": b"GET http://b@a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "target of another scheme": b"GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
    "target with a blank": b"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
    "target with bytes": b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    "target with NUL": b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
    "proxy request": b"CONNECT a.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/2.0 by name": b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
    "HTTP/1.2": b"GET / HTTP/1.2\r\nHost: a\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "noise": bytes(range(128, 256)),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_request_gets_one_problem_and_the_connection_ends(data: bytes) -> None:
    """K15: whatever follows such a request is never taken for another one."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(data + SMUGGLED, SMUGGLED)

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [400]
    assert answers[0].headers["content-type"] == "application/problem+json"
    assert answers[0].headers["connection"] == "close"
    assert answers[0].problem["type"] == "https://reports.example/problems/bad-request"
    assert answers[0].problem["request_id"] == answers[0].headers["x-request-id"]
    assert [scope["path"] for scope in app.scopes] == []


@pytest.mark.parametrize("method", [b"FETCH", b"get", b"X-" + b"y" * 62])
def test_a_method_the_parser_does_not_know_is_not_implemented(method: bytes) -> None:
    """Another answer than to noise; the connection ends all the same."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            return await site.talk(method + b" /x HTTP/1.1\r\nHost: a\r\n\r\n")

    (answer,) = replies_in(asyncio.run(scenario()))

    assert (answer.status, answer.problem["code"]) == (501, "not_implemented")
    assert answer.headers["connection"] == "close"


def test_malformed_request_waits_for_its_turn() -> None:
    """A refusal sent before the answer to the request in front of it would be taken for that answer."""

    async def scenario() -> bytes:
        app = Recorder()
        async with serving(app) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
            await app.holding(1)
            app.hold.set()
            said = await read_all(reader)
            writer.close()
            return said

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [200, 200, 400]
    assert [answer.body for answer in answers[:2]] == [b"/hold", b"/2"]


def test_malformed_body_is_refused_and_the_application_notified() -> None:
    """An application that waits for the rest of a body hears that there will be none."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(CHUNKED + b"1\r\na\r\n", b"zz\r\n")

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [400]
    assert app.left == 1


def test_requests_in_one_piece_are_answered_in_order() -> None:
    """K15: pipelining; one answer for each request."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app) as site:
            many = b"".join(b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(20))
            return await site.talk(many + request(path="/last"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [*(b"/%d" % number for number in range(20)), b"/last"]


def test_too_many_requests_in_one_piece_are_answered_up_to_the_limit() -> None:
    """The rest is not answered, which the client sees by the end of the connection."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app, limits=ServerLimits(pipelined=3)) as site:
            return await site.talk(GET * 200)

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [200] * 4
    assert len(app.scopes) == 4


def test_nothing_after_a_request_that_ends_the_connection_is_read() -> None:
    """K15: ``Connection: close`` means it."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(request(path="/1") + SMUGGLED, SMUGGLED)

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"/1"]
    assert len(app.scopes) == 1


@pytest.mark.parametrize("split", [True, False], ids=["body apart", "body at once"])
def test_an_upgrade_to_another_protocol_is_ignored(split: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """K15: the body of such a request is its body, and never the next request."""
    app = Recorder()
    head = (
        b"POST /new_report HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
        b"HTTP2-Settings: AAMAAABk\r\nContent-Length: %d\r\n\r\n" % len(SMUGGLED)
    )

    async def scenario() -> bytes:
        async with serving(app) as site:
            pieces = (head, SMUGGLED) if split else (head + SMUGGLED,)
            return await site.talk(*pieces, request(path="/next"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"/new_report", b"/next"]
    assert app.bodies == [SMUGGLED, b""]
    assert [scope["path"] for scope in app.scopes] == ["/new_report", "/next"]


def test_client_that_expects_100_continue_gets_it() -> None:
    """K15: ``Expect: 100-continue``, and then the body."""

    async def scenario() -> tuple[bytes, int]:
        async with serving(Recorder()) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            interim = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"abc" + request())
            answer = await read_reply(reader)
            writer.close()
            return interim, answer.status

    interim, status = asyncio.run(scenario())

    assert interim == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert status == 200


def test_answer_without_the_body_ends_the_connection() -> None:
    """A client without 100 Continue may send its body or not, so nothing can follow it."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            return await site.talk(
                b"POST /early HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            )

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [200]
    assert answers[0].headers["connection"] == "close"


def test_early_answer_leaves_the_connection_usable() -> None:
    """The rest of an unwanted body is read away."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            head = b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n"
            return await site.talk(head, b"x" * 200_000, b"x" * 200_000, request(path="/next"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"/early", b"/next"]


@pytest.mark.parametrize("close", ["Connection: close\r\n", ""], ids=["closing", "kept"])
def test_early_answer_reaches_a_client_that_is_still_sending(close: str) -> None:
    """A client whose body is too long has to get the answer, and not a reset."""

    async def scenario() -> bytes:
        async with serving(Recorder(), limits=ServerLimits(body_bytes=10_000_000)) as site:
            head = f"POST /early HTTP/1.1\r\nHost: a\r\n{close}Content-Length: 3000001\r\n\r\n".encode()
            pieces = [b"x" * 300_000 for _ in range(10)]
            return await site.talk(head, *pieces, b"x" + request(path="/next"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == ([b"/early"] if close else [b"/early", b"/next"])


def test_trailers_are_not_headers() -> None:
    """Fields after a body cannot change the client or the request."""
    app = Recorder()

    async def scenario() -> bytes:
        async with serving(app) as site:
            data = CHUNKED + b"1\r\na\r\n0\r\nAuthorization: Bearer stolen\r\nX-Other: b\r\n\r\n"
            return await site.talk(data + request(path="/next"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == [200, 200]
    assert dict(app.scopes[0]["headers"]) == {b"host": b"a", b"transfer-encoding": b"chunked"}


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"http://evil.example/a?b=c", "/a", b"b=c"),
        (b"http://evil.example", "/", b""),
        (b"//evil.example/a", "//evil.example/a", b""),
        (b"/a%2Fb%20c?d", "/a/b c", b"d"),
        (b"/a#b", "/a", b""),
        (b"/a?b?c", "/a", b"b?c"),
        (b"*", "*", b""),
    ],
)
def test_only_path_and_query_of_a_target_count(target: bytes, path: str, query: bytes) -> None:
    """T23: a host in the target changes nothing."""
    app = Recorder()

    async def scenario() -> None:
        async with serving(app) as site:
            await site.talk(b"OPTIONS %b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" % target)

    asyncio.run(scenario())

    assert [(scope["path"], scope["query_string"]) for scope in app.scopes] == [(path, query)]


@pytest.mark.parametrize("host", ["", "a.example", "a.example:8080", "[::1]:80", "xn--bcher-kva.example", "a_b"])
def test_usual_hosts_are_fine(host: str) -> None:
    """Hosts that browsers and proxies send."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            return await site.talk(f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())

    assert replies_in(asyncio.run(scenario()))[0].status == 200


def test_old_clients_are_served() -> None:
    """HTTP/1.0 without a host; the connection ends with the answer."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            return await site.talk(b"GET /old HTTP/1.0\r\n\r\n")

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"/old"]


LIMITS: Final = ServerLimits(url_bytes=100, head_bytes=400, headers=5, body_bytes=1000, linger_s=5)


def padded(size: int) -> bytes:
    """A request whose target and headers have ``size`` bytes as they are counted."""
    fixed = len(b"/") + len(b"Host") + len(b"a") + 4 + len(b"X") + 4
    return b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (size - fixed) + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "statuses"),
    [
        (b"GET /" + b"a" * 99 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [200]),
        (b"GET /" + b"a" * 100 + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", [414]),
        (b"GET /" + b"a" * 10_000, [414]),
        (padded(400) + request(), [200, 200]),
        (padded(401) + request(), [431]),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 10_000, [431]),
        (b"GET / HTTP/1.1\r\n" + b"x" * 10_000, [431]),
        (request("GET", "/", "A: 1", "B: 2", "C: 3"), [200]),
        (request("GET", "/", "A: 1", "B: 2", "C: 3", "D: 4"), [431]),
        (CHUNKED + b"1\r\na\r\n0\r\n" + b"T: x\r\n" * 6 + b"\r\n", [431]),
        (CHUNKED + b"1\r\na\r\n0\r\nT: " + b"x" * 10_000, [413]),
        (CHUNKED + b"1;" + b"x" * 10_000, [413]),
        (CHUNKED + b"1\r\na\r\n" * 2_000, [413]),
    ],
    ids=[
        "target at the limit",
        "target beyond",
        "endless target",
        "head at the limit",
        "head beyond",
        "endless value",
        "endless name",
        "headers at the limit",
        "headers beyond",
        "trailers beyond",
        "endless trailer",
        "endless chunk extension",
        "endless body",
    ],
)
def test_sizes_are_limited(data: bytes, statuses: list[int]) -> None:
    """At the limit, beyond it, and without an end."""

    async def scenario() -> bytes:
        async with serving(Recorder(), limits=LIMITS) as site:
            half = len(data) // 2
            return await site.talk(data[:half], data[half:])

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.status for answer in answers] == statuses
    assert all(answer.problem["code"] == "too_large" for answer in answers if answer.status > 400)


@pytest.mark.parametrize(
    "pieces",
    [
        (b"GET / HT", b"TP/1.1\r\n", b"Ho", b"st: a"),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", b"a", b"b", b"c"),
        (CHUNKED, b"1", b"\r\n", b"a"),
    ],
    ids=["head", "body", "chunks"],
)
def test_slow_request_is_refused_while_others_are_served(pieces: tuple[bytes, ...]) -> None:
    """K13: bytes that keep dripping in do not put off the deadline."""

    async def scenario() -> tuple[bytes, bytes]:
        async with serving(Recorder(), limits=ServerLimits(receive_s=0.3)) as site:
            slow = asyncio.get_running_loop().create_task(site.talk(*pieces))
            quick = await site.talk(request())
            return await slow, quick

    slow, quick = asyncio.run(scenario())

    assert [answer.status for answer in replies_in(slow)] == [408]
    assert [answer.status for answer in replies_in(quick)] == [200]


@pytest.mark.parametrize("pieces", [(), (b"\r\n",) * 5], ids=["nothing", "empty lines"])
def test_silent_client_is_dropped(pieces: tuple[bytes, ...]) -> None:
    """K13: a connection without a request ends without an answer."""

    async def scenario() -> bytes:
        async with serving(Recorder(), limits=ServerLimits(receive_s=0.05)) as site:
            return await site.talk(*pieces)

    assert asyncio.run(scenario()) == b""


@pytest.mark.parametrize("more", [b"", b"\r\n\r\n"], ids=["nothing", "empty lines"])
def test_client_between_requests_is_dropped_after_the_keep_alive_time(more: bytes) -> None:
    """An idle connection costs memory and a file.

    All in one piece: what is sent to a connection that was closed meanwhile takes the answer away from the client.
    """

    async def scenario() -> bytes:
        async with serving(Recorder(), limits=ServerLimits(keep_alive_s=0.05)) as site:
            return await site.talk(GET + more)

    assert [answer.status for answer in replies_in(asyncio.run(scenario()))] == [200]


def test_application_that_takes_its_time_is_not_a_slow_client() -> None:
    """The deadline is for the request, and not for the answer; nor does it run while we do not read."""

    async def scenario() -> bytes:
        app = Recorder()
        async with serving(app, limits=ServerLimits(receive_s=0.25)) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHo")
            await pause_for(0.3, "the time for a request")
            app.hold.set()
            first = await read_reply(reader)
            writer.write(b"st: a\r\nConnection: close\r\n\r\n")
            rest = await read_all(reader)
            writer.close()
            return first.body + replies_in(rest)[0].body

    assert asyncio.run(scenario()) == b"/hold/2"


@pytest.mark.parametrize("close", ["", "Connection: close\r\n"], ids=["kept", "closing"])
def test_client_that_never_reads_is_dropped(close: str) -> None:
    """K13: what waits to be sent to it does not wait for ever."""

    async def scenario() -> list[dict[str, object]]:
        app = Recorder(size=30_000_000)
        async with serving(app, limits=ServerLimits(send_s=0.1, keep_alive_s=0.1)) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port, limit=1024)
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport can
            writer.write(f"GET /large HTTP/1.1\r\nHost: a\r\n{close}\r\n".encode())
            await wait_for(lambda: app.scopes)
            site.stop.set()
            await asyncio.wait_for(asyncio.shield(site.task), PATIENCE_S)  # ends only when the connection has
            writer.transport.abort()
            del reader
            return app.scopes

    assert len(asyncio.run(scenario())) == 1


def test_slow_reader_gets_everything() -> None:
    """K13 the other way round: who reads slowly but steadily is served."""

    async def scenario() -> int:
        async with serving(Recorder(size=8_000_000), limits=ServerLimits(send_s=1.0)) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port, limit=65536)
            writer.write(request(path="/large"))
            await reader.readuntil(b"\r\n\r\n")
            count = 0
            while piece := await reader.read(131_072):
                count += len(piece)
                await pause_for(0.03, "a read of a slow client")
            writer.close()
            return count

    assert asyncio.run(scenario()) == 8_000_000


def test_idle_connections_make_room() -> None:
    """K14: the cap holds, and a newcomer is served, because the longest idle connection goes."""

    async def scenario() -> tuple[list[bool], int]:
        async with serving(Recorder(), limits=ServerLimits(connections=50)) as site:
            idle = [await asyncio.open_connection("127.0.0.1", site.port) for _ in range(120)]
            for reader, writer in idle[100:]:
                writer.write(GET)
                await read_reply(reader)
            newcomer = await site.talk(request())
            gone = [reader.at_eof() for reader, _ in idle]
            for _, writer in idle:
                writer.close()
            return gone, replies_in(newcomer)[0].status

    gone, status = asyncio.run(scenario())

    assert status == 200
    assert all(gone[:70])
    assert not any(gone[100:])


def test_connection_over_the_limit_is_refused_with_a_reason() -> None:
    """K14: a full server says so, and does not disconnect a client it is working for."""

    async def scenario() -> tuple[bytes, list[int]]:
        app = Recorder()
        async with serving(app, limits=ServerLimits(connections=3)) as site:
            busy = [await asyncio.open_connection("127.0.0.1", site.port) for _ in range(3)]
            for _, writer in busy:
                writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            await app.holding(3)
            newcomer = await site.talk(request())
            app.hold.set()
            answers = [(await read_reply(reader)).status for reader, _ in busy]
            for _, writer in busy:
                writer.close()
            return newcomer, answers

    newcomer, answers = asyncio.run(scenario())

    assert [answer.status for answer in replies_in(newcomer)] == [503]
    assert replies_in(newcomer)[0].headers["retry-after"] == "5"
    assert answers == [200, 200, 200]


def test_the_application_hears_that_a_client_left() -> None:
    """Work for a client that has left is wasted."""

    async def scenario() -> bool:
        begun, gone = asyncio.Event(), asyncio.Event()

        async def app(scope: object, receive: object, send: object) -> None:
            assert callable(receive)
            begun.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        async with serving(app) as site:
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(GET + GET)
            await asyncio.wait_for(begun.wait(), PATIENCE_S)
            writer.transport.abort()
            await asyncio.wait_for(gone.wait(), PATIENCE_S)
        return gone.is_set()

    assert asyncio.run(scenario())


def test_refusals_are_passed_to_the_counter() -> None:
    """With the address, and the name of the refusal that the client got."""

    async def scenario() -> list[tuple[str, str, str]]:
        async with serving(Recorder()) as site:
            answer = replies_in(await site.talk(b"nonsense\r\n\r\n"))[0]
            return [(refusal.reason, client, request_id) for refusal, client, request_id in site.refusals] + [
                ("", "", answer.problem["request_id"])
            ]

    (reason, client, request_id), (_, _, shown) = asyncio.run(scenario())

    assert (reason, client) == ("syntax", "127.0.0.1")
    assert request_id == shown


def test_the_version_of_uvicorn_is_bounded_and_the_one_that_is_tested() -> None:
    """Its internals are subclassed: a later minor version may change them, and is taken only after these tests ran."""
    requirement = next(line for line in requires("pagegrade") or () if line.startswith("uvicorn"))
    lowest, highest = (tuple(map(int, re.findall(rf"{sign}(\d+)\.(\d+)", requirement)[0])) for sign in (">=", "<"))
    installed = tuple(map(int, version("uvicorn").split(".")[:2]))

    assert lowest <= installed < highest
    assert highest == (installed[0], installed[1] + 1)


UNFINISHED: Final = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc"
HOLD: Final = b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n"
LIMIT: Final = 8
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(site: Site, count: int, data: bytes, *, client: str = "127.0.0.1") -> list[Pair]:
    """Connections of a client that have sent this and read nothing; the server knows all of them."""
    pairs = []
    for _ in range(count):
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port, local_addr=(client, 0))
        writer.write(data)
        await turns()
        pairs.append((reader, writer))
    return pairs


async def status_of(pair: Pair) -> int:
    """Status that the server answers with."""
    return (await read_reply(pair[0])).status


def close(*pairs: Pair) -> None:
    """End the clients' side."""
    for _, writer in pairs:
        writer.close()


def test_a_client_may_have_all_connections_that_no_other_wants() -> None:
    """K14: at the limit each is kept; one past it is refused, since the client has no smaller share to take from."""

    async def scenario() -> tuple[int, list[int]]:
        async with serving(Recorder(), limits=ServerLimits(connections=LIMIT)) as site:
            own = await connected(site, LIMIT, UNFINISHED)
            (one_more,) = await connected(site, 1, UNFINISHED)
            refused = await status_of(one_more)
            for _, writer in own:
                writer.write(b"defghij")
            answers = [await status_of(pair) for pair in own]
            close(one_more, *own)
            return refused, answers

    assert asyncio.run(scenario()) == (503, [200] * LIMIT)


@pytest.mark.parametrize(
    "data", [UNFINISHED, b"", b"GET / HT", UNFINISHED[:-3]], ids=["body", "idle", "head", "no body"]
)
def test_the_client_with_most_connections_gives_way(data: bytes) -> None:
    """K14: whatever it leaves unfinished; others are served up to an equal share, and lose nothing."""

    async def scenario() -> tuple[list[int], list[int]]:
        app = Recorder()
        async with serving(app, limits=ServerLimits(connections=LIMIT)) as site:
            greedy = await connected(site, 3 * LIMIT, data)
            held = await connected(site, LIMIT // 2, HOLD, client="127.0.0.2")
            await app.holding(LIMIT // 2)
            third = await connected(site, 1, GET, client="127.0.0.3")
            served = [await status_of(third[0])]
            app.hold.set()
            answers = [await status_of(pair) for pair in held]
            close(*greedy, *held, *third)
            return served, answers

    assert asyncio.run(scenario()) == ([200], [200] * (LIMIT // 2))


def test_a_request_is_not_given_up_for_a_client_that_has_as_many() -> None:
    """K14: or else two clients would take everything from each other by turns."""

    async def scenario() -> tuple[int, list[int]]:
        async with serving(Recorder(), limits=ServerLimits(connections=LIMIT)) as site:
            first = await connected(site, LIMIT // 2, UNFINISHED)
            second = await connected(site, LIMIT // 2, UNFINISHED, client="127.0.0.2")
            (one_more,) = await connected(site, 1, GET, client="127.0.0.2")
            refused = await status_of(one_more)
            for _, writer in (*first, *second):
                writer.write(b"defghij")
            answers = [await status_of(pair) for pair in (*first, *second)]
            close(one_more, *first, *second)
            return refused, answers

    assert asyncio.run(scenario()) == (503, [200] * LIMIT)


def test_a_client_that_does_not_read_gives_way() -> None:
    """K14: an answer that is not taken is no reason to refuse others."""

    async def scenario() -> int:
        app = Recorder(size=8_000_000)
        async with serving(app, limits=ServerLimits(connections=LIMIT)) as site:
            greedy = await connected(site, LIMIT, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
            (other,) = await connected(site, 1, GET, client="127.0.0.2")
            status = await status_of(other)
            close(other)
            for _, writer in greedy:
                writer.transport.abort()
            return status

    assert asyncio.run(scenario()) == 200


def test_health_is_answered_by_a_server_that_is_full() -> None:
    """K14: on connections of their own, which end with the answer; a flood of further ones does not hinder it."""

    async def scenario() -> tuple[list[int], list[bool], list[int]]:
        app = Recorder()
        limits = ServerLimits(connections=LIMIT, extra=8)
        async with serving(app, limits=limits, always=frozenset({"/healthz"})) as site:
            busy = await connected(site, LIMIT, HOLD)
            await app.holding(LIMIT)
            flood = await connected(site, 40, b"")
            healthy = await connected(site, 2, b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            statuses = [await status_of(pair) for pair in healthy]
            ended = [not await read_all(reader) for reader, _ in healthy]
            app.hold.set()
            answers = [await status_of(pair) for pair in busy]
            close(*busy, *flood, *healthy)
            return statuses, ended, answers

    assert asyncio.run(scenario()) == ([200, 200], [True, True], [200] * LIMIT)


def test_connections_of_a_proxy_are_not_those_of_one_client() -> None:
    """K14: none of its requests is given up for another client, however many it passes on."""

    async def scenario() -> tuple[int, list[int]]:
        networks = (ip_network("127.0.0.9/32"),)
        async with serving(Recorder(), limits=ServerLimits(connections=LIMIT), trusted_proxies=networks) as site:
            passed_on = await connected(site, LIMIT, UNFINISHED, client="127.0.0.9")
            (other,) = await connected(site, 1, GET)
            refused = await status_of(other)
            for _, writer in passed_on:
                writer.write(b"defghij")
            answers = [await status_of(pair) for pair in passed_on]
            close(other, *passed_on)
            return refused, answers

    assert asyncio.run(scenario()) == (503, [200] * LIMIT)


def test_waits_end_early_before_connections_run_out() -> None:
    """K14: nothing is asked for below seven eighths; beyond, each new request ends one wait."""

    async def scenario() -> tuple[int, int]:
        app, calls = Recorder(), list[None]()
        async with serving(app, limits=ServerLimits(connections=LIMIT), on_pressure=lambda: calls.append(None)) as site:
            busy = await connected(site, LIMIT - 1, HOLD)
            await app.holding(LIMIT - 1)
            before = len(calls)
            busy += await connected(site, 1, HOLD)
            await app.holding(1)
            app.hold.set()
            for pair in busy:
                await status_of(pair)
            close(*busy)
            return before, len(calls)

    before, after = asyncio.run(scenario())

    assert before == 0
    assert after >= 1


HOST = (b"host", b"a.example")


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ([HOST], "1.1"),
        ([(b"host", b"")], "1.1"),
        ([(b"host", b" [2001:db8::1]:8080 ")], "1.1"),
        ([], "1.0"),
        ([HOST, (b"transfer-encoding", b" Chunked ")], "1.1"),
    ],
)
def test_usual_heads_pass(headers: list[tuple[bytes, bytes]], version: str) -> None:
    """Heads that clients and proxies send."""
    check_headers(headers, version)


@pytest.mark.parametrize(
    ("headers", "version", "refusal"),
    [
        ([], "1.1", BAD_HOST),
        ([HOST, HOST], "1.1", BAD_HOST),
        ([HOST, HOST], "1.0", BAD_HOST),
        ([(b"host", b"user@a.example")], "1.1", BAD_HOST),
        ([(b"host", b"a.example/path")], "1.1", BAD_HOST),
        ([(b"host", b"a.example?query")], "1.1", BAD_HOST),
        ([(b"host", b"a.example b.example")], "1.1", BAD_HOST),
        ([(b"host", b"\xc3\xa4.example")], "1.1", BAD_HOST),
        ([HOST, (b"transfer-encoding", b"gzip, chunked")], "1.1", BAD_CODING),
        ([HOST, (b"transfer-encoding", b"chunked")], "1.0", BAD_CODING),
        ([HOST], "2.0", BAD_VERSION),
        ([HOST], "0.9", BAD_VERSION),
    ],
)
def test_ambiguous_heads_are_refused(headers: list[tuple[bytes, bytes]], version: str, refusal: Refusal) -> None:
    """Two programs that read them differently would take one request for two."""
    with pytest.raises(RefusedError) as refused:
        check_headers(headers, version)

    assert refused.value.refusal is refusal


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        (b"/a%2Fb?c=d&e", ("/a%2Fb", b"c=d&e")),
        (b"https://evil.example/a", ("/a", b"")),
        (b"http://evil.example?a", ("/", b"a")),
        (b"//evil.example/a", ("//evil.example/a", b"")),
        (b"*", ("*", b"")),
    ],
)
def test_path_and_query_are_what_counts(target: bytes, parts: tuple[str, bytes]) -> None:
    """A host in the target changes nothing."""
    assert read_target(target) == parts


@pytest.mark.parametrize("target", [b"http://user@a/", b"http://a:b@c/", b"ftp://a/", b"javascript://a/"])
def test_targets_with_users_and_other_schemes_are_refused(target: bytes) -> None:
    """No regular client sends them."""
    with pytest.raises(RefusedError) as refused:
        read_target(target)

    assert refused.value.refusal is BAD_TARGET


@pytest.mark.parametrize("target", [b"@a/b", b"a/b", b"http:///a", b"?a"])
def test_what_is_no_target_is_an_error_of_the_parser(target: bytes) -> None:
    """The caller knows what to do with those."""
    with pytest.raises(httptools.HttpParserError):
        read_target(target)


def said_by(app: Any, *, path: str = "/") -> bytes:
    """Everything a client hears after one request."""

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(request(path=path))

    return asyncio.run(scenario())


async def half(_scope: Any, _receive: Any, send: Any) -> None:
    """Fail in the middle of an answer."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
    await send({"type": "http.response.body", "body": b"abc", "more_body": True})
    raise LookupError("s3cret")


@pytest.mark.parametrize("path", ["/broken", "/silent"])
def test_failing_application_is_answered_for(path: str, caplog: pytest.LogCaptureFixture) -> None:
    """The last resort is a problem document; the reason is for the log."""
    (answer,) = replies_in(said_by(Recorder(), path=path))

    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.problem["code"] == "internal_error"
    assert b"s3cret" not in answer.body
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_answer_that_breaks_off_does_not_look_whole(caplog: pytest.LogCaptureFixture) -> None:
    """The client was promised 100 bytes, and the connection ends."""
    said = said_by(half)

    assert b"HTTP/1.1 200" in said or said == b""
    assert b"500" not in said
    assert len(caplog.records) == 1


def test_application_may_fail_when_its_client_has_gone(caplog: pytest.LogCaptureFixture) -> None:
    """It is no fault, so nothing is logged."""

    async def scenario() -> None:
        begun, failed = asyncio.Event(), asyncio.Event()

        async def app(_scope: Any, receive: Any, _send: Any) -> None:
            begun.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            failed.set()
            raise ConnectionError

        async with serving(app) as site:
            _, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(request())
            await asyncio.wait_for(begun.wait(), PATIENCE_S)
            writer.transport.abort()
            await asyncio.wait_for(failed.wait(), PATIENCE_S)

    asyncio.run(scenario())

    assert caplog.records == []


def test_what_one_request_binds_stays_with_it() -> None:
    """The names in its log lines do not reach the next request of the connection."""
    import contextvars

    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="unset")

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        was = name.get()
        name.set(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(was))]})
        await send({"type": "http.response.body", "body": was.encode()})

    async def scenario() -> bytes:
        async with serving(app) as site:
            return await site.talk(b"GET /1 HTTP/1.1\r\nHost: a\r\n\r\n", request(path="/2"))

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"unset", b"unset"]
