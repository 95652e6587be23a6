"""The trace span of a request: its operation and result, without any content of the request.

Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/ - without ``url.path`` and ``url.query``, which
would grant access to share pages and contain personal data, and without client addresses: operators find these in the
log line with the same ``trace_id``.
"""

from __future__ import annotations

from typing import Final

from pagegrade.observability.events import METHODS, QUIET, SERVER_ERROR
from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.web.exchange import Exchange

OTHER_METHOD: Final = "_OTHER"
MAX_PARENT: Final = 256
"""Maximum length of a ``traceparent`` header; version 00 has 55 characters."""
UNNAMED: Final = "HTTP"


def begin_span(exchange: Exchange) -> Span:
    """Start the span of a request, as the child of the client's span if it sent one.

    Probes of monitoring systems get none.
    """
    tracing = exchange.services.tracing
    if not tracing.on or exchange.request.path in QUIET:
        return NO_SPAN
    parent = exchange.request.header(b"traceparent")
    return tracing.start(
        _name(exchange.request.method),
        kind="server",
        parent=parent if parent is not None and len(parent) <= MAX_PARENT else None,
        attributes={
            "http.request.method": exchange.request.method if exchange.request.method in METHODS else OTHER_METHOD
        },
    )


def end_span(exchange: Exchange, status: int) -> None:
    """Record the result of a request and end its span.

    Args:
        status: HTTP status as in the log.
    """
    span = exchange.span
    if not span.on:
        return
    attributes: dict[str, str | int] = {"http.response.status_code": status}
    if exchange.request.operation is not None:
        span.rename(f"{_name(exchange.request.method)} {exchange.request.operation.path}")
        attributes |= {
            "http.route": exchange.request.operation.path,
            "pagegrade.operation": exchange.request.operation.name,
        }
    if exchange.problem:
        attributes["pagegrade.problem"] = exchange.problem
    span.note(attributes)
    if status >= SERVER_ERROR:
        span.fail(exchange.problem or str(status))
    span.end()


def _name(method: str) -> str:
    return method if method in METHODS else UNNAMED
