"""The relay really breaks the network for the other tests, and nothing else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from tests.fault.relay import Relay, relay_to

SOON_S = 10.0
NEVER_S = 0.3


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that says everything back in capitals."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer(taken: socket.socket) -> None:
            with taken:
                while data := _received(taken):
                    taken.sendall(data.upper())

        def serve() -> None:
            while True:
                try:
                    taken, _ = listening.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(taken,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def relay(echo: int) -> Iterator[Relay]:
    """A relay to it."""
    with relay_to(echo) as relay:
        yield relay


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(100)
    except OSError:
        return b""


def connect(relay: Relay) -> socket.socket:
    """A connection through the relay."""
    return socket.create_connection(("127.0.0.1", relay.port), timeout=SOON_S)


def lose(relay: Relay) -> None:
    """Try a connection that is reset: while it is made or after, as it happens."""
    with connect(relay) as lost:
        lost.recv(9)


def test_everything_passes(relay: Relay) -> None:
    """In both directions, and so does the end of a connection."""
    with connect(relay) as one, connect(relay) as two:
        one.sendall(b"one")
        two.sendall(b"two")

        assert (one.recv(9), two.recv(9), relay.connections, relay.taken) == (b"ONE", b"TWO", 2, 2)

        one.shutdown(socket.SHUT_WR)

        assert one.recv(9) == b""


def test_nothing_passes_while_it_stalls(relay: Relay) -> None:
    """Old and new connections stay open and silent; healed, both go on where they were."""
    with connect(relay) as old:
        old.sendall(b"a")
        assert old.recv(9) == b"A"
        relay.stall()
        old.sendall(b"b")
        with connect(relay) as new:
            new.sendall(b"c")
            for each in (old, new):
                each.settimeout(NEVER_S)
                with pytest.raises(TimeoutError):
                    each.recv(9)
                each.settimeout(SOON_S)
            relay.heal()

            assert (old.recv(9), new.recv(9)) == (b"B", b"C")


def test_answers_alone_can_be_lost(relay: Relay, echo: int) -> None:
    """The request arrives, and the answer comes when the network is healed."""
    with connect(relay) as asking:
        asking.sendall(b"a")
        assert asking.recv(9) == b"A"
        relay.stall_answers()
        asking.sendall(b"b")
        asking.settimeout(NEVER_S)
        with pytest.raises(TimeoutError):
            asking.recv(9)
        asking.settimeout(SOON_S)
        relay.heal()

        assert asking.recv(9) == b"B"


def test_connections_are_reset(relay: Relay) -> None:
    """Those that are open and those that come, until it is healed."""
    with connect(relay) as old:
        old.sendall(b"a")
        assert old.recv(9) == b"A"
        relay.reset()
        with pytest.raises(ConnectionResetError):
            old.recv(9)
        with pytest.raises(ConnectionResetError):
            lose(relay)
        relay.heal()
        with connect(relay) as again:
            again.sendall(b"c")

            assert again.recv(9) == b"C"


def test_bytes_come_later(relay: Relay) -> None:
    """By the delay, on the way there and on the way back."""
    relay.delay(0.1)
    with connect(relay) as slow:
        started_s = time.monotonic()
        slow.sendall(b"a")

        assert slow.recv(9) == b"A"
        assert time.monotonic() - started_s >= 0.2


def test_a_target_that_is_gone_is_a_reset(relay: Relay) -> None:
    """As the kernel of the machine would answer; and the relay lives on."""
    target, relay.target_port = relay.target_port, 1
    with pytest.raises(ConnectionResetError):
        lose(relay)
    relay.target_port = target
    with connect(relay) as found:
        found.sendall(b"a")

        assert found.recv(9) == b"A"
