"""The span of a request: which operation it was and how it was answered, and nothing of what was sent.

Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/ - without ``url.path`` and ``url.query``, which
open share pages and hold what people type, and without addresses of clients: the line in the log with the same
``trace_id`` has what an operator needs of them.
"""

from __future__ import annotations

from typing import Final

from pagegrade.observability.events import METHODS, QUIET, SERVER_ERROR
from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.web.context import Call

OTHER_METHOD: Final = "_OTHER"
MAX_PARENT: Final = 256
"""Characters of a ``traceparent`` header that is read; version 00 has 55."""
UNNAMED: Final = "HTTP"


def begin_span(call: Call) -> Span:
    """The span of a call that begins; as the child of the client's, where it named one.

    What machines ask every few seconds is not worth one.
    """
    tracing = call.services.tracing
    if not tracing.on or call.path in QUIET:
        return NO_SPAN
    parent = call.header(b"traceparent")
    return tracing.start(
        _name(call.method),
        kind="server",
        parent=parent if parent is not None and len(parent) <= MAX_PARENT else None,
        attributes={"http.request.method": call.method if call.method in METHODS else OTHER_METHOD},
    )


def end_span(call: Call, status: int) -> None:
    """Say how the call went, and end its span.

    Args:
        call: The request, with the operation that was found.
        status: As the log says it.
    """
    span = call.span
    if not span.on:
        return
    told: dict[str, str | int] = {"http.response.status_code": status}
    if call.operation is not None:
        span.rename(f"{_name(call.method)} {call.operation.path}")
        told |= {"http.route": call.operation.path, "pagegrade.operation": call.operation.name}
    if call.problem:
        told["pagegrade.problem"] = call.problem
    span.note(told)
    if status >= SERVER_ERROR:
        span.fail(call.problem or str(status))
    span.end()


def _name(method: str) -> str:
    return method if method in METHODS else UNNAMED
