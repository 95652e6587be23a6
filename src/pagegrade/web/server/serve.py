"""Listen, serve an ASGI application and stop gracefully: uvicorn's protocol with a custom server loop.

``uvicorn.Server`` is not used: it installs signal handlers, exits the process when a port is in use, polls ten times a
second for the stop flag, and leaves connections open when the grace period is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import resource
from collections.abc import Callable, Sequence
from email.utils import formatdate
from typing import Any, Final

from msgspec.structs import replace
from uvicorn import Config

from pagegrade.clock import now_ms
from pagegrade.gather.resolver import origin_of
from pagegrade.model.errors import InvalidInput
from pagegrade.web.http.request_headers import Network
from pagegrade.web.server.limits import Listening, Refusal, ServerLimits
from pagegrade.web.server.protocol import Connection

BACKLOG: Final = 1024
OTHER_PORTS: Final = 7
"""Attempts to listen on all addresses, after the first one, where the system chooses the port."""
ABORTING_S: Final = 2.0
"""Time for the application to handle the cancellation of its requests."""
_BOTH_FAMILIES: Final = dict.fromkeys(("::", "[::]"), ("0.0.0.0", "::"))  # noqa: S104 - what the operator wrote
"""All addresses of the machine: a socket of asyncio for ``::`` takes no IPv4 connections."""
Observer = Callable[[Refusal, str, str], None]


def _ignore(_url: str) -> None:
    """Ignore the URL."""


async def serve(
    app: Any,
    *,
    hosts: Sequence[str],
    port: int,
    stop: asyncio.Event,
    ready: Callable[[str], None] = _ignore,
    grace_s: float = 20.0,
    limits: ServerLimits | None = None,
    base_url: str = "",
    on_refusal: Observer | None = None,
    always: frozenset[str] = frozenset(),
    trusted_proxies: Sequence[Network] = (),
    on_pressure: Callable[[], None] | None = None,
) -> None:
    """Serve ``app`` until ``stop`` is set, and return after the last connection has ended.

    Cancellation counts as ``stop``; a second cancellation ends the grace period.

    Args:
        app: ASGI 3 application; it gets no lifespan events.
        hosts: Addresses or names to listen on; a name with several addresses listens on all.
        port: TCP port; 0 picks a free one.
        stop: When set, no new connections are accepted, and responses under way get ``grace_s`` to finish.
        ready: Called once with the URL that the server listens on.
        grace_s: Grace period in seconds; connections still open after it are aborted.
        base_url: Public origin for links in error responses; by default the URL of the listening socket.
        on_refusal: Called for every request that was rejected before it reached ``app``.
        always: Paths that are answered even if the server is full.
        trusted_proxies: Networks of proxies, whose connections are not counted as those of one client.
        on_pressure: Ends the wait of one request; called for every request while hardly any connections are left.

    Raises:
        InvalidInput: The server cannot listen on the address; the message gives the reason.
    """
    loop = asyncio.get_running_loop()
    listening = Listening(
        config=_configure(app),
        limits=_affordable(limits or ServerLimits()),
        loop=loop,
        on_refusal=on_refusal,
        always=always,
        trusted_proxies=trusted_proxies,
        on_pressure=on_pressure,
    )
    clock = _DateHeader(listening)
    try:
        servers = await _listen(listening, hosts, port)
    except BaseException:
        clock.stop()
        raise
    try:
        url = origin_of(hosts, servers[0].sockets[0].getsockname()[1])
        listening.base_url = base_url or url
        if not stop.is_set():
            ready(url)
        await stop.wait()
    finally:
        for server in servers:
            server.close()
        try:
            await _finish(listening, grace_s)
        finally:
            clock.stop()


async def _listen(listening: Listening, hosts: Sequence[str], port: int) -> list[asyncio.Server]:
    """Listen on every address, on the same port; on none if one of them cannot be had.

    Raises:
        InvalidInput: The server cannot listen on an address.
    """
    # A port that is free on one address may be taken on the next: where any will do, another one is tried.
    for _ in range(0 if port else OTHER_PORTS):
        with contextlib.suppress(InvalidInput):
            return await _listen_once(listening, hosts, port)
    return await _listen_once(listening, hosts, port)


async def _listen_once(listening: Listening, hosts: Sequence[str], port: int) -> list[asyncio.Server]:
    servers: list[asyncio.Server] = []
    for host in dict.fromkeys(each for given in hosts for each in _BOTH_FAMILIES.get(given, (given.strip("[]"),))):
        try:
            server = await listening.loop.create_server(lambda: Connection(listening), host, port, backlog=BACKLOG)
        except OSError as error:
            for opened in servers:
                opened.close()
            raise InvalidInput(
                f"Cannot listen on {host} port {port}: {_cause(error)}. Choose another with --host and --port."
            ) from None
        servers.append(server)
        port = port or server.sockets[0].getsockname()[1]
    return servers


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of the fastest installed event loop, for ``asyncio.Runner``; ``None`` for Python's own."""
    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


class _DateHeader:
    """Keeps the ``Date`` header of responses current (RFC 9110 6.6.1): computed once a second, not per request."""

    def __init__(self, listening: Listening) -> None:
        self._loop = listening.loop
        # One shared list: responses that began earlier and are sent now get the current date, too.
        self._headers = listening.state.default_headers = []
        self._tick()

    def _tick(self) -> None:
        second, rest_ms = divmod(now_ms(), 1000)
        self._headers[:] = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        self._timer = self._loop.call_later((1001 - rest_ms) / 1000, self._tick)

    def stop(self) -> None:
        """Stop the timer."""
        self._timer.cancel()


def _configure(app: Any) -> Config:
    config = Config(
        app,
        interface="asgi3",
        lifespan="off",
        ws="none",
        http=Connection,  # never made by uvicorn, but it wants to know
        workers=1,  # or else it reads the environment
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
    )
    config.load()
    return config


def _affordable(limits: ServerLimits) -> ServerLimits:
    """Cap the connections at half of the process's open file limit; the rest is reserved for the application."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    connections = max(1, min(limits.connections, files // 2))
    return replace(limits, connections=connections, extra=max(8, min(limits.extra, connections // 4)))


def _cause(error: OSError) -> str:
    import errno

    known = {
        errno.EADDRINUSE: "another program listens there",
        errno.EADDRNOTAVAIL: "this machine has no such address",
        errno.EACCES: "only root may use this port",
    }
    return known.get(error.errno or 0, "the system does not allow it or does not know the name")


async def _finish(listening: Listening, grace_s: float) -> None:
    """Wait for open responses to finish, and abort the rest after the grace period."""
    listening.stopping = True
    state = listening.state
    for connection in list(state.connections):
        connection.shutdown()
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                if state.connections:
                    await listening.empty.wait()
                if state.tasks:
                    await asyncio.wait(state.tasks)
    finally:
        # Also runs when the grace period itself is cancelled.
        for task in list(state.tasks):
            task.cancel()
        for connection in list(state.connections):
            connection.transport.abort()
    if state.tasks:
        await asyncio.wait(state.tasks, timeout=ABORTING_S)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ABORTING_S):
            if state.connections:
                await listening.empty.wait()
