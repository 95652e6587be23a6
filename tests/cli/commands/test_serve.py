from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import threading
import time
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.cli.worker_process import ready, running_worker
from tests.postgres import databases
from tests.server import COMMAND, running_server, start_server
from tests.waiting import pause, wait_until

SOON_S = 60.0
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Of a server that has nothing but a data folder."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")}
    return (
        plain | {"PAGEGRADE_DATA_DIR": str(folder)} | {f"PAGEGRADE_{name}": value for name, value in settings.items()}
    )


def refused(folder: Path, *arguments: str, **settings: str) -> tuple[int, str]:
    """(exit code, what it says) of a server that does not start."""
    done = subprocess.run(
        [*COMMAND, "serve", *arguments],
        env=environment(folder, **settings),
        capture_output=True,
        encoding="utf-8",
        timeout=2 * SOON_S,
        check=False,
    )
    return done.returncode, done.stderr


def first_words(folder: Path) -> tuple[subprocess.Popen[str], list[str]]:
    """A server without a bootstrap key, and the lines it says until it listens and a little more."""
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        env=environment(folder, ALLOW_NETWORKS="127.0.0.0/8"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    lines: list[str] = []
    while process.stdout is not None and not (lines and ("curl" in lines[-1] or "keys create" in lines[-1])):
        lines.append(process.stdout.readline())
        if not lines[-1]:
            break
    return process, lines


def end(process: subprocess.Popen[str]) -> int:
    """Stop a server as an operator does; its exit code."""
    with process:
        process.send_signal(signal.SIGTERM)
        return process.wait(SOON_S)


def test_the_first_start_shows_a_key_and_a_line_that_works(tmp_path: Path) -> None:
    """The printed line can be copied into a shell."""
    process, lines = first_words(tmp_path / "data")
    words = shlex.split(lines[-1])
    header, body, url = words[words.index("-H") + 1], words[words.index("-d") + 1], words[-1]
    origin, path = url[: url.index("/api")], url[url.index("/api") :]
    connection = HTTPConnection(origin.removeprefix("http://"), timeout=SOON_S)
    name, _, value = header.partition(": ")
    # The page it names is on the Internet; one that refuses connections will do.
    connection.request("POST", path, body.replace("https://example.com/", "http://127.0.0.1:1/"), {name: value, **FORM})
    status = connection.getresponse().status
    connection.close()

    assert words[0] == "curl"
    assert status == 201
    assert len(set(re.findall(r"pgk_\w+", "".join(lines)))) == 1
    assert str(tmp_path / "data") in "".join(lines)
    assert end(process) == 0


def test_the_first_start_shows_a_link_that_signs_in(tmp_path: Path) -> None:
    """One click into the browser; it works once, and no later start shows another. Commands know the port."""
    process, lines = first_words(tmp_path / "data")
    (link,) = re.findall(r"http://\S+/sign-in/\S+", "".join(lines))
    origin, path = link[: link.index("/sign-in")], link[link.index("/sign-in") :]
    answers = []
    for method in ("GET", "POST", "POST"):
        connection = HTTPConnection(origin.removeprefix("http://"), timeout=SOON_S)
        connection.request(method, path, headers={"Sec-Fetch-Site": "same-origin"})
        answer = connection.getresponse()
        answers.append((answer.status, answer.getheader("Location"), bool(answer.getheader("Set-Cookie"))))
        connection.close()
    command = [*COMMAND, "accounts", "login-link"]
    printed = subprocess.run(
        command, env=environment(tmp_path / "data"), capture_output=True, encoding="utf-8", timeout=60, check=True
    )

    assert answers == [(200, None, False), (303, "/account?said=set-password", True), (404, None, False)]
    assert printed.stdout.startswith(f"{origin}/sign-in/")
    assert end(process) == 0
    second, later = first_words(tmp_path / "data")

    assert end(second) == 0
    assert "/sign-in/" not in "".join(later)


def test_the_second_start_shows_no_key(tmp_path: Path) -> None:
    """It was shown once; it is not kept anywhere from which it could be shown again."""
    first, _ = first_words(tmp_path / "data")

    assert end(first) == 0
    second, lines = first_words(tmp_path / "data")

    assert end(second) == 0

    assert "pgk_" not in "".join(lines)
    assert "pagegrade accounts login-link" in lines[-1]
    assert "pagegrade keys create" in lines[-1]


def test_a_bootstrap_key_is_taken_without_a_word(tmp_path: Path) -> None:
    """It works, and neither it nor any other key is printed."""
    with running_server(tmp_path / "data") as server:
        assert server.call("GET", "/api/v1/account").status == 200

    assert server.key not in server.log
    assert "pgk_" not in server.log
    assert "/sign-in/" not in server.log


def test_the_data_is_the_owners_alone(tmp_path: Path) -> None:
    """No other user of the machine may read reports or hashes of keys, even in a folder that all may enter."""
    process, _ = first_words(tmp_path / "new" / "data")
    with running_server(tmp_path / "open", tables=False):
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "open").iterdir()}

    assert stat.S_IMODE((tmp_path / "new" / "data").stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}
    assert {"pagegrade.db", "pagegrade.db-wal"} <= set(modes)
    assert end(process) == 0


def test_a_taken_port_is_said_in_one_sentence(tmp_path: Path) -> None:
    """No traceback, a way out, and the exit code of a wrong usage; the folder is free for the next one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, said = refused(tmp_path / "data", "--port", str(taken.getsockname()[1]))

    assert code == 2
    assert "another program listens there" in said
    assert "Traceback" not in said
    # The refused start created no key unseen: the start that listens is the first one.
    process, lines = first_words(tmp_path / "data")

    assert end(process) == 0
    assert "pgk_" in "".join(lines)


def test_a_wrong_setting_is_said_in_one_sentence(tmp_path: Path) -> None:
    """The message names the variable."""
    code, said = refused(tmp_path / "data", REQUESTS_PER_MINUTE="many")

    assert code == 2
    assert "PAGEGRADE_REQUESTS_PER_MINUTE" in said
    assert "Traceback" not in said


def test_a_misspelled_setting_is_warned_of(tmp_path: Path) -> None:
    """It starts, and says what was probably meant."""
    with running_server(tmp_path / "data", REQUEST_PER_MINUTE=5) as server:
        assert "REQUESTS_PER_MINUTE" in server.log


def test_without_workers_it_only_answers(tmp_path: Path) -> None:
    """Reports wait for a server that has some."""
    with running_server(tmp_path / "data", "--no-worker") as server:
        report = server.create("http://127.0.0.1:1/")
        waited = server.call("GET", f"/api/v1/reports/{report['id']}", headers={"Prefer": "wait=2"})
        assert waited.data["state"] == "queued"
    with running_server(tmp_path / "data", "--workers", "1", key=server.key) as server:
        assert server.finished(report["id"])["state"] == "failed"


def test_links_name_the_port_that_was_taken(tmp_path: Path) -> None:
    """With --port 0 it could not be configured."""
    with running_server(tmp_path / "data") as server:
        assert server.create("http://127.0.0.1:1/")["share_url"].startswith(f"{server.origin}/r/")
    with running_server(tmp_path / "data", key=server.key, BASE_URL="https://reports.example.org") as server:
        assert server.create("http://127.0.0.1:2/")["share_url"].startswith("https://reports.example.org/r/")


def test_stopping_ends_idle_connections(tmp_path: Path) -> None:
    """A client that keeps its connection open does not keep the server from ending."""
    server = start_server(tmp_path / "data")
    with server.wire() as wire:
        wire.send(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert wire.reply().status == 200
        assert server.stop(signal.SIGINT) == 0
        assert wire.hung_up()


def test_stopping_answers_who_is_waiting(tmp_path: Path) -> None:
    """A request under way gets its answer, though its analysis is not finished; new connections are refused."""
    server = start_server(tmp_path / "data", GRACE_SECONDS=5, RUN_BUDGET_SECONDS=60)
    with socket.create_server(("127.0.0.1", 0)) as silent, server.wire() as wire:
        report = server.create(f"http://127.0.0.1:{silent.getsockname()[1]}/")
        # The first answer says that the second request, which came with the first, has arrived.
        wire.send(
            "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            f"GET /api/v1/reports/{report['id']} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.key}\r\n"
            "Prefer: wait=50\r\n\r\n".encode()
        )
        assert wire.reply().status == 200
        server.process.send_signal(signal.SIGTERM)
        reply = wire.reply()
        hung_up = wire.hung_up()
        code = server.stop(signal.SIGTERM)

    assert reply.status == 200
    assert reply.data["state"] in {"queued", "running"}
    assert hung_up
    assert code == 0


@pytest.mark.parametrize("path", ["/", "/nothing"])
def test_the_service_recognizes_itself_under_a_name_that_it_does_not_know(tmp_path: Path, path: str) -> None:
    """It is reached at an address that no setting names, and that a proxy might have; no page of it is analyzed."""
    with running_server(tmp_path / "data", BASE_URL="https://reports.example.org", CORS_ORIGINS="") as server:
        made = server.call("POST", "/api/v1/reports", form={"url": f"http://127.0.0.1:{server.port}{path}"})
        report = server.call("GET", f"/api/v1/reports/{made.data['id']}?wait=30").data

    assert (report["state"], report["error"]["code"]) == ("failed", "address_not_allowed")


SHARED_ONLY = pytest.mark.backend("postgresql", "SQLite belongs to one process")


@SHARED_ONLY
@pytest.mark.backend("sqlite", "it is refused")
def test_a_database_of_one_process_is_refused(command_line: CommandLine, tmp_path: Path) -> None:
    """With what to do instead."""
    result = command_line("worker")

    assert result.code == 2
    assert "pagegrade serve --workers" in result.err
    assert "PAGEGRADE_DATABASE_URL" in result.err


@SHARED_ONLY
def test_a_worker_that_would_not_work_is_refused(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings for the servers of a machine may not be meant for it."""
    monkeypatch.setenv("PAGEGRADE_WORKERS", "0")
    result = command_line("worker")

    assert result.code == 2
    assert "--concurrency" in result.err


@SHARED_ONLY
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


@SHARED_ONLY
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


@SHARED_ONLY
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


@SHARED_ONLY
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


@SHARED_ONLY
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
