from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.pubsub.connection import Closing, Link, Lost, Waker, conninfo_of
from tests.postgres import databases, execute

pytestmark = pytest.mark.backend("postgresql", "it is a connection to one")
PATIENCE_S = 20.0


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database."""
    made = databases().make_empty()
    yield made
    databases().drop(made)


def test_it_asks_and_hears(url: str) -> None:
    """On one connection, one after the other."""
    with Link(conninfo_of(url), Waker(), PATIENCE_S) as link:
        none = link.ask(b"LISTEN here")
        two = link.ask(b"SELECT $1::int + 1", (b"1",))
        execute(url, "SELECT pg_notify('here', 'hello')")
        heard: list[tuple[str, bytes]] = []
        until_s = time.monotonic() + PATIENCE_S
        while not heard and time.monotonic() < until_s:
            link.wait(0.1)
            heard += link.heard()

    assert none is None
    assert two == b"2"
    assert heard == [("here", b"hello")]


def test_the_server_lists_it_by_its_name(url: str) -> None:
    """A list of connections shows what they are for."""
    with Link(conninfo_of(url), Waker(), PATIENCE_S) as link:
        assert link.ask(b"SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()") == (
            b"pagegrade notices"
        )


def test_a_statement_that_is_refused_loses_it(url: str) -> None:
    """A connection that cannot listen is of no use."""
    with Link(conninfo_of(url), Waker(), PATIENCE_S) as link, pytest.raises(Lost) as lost:
        link.ask(b"SELECT nothing")

    assert lost.value.reason == "refused"


def test_a_connection_that_ends_is_lost(url: str) -> None:
    """While it waits and while it asks."""

    def wait(link: Link) -> None:
        for _ in range(3):  # first it may hear why it ends
            link.wait(PATIENCE_S)

    def ask(link: Link) -> None:
        link.ask(b"SELECT 1")

    reasons = []
    for use in (wait, ask):
        with Link(conninfo_of(url), Waker(), PATIENCE_S) as link:
            pid = int(link.ask(b"SELECT pg_backend_pid()") or b"0")
            execute(url, "SELECT pg_terminate_backend(%s, 20000)", pid)
            with pytest.raises(Lost) as lost:
                use(link)
            reasons.append(lost.value.reason)

    assert set(reasons) <= {"gone", "refused"}


def test_a_server_that_takes_connections_and_says_nothing_is_silent() -> None:
    """As a relay whose other side is gone; the time for it is bounded."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"postgresql://a@127.0.0.1:{mute.getsockname()[1]}/b"
        with pytest.raises(Lost) as lost, Link(conninfo_of(url), Waker(), 0.3):
            pass

    assert lost.value.reason == "silent"


def test_a_refused_connection_is_unreachable() -> None:
    """At once."""
    with pytest.raises(Lost) as lost, Link(conninfo_of("postgresql://a@127.0.0.1:1/b"), Waker(), PATIENCE_S):
        pass

    assert lost.value.reason == "unreachable"


def test_stopping_does_not_wait_for_a_connection() -> None:
    """A process that is stopped while its database is away stops."""
    waker = Waker()
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"postgresql://a@127.0.0.1:{mute.getsockname()[1]}/b"
        teller = threading.Timer(0.1, waker.close)
        teller.start()
        started_s = time.monotonic()
        with pytest.raises(Closing), Link(conninfo_of(url), waker, 60.0):
            pass
        teller.join()

    assert time.monotonic() - started_s < PATIENCE_S


def test_waking_ends_waiting(url: str) -> None:
    """From another thread, and also when it came a moment before."""
    waker = Waker()
    with Link(conninfo_of(url), waker, PATIENCE_S) as link:
        waker.wake()
        started_s = time.monotonic()
        link.wait(60.0)
        teller = threading.Timer(0.05, waker.wake)
        teller.start()
        link.wait(60.0)
        teller.join()

    assert time.monotonic() - started_s < PATIENCE_S


def test_a_pause_ends_at_the_stop_and_not_before() -> None:
    """A wake-up without a connection has nothing to do."""
    waker = Waker()
    waker.wake()
    started_s = time.monotonic()
    waker.sleep(0.1)
    slept_s = time.monotonic() - started_s
    waker.close()
    waker.sleep(60.0)

    assert slept_s >= 0.1
    assert time.monotonic() - started_s < PATIENCE_S


def test_waking_never_waits() -> None:
    """Notices without a listener are dropped, however many there are."""
    waker = Waker()
    for _ in range(100_000):
        waker.wake()

    assert not waker.closing


def test_where_to_connect_is_read_from_the_url() -> None:
    """Every part of it, with what is percent-encoded, and parameters of libpq."""
    found = conninfo_of("postgresql+psycopg://al%40ice:se%2Fcret@db.example:6543/reports?sslmode=verify-full").decode()

    assert set(found.split()) >= {
        "user=al@ice",
        "password=se/cret",
        "host=db.example",
        "port=6543",
        "dbname=reports",
        "sslmode=verify-full",
    }


@pytest.mark.parametrize("url", ["sqlite:///x", "postgresql://a@b", "postgresql://a@b/c?colour=red"])
def test_a_url_that_cannot_be_used_is_refused(url: str) -> None:
    """Without its password in the message."""
    with pytest.raises(InvalidInput) as raised:
        conninfo_of(url)

    assert "red" not in raised.value.message
