"""Hostile rows K13 to K15 mixed: many clients that do everything wrong at once, by a fixed seed."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from pagegrade.web.server.limits import ServerLimits
from pagegrade.web.server.serve import loop_factory
from tests.waiting import pause_for
from tests.web.server.test_protocol import CHUNKED, MALFORMED
from tests.web.wires import GET, PATIENCE_S, Recorder, Site, replies_in, request, serving

POST: Final = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
PIECES: Final = (
    GET,
    request(),
    b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /broken HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde",
    POST + b"\r\nabcde",
    POST + b"Expect: 100-continue\r\n\r\nabcde",
    POST + b"Connection: Upgrade\r\nUpgrade: x\r\n\r\nabcde",
    CHUNKED + b"3\r\nabc\r\n0\r\n\r\n",
    b"\r\n",
    *list(MALFORMED.values())[:4],
)
LIMITS: Final = ServerLimits(receive_s=0.3, send_s=0.3, keep_alive_s=0.2, linger_s=0.1, pipelined=5, connections=30)


async def misbehave(site: Site, chance: random.Random) -> None:
    """One client: some requests, perhaps damaged, in pieces, and an end of one kind or another."""
    data = bytearray(b"".join(chance.choice(PIECES) for _ in range(chance.randint(1, 8))))
    if chance.random() < 0.3:
        data[chance.randrange(len(data))] = chance.randrange(256)
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    try:
        while data:
            size = chance.choice([1, 7, 50, 1000, 100_000])
            writer.write(bytes(data[:size]))
            del data[:size]
            if chance.random() < 0.3:
                await asyncio.sleep(0)
            if chance.random() < 0.02:
                return
        if chance.random() < 0.1:
            writer.write_eof()
        if chance.random() < 0.3:
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a socket's transport can
            await pause_for(chance.random() / 2, "a client that does not read")
        else:
            await asyncio.wait_for(reader.read(-1), PATIENCE_S)
    finally:
        writer.transport.abort()


@pytest.mark.parametrize("factory", [None, loop_factory()], ids=["plain", "fast"])
def test_nothing_that_clients_do_is_an_error_of_ours(factory: Callable[[], Any] | None) -> None:
    """No callback fails, the next client is served, and in the end no connection is left."""
    chance = random.Random(7)  # noqa: S311 - the same noise every time
    errors: list[dict[str, Any]] = []

    async def scenario() -> int:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: errors.append(context))

        async def one() -> None:
            with contextlib.suppress(OSError):
                await misbehave(site, chance)

        async with serving(Recorder(size=300_000), limits=LIMITS) as site:
            for _ in range(6):
                await asyncio.gather(*(one() for _ in range(50)))
            status = replies_in(await site.talk(request()))[0].status
            site.stop.set()
            await asyncio.wait_for(asyncio.shield(site.task), PATIENCE_S)
            return status

    with asyncio.Runner(loop_factory=factory) as runner:
        status = runner.run(scenario())

    assert status == 200
    assert errors == []
