"""Traces by OpenTelemetry, sent to a collector by OTLP over HTTP.

The only module that imports it, and only imported where an operator asked for traces: the packages are those of the
extra ``pagegrade[otel]``. Nothing here is global to the process and nothing is patched; a span receives its parent as
an argument. All settings are the standard ``OTEL_*`` variables, read by OpenTelemetry itself.

Spans are put into a bounded queue and sent by a thread of its own: a collector that hangs or is gone costs spans,
never a request.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from typing import ClassVar, Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span as Recorded
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from pagegrade.model.identity import VERSION
from pagegrade.observability.tracing import Attributes, Kind, Span, Tracing

logger = logging.getLogger(__name__)

CLOSE_S: Final = 5.0
"""A process that ends waits so long for its last spans to be taken."""
QUIET_S: Final = 60.0
"""Interval, in seconds, between log lines about failed exports."""
MAX_TRACEPARENT_CHARACTERS: Final = 512
"""As many as the reader below reads; more would make it write a line for each request."""
OF_NO_USE: Final = ("Shutdown in progress", "Exporter already shutdown", "OTLP client already shutdown")
"""Prefixes of the messages of an exporter that was stopped during an attempt."""
NAME: Final = "pagegrade"
CHATTY: Final = (OTLPSpanExporter.__module__, "opentelemetry.sdk._shared_internal")
"""Loggers of the exporter and of its queue."""
_KINDS: Final[Mapping[Kind, SpanKind]] = {
    "server": SpanKind.SERVER,
    "consumer": SpanKind.CONSUMER,
    "internal": SpanKind.INTERNAL,
}
_reader: Final = TraceContextTextMapPropagator()


class OpenTelemetrySpan(Span):
    """Work that is traced, if the sampler wants it to be."""

    __slots__ = ("_names", "_recorded", "_tracer")
    on: ClassVar[bool] = True

    def __init__(self, tracer: Tracer, recorded: Recorded, names: Mapping[str, str] | None = None) -> None:
        self._tracer = tracer
        self._recorded = recorded
        self._names = names or {"trace_id": f"{recorded.get_span_context().trace_id:032x}"}

    @property
    def traceparent(self) -> str | None:
        """Also where it is not recorded: what follows from it is then not recorded either."""
        context = self._recorded.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"

    @property
    def names(self) -> Mapping[str, str]:
        """``trace_id`` in hexadecimal."""
        return self._names

    def child(self, name: str, attributes: Attributes | None = None) -> Span:
        """A part that begins now."""
        return OpenTelemetrySpan(self._tracer, self._part(name, attributes, None), self._names)

    def past(self, name: str, seconds: float, attributes: Attributes | None = None) -> None:
        """A part that ends now."""
        self._part(name, attributes, time.time_ns() - int(seconds * 1e9)).end()

    def rename(self, name: str) -> None:
        """Give it another name."""
        self._recorded.update_name(name)

    def note(self, attributes: Attributes) -> None:
        """Add attributes."""
        self._recorded.set_attributes(attributes)

    def fail(self, code: str) -> None:
        """Make its status an error."""
        self._recorded.set_attribute("error.type", code)
        self._recorded.set_status(Status(StatusCode.ERROR, code))

    def end(self) -> None:
        """Put it into the queue; a second time does nothing."""
        # Asked first, because OpenTelemetry would write a line.
        if self._recorded.is_recording():
            self._recorded.end()

    def _part(self, name: str, attributes: Attributes | None, started_ns: int | None) -> Recorded:
        return self._tracer.start_span(
            name, context=set_span_in_context(self._recorded), attributes=attributes, start_time=started_ns
        )


class OpenTelemetryTracing(Tracing):
    """Begins spans and sends those that have ended."""

    on: ClassVar[bool] = True

    def __init__(self, *, instance: str) -> None:
        """Start the thread that sends.

        Raises:
            ValueError: Variables contradict each other, such as a batch that is larger than the queue.
        """
        for name in CHATTY:
            _calm(logging.getLogger(name))
        self._exporter = OTLPSpanExporter()
        # Not at the exit of the interpreter, where it may wait for half a minute: `close` is called before.
        self._provider = TracerProvider(resource=_resource(instance), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer(NAME, VERSION)

    def start(self, name: str, *, kind: Kind, parent: str | None = None, attributes: Attributes | None = None) -> Span:
        """A span that begins now, of the trace that ``parent`` names, else of a new one."""
        # Its tracestate is not read: it is not passed on, and its content is untrusted.
        known = parent is not None and len(parent) <= MAX_TRACEPARENT_CHARACTERS
        context = _reader.extract({"traceparent": parent} if known else {})
        recorded = self._tracer.start_span(name, context=context, kind=_KINDS[kind], attributes=attributes)
        return OpenTelemetrySpan(self._tracer, recorded)

    def close(self) -> None:
        """Send what waits; a collector that does not take it in time does not hold up the end of the process."""
        sending = threading.Thread(target=self._provider.shutdown, name="pagegrade-last-spans", daemon=True)
        sending.start()
        sending.join(CLOSE_S)
        if sending.is_alive():
            logger.warning("traces_lost_at_the_end")
            # Ends its waiting between two tries; the one under way ends with the process.
            self._exporter.shutdown()  # type: ignore[no-untyped-call]


class _Calm(logging.Filter):
    """Lets a message of a collector that is gone pass once in a while, and never what exceptions say.

    Their texts hold the endpoint's path and query, in which some keep a token.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said_s: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written."""
        now_s, said = time.monotonic(), str(record.msg)
        if said.startswith(OF_NO_USE) or now_s - self._said_s.get(said, -QUIET_S) < QUIET_S:
            return False
        self._said_s[said] = now_s
        if isinstance(record.args, tuple):
            record.args = tuple(type(each).__name__ if isinstance(each, Exception) else each for each in record.args)
        return True


def _calm(complaining: logging.Logger) -> None:
    if not any(isinstance(each, _Calm) for each in complaining.filters):
        complaining.addFilter(_Calm())


def _resource(instance: str) -> Resource:
    """Return the resource attributes: our names, unless the variables set others."""
    ours = {"service.name": NAME, "service.version": VERSION, "service.instance.id": instance}
    given = OTELResourceDetector().detect().attributes
    return Resource.create({name: value for name, value in ours.items() if name not in given})
