"""The site of the benches sends what the test site sends."""

from __future__ import annotations

import asyncio
import re

from devtools.bench_files import FileServer
from tests.site.serve import serve_site

PATHS = (b"/many", b"/many?n=1", b"/assets/site.0001.css", b"/robots.txt", b"/redirect/2", b"/no-such-page", b"/many")
CODINGS = (b"gzip, deflate, br, zstd", b"identity")


async def exchange(port: int, host: bytes, *, at_once: bool) -> list[bytes]:
    """The answers to every path in every coding over one connection, without their Dates."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    requests = [
        b"GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: %s\r\n\r\n" % (path, host, coding)
        for path in PATHS
        for coding in CODINGS
    ]
    if at_once:
        writer.write(b"".join(requests))
    answers = []
    for request in requests:
        if not at_once:
            writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
        body = await reader.readexactly(int(length[1]) if length else 0)
        without_date, dates = re.subn(rb"(?i)\r\ndate: [^\r]+", b"", head)
        assert dates == 1
        answers.append(without_date + body)
    writer.close()
    return answers


async def of_files(host: bytes, *, at_once: bool) -> list[bytes]:
    """The figures that the server under test sends."""
    server = await asyncio.get_running_loop().create_server(FileServer, "127.0.0.1", 0)
    async with server:
        return await exchange(server.sockets[0].getsockname()[1], host, at_once=at_once)


def test_every_answer_is_that_of_the_test_site() -> None:
    """Status, headers, their order and every byte of the body; whether made just now or kept."""
    with serve_site() as site:
        host = site.http.removeprefix("http://").encode()
        wanted = asyncio.run(exchange(int(host.rpartition(b":")[2]), host, at_once=False))
        fresh = asyncio.run(of_files(host, at_once=False))
        kept = asyncio.run(of_files(host, at_once=False))

    assert fresh == wanted
    assert kept == wanted
    assert len(set(wanted)) > len(PATHS) // 2


def test_requests_that_come_together_are_answered_in_their_order() -> None:
    """One that has to be made first does not fall behind one that is known."""
    one_by_one = asyncio.run(of_files(b"bench.example", at_once=False))
    FileServer.known.pop((b"GET", b"/robots.txt", b"bench.example", CODINGS[0]))

    assert asyncio.run(of_files(b"bench.example", at_once=True)) == one_by_one
