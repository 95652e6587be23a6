"""Endpoints for operators: is the process alive, may it be given requests, and counts of the process and the queue.

Health is for supervisors and load balancers, in words, without details; counts are in the text format of Prometheus.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from pagegrade.clock import now_ms
from pagegrade.model.errors import Unauthenticated, Unavailable
from pagegrade.observability.events import Observation
from pagegrade.parse.url import host, host_address
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.system_status import QueueFigures, measure_queue
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.exchange import Exchange
from pagegrade.web.http.request_headers import bearer_key, is_within, read_address
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.server.limits import Refusal

STALLED_S: Final = 30.0
"""Workers look for work every second; a write that waits for a lock may hold them up for a while."""
FINE: Final = frozenset({"ok", "none"})
TAG: Final = "Operations"
ALWAYS_ANSWERED: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths that are answered however many connections are open: who looks after the service must see how it is."""


async def show_health() -> Response:
    """The process answers, which is all that a supervisor should restart it for."""
    return Response(status_code=200, content=b'{"status":"ok"}')


async def show_readiness(services: Services) -> Response:
    """200 when requests are welcome, 503 when they had better go elsewhere."""
    words = await services.health.words() | {
        "workers": _workers(services),
        "accepting": "draining" if services.draining else "ok",
    }
    ready = FINE.issuperset(words.values())
    body = msgspec.json.encode({"status": "ready" if ready else "not_ready", "checks": words})
    return Response(status_code=200 if ready else 503, content=body)


def _workers(services: Services) -> str:
    if services.options.workers == 0:
        return "none"
    if services.worked_at_s is None:
        return "starting"
    if services.stalled_runs:
        return "stalled"
    return "ok" if time.monotonic() - services.worked_at_s < STALLED_S else "stalled"


SECRET_PLACES: Final = ("/r/", "/badge/", "/a/", "/sign-in/", "/join/", "/sign-up/", "/unsubscribe/")
"""An address below them is a secret."""


async def show_metrics(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Everything that was counted, and how long the queue is now."""
    _check_token(request, services, services.options.metrics_token)
    try:
        seen = await work.read_public(measure_queue, now_ms(), services.options)
    except Unavailable:
        seen = None
    body = await asyncio.to_thread(_write, services, seen)
    return Response(status_code=200, content=body, media_type=CONTENT_TYPE_PLAIN_0_0_4)


def observe(
    operation: str, method: str, status: int, seconds: float, request_id: str, /, *, exchange: Exchange
) -> None:
    """Take note of an answered request; what ``make_app`` wants to be given."""
    caller = exchange.admission.caller
    # The path is as it was sent, where any of its letters may be percent-encoded; that of the operation never is.
    known = exchange.request.path if exchange.request.operation is None else exchange.request.operation.path
    secret_place = next((place for place in SECRET_PLACES if known.startswith(place)), None)
    exchange.services.observation.request_done(
        operation=operation,
        method=method,
        status=status,
        seconds=seconds,
        request_id=request_id,
        path=exchange.request.path if secret_place is None else f"{secret_place}...",
        client=exchange.request.client_address,
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


def _check_token(request: Request, services: Services, token: str | None) -> None:
    if token is None:
        if not _is_near(request, services):
            raise Unauthenticated(
                "Metrics are shown to this machine and to PAGEGRADE_ALLOW_NETWORKS. For others set "
                "PAGEGRADE_METRICS_TOKEN and send it: Authorization: Bearer TOKEN.",
                presented=False,
            )
        return
    sent, presented = bearer_key(request.header(b"authorization"))
    # In bytes: a comparison of text refuses what is not ASCII.
    if not hmac.compare_digest((sent or "").encode(), token.encode()):
        raise Unauthenticated("A token is needed: send Authorization: Bearer TOKEN.", presented=presented)


def _is_near(request: Request, services: Services) -> bool:
    """Return whether the client is on this machine or in a network of ours.

    A request that came through a proxy has the address of the proxy, and anyone may be behind it, unless the proxy is
    configured as one and names the client. Proxies add one of these headers, or ask for the public name.
    """
    options = services.options
    names = (
        b"x-forwarded-for", b"forwarded", b"via", b"x-real-ip", b"x-forwarded-host", b"x-forwarded-proto",
        b"x-forwarded-server", b"x-forwarded-port", b"x-client-ip", b"x-cluster-client-ip", b"true-client-ip",
        b"cf-connecting-ip", b"fastly-client-ip", b"x-original-forwarded-for", b"x-envoy-external-address",
    )  # fmt: skip
    is_named = bool(options.trusted_proxies) and request.header(b"x-forwarded-for") is not None
    came_through = any(request.header(name) is not None for name in names) or _asks_for_public_name(request, options)
    if came_through and not is_named:
        return False
    address = read_address(request.client_address)
    networks = options.analyze.allow_networks
    return address is not None and (address.is_loopback or is_within(address, networks))


def _asks_for_public_name(request: Request, options: ServiceOptions) -> bool:
    """Return whether the Host is that of a public origin which is not this machine by its very name."""
    public = host(options.base_url)
    address = host_address(public)
    if (address is not None and address.is_loopback) or public == "localhost":
        return False
    return host(f"http://{request.header(b'host') or ''}/") == public


def _write(services: Services, seen: QueueFigures | None) -> bytes:
    now = CollectorRegistry()
    now.register(_Now(services, seen))
    return generate_latest(services.observation.registry) + generate_latest(now)


class _Now:
    """Gauges that are measured when the page is asked for."""

    def __init__(self, services: Services, seen: QueueFigures | None) -> None:
        self._services = services
        self._seen = seen

    def collect(self) -> Iterable[Metric]:
        """The gauges; those of a database that cannot be read are left out, which is not the same as 0."""
        if self._seen is not None:
            yield from _queue(self._seen)
            yield from _server(self._seen)
        if self._services.database.path is not None:
            yield _files(self._services.database.path)
        if self._services.changes.sender is not None:
            yield GaugeMetricFamily(
                "pagegrade_notices_heard",
                "1 while this process hears at once what others change; 0: it looks for itself.",
                int(self._services.changes.hears_others),
            )
            yield GaugeMetricFamily(
                "pagegrade_processes", "Processes on this database, as this one knows.", self._services.peers
            )


def _queue(seen: QueueFigures) -> Iterable[Metric]:
    yield GaugeMetricFamily("pagegrade_queue_waiting", "Runs that wait.", seen.queue.depth)
    yield GaugeMetricFamily("pagegrade_queue_running", "Runs under way.", seen.queue.running)
    yield GaugeMetricFamily(
        "pagegrade_queue_oldest_seconds",
        "How long the run that was asked for first has been waiting.",
        seen.queue.oldest_ms / 1000,
    )
    kinds = GaugeMetricFamily("pagegrade_queue_waiting_by_kind", "Runs that wait, by urgency.", labels=["kind"])
    for priority, count in seen.waiting.items():
        kinds.add_metric([priority.name.lower()], count)
    yield kinds
    reasons = GaugeMetricFamily(
        "pagegrade_queue_waiting_by_reason",
        "Runs that wait, by what they wait for; those for a worker or a browser are admitted.",
        labels=["reason"],
    )
    for reason, count in seen.reasons.items():
        reasons.add_metric([reason], count)
    yield reasons
    crawls = GaugeMetricFamily(
        "pagegrade_crawls",
        "Crawls of site audits that have not ended, by what they are at or wait for.",
        labels=["state"],
    )
    for place, count in seen.crawls.places.items():
        crawls.add_metric([place], count)
    yield crawls
    yield GaugeMetricFamily(
        "pagegrade_crawls_still_seconds",
        "How long the crawl that stands still for longest has not moved, of those that run or wait for a worker.",
        seen.crawls.still_ms / 1000,
    )
    monitors = GaugeMetricFamily("pagegrade_monitors", "Monitors of all accounts.", labels=["state"])
    for state, count in zip(("active", "paused"), seen.monitors, strict=True):
        monitors.add_metric([state], count)
    yield monitors
    yield GaugeMetricFamily(
        "pagegrade_monitors_overdue_seconds",
        "How long the monitor that is due for the longest has been; 0: none is.",
        seen.overdue_ms / 1000,
    )
    yield GaugeMetricFamily(
        "pagegrade_deliveries_waiting", "Deliveries that wait, also to be tried again.", seen.deliveries
    )
    yield GaugeMetricFamily(
        "pagegrade_deliveries_oldest_seconds",
        "How long the delivery that waits for the longest has been waiting.",
        seen.oldest_delivery_ms / 1000,
    )
    yield GaugeMetricFamily(
        "pagegrade_deletion_behind_clock_seconds",
        "How far the clock is ahead of what the database has seen, which deletion does not follow at once.",
        seen.behind_clock_ms / 1000,
    )


def _server(seen: QueueFigures) -> Iterable[Metric]:
    use = seen.server
    if use is None:
        return
    sizes = GaugeMetricFamily("pagegrade_database_bytes", "Size on disk.", labels=["file"])
    sizes.add_metric(["main"], use.size_bytes)
    yield sizes
    connections = GaugeMetricFamily(
        "pagegrade_database_connections", "Connections to the server: all, and ours.", labels=["whose"]
    )
    connections.add_metric(["all"], use.connections)
    connections.add_metric(["ours"], use.ours)
    yield connections
    yield GaugeMetricFamily(
        "pagegrade_database_connections_max", "Connections that the server can have.", use.most_connections
    )
    yield GaugeMetricFamily(
        "pagegrade_database_notices_ratio", "How full the server's queue of notices is, 0 to 1.", use.notices
    )


def _files(database: Path) -> Metric:
    sizes = GaugeMetricFamily("pagegrade_database_bytes", "Size on disk.", labels=["file"])
    for name, suffix in (("main", ""), ("log", "-wal")):
        try:
            sizes.add_metric([name], database.with_name(database.name + suffix).stat().st_size)
        except OSError:
            continue
    return sizes


OPERATIONS: Final = (
    Operation(
        path="/healthz",
        summary="Is the process alive?",
        description="200 while the process answers requests; nothing else is checked.",
        handler=show_health,
        tag=TAG,
    ),
    Operation(
        path="/readyz",
        summary="Report whether the process can accept requests",
        description="200 when the database can be read and written and has the schema of this version, the disk has "
        "space, the workers and their runs make progress and the process is not shutting down; else 503. The body has "
        "the state of each.",
        handler=show_readiness,
        tag=TAG,
    ),
    Operation(
        path="/metrics",
        summary="Counters for Prometheus",
        description="Requests, runs, the queue and the database in numbers. Where PAGEGRADE_METRICS_TOKEN is set it "
        "has to be sent as a bearer token.",
        handler=show_metrics,
        tag="Operations",
    ),
)
