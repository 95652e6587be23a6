"""The probe says 0 when the server says 200, and 1 for anything else."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.deploy.files import DEPLOY


@contextlib.contextmanager
def answering(answer: bytes) -> Iterator[tuple[int, list[bytes]]]:
    """A server that gives one client this answer: its port, and what it was asked."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(30)

        def answer_one() -> None:
            client, _ = listener.accept()
            with client:
                asked.append(client.recv(4096))
                client.sendall(answer)

        thread = threading.Thread(target=answer_one)
        thread.start()
        try:
            yield listener.getsockname()[1], asked
        finally:
            thread.join()


def probe(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run it as the health check does."""
    return subprocess.run(
        [sys.executable, "-I", str(DEPLOY / "probe.py"), *arguments],
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )


def test_a_server_that_is_ready_is_healthy() -> None:
    """Its answer is printed, for `docker inspect`."""
    with answering(b'HTTP/1.1 200 OK\r\ncontent-length: 18\r\n\r\n{"status":"ready"}') as (port, asked):
        result = probe(PAGEGRADE_PORT=str(port), PAGEGRADE_HOST="0.0.0.0")

    assert result.returncode == 0
    assert result.stdout == '{"status":"ready"}\n'
    assert asked[0].startswith(b"GET /readyz HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.1 503 Service Unavailable\r\n\r\ndraining", b"HTTP/1.1 2001 X\r\n\r\n", b""]
)
def test_any_other_answer_is_not(answer: bytes) -> None:
    """Not ready, not understood, and disconnected all lead to a restart."""
    with answering(answer) as (port, _):
        result = probe(str(port))

    assert result.returncode == 1


def test_another_port_and_path_can_be_asked() -> None:
    """A worker's port is not that of the settings, and Swarm wants another path."""
    with answering(b"HTTP/1.1 200 OK\r\n\r\nok") as (port, asked):
        result = probe(str(port), "/healthz", PAGEGRADE_PORT="1")

    assert result.returncode == 0
    assert asked[0].startswith(b"GET /healthz ")


def test_a_refused_connection_is_reported_in_words() -> None:
    """No traceback: the sentence is read in a hurry."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = probe(str(port))

    assert result.returncode == 1
    assert result.stdout.startswith(f"No answer from 127.0.0.1 port {port}: ")
    assert result.stderr == ""
