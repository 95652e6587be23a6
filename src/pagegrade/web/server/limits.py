"""State shared by all connections of one server: limits for clients and the open connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from uvicorn import Config
from uvicorn.server import ServerState

from pagegrade.web.server.refusals import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Limits for one client that the server enforces before the application sees a request."""

    url_bytes: int = 8 * 1024
    """Request target; fits 2048 characters, every one of them percent-encoded."""
    head_bytes: int = 64 * 1024
    """Request target and headers together; the same limit applies to all trailers."""
    headers: int = 100
    body_bytes: int = 1024 * 1024
    """Body on the wire. The application has its own smaller limit and answers with a problem."""
    receive_s: float = 15.0
    """Time for a whole request, from its first byte (for the first request from the connection on) to its last."""
    send_s: float = 15.0
    """Time in which a client must read at least 16 KiB of a pending response."""
    keep_alive_s: float = 75.0
    """Idle time between two requests; longer than the timeout of proxies, so that the proxy closes first."""
    linger_s: float = 2.0
    """Time in which a rejected client may keep sending, so that it can read the answer first."""
    connections: int = 1_000
    """Above it the connection with the longest idle time is closed; if none is idle, the new one gets a 503."""
    pipelined: int = 64
    """Queued requests of one connection."""


@dataclass(slots=True, kw_only=True)
class Listening:
    """State shared by all connections of one server."""

    config: Config
    limits: ServerLimits
    loop: asyncio.AbstractEventLoop
    base_url: str = ""
    on_refusal: Callable[[Refusal, str, str], None] | None = None
    """Called for every rejected request with the refusal, the client's address and the request id of the answer."""
    state: ServerState = field(default_factory=ServerState)
    waiting: dict[Callable[[], None], None] = field(default_factory=dict)
    """Functions that close an idle connection, the longest idle first."""
    stopping: bool = False
    empty: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the last connection has ended after ``stopping``."""
