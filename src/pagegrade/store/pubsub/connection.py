"""A PostgreSQL connection for one thread that waits with a deadline and can be woken while it waits.

It uses libpq's non-blocking calls, because a driver's connection either waits for notifications or executes a
statement, without a deadline. Source: https://www.postgresql.org/docs/current/libpq-async.html
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Self

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.postgresql import postgres_url

NAME: Final = "pagegrade notices"
"""Application name of the connection."""
FAREWELL_S: Final = 1.0
"""Time for work under way after a request to close."""
STEP_S: Final = 0.2
_FINE: Final = frozenset({pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK})


class Lost(Exception):
    """The connection failed or was lost."""

    def __init__(self, reason: str) -> None:
        """Store the reason.

        Args:
            reason: Code for the log.
        """
        super().__init__(reason)
        self.reason = reason


class Closing(Exception):
    """The thread was asked to end."""


class Waker:
    """Wakes a thread that waits for the network, from any thread."""

    def __init__(self) -> None:
        self.closing_at_s: float | None = None
        """Time of the request to close, by the monotonic clock."""
        self.reader, self._writer = os.pipe()
        for descriptor in (self.reader, self._writer):
            os.set_blocking(descriptor, False)

    def __del__(self) -> None:
        os.close(self.reader)
        os.close(self._writer)

    def wake(self) -> None:
        """Wake the thread to look for work."""
        # A full pipe wakes the thread as well.
        with contextlib.suppress(BlockingIOError):
            os.write(self._writer, b"x")

    def close(self) -> None:
        """Ask the thread to end."""
        self.closing_at_s = time.monotonic()
        self.wake()

    @property
    def closing(self) -> bool:
        """True after a request to close."""
        return self.closing_at_s is not None

    def sleep(self, seconds: float) -> None:
        """Sleep for some seconds or until a request to close; other wake-ups stay pending."""
        until_s = time.monotonic() + seconds
        while not self.closing and (left_s := until_s - time.monotonic()) > 0:
            if _wait(((self.reader, select.POLLIN),), left_s):
                self.rest()

    def rest(self) -> None:
        """Discard pending wake-ups."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.reader, 4096):
                pass


def conninfo_of(url: str) -> bytes:
    """Convert a database URL to connection parameters of libpq.

    Args:
        url: PostgreSQL URL; its query may contain parameters of libpq.

    Raises:
        InvalidInput: The URL is not valid.
    """
    parsed = postgres_url(url)
    given: dict[str, Any] = {
        "application_name": NAME,
        "client_encoding": "utf8",
        **parsed.query,
        **parsed.translate_connect_args(username="user", database="dbname"),
    }
    try:
        return make_conninfo("", **given).encode()
    except psycopg.ProgrammingError:
        raise InvalidInput("The database URL has parameters that PostgreSQL's library does not know.") from None


class Link:
    """Connection as a context manager, with ``ask(b"LISTEN a")``, ``wait(5)`` and ``heard()``."""

    def __init__(self, conninfo: bytes, waker: Waker, patience_s: float) -> None:
        """Prepare the connection; it is opened on entering the context.

        Args:
            conninfo: Parameters of ``conninfo_of``.
            waker: Ends ``wait``.
            patience_s: Timeout for connecting and for each answer.
        """
        self._conninfo = conninfo
        self._waker = waker
        self._patience_s = patience_s
        self._connection: pq.abc.PGconn | None = None
        self._farewell_s = 0.0
        self.asked_at_s = time.monotonic()
        """Time of the server's last answer, by the monotonic clock."""

    def __enter__(self) -> Self:
        try:
            self._connect()
        except BaseException:
            self._finish()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._finish()

    def ask(self, statement: bytes, values: Sequence[bytes] = ()) -> bytes | None:
        """Execute a statement and return its first value; ``None`` if it returns none.

        Raises:
            Lost: The server returned an error, did not answer in time, or is gone.
            Closing: The thread was asked to end, and the server did not answer in the remaining time.
        """
        until_s = time.monotonic() + self._patience_s
        with _translated():
            connection = self._open
            connection.send_query_params(statement, values)
            while connection.flush():
                self._until(select.POLLIN | select.POLLOUT, until_s)
                connection.consume_input()
            first = None
            while (result := self._result(until_s)) is not None:
                if result.status not in _FINE:
                    raise Lost("refused")
                if first is None and result.ntuples:
                    first = result.get_value(0, 0)
            self.asked_at_s = time.monotonic()
            return first

    def wait(self, seconds: float) -> None:
        """Wait for data of the server, a wake-up or the timeout.

        Raises:
            Lost: The server is gone.
        """
        with _translated():
            connection = self._open
            ready = _wait(((connection.socket, select.POLLIN), (self._waker.reader, select.POLLIN)), seconds)
            if self._waker.reader in ready:
                self._waker.rest()
            if connection.socket in ready:
                connection.consume_input()

    def heard(self) -> Iterator[tuple[str, bytes]]:
        """Yield (channel, payload) of received notifications."""
        with _translated():
            while (notice := self._open.notifies()) is not None:
                yield notice.relname.decode("utf-8", "replace"), notice.extra

    @property
    def _open(self) -> pq.abc.PGconn:
        if self._connection is None:
            raise Lost("closed")
        return self._connection

    def _connect(self) -> None:
        until_s = time.monotonic() + self._patience_s
        with _translated():
            # Resolves the host name, which cannot be interrupted.
            connection = self._connection = pq.PGconn.connect_start(self._conninfo)
            ready = pq.PollingStatus.WRITING
            while ready != pq.PollingStatus.OK:
                if connection.status == pq.ConnStatus.BAD or ready == pq.PollingStatus.FAILED:
                    raise Lost("unreachable")
                self._until(select.POLLIN if ready == pq.PollingStatus.READING else select.POLLOUT, until_s)
                ready = pq.PollingStatus(connection.connect_poll())
            connection.nonblocking = 1
        self._farewell_s = FAREWELL_S

    def _result(self, until_s: float) -> pq.abc.PGresult | None:
        connection = self._open
        while connection.is_busy():
            self._until(select.POLLIN, until_s)
            connection.consume_input()
        return connection.get_result()

    def _until(self, events: int, until_s: float) -> None:
        """Wait for events of the socket.

        Raises:
            Lost: The deadline has passed.
            Closing: The thread was asked to end, and the remaining time has passed.
        """
        watched = (self._open.socket, events)
        while True:
            now_s = time.monotonic()
            closing_s = self._waker.closing_at_s
            if closing_s is not None and now_s >= closing_s + self._farewell_s:
                raise Closing
            if now_s >= until_s:
                raise Lost("silent")
            # In short steps, to notice a request to close; the pipe also fills for reasons that can wait.
            if _wait((watched,), min(STEP_S, until_s - now_s)):
                return

    def _finish(self) -> None:
        if self._connection is not None:
            self._connection.finish()
            self._connection = None


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Convert errors to ``Lost``, without libpq's message, which may contain hosts and users."""
    try:
        yield
    except psycopg.Error:
        raise Lost("gone") from None


def _wait(watched: Sequence[tuple[int, int]], seconds: float) -> frozenset[int]:
    """Return the descriptors of (descriptor, events) pairs with an event."""
    poll = select.poll()
    for descriptor, events in watched:
        poll.register(descriptor, events)
    return frozenset(descriptor for descriptor, _ in poll.poll(max(0.0, seconds) * 1000))
