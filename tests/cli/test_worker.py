from __future__ import annotations

import signal
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.cli.worker_process import ready, running_worker
from tests.postgres import databases
from tests.server import running_server
from tests.waiting import pause, wait_until

pytestmark = pytest.mark.backend("postgresql", "SQLite belongs to one process")
SOON_S = 60.0


@pytest.mark.backend("sqlite", "it is refused")
def test_a_database_of_one_process_is_refused(command_line: CommandLine, tmp_path: Path) -> None:
    """With what to do instead."""
    result = command_line("worker")

    assert result.code == 2
    assert "pagegrade serve --workers" in result.err
    assert "PAGEGRADE_DATABASE_URL" in result.err


def test_a_worker_that_would_not_work_is_refused(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings for the servers of a machine may not be meant for it."""
    monkeypatch.setenv("PAGEGRADE_WORKERS", "0")
    result = command_line("worker")

    assert result.code == 2
    assert "--concurrency" in result.err


def test_what_is_asked_for_here_is_analysed_there(tmp_path: Path) -> None:
    """A server without workers, a worker without a server, and a waiting client is answered as soon as it is done."""
    url = databases().make()
    with (
        running_server(tmp_path / "data", "--no-worker", DATABASE_URL=url) as server,
        running_worker(tmp_path, url, "--concurrency", "2") as starting,
    ):
        worker = ready(starting)
        started_s = time.monotonic()
        reports = [server.create(f"http://127.0.0.1:1/{number}") for number in range(4)]
        states = [server.finished(report["id"])["state"] for report in reports]
        took_s = time.monotonic() - started_s
        metrics = worker.get("/metrics").body.decode()
        code = worker.stop()

    assert states == ["failed"] * 4
    assert took_s < SOON_S
    assert 'pagegrade_runs_total{code="connect",state="failed"} 4.0' in metrics
    assert "pagegrade_notices_heard 1.0" in metrics
    assert "pagegrade_processes 2.0" in metrics
    assert code == 0
    assert not (tmp_path / "data" / "pagegrade.db").exists()


class _ToServer(BaseHTTPRequestHandler):
    """Redirects to what ``location`` of the server says."""

    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("Location", str(vars(self.server)["location"]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the overridden method
        """Say nothing."""


def test_a_worker_learns_what_the_origin_of_the_installation_is(tmp_path: Path) -> None:
    """It has no PAGEGRADE_BASE_URL and may contact the whole machine, but not the server it works for."""
    url = databases().make()
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), _ToServer) as elsewhere,
        running_server(tmp_path / "data", "--no-worker", DATABASE_URL=url) as server,
        running_worker(tmp_path, url) as starting,
    ):
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        vars(elsewhere)["location"] = f"http://127.0.0.1:{server.port}/"
        ready(starting)
        report = server.create(f"http://127.0.0.1:{elsewhere.server_address[1]}/")
        finished = server.finished(report["id"])
        elsewhere.shutdown()

    assert finished["state"] == "failed"
    assert finished["error"]["code"] == "address_not_allowed"


def test_its_port_answers_probes_and_nothing_else(tmp_path: Path) -> None:
    """It has the same database as the API, and is no second way to it: Charlie finds nothing, with or without a key."""
    key = "k" * 40
    with running_worker(tmp_path, databases().make(), BOOTSTRAP_API_KEY=key, METRICS_TOKEN="t" * 20) as starting:
        worker = ready(starting)
        probes = [worker.get(path).status for path in ("/healthz", "/readyz", "/metrics")]
        paths = ("/", "/api/v1/reports", "/api/v1/account", "/sign-in", "/admin", "/static/x/site.css", "/r/x")
        answers = [worker.get(path, Authorization=f"Bearer {key}", Accept="text/html, */*") for path in paths]

    assert probes == [200, 200, 401]
    assert {answer.status for answer in answers} == {404}
    assert {answer.header("Content-Type") for answer in answers} == {"application/problem+json"}


def test_it_says_when_it_cannot_work(tmp_path: Path) -> None:
    """A supervisor gets the reason in words."""
    url = databases().make()
    with running_worker(tmp_path, url) as starting:
        worker = ready(starting)
        checks = worker.get("/readyz").json["checks"]
        databases().drop(url)
        answer = wait_until(lambda: None if (reply := worker.get("/readyz")).status == 200 else reply)
        alive = worker.get("/healthz").status

    assert checks == {"database": "ok", "schema": "ok", "disk": "none", "workers": "ok", "accepting": "ok"}
    assert answer.status == 503
    assert answer.json["checks"]["database"] in {"unavailable", "slow"}
    assert alive == 200


def test_the_first_signal_lets_it_finish_and_the_second_does_not(tmp_path: Path) -> None:
    """Unfinished runs go back, for others, and count as never started."""
    url = databases().make()
    with (
        running_server(tmp_path / "data", "--no-worker", DATABASE_URL=url) as server,
        socket.create_server(("127.0.0.1", 0)) as silent,
    ):
        with running_worker(tmp_path, url, GRACE_SECONDS="600") as starting:
            worker = ready(starting)
            report = server.create(f"http://127.0.0.1:{silent.getsockname()[1]}/")
            # A run that was claimed, but has not begun, goes back at once: this one waits for the page.
            silent.settimeout(SOON_S)
            connection, _ = silent.accept()
            worker.process.send_signal(signal.SIGTERM)
            pause(0.5, "the time in which an idle worker ends")
            is_waiting = worker.process.poll() is None
            started_s = time.monotonic()
            code = worker.stop()
            took_s = time.monotonic() - started_s
            connection.close()
        state = _state(server, report["id"])

    assert is_waiting
    assert code == 0
    assert took_s < SOON_S
    assert state == "queued"


def _state(server: object, report_id: int) -> str:
    reply = server.call("GET", f"/api/v1/reports/{report_id}")  # type: ignore[attr-defined]
    return str(reply.data["state"])
