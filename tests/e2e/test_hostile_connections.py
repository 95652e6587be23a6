"""Misuse of connections: slow, many, ambiguous, ended early; against a real server."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from tests.e2e.asking import REPORTS, count, rows
from tests.server import FORM, Reply, Server, Wire
from tests.site.serve import Site
from tests.waiting import HANG_S, wait_until


@rows("K13")
def test_slow_clients_are_disconnected_and_delay_no_others(idle: Server) -> None:
    """A byte a second in the head or in the body ends within the deadline, while others are answered at once."""
    started = time.monotonic()
    ended: dict[str, float] = {}
    head = f"POST {REPORTS} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\nContent-Type: {FORM}\r\n"
    opening = {
        "nothing": b"",
        "head": b"GET /api/v1/account HTTP/1.1\r\nX-Slow: ",
        "body": f"{head}Content-Length: 1000\r\n\r\n".encode(),
    }

    def drip(name: str) -> None:
        with idle.wire(timeout_s=1.0) as wire:
            wire.send(opening[name])
            while time.monotonic() - started < HANG_S:
                try:
                    if name != "nothing":
                        wire.send(b"a")
                    wire.rest()
                    break
                except TimeoutError:
                    continue
                except OSError:
                    break
        ended[name] = time.monotonic() - started

    threads = [threading.Thread(target=drip, args=(name,)) for name in opening for _ in range(10)]
    for thread in threads:
        thread.start()
    statuses = [idle.call("GET", "/api/v1/account").status for _ in range(10)]
    ended_meanwhile = dict(ended)
    for thread in threads:
        thread.join()

    # The deadline is 15 s and 2 s of patience with what still comes; a server that waits for them would not end it.
    assert {name: seconds < HANG_S for name, seconds in ended.items()} == dict.fromkeys(opening, True)
    assert statuses == [200] * 10
    assert ended_meanwhile == {}  # who had to wait for one of them would wait for its deadline


@rows("K14")
def test_a_thousand_idle_connections_leave_room(idle: Server) -> None:
    """Health and the API still answer a new client."""
    wires: list[Wire] = []
    try:
        wires.extend(idle.wire() for _ in range(1_050))
        health, account = idle.call("GET", "/healthz").status, idle.call("GET", "/api/v1/account").status
    finally:
        for wire in wires:
            wire.close()

    assert (health, account) == (200, 200)


SMUGGLED = {
    "length-and-chunked": "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
    "two-lengths": "Content-Length: 0\r\nContent-Length: 5\r\n\r\nabcde",
    "list-of-lengths": "Content-Length: 0, 5\r\n\r\nabcde",
    "negative-length": "Content-Length: -1\r\n\r\n",
    "plus-length": "Content-Length: +5\r\n\r\nabcde",
    "hex-length": "Content-Length: 0x5\r\n\r\nabcde",
    "blank-before-colon": "Content-Length : 5\r\n\r\nabcde",
    "odd-coding": "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked-twice": "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "chunked-not-last": "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "folded": "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "bare-line-feed": "X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "nul-in-value": "X: a\0b\r\n\r\n",
    "bad-chunk": "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "no-name": ": a\r\n\r\n",
    "two-hosts": "Host: other\r\n\r\n",
}


@pytest.mark.parametrize("case", SMUGGLED)
@rows("K15")
def test_one_request_is_never_two(case: str, idle: Server) -> None:
    """A request whose end can be read in two ways is refused, and nothing behind it is answered."""
    with idle.wire() as wire:
        wire.send(
            f"POST {REPORTS} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\n{SMUGGLED[case]}".encode(
                "latin-1"
            )
        )
        wire.send(f"GET /api/v1/account HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\n\r\n".encode())
        reply = wire.reply()
        rest = wire.rest()

    assert reply.status == 400
    assert b'"object":"account"' not in rest
    assert idle.call("GET", "/healthz").status == 200


TARGETS = {
    "absolute": ("GET http://other.example/api/v1/account HTTP/1.1", {200, 400}),
    "authority": ("CONNECT other.example:443 HTTP/1.1", {400, 404, 405}),
    "at": ("GET /@other.example/api/v1/account HTTP/1.1", {404}),
    "double-slash": ("GET //api/v1/account HTTP/1.1", {400, 404}),
    "dots": ("GET /api/v1/../v1/account HTTP/1.1", {400, 404}),
    "encoded-slash": ("GET /api%2fv1/account HTTP/1.1", {400, 404}),
    "trailing-slash": ("GET /api/v1/account/ HTTP/1.1", {200}),
    "capitals": ("GET /API/v1/account HTTP/1.1", {404}),
    "semicolon": ("GET /api/v1/account;a=b HTTP/1.1", {404}),
    "old": ("GET /api/v1/account HTTP/0.9", {400, 505}),
    "new": ("GET /api/v1/account HTTP/3.0", {400, 505}),
    "long": ("GET /api/v1/" + "a" * 9_000 + " HTTP/1.1", {414}),
}


@pytest.mark.parametrize("case", TARGETS)
@rows("K15")
def test_odd_targets_reach_what_they_say_or_nothing(case: str, idle: Server) -> None:
    """No spelling of a path gets past the table of paths, and none is redirected."""
    line, statuses = TARGETS[case]
    with idle.wire() as wire:
        wire.send(f"{line}\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\n\r\n".encode())
        reply = wire.reply()

    assert reply.status in statuses


@rows("K15")
def test_too_many_and_too_long_headers_are_refused(idle: Server) -> None:
    """431, and the next client is served."""
    statuses = []
    for headers in ("X: y\r\n" * 5_000, f"X: {'y' * 200_000}\r\n", f"{'X' * 200_000}: y\r\n"):
        with idle.wire() as wire:
            with contextlib.suppress(OSError):  # refused before everything was sent
                wire.send(f"GET /api/v1/account HTTP/1.1\r\nHost: h\r\n{headers}\r\n".encode())
            statuses.append(wire.reply().status)

    assert set(statuses) <= {400, 431}
    assert 431 in statuses
    assert idle.call("GET", "/healthz").status == 200


@rows("K16", "N05")
def test_a_client_that_hangs_up_can_ask_again(server: Server, site: Site) -> None:
    """The report exists once, and the same Idempotency-Key leads to it."""
    _, key = server.add_account("Hasty")
    body = f"url={site.http}/slow?hasty".encode()
    with server.wire() as wire:
        wire.send(
            f"POST {REPORTS} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nIdempotency-Key: hasty-1\r\n"
            f"Content-Type: {FORM}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        wait_until(lambda: count(server, key))

    def ask_again() -> Reply | None:
        reply = server.call(
            "POST", REPORTS, key=key, body=body, headers={"Content-Type": FORM, "Idempotency-Key": "hasty-1"}
        )
        return None if reply.status == 409 else reply

    again = wait_until(ask_again)

    assert again.status == 201
    assert count(server, key) == 1
    assert server.finished(again.data["id"], key=key)["state"] == "completed"
