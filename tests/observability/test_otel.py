from __future__ import annotations

import io
import json
import logging
import re
import threading
from collections.abc import Iterator

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.observability import otel
from pagegrade.observability.logs import about, configure_logs
from pagegrade.observability.otel import OpenTelemetryTracing
from tests.otlp import Collector, collecting, forget_variables
from tests.waiting import wait_until

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
UNSAMPLED = f"00-{TRACE}-b7ad6b7169203331-00"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that the standard variable names."""
    forget_variables(monkeypatch)
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.endpoint)
        yield made


def forget_complaints() -> None:
    """Complaints of an earlier test may be repeated."""
    for name in otel.CHATTY:
        logging.getLogger(name).filters.clear()


def test_spans_arrive_with_their_parents(collector: Collector) -> None:
    """One trace: the client's span, a request, its part."""
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("GET", kind="server", parent=PARENT, attributes={"a": 1}) as request:
        request.rename("GET /checks")
        with request.child("gather", {"b": "two"}) as part:
            part.past("gather tls", 2.5, {"c": 1.5})
    tracing.close()
    first, second, third = (collector.one(name) for name in ("GET /checks", "gather", "gather tls"))

    assert {span.trace_id for span in collector.spans} == {TRACE}
    assert [first.parent_id, second.parent_id, third.parent_id] == [
        "b7ad6b7169203331",
        first.span_id,
        second.span_id,
    ]
    assert [first.kind, second.kind, third.kind] == ["server", "internal", "internal"]
    assert [first.attributes, second.attributes, third.attributes] == [{"a": 1}, {"b": "two"}, {"c": 1.5}]
    assert third.seconds == pytest.approx(2.5, abs=0.5)
    assert [span.failure for span in collector.spans] == [None, None, None]


def test_work_that_was_queued_joins_the_trace(collector: Collector) -> None:
    """The value of `traceparent` is enough for another process; it fits the column it is kept in."""
    first, second = OpenTelemetryTracing(instance="one"), OpenTelemetryTracing(instance="two")
    request = first.start("POST", kind="server")
    stored = request.traceparent or ""
    request.end()
    with second.start("run", kind="consumer", parent=stored) as run:
        names = run.names
    first.close()
    second.close()

    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", stored)
    assert collector.one("run").trace_id == collector.one("POST").trace_id == names["trace_id"]
    assert collector.one("run").parent_id == collector.one("POST").span_id
    assert collector.one("run").kind == "consumer"


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        f"ff-{TRACE}-b7ad6b7169203331-01",
        f"00-{TRACE.upper()}-b7ad6b7169203331-01",
        f"{PARENT}, {PARENT}",
        "0" * 60_000,
        f"01-{TRACE}-b7ad6b7169203331-01-{'x' * 600}",
        "\x00\x1b[2J",
    ],
)
def test_what_is_no_trace_context_begins_a_trace(
    collector: Collector, caplog: pytest.LogCaptureFixture, sent: str | None
) -> None:
    """A header of an untrusted client is used only where it is well formed, and fills no log."""
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("GET", kind="server", parent=sent):
        pass
    tracing.close()

    assert collector.one("GET").parent_id == ""
    assert collector.one("GET").trace_id != TRACE
    assert caplog.records == []


def test_who_sends_is_named(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    """By us, unless the operator names it."""
    plain = OpenTelemetryTracing(instance="one")
    plain.start("GET", kind="server").end()
    plain.close()
    monkeypatch.setenv("OTEL_SERVICE_NAME", "reports")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=live,service.instance.id=pod-7")
    named = OpenTelemetryTracing(instance="one")
    named.start("PUT", kind="server").end()
    named.close()
    first, second = collector.one("GET").service, collector.one("PUT").service

    assert (first["service.name"], first["service.instance.id"]) == ("pagegrade", "one")
    assert first["service.version"]
    assert (second["service.name"], second["service.instance.id"]) == ("reports", "pod-7")
    assert second["deployment.environment.name"] == "live"


def test_the_sampler_is_the_operators(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that it drops is not sent, nor are the parts that follow; its lines can still be found."""
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("GET", kind="server") as span, span.child("gather") as part:
        part.past("gather tls", 1.0)
        flags, names = (span.traceparent or "")[-2:], span.names
    with tracing.start("PUT", kind="server", parent=PARENT):
        pass
    tracing.close()

    assert int(flags, 16) & 1 == 0
    assert len(names["trace_id"]) == 32
    assert [span.name for span in collector.spans] == ["PUT"]


def test_a_client_can_ask_not_to_be_recorded(collector: Collector) -> None:
    """Its sampling decision holds for what it causes."""
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("GET", kind="server", parent=UNSAMPLED) as span:
        stored = span.traceparent
    with tracing.start("run", kind="consumer", parent=stored):
        pass
    tracing.close()

    assert collector.spans == []


def test_failures_are_counted_by_code(collector: Collector) -> None:
    """The texts of exceptions stay here."""
    tracing = OpenTelemetryTracing(instance="one")
    with pytest.raises(Unavailable), tracing.start("store", kind="internal"):
        raise Unavailable("the disk /srv/secret is full")
    with pytest.raises(ValueError, match="secret"), tracing.start("evaluate", kind="internal"):
        raise ValueError("a secret")
    tracing.close()

    assert [(span.failure, span.attributes) for span in collector.spans] == [
        ("unavailable", {"error.type": "unavailable"}),
        ("internal", {"error.type": "internal"}),
    ]
    assert b"secret" not in b"".join(collector.raw)


def test_ending_twice_is_ending_once(collector: Collector, caplog: pytest.LogCaptureFixture) -> None:
    """The block ends what was ended inside it."""
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("GET", kind="server") as span:
        span.end()
    tracing.close()

    assert [each.name for each in collector.spans] == ["GET"]
    assert caplog.records == []


def test_lines_name_the_trace(collector: Collector) -> None:
    """From a line in the log to its trace, and back."""
    stream = io.BytesIO()
    lines = configure_logs("json", stream=stream)
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("run", kind="consumer") as span, about(**span.names):
        lines.info("run_finished")
        logging.getLogger("pagegrade").warning("something")
    tracing.close()
    said = [json.loads(line) for line in stream.getvalue().splitlines()]

    assert [line["trace_id"] for line in said] == [collector.one("run").trace_id] * 2


def test_a_collector_that_hangs_delays_nothing(
    collector: Collector, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Spans end at once, more of them than are kept; the end of the process waits for the configured time."""
    forget_complaints()
    monkeypatch.setattr(otel, "CLOSE_S", 0.5)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "30")
    collector.hangs = threading.Event()
    tracing = OpenTelemetryTracing(instance="one")
    tracing.start("first", kind="server").end()
    wait_until(lambda: collector.asked)
    for _ in range(5_000):
        tracing.start("GET", kind="server").end()
    tracing.close()

    assert collector.asked == 1
    assert collector.spans == []
    assert caplog.messages.count("Queue full, dropping Span.") == 1
    assert "traces_lost_at_the_end" in caplog.messages
    assert [thread.name for thread in threading.enumerate() if not thread.daemon and "span" in thread.name] == []


def test_a_collector_that_is_gone_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """By the kind of the error only: endpoints may hold tokens. Its return needs nothing."""
    forget_variables(monkeypatch)
    monkeypatch.setattr(otel, "CLOSE_S", 0.5)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/v1/traces?token=secret")
    forget_complaints()
    for _ in range(3):
        tracing = OpenTelemetryTracing(instance="one")
        tracing.start("GET", kind="server").end()
        tracing.close()
    said = [record.getMessage() for record in caplog.records if record.name.startswith("opentelemetry")]

    assert len([line for line in said if "Transient error ConnectionError" in line]) == 1
    assert not [line for line in said if "already shutdown" in line]
    assert "secret" not in caplog.text


def test_variables_that_contradict_each_other_are_refused(
    collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller decides what to do then."""
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")

    with pytest.raises(ValueError, match="max_export_batch_size"):
        OpenTelemetryTracing(instance="one")
