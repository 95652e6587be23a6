"""Notify other processes of an installation of changes, and receive their notifications: NOTIFY and LISTEN.

A NOTIFY takes a database-wide lock when its transaction commits and keeps it until the commit is durable: within the
product's transactions it would serialize all commits. So notifications are never part of a transaction that changes
data, and those of procrastinate for each job are disabled. After a commit, callers register a notification; one thread
collects them and sends them in one statement, on its own connection without synchronous commit.

A notification is only a hint: it may be lost, late or repeated. Waiting clients therefore also poll: rarely while
``healthy``, often while not, and at once after a gap.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import re
import select
import threading
import time
from collections.abc import Callable
from typing import Final, LiteralString

import msgspec
import psycopg

from pagegrade.store.engine.postgresql import Patient, Silence, connector

logger = logging.getLogger(__name__)

NAME: Final = "pagegrade notices"
"""Application name of the connection."""
CHANNEL: Final = "pagegrade_changes"
MAX_PAYLOAD_BYTES: Final = 7_900
"""Maximum length of a payload; the limit is 8000 (https://www.postgresql.org/docs/current/sql-notify.html)."""
MAX_WAITING: Final = 10_000
"""Maximum number of queued ids; dropped ones are found by polling."""
PACE_S: Final = 0.02
"""Minimum interval between statements; the first is sent at once."""
PULSE_S: Final = 5.0
"""Idle time after which the thread checks that the server responds and still listens."""
PATIENCE_S: Final = 5.0
"""Timeout after which a server is considered lost: that of TCP is a quarter of an hour."""
FAREWELL_S: Final = 2.0
"""Time for what is queued after a request to close."""
FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 10.0
"""Maximum pause between connection attempts; the pause doubles each time, minus a random part."""
_LISTEN: LiteralString = f"LISTEN {CHANNEL}"
_PAYLOAD: Final = re.compile(r"(?P<process>[0-9A-Za-z_-]{1,64}) (?P<job>\+?)(?P<ids>[0-9,]*)")


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Intervals and timeouts in seconds."""

    pace_s: float = PACE_S
    pulse_s: float = PULSE_S
    patience_s: float = PATIENCE_S
    first_pause_s: float = FIRST_PAUSE_S
    longest_pause_s: float = LONGEST_PAUSE_S


class _Deaf(Exception):
    """The session does not listen any more."""


class _Waker:
    """Ends a wait for the network, from any thread."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        for descriptor in (self._reader, self._writer):
            os.set_blocking(descriptor, False)

    def __del__(self) -> None:
        os.close(self._reader)
        os.close(self._writer)

    def wake(self) -> None:
        """End the wait under way, or the next one."""
        # A full pipe ends it as well.
        with contextlib.suppress(BlockingIOError):
            os.write(self._writer, b"x")

    def wait(self, seconds: float, *sockets: int) -> None:
        """Wait for a wake-up, data at a socket, or the timeout."""
        poll = select.poll()
        for descriptor in (self._reader, *sockets):
            poll.register(descriptor, select.POLLIN)
        poll.poll(max(0.0, seconds) * 1000)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._reader, 4096):
                pass


def _ignore(*_what: object) -> None:
    """Ignore the notification."""


class Notices:
    """Sends and receives notifications: ``start()``, ``send(report_id)`` from any thread, ``close()``.

    Callbacks are called from the notification thread, and must neither block nor raise.
    """

    def __init__(self, url: str, process: str, *, timing: Timing | None = None) -> None:
        """Prepare the thread; ``start`` connects.

        Args:
            url: PostgreSQL URL; a pooler must keep the session of a connection.
            process: Unique name of this process on the database; letters, digits, ``-`` and ``_``.
            timing: Intervals and timeouts, for tests.

        Raises:
            InvalidInput: The URL is not valid.
        """
        self.on_change: Callable[[tuple[int, ...]], None] = _ignore
        """Called with the ids of reports that other processes changed."""
        self.on_job: Callable[[], None] | None = None
        """Called when a run may be queued; ``None`` if this process executes no runs."""
        self.on_gap: Callable[[], None] = _ignore
        """Called when notifications may have been missed, so that waiting clients poll."""
        self._process = process
        self._timing = timing or Timing()
        self._connect = connector(url, name=NAME, patience_s=self._timing.patience_s, is_durable=False)
        self._lock = threading.Lock()
        self._waiting: dict[int, None] = {}
        self._job_waits = False
        self._healthy = False
        self._closing = threading.Event()
        self._waker = _Waker()
        self._thread: threading.Thread | None = None

    @property
    def healthy(self) -> bool:
        """True while notifications of other processes arrive, as far as known."""
        return self._healthy

    def start(self) -> None:
        """Connect and listen in a thread; failed connections are retried."""
        self._thread = threading.Thread(target=self._run, name="pagegrade-notices", daemon=True)
        self._thread.start()

    def send(self, report_id: int) -> None:
        """Notify other processes, asynchronously, that the report has changed."""
        with self._lock:
            if report_id in self._waiting:
                return
            if len(self._waiting) >= MAX_WAITING:
                del self._waiting[next(iter(self._waiting))]
            first = not self._waiting
            self._waiting[report_id] = None
        if first:
            self._waker.wake()

    def send_job(self) -> None:
        """Notify other processes, asynchronously, that a run may be queued."""
        with self._lock:
            if self._job_waits:
                return
            self._job_waits = True
        self._waker.wake()

    def close(self) -> None:
        """Send queued notifications if that is quick, and end the thread."""
        self._closing.set()
        self._waker.wake()
        if self._thread is not None:
            # A name resolution or an exchange under way cannot be interrupted; only its own thread waits for it.
            self._thread.join(FAREWELL_S)
        self._healthy = False

    def _run(self) -> None:
        pause_s = 0.0
        while not self._closing.is_set():
            heard_at_s = None
            try:
                with contextlib.closing(self._connect()) as connection:
                    # A pooler may give each statement another session.
                    connection.prepare_threshold = None
                    self._listen(connection)
                    heard_at_s = time.monotonic()
                    self._converse(connection)
            except (psycopg.Error, _Deaf) as error:
                if heard_at_s is not None or pause_s == 0.0:
                    logger.warning("notices_lost", extra={"reason": _reason(error, heard=heard_at_s is not None)})
            except Exception:
                # The thread must survive any error, because callers rely on it.
                logger.exception("notices_failed")
            if self._healthy:
                self._healthy = False
                self._call(self.on_gap)
            # A connection that is lost again and again counts like a failed attempt.
            lasted_s = 0.0 if heard_at_s is None else time.monotonic() - heard_at_s
            longest_s = self._timing.longest_pause_s
            pause_s = min(longest_s, max(self._timing.first_pause_s, 0.0 if lasted_s > longest_s else 2 * pause_s))
            # All processes lose the server at the same moment; jitter spreads their attempts to reconnect.
            until_s = time.monotonic() + pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - no secret
            while not self._closing.is_set() and (left_s := until_s - time.monotonic()) > 0:
                self._waker.wait(left_s)

    def _listen(self, connection: Patient) -> None:
        connection.execute(_LISTEN)
        self._healthy = True
        logger.info("notices_heard")
        # Notifications sent before LISTEN are lost.
        self._call(self.on_gap)
        if self.on_job is not None:
            self._call(self.on_job)

    def _converse(self, connection: Patient) -> None:
        """Send and receive notifications until closed.

        Raises:
            psycopg.Error: The server is gone or does not respond.
            _Deaf: The session no longer listens.
        """
        timing = self._timing
        sent_at_s = -timing.pace_s
        asked_at_s = time.monotonic()
        while True:
            self._hear(connection)
            now_s = time.monotonic()
            until_s = asked_at_s + timing.pulse_s
            if self._has_something():
                until_s = min(until_s, sent_at_s + timing.pace_s)
                if now_s >= sent_at_s + timing.pace_s or self._closing.is_set():
                    self._send(connection)
                    sent_at_s = asked_at_s = time.monotonic()
                    continue
            if self._closing.is_set():
                return
            if now_s >= asked_at_s + timing.pulse_s:
                # Cheaper than a NOTIFY to itself, which would wake every process; it also detects a pooler that gives
                # each statement another session.
                if connection.execute("SELECT 1 FROM pg_listening_channels()").fetchone() is None:
                    raise _Deaf
                asked_at_s = time.monotonic()
                continue
            # The driver's own wait for notifications wakes up ten times a second.
            self._waker.wait(until_s - now_s, connection.fileno())

    def _has_something(self) -> bool:
        with self._lock:
            return self._job_waits or bool(self._waiting)

    def _send(self, connection: Patient) -> None:
        with self._lock:
            job, self._job_waits = self._job_waits, False
            payload, taken = write_payload(self._process, self._waiting, job=job)
            for report_id in taken:
                del self._waiting[report_id]
        try:
            connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, payload))
        except psycopg.Error:
            with self._lock:
                self._job_waits |= job
                # Later ids are newer and are sent last.
                space = MAX_WAITING - len(self._waiting)
                self._waiting = dict.fromkeys(taken[:space]) | self._waiting
            raise

    def _hear(self, connection: Patient) -> None:
        changed: dict[int, None] = {}
        job = False
        for notice in connection.notifies(timeout=0):
            said = read_payload(notice.payload)
            if said is not None and said.process != self._process:
                changed |= dict.fromkeys(said.report_ids)
                job = job or said.job
        if changed:
            self._call(self.on_change, tuple(changed))
        if job and self.on_job is not None:
            self._call(self.on_job)

    def _call(self, callback: Callable[..., None], *what: object) -> None:
        try:
            callback(*what)
        except Exception:
            logger.exception("notice_not_taken")


def _reason(error: Exception, *, heard: bool) -> str:
    """Return the reason of a lost connection for the log, without the driver's message, which may name users."""
    if isinstance(error, _Deaf):
        return "deaf"
    if not heard:
        return "unreachable"
    return "silent" if isinstance(error, Silence) else "gone"


class Said(msgspec.Struct, frozen=True):
    """Content of one notification."""

    process: str
    report_ids: tuple[int, ...]
    job: bool
    """True if a run may be queued."""


def write_payload(process: str, report_ids: dict[int, None], *, job: bool) -> tuple[str, tuple[int, ...]]:
    """Return (payload, ids in it) for the first ids, as many as fit."""
    text = [f"{process} {'+' if job else ''}"]
    space = MAX_PAYLOAD_BYTES - len(text[0])
    taken = []
    for report_id in report_ids:
        space -= len(str(report_id)) + 1
        if space < 0:
            break
        taken.append(report_id)
    return text[0] + ",".join(map(str, taken)), tuple(taken)


def read_payload(payload: str) -> Said | None:
    """Parse a notification; ``None`` if it is malformed: every client of the database can send anything."""
    found = _PAYLOAD.fullmatch(payload)
    if found is None:
        return None
    ids = tuple(int(each) for each in found["ids"].split(",") if 0 < len(each) < 20)  # noqa: PLR2004 - of 64 bits
    return Said(found["process"], ids, bool(found["job"]))
