"""The span of a request: which operation it was and how it was answered, and nothing of what was sent.

Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/ - without ``url.path`` and ``url.query``, which
open share pages and hold what people type, and without addresses of clients: the line in the log with the same
``trace_id`` has what an operator needs of them.
"""

from __future__ import annotations

from typing import Final

from pagegrade.observability.events import METHODS, QUIET, SERVER_ERROR
from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.web.exchange import Exchange

OTHER_METHOD: Final = "_OTHER"
MAX_PARENT: Final = 256
"""Characters of a ``traceparent`` header that is read; version 00 has 55."""
UNNAMED: Final = "HTTP"


def begin_span(exchange: Exchange) -> Span:
    """The span of a call that begins; as the child of the client's, where it named one.

    What machines ask every few seconds is not worth one.
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
    """Say how the call went, and end its span.

    Args:
        exchange: The request, with the operation that was found.
        status: As the log says it.
    """
    span = exchange.span
    if not span.on:
        return
    told: dict[str, str | int] = {"http.response.status_code": status}
    if exchange.request.operation is not None:
        span.rename(f"{_name(exchange.request.method)} {exchange.request.operation.path}")
        told |= {"http.route": exchange.request.operation.path, "pagegrade.operation": exchange.request.operation.name}
    if exchange.problem:
        told["pagegrade.problem"] = exchange.problem
    span.note(told)
    if status >= SERVER_ERROR:
        span.fail(exchange.problem or str(status))
    span.end()


def _name(method: str) -> str:
    return method if method in METHODS else UNNAMED
