"""The spans of a run: ``run``, and in it ``gather`` (and each gatherer), ``evaluate`` and ``store``.

They answer what an operator asks of a slow or failed run: which part, how long, how much. Of the target they know its
host, as the log does. There is no span for each request to the target: there may be hundreds, of which only their
number and size matter here; everything else about them is in the report.
"""

from __future__ import annotations

from pagegrade.gather.run import Settled, ignore_settled
from pagegrade.model.artifacts import Artifacts, Resources
from pagegrade.model.report import Report
from pagegrade.model.stored import ClaimedRun
from pagegrade.observability.tracing import NO_SPAN, Span, Tracing
from pagegrade.parse.url import host


def begin_run(tracing: Tracing, run: ClaimedRun) -> Span:
    """The span of a claimed run, as the child of the request that asked for it, where that was traced."""
    if not tracing.on:
        return NO_SPAN
    return tracing.start(
        "run",
        kind="consumer",
        parent=run.traceparent,
        attributes={
            "pagegrade.run": run.id,
            "pagegrade.report": run.report_id,
            "pagegrade.attempt": run.attempt,
            "server.address": host(run.url),
        },
    )


def end_run(span: Span, *, state: str, code: str | None = None, reason: str | None = None) -> None:
    """Record the result of a run and end its span.

    Args:
        state: ``completed``, ``failed``, ``discarded``, or ``put_off`` when its target had no free slot.
        code: One of ``FAILURE_CODES``; ``None`` when it did not fail.
        reason: More exact than ``code``.
    """
    if not span.on:
        return
    span.note({"pagegrade.state": state})
    if reason is not None:
        span.note({"pagegrade.reason": reason})
    if code is not None:
        span.fail(code)
    span.end()


def gatherers_of(span: Span) -> Settled:
    """Makes a part of ``span`` of every gatherer."""
    if not span.on:
        return ignore_settled

    def settled(name: str, seconds: float, code: str | None) -> None:
        # That a site has no icon or no second name is no failure of the run.
        span.past(f"gather {name}", seconds, None if code is None else {"pagegrade.not_gathered": code})

    return settled


def note_gathered(span: Span, gathered: Artifacts | Report) -> None:
    """Add the number of artifacts, or the reason why there are none."""
    if not span.on:
        return
    if isinstance(gathered, Report):
        if gathered.error is not None:
            span.fail(gathered.error.code)
        return
    response = gathered.navigation.response
    span.note(
        {
            "pagegrade.document.status": response.status,
            "pagegrade.redirects": len(gathered.navigation.hops),
            "pagegrade.document.wire_bytes": response.wire_bytes or 0,
        }
    )
    resources = gathered.resources
    if isinstance(resources, Resources):
        span.note(
            {
                "pagegrade.resources": len(resources.items),
                "pagegrade.resources.failed": sum(item.response is None for item in resources.items),
                "pagegrade.resources.left_out": len(resources.not_fetched),
                "pagegrade.resources.wire_bytes": sum(
                    item.response.wire_bytes or 0 for item in resources.items if item.response is not None
                ),
            }
        )
