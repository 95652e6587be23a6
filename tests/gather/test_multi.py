"""Exchanges on the event loop."""

from __future__ import annotations

import asyncio

import pycurl
import pytest

from pagegrade.gather.multi import Multi, make_multi
from tests.gather.scripted import OK, Server, serving, silent

TIMED_OUT = pycurl.E_OPERATION_TIMEDOUT


def make_handle(server: Server, *, timeout_s: float = 60.0) -> tuple[pycurl.Curl, bytearray]:
    """A handle for one exchange, and where its body goes."""
    curl, body = pycurl.Curl(), bytearray()
    curl.setopt(pycurl.URL, f"http://127.0.0.1:{server.port}/")
    curl.setopt(pycurl.PROXY, "")
    curl.setopt(pycurl.TIMEOUT_MS, int(timeout_s * 1_000))
    curl.setopt(pycurl.WRITEFUNCTION, body.extend)
    return curl, body


async def outcome(multi: Multi, curl: pycurl.Curl) -> int:
    """Code of libcurl with which the exchange ends; 0 for success."""
    try:
        await multi.add_handle(curl)
    except pycurl.error as error:
        return int(error.args[0])
    return 0


def test_many_exchanges_share_the_connections_that_one_host_gets() -> None:
    """A handle and a connection are used again and again, and never more connections than are allowed."""

    async def go() -> tuple[list[int], list[bytes], int]:
        async with serving(OK, per_connection=1_000) as server:
            multi = make_multi(2)
            handles = [make_handle(server) for _ in range(8)]
            codes = []
            for _ in range(3):
                codes += await asyncio.gather(*(outcome(multi, curl) for curl, _ in handles))
            await multi.aclose()
            return codes, [bytes(body) for _, body in handles], server.connections

    assert asyncio.run(go()) == ([0] * 24, [b"hi" * 3] * 8, 2)


def test_a_connection_that_the_server_closed_is_replaced() -> None:
    """Its descriptor may have the same number again, and the answer on it is still noticed."""

    async def go() -> tuple[list[int], int]:
        async with serving(OK, per_connection=1) as server:
            multi = make_multi(6)
            codes = [await outcome(multi, make_handle(server)[0]) for _ in range(5)]
            await multi.aclose()
            return codes, server.connections

    assert asyncio.run(go()) == ([0] * 5, 5)


def test_the_nearest_of_several_time_limits_is_kept() -> None:
    """An exchange with a longer one began before, and another begins and ends meanwhile."""

    async def go() -> tuple[int, int, bool]:
        async with serving(silent) as mute, serving(OK, per_connection=9) as server:
            multi = make_multi(6)
            long = multi.add_handle(make_handle(mute)[0])
            async with asyncio.TaskGroup() as group:
                short = group.create_task(outcome(multi, make_handle(mute, timeout_s=0.3)[0]))
                answered = await outcome(multi, make_handle(server)[0])
            code = short.result()
            is_waiting = not long.done()
            await multi.aclose()
            return answered, code, is_waiting and long.cancelled()

    assert asyncio.run(go()) == (0, TIMED_OUT, True)


def test_an_exchange_can_be_given_up() -> None:
    """Its handle is free for another one at once, and cannot be given up twice."""

    async def go() -> tuple[bool, int]:
        async with serving(silent) as mute, serving(OK) as server:
            multi = make_multi(6)
            curl, _ = make_handle(mute)
            promise = multi.add_handle(curl)
            await asyncio.sleep(0)
            multi.remove_handle(curl)
            with pytest.raises(RuntimeError):
                multi.remove_handle(curl)
            curl.setopt(pycurl.URL, f"http://127.0.0.1:{server.port}/")
            code = await outcome(multi, curl)
            await multi.aclose()
            await multi.aclose()
            with pytest.raises(RuntimeError):
                await multi.add_handle(curl)
            return promise.cancelled(), code

    assert asyncio.run(go()) == (True, 0)


def test_a_handle_at_work_is_not_taken_twice() -> None:
    """The first exchange goes on."""

    async def go() -> int:
        async with serving(OK) as server:
            multi = make_multi(6)
            curl, _ = make_handle(server)
            promise = multi.add_handle(curl)
            with pytest.raises(RuntimeError):
                await multi.add_handle(curl)
            await promise
            await multi.aclose()
            return int(curl.getinfo(pycurl.RESPONSE_CODE))

    assert asyncio.run(go()) == 200
