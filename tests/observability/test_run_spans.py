from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pagegrade.gather.run import ignore_settled
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.stored import ClaimedRun
from pagegrade.observability.otel import OpenTelemetryTracing
from pagegrade.observability.run_spans import begin_run, end_run, gatherers_of, note_gathered
from pagegrade.observability.tracing import NO_SPAN, NO_TRACING
from tests.builders import make_artifacts, make_resource, make_resources
from tests.otlp import Collector, collecting, forget_variables
from tests.report_builders import make_failed_report

TRACE = "0af7651916cd43dd8448eb211c80319c"
RUN = ClaimedRun(
    id=7,
    report_id=3,
    account_id=1,
    url="https://example.com/sekret?key=sekret",
    attempt=2,
    traceparent=f"00-{TRACE}-b7ad6b7169203331-01",
)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """A collector that the standard variable names."""
    forget_variables(monkeypatch)
    with collecting() as made:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", made.endpoint)
        yield made


def test_a_run_is_described_by_numbers_and_its_host(collector: Collector) -> None:
    """It belongs to the request that asked for it; the rest of the address stays here."""
    tracing = OpenTelemetryTracing(instance="one")
    end_run(begin_run(tracing, RUN), state="completed")
    end_run(begin_run(tracing, replace(RUN, id=8, traceparent=None)), state="put_off")
    tracing.close()
    asked, alone = collector.named("run")

    assert (asked.kind, asked.trace_id, asked.parent_id) == ("consumer", TRACE, "b7ad6b7169203331")
    assert asked.attributes == {
        "pagegrade.run": 7,
        "pagegrade.report": 3,
        "pagegrade.attempt": 2,
        "pagegrade.state": "completed",
        "server.address": "example.com",
    }
    assert asked.failure is None
    assert alone.parent_id == ""
    assert alone.attributes["pagegrade.state"] == "put_off"
    assert b"sekret" not in b"".join(collector.raw)


def test_a_failed_run_has_its_code_as_its_status(collector: Collector) -> None:
    """And the finer word beside it."""
    tracing = OpenTelemetryTracing(instance="one")
    end_run(begin_run(tracing, RUN), state="failed", code="dns", reason="dns_nxdomain")
    tracing.close()
    run = collector.one("run")

    assert (run.failure, run.attributes["error.type"], run.attributes["pagegrade.reason"]) == (
        "dns",
        "dns",
        "dns_nxdomain",
    )


def test_each_gatherer_is_a_part(collector: Collector) -> None:
    """Its duration, and the reason for a missing result; that is no error of the run."""
    tracing = OpenTelemetryTracing(instance="one")
    with begin_run(tracing, RUN) as run, run.child("gather") as part:
        settled = gatherers_of(part)
        settled("document", 0.5, None)
        settled("tls", 0.25, "not_applicable")
    tracing.close()
    document, tls = collector.one("gather document"), collector.one("gather tls")

    assert document.parent_id == tls.parent_id == collector.one("gather").span_id
    assert (document.attributes, tls.attributes) == ({}, {"pagegrade.not_gathered": "not_applicable"})
    assert [document.seconds, tls.seconds] == pytest.approx([0.5, 0.25], abs=0.1)
    assert (document.failure, tls.failure) == (None, None)


def test_what_was_gathered_is_counted(collector: Collector) -> None:
    """Numbers and sizes; no address of anything."""
    tracing = OpenTelemetryTracing(instance="one")
    failed = replace(
        make_resource("https://example.com/sekret.png"), response=None, failure=NotGathered(code="timeout")
    )
    resources = make_resources(
        make_resource("https://example.com/a.png", body_bytes=1_000),
        make_resource("https://example.com/b.png", body_bytes=500),
        failed,
        not_fetched=(("https://example.com/sekret.js", "count"),),
    )
    with tracing.start("gather", kind="internal") as span:
        note_gathered(span, make_artifacts("<title>sekret</title>", resources=resources))
    with tracing.start("less", kind="internal") as span:
        note_gathered(span, make_artifacts("<title>sekret</title>", resources=NotGathered(code="skipped")))
    tracing.close()
    gathered = collector.one("gather").attributes

    assert gathered["pagegrade.document.status"] == 200
    assert gathered["pagegrade.redirects"] == 0
    assert gathered["pagegrade.resources"] == 3
    assert gathered["pagegrade.resources.failed"] == 1
    assert gathered["pagegrade.resources.left_out"] == 1
    assert gathered["pagegrade.resources.wire_bytes"] == 1_500
    assert "pagegrade.resources" not in collector.one("less").attributes
    assert b"sekret" not in b"".join(collector.raw)


def test_a_page_that_is_not_there_fails_the_gathering(collector: Collector) -> None:
    """That is the part that went wrong."""
    tracing = OpenTelemetryTracing(instance="one")
    with tracing.start("gather", kind="internal") as span:
        note_gathered(span, make_failed_report("connect"))
    tracing.close()

    assert collector.one("gather").failure == "connect"


def test_without_traces_nothing_is_made() -> None:
    """Not even what would be noted."""
    span = begin_run(NO_TRACING, RUN)
    note_gathered(span, make_artifacts("<title>x</title>"))
    end_run(span, state="failed", code="dns")

    assert span is NO_SPAN
    assert gatherers_of(span) is ignore_settled
