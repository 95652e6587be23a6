"""A collector for traces on loopback: takes what OpenTelemetry sends and shows it as plain values."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SentSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.waiting import wait_until

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One span as it was sent."""

    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    """Empty: it has none."""
    attributes: Mapping[str, Any]
    failure: str | None
    """The message of an error; ``None``: it is none."""
    seconds: float
    service: Mapping[str, Any]
    """The sender."""


@dataclass(slots=True)
class Collector:
    """The exports that were received so far, and the way to receive them."""

    port: int = 0
    spans: list[Received] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    """Bodies as they came."""
    status: int = 200
    hangs: threading.Event | None = None
    """Nothing is answered before it is set."""
    asked: int = 0
    """Requests that came, answered or not."""

    @property
    def endpoint(self) -> str:
        """For ``OTEL_EXPORTER_OTLP_ENDPOINT``."""
        return f"http://127.0.0.1:{self.port}"

    def named(self, name: str) -> list[Received]:
        """The spans of a name."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Received:
        """The only span of a name."""
        (span,) = self.named(name)
        return span

    def wait(self, name: str, count: int = 1) -> list[Received]:
        """The spans of a name once there are so many."""
        wait_until(lambda: len(self.named(name)) >= count, f"{count} x {name}")
        return self.named(name)


def forget_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user of the tests may trace something else."""
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)


@contextlib.contextmanager
def collecting() -> Iterator[Collector]:
    """A collector for the length of a block."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.asked += 1
            if collector.hangs is not None:
                collector.hangs.wait(PATIENCE_S)
                self.close_connection = True
                return
            if self.path == "/v1/traces" and collector.status == 200:
                collector.raw.append(body)
                collector.spans += read_spans(body)
            self.send_response(collector.status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named by the base class
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        collector.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            if collector.hangs is not None:
                collector.hangs.set()
            server.shutdown()
            thread.join()


def read_spans(body: bytes) -> list[Received]:
    """The spans of an export."""
    request = ExportTraceServiceRequest.FromString(body)
    return [
        Received(
            name=span.name,
            kind=SentSpan.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
            trace_id=span.trace_id.hex(),
            span_id=span.span_id.hex(),
            parent_id=span.parent_span_id.hex(),
            attributes=_plain(span.attributes),
            failure=span.status.message if span.status.code == Status.StatusCode.STATUS_CODE_ERROR else None,
            seconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
            service=_plain(sent.resource.attributes),
        )
        for sent in request.resource_spans
        for scope in sent.scope_spans
        for span in scope.spans
    ]


def _plain(items: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    item: KeyValue
    for item in items:
        kind = item.value.WhichOneof("value")
        found[item.key] = None if kind is None else getattr(item.value, kind)
    return found
