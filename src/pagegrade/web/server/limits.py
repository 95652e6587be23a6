"""Limits of one server for clients and open connections, and the answers to requests that it refuses.

The state is shared by all connections. What is refused never reaches the application.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Final, Protocol

import msgspec
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from pagegrade.web.http.request_headers import Network, is_within, limited_as, read_address
from pagegrade.web.problems import MEDIA_TYPE, Problem, problem_body

SHOWN_CHARACTERS: Final = 200
"""Maximum length of the path in a response."""
FULL_RETRY_AFTER_S: Final = 5


class Refusal(msgspec.Struct, frozen=True):
    """Error response to a request that never reaches the application."""

    status: int
    code: str
    """One of ``PROBLEMS``."""
    message: str
    reason: str
    """Short label for logs and metrics."""


class RefusedError(Exception):
    """Carries a refusal out of the parser's callbacks."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


BAD_REQUEST: Final = Refusal(400, "bad_request", "This is not a well-formed HTTP/1.1 request.", "syntax")
BAD_HOST: Final = Refusal(400, "bad_request", "Send exactly one Host header, with nothing but a host in it.", "host")
BAD_TARGET: Final = Refusal(400, "bad_request", "The request target cannot be used.", "target")
BAD_CODING: Final = Refusal(
    400, "bad_request", "The only transfer coding known here is chunked, in HTTP/1.1.", "coding"
)
BAD_VERSION: Final = Refusal(400, "bad_request", "Speak HTTP/1.1.", "version")
BAD_METHOD: Final = Refusal(501, "not_implemented", "This is no method that is known here.", "method")
NO_PROXY: Final = Refusal(400, "bad_request", "This server is no proxy.", "connect")
TOO_SLOW: Final = Refusal(408, "bad_request", "The request took too long to arrive.", "slow")
LONG_URL: Final = Refusal(414, "too_large", "The URL is too long.", "url")
LONG_HEAD: Final = Refusal(431, "too_large", "The headers are too long.", "headers")
MANY_HEADERS: Final = Refusal(431, "too_large", "There are too many headers.", "headers")
LONG_BODY: Final = Refusal(413, "too_large", "The body is too long.", "body")
FULL: Final = Refusal(503, "unavailable", "Too many connections are open; try again soon.", "connections")
LATER: Final = Refusal(0, "bad_request", "", "pipeline")
"""Close without a response: a client that pipelines must be ready to send again (RFC 9112 9.3.2)."""


def refusal_bytes(
    refusal: Refusal, *, target: bytes, base_url: str, request_id: str, headers: Sequence[tuple[bytes, bytes]]
) -> bytes:
    """Return the whole error response, after which the connection is closed.

    Args:
        target: The part of the request target that was read; the response repeats only its path.
    """
    path = target.partition(b"?")[0][:SHOWN_CHARACTERS].decode("latin-1")
    problem = Problem(code=refusal.code, status=refusal.status, message=refusal.message)
    body = problem_body(problem, base_url=base_url, path=path, request_id=request_id)
    lines = [
        *headers,
        (b"content-type", MEDIA_TYPE.encode("ascii")),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode("ascii")),
        (b"connection", b"close"),
    ]
    if refusal is FULL:
        lines.append((b"retry-after", b"%d" % FULL_RETRY_AFTER_S))
    return b"".join([STATUS_LINE[refusal.status], *(b"%b: %b\r\n" % line for line in lines), b"\r\n", body])


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
