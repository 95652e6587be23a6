"""What is counted, in the text format of Prometheus.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from pagegrade.model.errors import Unauthenticated, Unavailable
from pagegrade.service.clock import now_ms
from pagegrade.service.observation import Observation
from pagegrade.store.queue import QueueState, queue_state
from pagegrade.web.call import Call
from pagegrade.web.clients import bearer_key
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.refusals import Refusal

SECRET_PLACES: Final = ("/r/", "/badge/", "/sign-in/")
"""Whoever knows an address below them may open it."""


async def show_metrics(call: Call) -> Answer:
    """Everything that was counted, and how long the queue is now."""
    services = call.services
    _check_token(call, services.options.metrics_token)
    try:
        queue = await services.database.read(lambda tx: queue_state(tx, now_ms()))
    except Unavailable:
        queue = None
    body = await asyncio.to_thread(_write, services.observation.registry, queue, services.database.path)
    return Answer(status=200, body=body, media_type=CONTENT_TYPE_PLAIN_0_0_4)


def observe(operation: str, method: str, status: int, seconds: float, request_id: str, /, *, call: Call) -> None:
    """Take note of an answered request; what ``make_app`` wants to be given."""
    caller = call.caller
    # The path is as it was sent, where any of its letters may be percent-encoded; that of the operation never is.
    known = call.path if call.operation is None else call.operation.path
    secret_place = next((place for place in SECRET_PLACES if known.startswith(place)), None)
    call.services.observation.request_done(
        operation=operation,
        method=method,
        status=status,
        seconds=seconds,
        request_id=request_id,
        path=call.path if secret_place is None else f"{secret_place}...",
        client=call.client,
        account=None if caller is None else caller.account.id,
        key=None if caller is None or caller.key is None else caller.key.id,
        prefix=None if caller is None or caller.key is None else caller.key.prefix,
    )


class RefusalObserver:
    """Takes note of what never became a request; what ``serve`` wants to be given."""

    def __init__(self, observation: Observation) -> None:
        self._observation = observation

    def __call__(self, refusal: Refusal, client: str, request_id: str) -> None:
        """Count and log one."""
        self._observation.request_refused(
            reason=refusal.reason, status=refusal.status, client=client, request_id=request_id
        )


def _check_token(call: Call, token: str | None) -> None:
    if token is None:
        return
    sent, presented = bearer_key(call.header(b"authorization"))
    # In bytes: a comparison of text refuses what is not ASCII.
    if not hmac.compare_digest((sent or "").encode(), token.encode()):
        raise Unauthenticated("A token is needed: send Authorization: Bearer TOKEN.", presented=presented)


def _write(registry: CollectorRegistry, queue: QueueState | None, database: Path) -> bytes:
    now = CollectorRegistry()
    now.register(_Now(queue, database))
    return generate_latest(registry) + generate_latest(now)


class _Now:
    """What is not counted but looked at."""

    def __init__(self, queue: QueueState | None, database: Path) -> None:
        self._queue = queue
        self._database = database

    def collect(self) -> Iterable[Metric]:
        """The gauges; those of a database that cannot be read are left out, which is not the same as 0."""
        if self._queue is not None:
            yield GaugeMetricFamily("pagegrade_queue_waiting", "Runs that wait.", self._queue.depth)
            yield GaugeMetricFamily("pagegrade_queue_running", "Runs under way.", self._queue.running)
            yield GaugeMetricFamily(
                "pagegrade_queue_oldest_seconds",
                "How long the run that was asked for first has been waiting.",
                self._queue.oldest_ms / 1000,
            )
        sizes = GaugeMetricFamily("pagegrade_database_bytes", "Size on disk.", labels=["file"])
        for name, suffix in (("main", ""), ("log", "-wal")):
            try:
                sizes.add_metric([name], self._database.with_name(self._database.name + suffix).stat().st_size)
            except OSError:
                continue
        yield sizes


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/metrics",
        name="show_metrics",
        summary="Counters for Prometheus",
        description="Requests, runs, the queue and the database in numbers. Where PAGEGRADE_METRICS_TOKEN is set it "
        "has to be sent as a bearer token.",
        handler=show_metrics,
        tag="Operations",
    ),
)
