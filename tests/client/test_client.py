"""``Client`` over a real connection to the real application."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from pagegrade.client import (
    AsyncClient,
    Client,
    ConnectionFailed,
    InsufficientScope,
    Unauthenticated,
    UnexpectedAnswer,
    ValidationFailed,
)
from pagegrade.client.calls import MAX_BODY_BYTES
from tests.store_builders import add_key
from tests.web.listening_app import Listening, listening_app


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Listening]:
    """A service without workers."""
    with listening_app(tmp_path) as found:
        yield found


def test_all_reports_are_iterated_and_errors_are_typed(listening: Listening, caplog: pytest.LogCaptureFixture) -> None:
    """Many pages by cursor, a refused field, a wrong key, a key that may only read."""
    reader = add_key(listening.services.database, listening.alice.id, scopes=("reports:read",))[1]
    with Client(f"{listening.url}/api/v1/", listening.key) as client:
        made = [client.create_report(f"https://example.com/{number}")["id"] for number in range(12)]
        with caplog.at_level(logging.WARNING, "pagegrade.client"):
            client.create_report("example.org", password="unused")
        found = [report["id"] for report in client.iterate_reports(project="example.com")]
        with pytest.raises(ValidationFailed) as refused:
            client.create_report("ftp://example.com/")
        answer = client.call("show_report", path={"id": made[0]})
        batch = client.create_batch(urls=["https://a.example/", "https://b.example/"])
        openapi = client.show_description()
    with Client(listening.url, reader) as reading, pytest.raises(InsufficientScope):
        reading.delete_report(made[0])
    with Client(listening.url, "pgk_wrong") as other, pytest.raises(Unauthenticated):
        other.show_account()

    assert found == made[::-1]
    assert list(refused.value.errors) == ["url"]
    assert "password_ignored" in caplog.text
    assert answer.headers["etag"].startswith(f'"{made[0]}-')
    assert batch["total"] == 2
    assert openapi["openapi"].startswith("3.1")


def test_a_key_and_a_client_do_not_show_the_key() -> None:
    """A client in a log line is no leak."""
    with Client("http://localhost", "pgk_secret") as client:
        shown = f"{client!r} {client.__dict__!r}"

    assert "secret" not in shown


@pytest.mark.parametrize("url", ["", "ftp://a.example", "localhost:8080", "https://u:p@a.example", "/api"])
def test_only_the_address_of_a_service_is_accepted(url: str) -> None:
    """Before anything is sent."""
    with pytest.raises(ValueError, match="address of a service"):
        Client(url, "pgk_x")


@pytest.mark.parametrize("key", ["", "a b", "a\r\nX: y", "pgk_ü"])
def test_only_a_key_is_accepted_as_key(key: str) -> None:
    """Nothing that would be another header."""
    with pytest.raises(ValueError, match="API key"):
        Client("http://localhost", key)


def test_an_unreachable_service_is_an_error_of_the_client() -> None:
    """Not one of the library below."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with Client(f"http://127.0.0.1:{port}", retries=0) as client, pytest.raises(ConnectionFailed):
            client.list_checks()


@pytest.mark.parametrize(("size", "read"), [(MAX_BODY_BYTES, True), (MAX_BODY_BYTES + 1, False)])
def test_an_answer_is_read_up_to_a_bound(size: int, *, read: bool) -> None:
    """By both clients."""
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=iter([b"x" * size])))

    with Client("http://localhost", retries=0, transport=transport) as client:
        if read:
            assert len(client.show_picture(1, "viewport")) == size
        else:
            with pytest.raises(UnexpectedAnswer, match="more than"):
                client.show_picture(1, "viewport")


def test_the_asynchronous_client_reads_up_to_the_same_bound() -> None:
    """One byte more than it holds."""

    async def run() -> None:
        transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=b"x" * (MAX_BODY_BYTES + 1)))
        async with AsyncClient("http://localhost", retries=0, transport=transport) as client:
            with pytest.raises(UnexpectedAnswer, match="more than"):
                await client.show_picture(1, "viewport")

    asyncio.run(run())


def test_a_success_that_is_not_of_the_service_is_an_error() -> None:
    """A captive portal answers everything with 200."""
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, text="<h1>Sign in</h1>"))
    with Client("http://localhost", transport=transport) as client, pytest.raises(UnexpectedAnswer):
        client.show_account()


def test_waiting_ends_with_the_last_analysis() -> None:
    """Of a report by long polls, of a batch by asking again."""
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.headers.get("prefer", ""))
        over = len(asked) % 2 == 0
        data = {"state": "completed" if over else "running", "queued": 0 if over else 1}
        return httpx2.Response(200, json={"data": data}, headers={"Retry-After": "0"})

    with Client("http://localhost", transport=httpx2.MockTransport(answer)) as client:
        report = client.wait_for_report(7)
        batch = client.wait_for_batch(8)

    assert (report["state"], batch["queued"]) == ("completed", 0)
    assert asked == ["wait=50", "wait=50", "", ""]
