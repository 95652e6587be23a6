"""A real server whose operator named a collector: what arrives there, and what does not."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagegrade.observability.otel import CLOSE_S
from tests import postgres
from tests.otlp import Collector, collecting, forget_variables
from tests.server import COMMAND, Server, running_server, start_server
from tests.site.serve import Site

TRACE = "0af7651916cd43dd8448eb211c80319c"
CLIENT = "b7ad6b7169203331"
PARTS = {"gather", "evaluate", "store"}
SECRETS = ("sekret-query", "sekret-agent", "sekret-path", "sekret-password")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing from outside, and no waiting for a batch to fill."""
    forget_variables(monkeypatch)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that servers started from here know."""
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.endpoint)
        yield made


def lines(server: Server, event: str) -> list[dict[str, Any]]:
    """The lines of an event in the log of a server."""
    found = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


@contextlib.contextmanager
def working(server: Server, log_file: Path) -> Iterator[None]:
    """A worker beside a server for the length of a block; it must end well."""
    with log_file.open("wb") as log:
        worker = subprocess.Popen(
            [*COMMAND, "worker"], env=dict(server.environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        yield
        worker.send_signal(signal.SIGTERM)
        if worker.wait(60):
            raise AssertionError(log_file.read_text())
    finally:
        worker.kill()
        worker.wait(60)


def test_a_request_and_its_run_are_one_trace(collector: Collector, site: Site, tmp_path: Path) -> None:
    """From the client's own span to the parts of the analysis; the log leads there."""
    with running_server(tmp_path / "data") as server:
        made = server.call(
            "POST",
            "/api/v1/reports",
            form={"url": f"{site.http}/?q=sekret-query", "privacy": 2, "password": "sekret-password"},
            headers={
                "Prefer": "respond-async",
                "traceparent": f"00-{TRACE}-{CLIENT}-01",
                "User-Agent": "sekret-agent",
            },
        )
        report = server.finished(made.data["id"])
        (run,) = collector.wait("run")
        server.call("GET", "/sekret-path?token=sekret-query")
        server.call("GET", "/r/sekret-path", key=None)
        collector.wait("GET /r/{slug}")
        key = server.key
    request = collector.one("POST /api/v1/reports")
    spans = [span for span in collector.spans if span.trace_id == TRACE]
    parts = {span.name: span for span in spans if span.parent_id == run.span_id}
    gatherers = {span.name for span in spans if span.parent_id == parts["gather"].span_id}
    traces = [line["trace_id"] for line in lines(server, "run_finished")]

    assert report["state"] == "completed"
    assert (request.kind, request.parent_id, request.failure) == ("server", CLIENT, None)
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "/api/v1/reports",
        "http.response.status_code": 201,
        "pagegrade.operation": "create_report",
    }
    assert (run.kind, run.trace_id, run.parent_id) == ("consumer", TRACE, request.span_id)
    assert run.attributes == {
        "pagegrade.run": 1,
        "pagegrade.report": made.data["id"],
        "pagegrade.attempt": 1,
        "pagegrade.state": "completed",
        "server.address": "127.0.0.1",
    }
    assert parts.keys() == PARTS
    assert {"gather document", "gather tls", "gather resources", "gather robots_txt"} <= gatherers
    assert parts["gather"].attributes["pagegrade.document.status"] == 200
    assert run.seconds >= parts["gather"].seconds > 0
    assert {span.name for span in spans} == {request.name, "run", *PARTS, *gatherers}
    assert traces == [TRACE]
    assert TRACE in [line.get("trace_id") for line in lines(server, "request")]
    assert collector.one("GET").attributes["pagegrade.problem"] == "not_found"
    assert [secret for secret in (*SECRETS, key) if secret.encode() in b"".join(collector.raw)] == []
    assert not {"GET /healthz", "GET /readyz"} & {span.name for span in collector.spans}


@pytest.mark.backend("postgresql", "a run is done by another process than the one that was asked for it")
def test_a_trace_goes_on_in_another_process(collector: Collector, site: Site, tmp_path: Path) -> None:
    """One machine answers, another one works, the database is all they share."""
    url, log = postgres.databases().make(), tmp_path / "worker.log"
    with running_server(tmp_path / "data", "--no-worker", DATABASE_URL=url) as server, working(server, log):
        made = server.call(
            "POST",
            "/api/v1/reports",
            form={"url": f"{site.http}/"},
            headers={"Prefer": "respond-async", "traceparent": f"00-{TRACE}-{CLIENT}-01"},
        )
        report = server.finished(made.data["id"])
    request, run = collector.one("POST /api/v1/reports"), collector.one("run")

    assert report["state"] == "completed"
    assert (request.trace_id, run.trace_id) == (TRACE, TRACE)
    assert run.parent_id == request.span_id
    assert run.service["service.instance.id"] != request.service["service.instance.id"]
    assert {span.name for span in collector.spans if span.parent_id == run.span_id} == PARTS
    assert TRACE in log.read_text()


def test_a_failed_run_says_its_code(collector: Collector, tmp_path: Path) -> None:
    """The code of the report, and no text."""
    with running_server(tmp_path / "data") as server:
        made = server.create("http://127.0.0.1:1/")
        report = server.finished(made["id"])
        (run,) = collector.wait("run")
    gather = collector.one("gather")

    assert run.failure == gather.failure == report["error"]["code"] == "connect"
    assert run.attributes["error.type"] == "connect"
    assert run.attributes["pagegrade.reason"] == report["error"]["reason"]
    assert collector.one("gather document").attributes == {"pagegrade.not_gathered": "connect"}
    assert collector.named("evaluate") == []


def test_the_last_spans_are_sent_before_the_end(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that stops does not lose them."""
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
    server = start_server(tmp_path / "data")
    server.call("GET", "/api/v1/checks")
    before = list(collector.spans)
    code = server.stop()

    assert code == 0
    assert before == []
    assert [span.name for span in collector.spans] == ["GET /api/v1/checks"]


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "hanging"])
def test_a_broken_collector_breaks_nothing(
    collector: Collector,
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gone: bool,  # noqa: FBT001
) -> None:
    """Requests are answered, runs end, and the end of the server waits for a bounded time."""
    if gone:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    collector.hangs = threading.Event()
    server = start_server(tmp_path / "data", GRACE_SECONDS=1)
    try:
        made = server.create(f"{site.http}/")
        report = server.finished(made["id"])
        statuses = {server.call("GET", "/api/v1/checks").status for _ in range(20)}
    finally:
        started_s = time.monotonic()
        code = server.stop()
    stopped_s = time.monotonic() - started_s

    assert report["state"] == "completed"
    assert statuses == {200}
    assert code == 0
    assert "Traceback" not in server.log
    # The bound is ours; the rest is patience with a busy machine.
    assert stopped_s < CLOSE_S + 20
    assert collector.spans == []


def test_traces_that_cannot_be_sent_are_said(
    collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server without the extra says what to install, and serves."""
    blocked = tmp_path / "blocked" / "opentelemetry"
    blocked.mkdir(parents=True)
    (blocked / "__init__.py").write_text("raise ModuleNotFoundError(name='opentelemetry')\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(blocked.parent), os.environ.get("PYTHONPATH", "")]))
    with running_server(tmp_path / "data") as server:
        status = server.call("GET", "/api/v1/checks").status
        said = [line["reason"] for line in lines(server, "traces_not_sent")]

    assert status == 200
    assert len(said) == 1
    assert "pip install 'pagegrade[otel]'" in said[0]
    assert collector.asked == 0
