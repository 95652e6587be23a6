from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import LiteralString

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.postgresql import connector
from pagegrade.store.pubsub import notifications as module
from pagegrade.store.pubsub.notifications import (
    CHANNEL,
    MAX_PAYLOAD_BYTES,
    MAX_WAITING,
    Notices,
    Timing,
    read_payload,
    write_payload,
)
from tests.fault.relay import relay_to
from tests.postgres import How, Postgres, databases, execute
from tests.store.notice_pair import SOON_S, Ear, listening

pytestmark = pytest.mark.backend("postgresql", "SQLite has no other process to notify")
TERMINATE: LiteralString = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE application_name = 'pagegrade notices' AND datname = current_database()"
)


@pytest.fixture
def url() -> Iterator[str]:
    """An empty database: notices need no tables."""
    made = databases().make_empty()
    yield made
    databases().drop(made)


def notify(url: str, channel: str, payload: str) -> None:
    """As every program may that can connect."""
    execute(url, "SELECT pg_notify(%s, %s)", channel, payload)


def test_what_one_sends_the_other_hears(url: str) -> None:
    """At once, not when the server is next asked whether it listens; and not the sender itself, which knows."""
    alice, bob = Ear(url, "alice", Timing(pulse_s=600.0)), Ear(url, "bob", Timing(pulse_s=600.0))
    with listening(alice, bob):
        alice.notices.send(7)
        bob.notices.send(8)

        assert bob.until(lambda: bob.changed == [7])
        assert alice.until(lambda: alice.changed == [8])


def test_what_is_sent_in_a_moment_goes_in_one_statement(url: str) -> None:
    """From many threads, without waiting; the same report once."""
    alice, bob = Ear(url, "alice"), Ear(url, "bob")

    def say(low: int) -> None:
        for number in range(100):
            alice.notices.send(low + number % 50)

    payloads = Ear(url, "charlie")
    counts: list[int] = []
    payloads.notices.on_change = lambda ids: counts.append(len(ids))
    with listening(alice, bob, payloads):
        alice.notices.send(1)
        assert bob.until(lambda: bob.changed == [1])
        threads = [threading.Thread(target=say, args=(low,)) for low in (100, 200, 300, 400)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert bob.until(lambda: len(set(bob.changed)) == 201)

    assert set(bob.changed) == {1} | {low + n for low in (100, 200, 300, 400) for n in range(50)}
    assert len(counts) < 20


def test_a_burst_arrives_whole(url: str) -> None:
    """Ten thousand changes at once, which take several statements."""
    alice, bob = Ear(url, "alice"), Ear(url, "bob")
    with listening(alice, bob):
        wanted = set(range(10**12, 10**12 + MAX_WAITING))
        for report_id in wanted:
            alice.notices.send(report_id)

        assert bob.until(lambda: wanted <= set(bob.changed))


def test_what_waits_is_bounded() -> None:
    """A server that is gone for a day costs no more memory than one that is gone for a minute; the oldest goes."""
    notices = Notices("postgresql://missing@127.0.0.1:1/none", "alice")
    for report_id in range(MAX_WAITING + 5):
        notices.send(report_id)

    assert len(notices._waiting) == MAX_WAITING
    assert next(iter(notices._waiting)) == 5


def test_workers_hear_of_jobs(url: str) -> None:
    """From each other; a process without workers does not care."""
    worker, web = Ear(url, "worker", jobs=True), Ear(url, "web")
    with listening(worker, web):
        assert worker.until(lambda: worker.jobs == 1)  # something may have been waiting before it listened
        web.notices.send_job()
        assert worker.until(lambda: worker.jobs == 2)
        web.notices.send_job()
        web.notices.send(1)
        assert worker.until(lambda: worker.changed == [1] and worker.jobs == 3)

    assert web.jobs == 0


def test_notices_of_other_programs_are_ignored(url: str) -> None:
    """Every program that can connect may send anything, and nothing of it ends the thread."""
    alice = Ear(url, "alice")
    with listening(alice):
        for payload in ("", "{}", "bob", "bob 1,x", "bob " + "9" * 5_000, "é 1", "bob ,,,", "bob 1;DROP TABLE"):
            notify(url, CHANNEL, payload)
        notify(url, CHANNEL, "bob 5,6")

        assert alice.until(lambda: len(alice.changed) > 0)
        assert alice.changed == [5, 6]


def test_a_lost_connection_is_made_again(url: str) -> None:
    """All waits hear of the gap when it opens and when it closes; notices of the time between are sent then."""
    alice, bob = Ear(url, "alice"), Ear(url, "bob")
    with listening(alice, bob):
        gaps = bob.gaps
        execute(url, TERMINATE)
        for report_id in range(1, 6):
            alice.notices.send(report_id)
        assert bob.until(lambda: bob.gaps >= gaps + 2)
        assert bob.until(lambda: bob.notices.healthy)
        assert alice.until(lambda: alice.notices.healthy)
        alice.notices.send(99)

        assert bob.until(lambda: 99 in bob.changed)


def test_a_server_that_restarts_is_found_again() -> None:
    """However it ended, and however long it was away."""
    server = Postgres()
    try:
        server.start()
        alice, bob = Ear(server.url("postgres"), "alice"), Ear(server.url("postgres"), "bob")
        with listening(alice, bob):
            hows: tuple[How, ...] = ("fast", "immediate")
            for how in hows:
                server.stop(how)
                assert alice.until(lambda: not alice.notices.healthy)
                assert bob.until(lambda: not bob.notices.healthy)
                alice.notices.send(1)
                server.start()
                bob.changed.clear()
                assert alice.until(lambda: alice.notices.healthy)
                assert bob.until(lambda: bob.notices.healthy)
                alice.notices.send(2)

                assert bob.until(lambda: 2 in bob.changed)
    finally:
        server.close()


def test_a_server_that_says_nothing_is_noticed() -> None:
    """Its connections stay open, so that nothing else would show it; closing does not wait for it either."""
    server = Postgres()
    try:
        server.start()
        alice, bob = Ear(server.url("postgres"), "alice"), Ear(server.url("postgres"), "bob")
        with listening(alice, bob):
            server.pause()
            assert bob.until(lambda: not bob.notices.healthy and bob.gaps == 2)
            server.resume()
            assert bob.until(lambda: bob.notices.healthy and bob.gaps >= 3)
            assert alice.until(lambda: alice.notices.healthy)
            alice.notices.send(3)
            assert bob.until(lambda: 3 in bob.changed)
            server.pause()
            alice.notices.send(4)
            started_s = time.monotonic()
            alice.notices.close()
            bob.notices.close()

            assert time.monotonic() - started_s < SOON_S / 2
    finally:
        server.close()


def test_a_network_that_swallows_everything_is_noticed() -> None:
    """In both directions, or only what the server says; what was to be sent meanwhile is sent once it is well."""
    server = Postgres()
    try:
        server.start()
        with relay_to(server.port) as relay:
            alice = Ear(server.url("postgres", port=relay.port), "alice")
            bob = Ear(server.url("postgres"), "bob")
            with listening(alice, bob):
                for number, stall in enumerate((relay.stall, relay.stall_answers, relay.reset)):
                    stall()
                    assert alice.until(lambda: not alice.notices.healthy)
                    alice.notices.send(number)
                    relay.heal()
                    assert alice.until(lambda: alice.notices.healthy)
                    assert bob.until(lambda number=number: number in bob.changed)  # type: ignore[misc]
                assert bob.gaps == 1
    finally:
        server.close()


def test_a_session_that_is_not_ours_is_noticed(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind a pooler that hands each statement to whatever connection is free: nothing would ever be heard."""
    monkeypatch.setattr(module, "_LISTEN", "SELECT 1")
    alice = Ear(url, "alice")
    with listening(alice):
        assert alice.until(lambda: alice.gaps >= 4)


def test_closing_sends_what_waits(url: str) -> None:
    """A process that ends gives its runs back, and others shall know at once."""
    alice, bob = Ear(url, "alice"), Ear(url, "bob")
    with listening(bob):
        with listening(alice):
            alice.notices.send(1)
            alice.notices.send(2)
            alice.notices.close()

        assert bob.until(lambda: bob.changed == [1, 2])
        assert alice.notices._thread is not None
        assert not alice.notices._thread.is_alive()


def test_a_refused_connection_is_no_error() -> None:
    """Sending does not wait, and closing is quick."""
    alice = Ear("postgresql://missing@127.0.0.1:1/none", "alice")
    alice.notices.start()
    alice.notices.send(1)
    started_s = time.monotonic()
    alice.notices.close()

    assert time.monotonic() - started_s < SOON_S / 2
    assert not alice.notices.healthy
    assert alice.gaps == 0


def test_closing_does_not_wait_for_a_connection() -> None:
    """A process that is stopped while its database takes connections and says nothing stops."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        alice = Ear(f"postgresql://a@127.0.0.1:{mute.getsockname()[1]}/b?connect_timeout=60", "alice")
        alice.notices.start()
        connection, _ = mute.accept()
        with connection:
            started_s = time.monotonic()
            alice.notices.close()

            assert time.monotonic() - started_s < SOON_S / 2


def test_waiting_costs_nothing(url: str) -> None:
    """A process that hears nothing for long does not wake up: the driver's own wait would, ten times a second."""
    alice = Ear(url, "alice", Timing())
    waits: list[float] = []
    wait = alice.notices._waker.wait

    def count(seconds: float, *sockets: int) -> None:
        waits.append(seconds)
        wait(seconds, *sockets)

    alice.notices._waker.wait = count  # type: ignore[method-assign]
    with listening(alice):
        assert alice.until(lambda: len(waits) > 0)
        assert waits[-1] > Timing().pulse_s / 2


def test_the_server_lists_it_by_its_name(url: str) -> None:
    """A list of connections shows what they are for."""
    alice = Ear(url, "alice")
    with listening(alice):
        with connector(url, name="test")() as connection:
            found = connection.execute(
                "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
                "pg_backend_pid() AND backend_type = 'client backend'"
            ).fetchall()

        assert found == [("pagegrade notices",)]


@pytest.mark.parametrize("url", ["mysql://db/reports", "postgresql://a@b", "postgresql://a@b/c?colour=red"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    """When it is made, and not in a thread whose errors are not seen; without its values in the message."""
    with pytest.raises(InvalidInput) as raised:
        Notices(url, "alice")

    assert "red" not in raised.value.message


def test_a_callback_that_fails_ends_nothing(url: str) -> None:
    """The next notice is delivered all the same."""
    alice, bob = Ear(url, "alice"), Ear(url, "bob")
    heard = bob.notices.on_change
    failed = threading.Event()

    def fail_first(ids: tuple[int, ...]) -> None:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("no")
        heard(ids)

    bob.notices.on_change = fail_first
    with listening(alice, bob):
        alice.notices.send(1)
        assert failed.wait(SOON_S)
        alice.notices.send(2)

        assert bob.until(lambda: bob.changed == [2])


@pytest.mark.parametrize("job", [False, True])
def test_a_payload_stays_below_its_bound(*, job: bool) -> None:
    """With as many ids as there is room for, and all of them read back."""
    waiting = dict.fromkeys(range(2**63 - 1_000, 2**63))
    payload, taken = write_payload("f" * 64, waiting, job=job)
    said = read_payload(payload)

    assert MAX_PAYLOAD_BYTES - 30 < len(payload) <= MAX_PAYLOAD_BYTES
    assert taken == tuple(waiting)[: len(taken)]
    assert said is not None
    assert (said.process, said.report_ids, said.job) == ("f" * 64, taken, job)
