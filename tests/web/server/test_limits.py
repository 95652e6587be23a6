from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import pytest
from uvicorn import Config

from pagegrade.web.problems import PROBLEMS
from pagegrade.web.server import limits
from pagegrade.web.server.limits import Listening, Refusal, ServerLimits, refusal_bytes
from tests.web.wires import Reply, replies_in

ALL = [value for value in vars(limits).values() if isinstance(value, Refusal) and value is not limits.LATER]


def reply_to(refusal: Refusal, target: bytes = b"/") -> Reply:
    """The answer as a client reads it."""
    data = refusal_bytes(refusal, target=target, base_url="https://h", request_id="abc", headers=[(b"date", b"today")])
    (answer,) = replies_in(data)
    return answer


@pytest.mark.parametrize("refusal", ALL, ids=[f"{each.status}-{each.reason}-{each.message[:12]}" for each in ALL])
def test_refusal_is_a_problem_like_any_other(refusal: Refusal) -> None:
    """Of a kind that is documented, and the end of the connection."""
    answer = reply_to(refusal, b"/api/v1/reports?key=s3cret")

    assert refusal.code in PROBLEMS
    assert answer.status == answer.problem["status"] == refusal.status
    assert answer.problem["instance"] == "/api/v1/reports"
    assert answer.problem["request_id"] == answer.headers["x-request-id"] == "abc"
    assert answer.headers["connection"] == "close"
    assert answer.headers["date"] == "today"
    assert ("retry-after" in answer.headers) == (refusal.status == 503)


@pytest.mark.parametrize("target", [b"/\r\nSet-Cookie: a=b", b"/<script>", b"/\xff\x00", b"/" + b"a" * 9_000])
def test_what_was_asked_for_is_repeated_harmlessly(target: bytes) -> None:
    """It may be anything, and of any length."""
    answer = reply_to(limits.LONG_URL, target)

    assert "set-cookie" not in answer.headers
    assert b"<" not in answer.body
    assert len(answer.body) < 1_000
    assert answer.problem["instance"].isascii()


@dataclass(eq=False)
class Connection:
    """Connection, as far as the limits see it."""

    holder: Hashable
    works: bool = False


@pytest.fixture
def listening() -> Iterator[Listening]:
    """The state of a server for eight connections, behind a proxy on 10.0.0.1."""
    loop = asyncio.new_event_loop()
    yield Listening(
        config=Config(app=None),  # type: ignore[arg-type]
        limits=ServerLimits(connections=8),
        loop=loop,
        trusted_proxies=(ipaddress.ip_network("10.0.0.1/32"),),
    )
    loop.close()


def hold(listening: Listening, *connections: Connection, waiting: bool = True) -> None:
    """Count connections, as the protocol does."""
    for each in connections:
        listening.held[each.holder] += 1
        listening.state.connections.add(each)  # type: ignore[arg-type]
        if waiting:
            listening.waiting[each] = None


def test_connections_of_one_address_share(listening: Listening) -> None:
    """Of IPv6 a whole network is one client; each connection of a proxy, or of a socket, may be another."""
    holders = [listening.holder_of((address, port)) for address in ("192.0.2.1", "192.0.2.2") for port in (1, 2)]
    proxied = {listening.holder_of(("10.0.0.1", port)) for port in (1, 2)}

    assert holders[0] == holders[1] != holders[2] == holders[3]
    assert listening.holder_of(("2001:db8::1", 1)) == listening.holder_of(("2001:db8::2", 1))
    assert len(proxied) == 2
    assert listening.holder_of(None) != listening.holder_of(None)


def test_the_client_with_the_most_connections_gives_way(listening: Listening) -> None:
    """With the one that has waited the longest, and one without a request before one with a request."""
    greedy = [Connection("greedy", works=True), Connection("greedy"), Connection("greedy")]
    modest, newcomer = Connection("modest"), Connection("newcomer")
    hold(listening, modest, *greedy)
    hold(listening, newcomer, waiting=False)

    assert listening.yielding_to(newcomer) is greedy[1]


def test_a_request_is_given_up_only_for_a_client_with_fewer_connections(listening: Listening) -> None:
    """With as many, the newcomer is refused; an idle connection yields to it."""
    newcomer, working, idle = Connection("new"), Connection("old", works=True), Connection("old")
    hold(listening, newcomer, waiting=False)
    hold(listening, working)

    assert listening.yielding_to(newcomer) is None

    hold(listening, idle)

    assert listening.yielding_to(newcomer) is idle

    del listening.waiting[idle]

    assert listening.yielding_to(newcomer) is working


def test_no_one_gives_way_where_all_are_being_answered(listening: Listening) -> None:
    """And a connection never makes place for itself."""
    newcomer = Connection("new")
    hold(listening, newcomer)
    hold(listening, Connection("old"), waiting=False)

    assert listening.yielding_to(newcomer) is None
    assert listening.leaving_first() is None


def test_of_those_that_leave_the_client_with_the_most_is_cut(listening: Listening) -> None:
    """They count no more for the limit."""
    one, two = Connection("one"), [Connection("two"), Connection("two")]
    hold(listening, one, *two)
    for each in (one, *two):
        listening.leaving[each] = None

    assert listening.leaving_first() is two[0]
    assert listening.active == 0


@pytest.mark.parametrize(("working", "relieved"), [(7, 0), (8, 1)])
def test_waits_end_above_seven_eighths(listening: Listening, working: int, relieved: int) -> None:
    """At the limit, and one past it; connections that wait for their client do not count."""
    calls: list[None] = []
    listening.on_pressure = lambda: calls.append(None)
    hold(listening, *(Connection(number) for number in range(working)), waiting=False)
    hold(listening, Connection("idle"))
    listening.relieve()

    assert len(calls) == relieved
