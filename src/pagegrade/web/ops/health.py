"""Is the process alive, and may it be given requests? For supervisors and load balancers; in words, without details."""

from __future__ import annotations

import time
from typing import Final

import msgspec

from pagegrade.service.container import Services
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation

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


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/healthz",
        name="show_health",
        summary="Is the process alive?",
        description="200 while the process answers requests; nothing else is checked.",
        handler=show_health,
        tag=TAG,
    ),
    Operation(
        method="GET",
        path="/readyz",
        name="show_readiness",
        summary="Report whether the process can accept requests",
        description="200 when the database can be read and written and has the schema of this version, the disk has "
        "space, the workers and their runs make progress and the process is not shutting down; else 503. The body has "
        "the state of each.",
        handler=show_readiness,
        tag=TAG,
    ),
)
