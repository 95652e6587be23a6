"""libcurl's exchanges on the event loop: one descriptor and one timer for all connections of a client.

``pycurl.AsyncCurlMulti`` gives the loop every socket anew for every exchange, and a new timer for every time that
libcurl names: together a tenth of the processor time of an analysis. Here the sockets are in an epoll set, which costs
one system call each time, and the loop knows only the set. Where the system has no epoll, that class is used.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import sys
from typing import Any, Final, Protocol

import pycurl

_MAX_EVENTS: Final = 64
"""Events taken from the kernel at once; the others come in the next round."""


class Multi(Protocol):
    """Makes the exchanges of many handles."""

    def add_handle(self, curl: pycurl.Curl) -> asyncio.Future[pycurl.Curl]:
        """Begin the exchange of a handle; the future ends with it, or with a ``pycurl.error``."""
        ...

    def remove_handle(self, curl: pycurl.Curl) -> None:
        """Give up an exchange.

        Raises:
            RuntimeError: There is none.
        """
        ...

    async def aclose(self) -> None:
        """Give up every exchange, and close every connection."""
        ...


def make_multi(connections_per_host: int) -> Multi:
    """Return what makes exchanges over at most so many connections to one host."""
    multi: EpollMulti | pycurl.AsyncCurlMulti
    multi = pycurl.AsyncCurlMulti() if sys.platform != "linux" else EpollMulti()
    multi.setopt(pycurl.M_MAX_HOST_CONNECTIONS, connections_per_host)
    multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)
    return multi


if sys.platform == "linux":
    _EVENTS: Final = {
        pycurl.POLL_IN: select.EPOLLIN,
        pycurl.POLL_OUT: select.EPOLLOUT,
        pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
    }

    class EpollMulti:
        """A ``CurlMulti`` whose sockets are watched by an epoll set of its own.

        A socket leaves the set when libcurl no longer waits for it, and the kernel takes out what is closed. The set
        belongs to one client, so a descriptor that another part of the process uses again means nothing here.
        """

        def __init__(self) -> None:
            self._multi = pycurl.CurlMulti()
            self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
            self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
            self._promises: dict[pycurl.Curl, asyncio.Future[pycurl.Curl]] = {}
            self._loop: asyncio.AbstractEventLoop | None = None
            self._sockets: select.epoll | None = None
            self._watched: dict[int, int] = {}
            """Descriptor -> events."""
            self._soon: asyncio.Handle | None = None
            self._due: float | None = None
            """Loop time that libcurl named last; ``None`` for none or at once."""
            self._timer: asyncio.TimerHandle | None = None
            """Rings at this time or before it: libcurl names a later one with almost every answer."""
            self._is_closed = False

        def setopt(self, option: int, value: Any) -> None:
            """Set an option of the multi handle."""
            self._multi.setopt(option, value)

        def add_handle(self, curl: pycurl.Curl) -> asyncio.Future[pycurl.Curl]:
            """Begin the exchange of a handle."""
            if self._is_closed or curl in self._promises:
                raise RuntimeError("the multi handle is closed, or the handle is at work")
            loop = self._loop
            if loop is None:
                loop = self._loop = asyncio.get_running_loop()
                self._sockets = select.epoll()
                loop.add_reader(self._sockets.fileno(), self._take_events)
            promise: asyncio.Future[pycurl.Curl] = loop.create_future()
            self._promises[curl] = promise
            try:
                self._multi.add_handle(curl)
            except BaseException:
                del self._promises[curl]
                raise
            return promise

        def remove_handle(self, curl: pycurl.Curl) -> None:
            """Give up an exchange."""
            promise = self._promises.pop(curl, None)
            if promise is None or self._is_closed:
                raise RuntimeError("the handle is not at work")
            self._multi.remove_handle(curl)
            promise.cancel()

        async def aclose(self) -> None:
            """Give up every exchange, and close every connection."""
            if self._is_closed:
                return
            for curl in tuple(self._promises):
                with contextlib.suppress(pycurl.error):
                    self.remove_handle(curl)
            self._is_closed = True
            for timer in (self._soon, self._timer):
                if timer is not None:
                    timer.cancel()
            if self._loop is not None and self._sockets is not None:
                self._loop.remove_reader(self._sockets.fileno())
            self._multi.close()
            if self._sockets is not None:
                self._sockets.close()

        def _watch(self, what: int, descriptor: int, _multi: pycurl.CurlMulti, _data: object) -> None:
            """M_SOCKETFUNCTION."""
            if self._sockets is None:
                return
            events = _EVENTS.get(what)
            before = self._watched.get(descriptor)
            if events is None:
                if before is not None:
                    del self._watched[descriptor]
                    with contextlib.suppress(OSError):
                        self._sockets.unregister(descriptor)
            elif before is None:
                self._watched[descriptor] = events
                self._sockets.register(descriptor, events)
            elif before != events:
                self._watched[descriptor] = events
                self._sockets.modify(descriptor, events)

        def _take_events(self) -> None:
            if self._sockets is None or self._is_closed:
                return
            for descriptor, events in self._sockets.poll(0, _MAX_EVENTS):
                # An error or the end of a connection is for the one who reads and for the one who writes.
                reads = pycurl.CSELECT_IN if events & ~select.EPOLLOUT else 0
                writes = pycurl.CSELECT_OUT if events & ~select.EPOLLIN else 0
                self._act(descriptor, reads | writes)
            self._settle()

        def _set_timer(self, after_ms: int) -> None:
            """M_TIMERFUNCTION."""
            loop = self._loop
            if loop is None or self._is_closed:
                return
            self._due = None
            if after_ms == 0:
                if self._soon is None:
                    # Later: libcurl must not be called from its own callback.
                    self._soon = loop.call_soon(self._go_on)
            elif after_ms > 0:
                self._due = due = loop.time() + after_ms / 1_000
                if self._timer is not None and self._timer.when() > due:
                    self._timer.cancel()
                    self._timer = None
                if self._timer is None:
                    self._timer = loop.call_at(due, self._ring)

        def _ring(self) -> None:
            self._timer = None
            if self._due is None or self._loop is None:
                return
            if self._loop.time() < self._due:
                self._timer = self._loop.call_at(self._due, self._ring)
                return
            self._due = None
            self._go_on()

        def _go_on(self) -> None:
            """Let libcurl do what is due."""
            self._soon = None
            if not self._is_closed:
                self._act(pycurl.SOCKET_TIMEOUT, 0)
                self._settle()

        def _act(self, descriptor: int, events: int) -> None:
            try:
                self._multi.socket_action(descriptor, events)
            except pycurl.error as error:
                # The multi handle is broken, and no exchange would end any more.
                for curl in tuple(self._promises):
                    self._end(curl, error)

        def _settle(self) -> None:
            """End the exchanges that are over."""
            _, done, failed = self._multi.info_read()
            for curl in done:
                self._end(curl, None)
            for curl, code, text in failed:
                self._end(curl, pycurl.error(code, text))

        def _end(self, curl: pycurl.Curl, error: pycurl.error | None) -> None:
            promise = self._promises.pop(curl, None)
            if promise is None:
                return
            with contextlib.suppress(pycurl.error):
                self._multi.remove_handle(curl)
            if promise.done():
                return
            if error is None:
                promise.set_result(curl)
            else:
                promise.set_exception(error)
