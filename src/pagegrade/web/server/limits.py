"""State shared by all connections of one server: limits for clients and the open connections."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

import msgspec
from uvicorn import Config
from uvicorn.server import ServerState

from pagegrade.web.http.client_ip import Network, is_within, limited_as, read_address
from pagegrade.web.server.refusals import Refusal


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
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
    """Above it a connection gives way that waits for its client, one of the client that has the most of them; if there
    is none, the new one gets a 503."""
    extra: int = 256
    """Further connections that only get the answer that the server is full, or that of ``always``."""
    pipelined: int = 64
    """Queued requests of one connection."""


class Client(Protocol):
    """A connection, as far as its share of all of them goes."""

    holder: Hashable
    """Client or account that it belongs to."""

    @property
    def works(self) -> bool:
        """Return whether a request is being answered."""


class Listening(msgspec.Struct, kw_only=True):
    """State shared by all connections of one server."""

    config: Config
    limits: ServerLimits
    loop: asyncio.AbstractEventLoop
    base_url: str = ""
    on_refusal: Callable[[Refusal, str, str], None] | None = None
    """Called for every rejected request with the refusal, the client's address and the request id of the answer."""
    always: frozenset[str] = frozenset()
    """Paths that are answered even if the server is full."""
    trusted_proxies: Sequence[Network] = ()
    """Each of their connections may be of another client."""
    on_pressure: Callable[[], None] | None = None
    """Called for every request while hardly any connections are left: ends the wait of another."""
    state: ServerState = msgspec.field(default_factory=ServerState)
    held: Counter[Hashable] = msgspec.field(default_factory=Counter)
    """Holder -> number of connections."""
    waiting: dict[Client, None] = msgspec.field(default_factory=dict)
    """Connections that wait for their client, for its next request or the rest of one; the longest first."""
    leaving: dict[Client, None] = msgspec.field(default_factory=dict)
    """Connections beyond the limit, and those that were refused and linger; the oldest first."""
    stopping: bool = False
    empty: asyncio.Event = msgspec.field(default_factory=asyncio.Event)
    """Set when the last connection has ended after ``stopping``."""

    def holder_of(self, client: tuple[str, int] | None) -> Hashable:
        """Return whose share a connection counts for.

        Args:
            client: Address and port of the other end; ``None`` for a Unix socket, behind which there is a proxy.
        """
        if client is None:
            return object()
        address = read_address(client[0])
        if address is not None and is_within(address, self.trusted_proxies):
            return client
        return limited_as(client[0])

    def yielding_to(self, newcomer: Client) -> Client | None:
        """Return the connection that gives way: one of the holder with the most, and one without a request first.

        A request is only given up for a holder that has fewer connections.
        """
        own = self.held[newcomer.holder]
        # Of equal ones ``max`` returns the first, which has waited for the longest.
        return max(
            (each for each in self.waiting if each is not newcomer and self.held[each.holder] >= own + each.works),
            key=lambda each: (self.held[each.holder], not each.works),
            default=None,
        )

    def leaving_first(self) -> Client | None:
        """Return the connection to cut when even those beyond the limit are too many."""
        return max(self.leaving, key=lambda each: self.held[each.holder], default=None)

    @property
    def active(self) -> int:
        """Return the number of connections that count for the limit."""
        return len(self.state.connections) - len(self.leaving)

    def relieve(self) -> None:
        """Have the wait of a request ended if more than seven eighths of the connections are being answered."""
        if self.on_pressure is not None and self.active - len(self.waiting) > self.limits.connections * 7 // 8:
            self.on_pressure()
