"""Listen, serve an ASGI application, stop gracefully: uvicorn's protocol in our own event loop.

Not ``uvicorn.Server``: it takes the signals of the process, ends it when a port is taken, looks ten times a second
whether it should stop, and when its patience ends leaves connections as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import resource
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Any, Final

from uvicorn import Config

from pagegrade.clock import now_ms
from pagegrade.model.errors import InvalidInput
from pagegrade.web.server.limits import Listening, ServerLimits
from pagegrade.web.server.protocol import Connection
from pagegrade.web.server.refusals import Refusal

BACKLOG: Final = 1024
ABORTING_S: Final = 2.0
"""For the application to notice that its requests were cut off."""
WILDCARDS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - recognized, not bound
Observer = Callable[[Refusal, str, str], None]


def _ignore(_url: str) -> None:
    """Nobody waits for it."""


async def serve(
    app: Any,
    *,
    host: str,
    port: int,
    stop: asyncio.Event,
    ready: Callable[[str], None] = _ignore,
    grace_s: float = 20.0,
    limits: ServerLimits | None = None,
    base_url: str = "",
    on_refusal: Observer | None = None,
) -> None:
    """Serve ``app`` until ``stop`` is set, and return when the last connection has ended.

    Cancelling counts as ``stop``; cancelling after that ends the grace.

    Args:
        app: ASGI 3 application; it gets no lifespan events.
        host: Address or name to listen on; a name with several addresses listens on all.
        port: 0 takes a free one.
        stop: From then on nothing new is accepted, and what is being answered gets ``grace_s`` to finish.
        ready: Called once with the URL that really is listened on.
        grace_s: Seconds; after it the rest is cut off.
        limits: What clients may ask of us.
        base_url: Public origin, for the links in refusals; by default the one that is listened on.
        on_refusal: Told of every request that never reached ``app``.

    Raises:
        InvalidInput: The address cannot be listened on; the message says why.
    """
    loop = asyncio.get_running_loop()
    listening = Listening(
        config=_configure(app), limits=_affordable(limits or ServerLimits()), loop=loop, on_refusal=on_refusal
    )
    clock = _DateHeader(listening)
    try:
        server = await loop.create_server(lambda: Connection(listening), host, port, backlog=BACKLOG)
    except OSError as error:
        clock.stop()
        raise InvalidInput(
            f"Cannot listen on {host} port {port}: {_cause(error)}. Choose another with --host and --port."
        ) from None
    try:
        url = _url_of(server)
        listening.base_url = base_url or url
        if not stop.is_set():
            ready(url)
        await stop.wait()
    finally:
        server.close()
        try:
            await _finish(listening, grace_s)
        finally:
            clock.stop()


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the fastest event loop there is here, for ``asyncio.Runner``; ``None``: Python's own."""
    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


class _DateHeader:
    """Keeps the ``Date`` of every answer right (RFC 9110 6.6.1), made once a second instead of once a request."""

    def __init__(self, listening: Listening) -> None:
        self._loop = listening.loop
        # One list for all answers, also for those that were begun before and are sent only now.
        self._headers = listening.state.default_headers = []
        self._tick()

    def _tick(self) -> None:
        second, rest_ms = divmod(now_ms(), 1000)
        self._headers[:] = [(b"date", formatdate(second, usegmt=True).encode("ascii"))]
        self._timer = self._loop.call_later((1001 - rest_ms) / 1000, self._tick)

    def stop(self) -> None:
        """Nobody looks any more."""
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
    """The limits with no more connections than half of the files that may be open: the rest is for the work itself."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return replace(limits, connections=max(1, min(limits.connections, files // 2)))


def _cause(error: OSError) -> str:
    import errno

    known = {
        errno.EADDRINUSE: "another program listens there",
        errno.EADDRNOTAVAIL: "this machine has no such address",
        errno.EACCES: "only root may use this port",
    }
    return known.get(error.errno or 0, "the system does not allow it or does not know the name")


def _url_of(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()[:2]
    host = WILDCARDS.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _finish(listening: Listening, grace_s: float) -> None:
    """Let what is under way end, and end what does not."""
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
        # Also when we are cancelled because nobody wants to wait for the rest of the grace.
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
