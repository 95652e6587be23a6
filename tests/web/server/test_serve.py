"""The server from its start to its end."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.web.server.limits import ServerLimits
from pagegrade.web.server.serve import loop_factory, serve
from tests.waiting import turns, wait_for
from tests.web.wires import GET, PATIENCE_S, Recorder, read_all, read_reply, replies_in, request, serving


def test_server_says_where_it_really_listens() -> None:
    """Port 0 takes a free one."""

    async def scenario() -> tuple[str, int, int]:
        async with serving(Recorder()) as site:
            answer = replies_in(await site.talk(request()))[0]
            return site.url, site.port, answer.status

    url, port, status = asyncio.run(scenario())

    assert url == f"http://127.0.0.1:{port}"
    assert port != 0
    assert status == 200


@pytest.mark.parametrize(
    ("hosts", "shown", "answering"),
    [
        (["::1"], "[::1]", ["::1"]),
        (["0.0.0.0"], "127.0.0.1", ["127.0.0.1"]),
        (["::"], "127.0.0.1", ["127.0.0.1", "::1"]),
        (["[::]", "0.0.0.0"], "127.0.0.1", ["127.0.0.1", "::1"]),
        (["[::1]", "127.0.0.1"], "[::1]", ["127.0.0.1", "::1"]),
    ],
)
def test_server_listens_on_every_address(hosts: list[str], shown: str, answering: list[str]) -> None:
    """On one port; ``::`` is all addresses of both families, and the URL that is shown is one that answers."""

    async def scenario() -> tuple[str, list[int]]:
        async with serving(Recorder(), hosts=hosts) as site:
            answers = [replies_in(await site.talk(request(), host=each))[0] for each in answering]
            return site.url, [answer.status for answer in answers]

    url, statuses = asyncio.run(scenario())

    assert url.startswith(f"http://{shown}:")
    assert statuses == [200] * len(answering)


def test_server_listens_nowhere_if_one_address_cannot_be_had() -> None:
    """The addresses before it are given back."""

    async def scenario() -> None:
        with socket.create_server(("127.0.0.2", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(InvalidInput, match=r"Cannot listen on 127\.0\.0\.2 port"):
                await serve(Recorder(), hosts=["127.0.0.1", "127.0.0.2"], port=port, stop=asyncio.Event())
            socket.create_server(("127.0.0.1", port)).close()

    asyncio.run(scenario())


def test_server_chooses_a_port_that_is_free_on_every_address() -> None:
    """Another program may take the chosen one on the second address in between; the first one is given back."""
    taken: list[socket.socket] = []

    async def scenario() -> int:
        loop = asyncio.get_running_loop()
        create = loop.create_server

        async def overtaken(protocol: Any, host: str, port: int, **options: Any) -> asyncio.Server:
            server = await create(protocol, host, port, **options)
            if not taken:
                try:
                    taken.append(socket.create_server(("127.0.0.1", server.sockets[0].getsockname()[1])))
                except OSError:
                    # Another program has that port: this server is nobody's, and another port is tried.
                    server.close()
                    raise
            return server

        loop.create_server = overtaken  # type: ignore[method-assign, assignment]
        async with serving(Recorder(), hosts=["127.0.0.2", "127.0.0.1"]) as site:
            answer = replies_in(await site.talk(request(), host="127.0.0.1"))[0]
            refused = taken[0].getsockname()[1]
            socket.create_server(("127.0.0.2", refused)).close()
            assert site.port != refused
            return answer.status

    status = asyncio.run(scenario())
    taken[0].close()

    assert status == 200


def test_taken_port_is_explained() -> None:
    """One sentence instead of a traceback, and the process is not ended from inside."""

    async def scenario() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            await serve(Recorder(), hosts=["127.0.0.1"], port=taken.getsockname()[1], stop=asyncio.Event())

    with pytest.raises(InvalidInput, match="another program listens there"):
        asyncio.run(scenario())


def test_address_of_another_machine_is_explained() -> None:
    """The documentation's own network has no machines."""

    async def scenario() -> None:
        await serve(Recorder(), hosts=["192.0.2.1"], port=0, stop=asyncio.Event())

    with pytest.raises(InvalidInput, match="this machine has no such address"):
        asyncio.run(scenario())


def test_answers_have_a_date_and_do_not_name_the_server() -> None:
    """RFC 9110 6.6.1; and nothing about versions."""

    async def scenario() -> dict[str, str]:
        async with serving(Recorder()) as site:
            return replies_in(await site.talk(request()))[0].headers

    headers = asyncio.run(scenario())

    assert parsedate_to_datetime(headers["date"]).utcoffset() is not None
    assert "server" not in headers


def test_connection_is_used_again() -> None:
    """Keep-alive, one request after the other."""

    async def scenario() -> list[int]:
        async with serving(Recorder()) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            statuses = []
            for _ in range(3):
                writer.write(GET)
                statuses.append((await read_reply(reader)).status)
            writer.close()
            return statuses

    assert asyncio.run(scenario()) == [200, 200, 200]


def test_stop_lets_requests_under_way_finish() -> None:
    """Nothing new is accepted, idle connections end, and what is being answered is answered."""

    async def scenario() -> tuple[list[int], str, bytes, bool]:
        app = Recorder()
        async with serving(app) as site:
            idle_reader, idle_writer = await asyncio.open_connection("127.0.0.1", site.port)
            idle_writer.write(GET)
            await read_reply(idle_reader)
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            await app.holding(1)
            site.stop.set()
            idle_end = await read_all(idle_reader)
            try:
                await asyncio.open_connection("127.0.0.1", site.port)
                refused = False
            except OSError:
                refused = True
            app.hold.set()
            answers = replies_in(await read_all(reader))
            idle_writer.close()
            writer.close()
            return [answer.status for answer in answers], answers[-1].headers["connection"], idle_end, refused

    statuses, last, idle_end, refused = asyncio.run(scenario())

    assert statuses == [200, 200]
    assert last == "close"
    assert idle_end == b""
    assert refused


def test_stop_takes_a_request_that_is_arriving() -> None:
    """Half a request at the moment of the stop is still answered."""

    async def scenario() -> bytes:
        async with serving(Recorder()) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(GET + b"GET /half HTTP/1.1\r\nHo")
            await read_reply(reader)  # so what came with it has arrived as well
            site.stop.set()
            await turns()
            writer.write(b"st: a\r\n\r\n")
            said = await read_all(reader)
            writer.close()
            return said

    answers = replies_in(asyncio.run(scenario()))

    assert [answer.body for answer in answers] == [b"/half"]
    assert answers[0].headers["connection"] == "close"


def test_stop_cuts_off_what_does_not_finish(caplog: pytest.LogCaptureFixture) -> None:
    """After the grace the client sees an end, and nothing is logged as a mistake."""

    async def scenario() -> bytes:
        app = Recorder()
        async with serving(app, grace_s=0.05) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            await app.holding(1)
            site.stop.set()
            await asyncio.wait_for(asyncio.shield(site.task), PATIENCE_S)
            said = await read_all(reader)
            writer.close()
            return said

    assert asyncio.run(scenario()) == b""
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_cancelling_ends_the_grace() -> None:
    """A second request to stop does not wait."""

    async def scenario() -> bytes:
        app = Recorder()
        async with serving(app) as site:
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            writer.write(b"GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
            await app.holding(1)
            site.stop.set()
            await turns()
            site.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(site.task), PATIENCE_S)
            said = await read_all(reader)
            writer.close()
            return said

    assert asyncio.run(scenario()) == b""


def test_connections_leave_files_for_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the files that may be open are for the database and the fetching."""
    monkeypatch.setattr("resource.getrlimit", lambda _which: (40, 40))

    async def scenario() -> int:
        async with serving(Recorder(), limits=ServerLimits(connections=1000)) as site:
            opened = [await asyncio.open_connection("127.0.0.1", site.port) for _ in range(30)]
            await wait_for(lambda: sum(reader.at_eof() for reader, _ in opened) >= 10)
            for reader, writer in opened:
                if not reader.at_eof():
                    writer.write(GET)
                    await read_reply(reader)
            gone = sum(reader.at_eof() for reader, _ in opened)
            for _, writer in opened:
                writer.close()
            return gone

    assert asyncio.run(scenario()) == 10


def test_fast_event_loop_serves_as_well() -> None:
    """The event loop that the command runs on."""

    async def scenario() -> tuple[int, str]:
        async with serving(Recorder()) as site:
            malformed = replies_in(await site.talk(b"nonsense\r\n\r\n" * 100))
            return replies_in(await site.talk(request()))[0].status, str(malformed[0].status)

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        assert runner.run(scenario()) == (200, "400")
