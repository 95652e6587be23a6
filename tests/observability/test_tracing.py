from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.model.errors import RateLimited
from pagegrade.observability.tracing import NO_SPAN, NO_TRACING, code_of, doubts, wants_traces

ENDPOINT = "http://127.0.0.1:4318"


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "reports"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, False),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": ENDPOINT}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_TRACES_EXPORTER": "console, OTLP"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, False),
        ({"OTEL_TRACES_EXPORTER": "console", "OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, False),
        ({"OTEL_SDK_DISABLED": "TRUE", "OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, False),
        ({"OTEL_SDK_DISABLED": "false", "OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT}, True),
    ],
)
def test_the_standard_variables_decide(environment: dict[str, str], wanted: bool) -> None:  # noqa: FBT001
    """Naming a collector is enough, and can be taken back without unsetting it."""
    assert wants_traces(environment) is wanted


def test_what_is_not_spoken_is_said() -> None:
    """An endpoint for gRPC would refuse everything, without a visible reason."""
    grpc = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    (protocol,) = doubts(grpc)
    (exporter,) = doubts({"OTEL_TRACES_EXPORTER": "zipkin,otlp"})

    assert "grpc" in protocol
    assert "4318" in protocol
    assert "zipkin" in exporter
    assert doubts({"OTEL_EXPORTER_OTLP_ENDPOINT": ENDPOINT, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}) == ()
    assert doubts({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}) == ()


def test_without_traces_nothing_happens() -> None:
    """Every call is answered, and the answers lead nowhere."""
    span = NO_TRACING.start("GET", kind="server", parent="00-1-2-3")
    span.rename("GET /")
    span.note({"pagegrade.run": 1})
    span.past("gather tls", 1.0)
    span.fail("internal")
    with span.child("gather") as child:
        child.end()
    NO_TRACING.close()

    assert (span, child) == (NO_SPAN, NO_SPAN)
    assert span.traceparent is None
    assert span.names == {}
    assert (span.on, NO_TRACING.on) == (False, False)


def test_exceptions_go_by_words_of_ours() -> None:
    """Their texts may hold addresses and bytes of untrusted pages."""
    assert code_of(RateLimited("http://user:secret@example.com/")) == "rate_limited"
    assert code_of(ValueError("http://user:secret@example.com/")) == "internal"
    assert code_of(asyncio.CancelledError()) == "cancelled"


def test_a_block_does_not_swallow_what_goes_wrong() -> None:
    """Tracing changes nothing."""
    with pytest.raises(ValueError, match="as before"), NO_SPAN:
        raise ValueError("as before")


def test_a_server_without_traces_never_imports_opentelemetry(tmp_path: Path) -> None:
    """The parts of `pagegrade serve`, all imported and made: neither the library nor what it stands on."""
    script = (
        "import sys, pagegrade.cli.commands.serve\n"
        "from pagegrade.wiring import make_services\n"
        "services = make_services()\n"
        "services.database.close()\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'opentelemetry', 'google', 'requests'}))\n"
        "print('pagegrade.observability.otel' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PAGEGRADE_DATA_DIR": str(tmp_path), "PATH": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )

    assert done.stdout.split("\n")[:2] == ["[]", "False"]
