"""Traces: where the time of a request, and of the run it asked for, went.

What is here does nothing, imports nothing and costs next to nothing; it is what a process uses whose operator named no
collector. ``observability.otel`` does the same for real, and is the only module that knows OpenTelemetry.

Names and values of attributes are ours and from small sets, or numbers, or the host of a target: never a URL, a
header or untrusted text, because traces are sent to another machine and read by other people than reports.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import ClassVar, Final, Literal, Self

from pagegrade.model.errors import PagegradeError

Kind = Literal["server", "consumer", "internal"]
"""``server``: answers a request; ``consumer``: does what was queued; ``internal``: a part of either."""
Attributes = Mapping[str, str | int | float]

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
EXPORTERS: Final = "OTEL_TRACES_EXPORTER"
OURS: Final = frozenset({"otlp", "otlp_proto_http"})
DISABLED: Final = "OTEL_SDK_DISABLED"
SPOKEN: Final = "http/protobuf"
NOT_INSTALLED: Final = (
    "Traces are wanted (OTEL_* is set), but OpenTelemetry is not installed, so none are sent. "
    "Install it with: pip install 'pagegrade[otel]'"
)
CANCELLED: Final = "cancelled"


class Span:
    """A piece of work that is traced while the block lasts; this one is not."""

    __slots__ = ()
    on: ClassVar[bool] = False

    @property
    def traceparent(self) -> str | None:
        """W3C trace context (55 characters) by which work that begins later joins in; ``None``: nothing to join."""
        return None

    @property
    def names(self) -> Mapping[str, str]:
        """Return the fields that link log lines to this work: ``trace_id``, or none."""
        return _NO_NAMES

    def child(self, name: str, attributes: Attributes | None = None) -> Span:  # noqa: ARG002 - not traced
        """A part of this work that begins now, to be used as a block."""
        return self

    def past(self, name: str, seconds: float, attributes: Attributes | None = None) -> None:
        """A part of this work that ends now and has taken so long."""

    def rename(self, name: str) -> None:
        """Replace the name by one that was not known at the start."""

    def note(self, attributes: Attributes) -> None:
        """Add attributes to this span."""

    def fail(self, code: str) -> None:
        """It went wrong.

        Args:
            code: A word of ours, never the text of an exception.
        """

    def end(self) -> None:
        """It is over."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End it; an exception that leaves the block makes it a failure."""
        if error is not None:
            self.fail(code_of(error))
        self.end()


class Tracing:
    """Begins spans; this one begins none."""

    on: ClassVar[bool] = False

    def start(
        self,
        name: str,  # noqa: ARG002 - as above, and all that follow
        *,
        kind: Kind,  # noqa: ARG002
        parent: str | None = None,  # noqa: ARG002
        attributes: Attributes | None = None,  # noqa: ARG002
    ) -> Span:
        """Work that begins now.

        Args:
            name: From a small set.
            parent: W3C trace context of what asked for it, as it was sent or stored; one that cannot be read counts as
                none.
            attributes: What is known of it from the beginning, which samplers see.
        """
        return NO_SPAN

    def close(self) -> None:
        """Send what is not sent yet, for some seconds at most; spans that end later are lost."""


_NO_NAMES: Final[Mapping[str, str]] = {}
NO_SPAN: Final = Span()
NO_TRACING: Final = Tracing()


def code_of(error: BaseException) -> str:
    """The word of ours for an exception."""
    if isinstance(error, PagegradeError):
        return error.code
    return CANCELLED if isinstance(error, asyncio.CancelledError) else PagegradeError.code


def wants_traces(environment: Mapping[str, str]) -> bool:
    """Return whether the standard variables ask for traces: a collector is named, and nothing switches them off.

    Args:
        environment: Of the process. A ``.env`` file does not count: OpenTelemetry does not read it.

    Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
    """
    if environment.get(DISABLED, "").strip().lower() == "true":
        return False
    exporters = _exporters(environment)
    if exporters:
        return bool(exporters & OURS)
    return any(environment.get(name, "").strip() for name in ENDPOINTS)


def doubts(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences about variables that ask for something else than what is done."""
    found = []
    others = sorted(_exporters(environment) - OURS - {"none"})
    if others:
        found.append(f"{EXPORTERS} names {', '.join(others)}; traces are sent by otlp only.")
    protocol = next((environment[name].strip() for name in PROTOCOLS if environment.get(name, "").strip()), SPOKEN)
    if protocol != SPOKEN and wants_traces(environment):
        found.append(
            f"The OTLP protocol is set to {protocol}, and {SPOKEN} is spoken. Give the endpoint for it, mostly port "
            "4318 instead of 4317."
        )
    return tuple(found)


def _exporters(environment: Mapping[str, str]) -> set[str]:
    return {name for item in environment.get(EXPORTERS, "").split(",") if (name := item.strip().lower())}
