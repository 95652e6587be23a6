"""What all connections of one server share: what clients may ask of it, and who is connected."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from uvicorn import Config
from uvicorn.server import ServerState

from pagegrade.web.server.refusals import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """What one client may ask of the server before the application has seen anything."""

    url_bytes: int = 8 * 1024
    """The request target; 2048 characters, every one of them percent-encoded."""
    head_bytes: int = 64 * 1024
    """Target and headers, and again all trailers."""
    headers: int = 100
    body_bytes: int = 1024 * 1024
    """Of a body on the wire, whatever becomes of it; the application has its own, smaller limit and says so."""
    receive_s: float = 15.0
    """For a whole request, from its first byte (from the connection on for the first) to its last."""
    send_s: float = 15.0
    """In which a client must take at least 16 KiB of what waits for it."""
    keep_alive_s: float = 75.0
    """Between two requests; longer than proxies keep theirs, so that they are the ones to close."""
    linger_s: float = 2.0
    """How long a refused client may go on sending, so that it can read the answer first."""
    connections: int = 1_000
    """Beyond it the connection that has been idle longest makes room; where none is, the new one gets a 503."""
    pipelined: int = 64
    """Requests waiting for their turn on one connection."""


@dataclass(slots=True, kw_only=True)
class Listening:
    """What all connections of one server share."""

    config: Config
    limits: ServerLimits
    loop: asyncio.AbstractEventLoop
    base_url: str = ""
    on_refusal: Callable[[Refusal, str, str], None] | None = None
    """Told of every refusal, with the client's address and the request id that the client was told."""
    state: ServerState = field(default_factory=ServerState)
    waiting: dict[Callable[[], None], None] = field(default_factory=dict)
    """Hang up on one that nothing is being answered on; the longest idle first."""
    stopping: bool = False
    empty: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the last connection has ended after ``stopping``."""
