"""Tells the other processes of an installation what has changed, and hears it from them: NOTIFY and LISTEN.

A NOTIFY takes a lock of the whole database when its transaction commits, and keeps it until the commit is on the disk:
said inside the transactions of the product, it would line all of them up behind each other. So nothing here is part of
a transaction that changes anything, and what procrastinate would send of every job is turned off. Whoever has committed
says so, one thread collects what is said within a moment and sends it in one statement, on a connection of its own that
does not wait for the disk.

A notice is a hint and no truth: it may be lost, come late, or come twice. Whoever waits looks from time to time as
well, seldom while ``healthy``, often while not, and at once when told of a gap.
"""

from __future__ import annotations

import logging
import random
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pagegrade.store.pubsub.connection import FAREWELL_S, Closing, Link, Lost, Waker, conninfo_of

logger = logging.getLogger(__name__)

CHANNEL: Final = "pagegrade_changes"
MAX_PAYLOAD_BYTES: Final = 7_900
"""Of the 8000 that a payload must stay below (https://www.postgresql.org/docs/current/sql-notify.html)."""
MAX_WAITING: Final = 10_000
"""Ids that wait to be sent. What is dropped is found by those who look from time to time."""
PACE_S: Final = 0.02
"""No more than one statement in so many seconds; the first goes at once."""
PULSE_S: Final = 5.0
"""After so long without an exchange the server is asked whether it is there, and still listens for us."""
PATIENCE_S: Final = 5.0
"""A server that has not answered by then is taken for lost: TCP alone would wait for a quarter of an hour."""
FIRST_PAUSE_S: Final = 0.2
LONGEST_PAUSE_S: Final = 10.0
"""Between two tries to connect, at most; each try waits twice as long as the one before, less a random part."""
_PAYLOAD: Final = re.compile(r"(?P<process>[0-9A-Za-z_-]{1,64}) (?P<job>\+?)(?P<ids>[0-9,]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long everything may take, in seconds."""

    pace_s: float = PACE_S
    pulse_s: float = PULSE_S
    patience_s: float = PATIENCE_S
    first_pause_s: float = FIRST_PAUSE_S
    longest_pause_s: float = LONGEST_PAUSE_S


def _nobody(*_what: object) -> None:
    """Nobody wants to know."""


class Notices:
    """``notices.start()``, ``notices.send(report_id)`` from any thread, ``notices.close()``.

    The callbacks are called from a thread of their own kind, and must neither wait nor raise.
    """

    def __init__(self, url: str, process: str, *, timing: Timing | None = None) -> None:
        """Prepare; nothing is connected yet.

        Args:
            url: Of a PostgreSQL database; a pooler in between must keep the session of a connection.
            process: Names this process among all that share the database; letters, digits, ``-`` and ``_``.
            timing: For tests.

        Raises:
            InvalidInput: The URL cannot be used.
        """
        self.on_change: Callable[[tuple[int, ...]], None] = _nobody
        """Told the ids of reports that others changed."""
        self.on_job: Callable[[], None] | None = None
        """Told that a run may be waiting; ``None``: nobody here would take it."""
        self.on_gap: Callable[[], None] = _nobody
        """Told that notices may have been missed: whoever waits looks for itself."""
        self._conninfo = conninfo_of(url)
        self._process = process
        self._timing = timing or Timing()
        self._lock = threading.Lock()
        self._waiting: dict[int, None] = {}
        self._job_waits = False
        self._healthy = False
        self._waker = Waker()
        self._thread: threading.Thread | None = None

    @property
    def healthy(self) -> bool:
        """Whether what others send arrives here, as far as we know."""
        return self._healthy

    def start(self) -> None:
        """Connect and listen, in a thread; that nobody is there to connect to is tried again and no error."""
        self._thread = threading.Thread(target=self._run, name="pagegrade-notices", daemon=True)
        self._thread.start()

    def send(self, report_id: int) -> None:
        """Tell the others, soon, that the report has changed."""
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
        """Tell the others, soon, that a run may be waiting."""
        with self._lock:
            if self._job_waits:
                return
            self._job_waits = True
        self._waker.wake()

    def close(self) -> None:
        """Send what waits, if that is quick, and end."""
        self._waker.close()
        if self._thread is not None:
            # A name that is being looked up cannot be interrupted; it holds up nobody but its own thread.
            self._thread.join(2 * FAREWELL_S)
        self._healthy = False

    def _run(self) -> None:
        pause_s = 0.0
        while not self._waker.closing:
            heard_at_s = None
            try:
                with Link(self._conninfo, self._waker, self._timing.patience_s) as link:
                    self._listen(link)
                    heard_at_s = time.monotonic()
                    self._converse(link)
            except Closing:
                break
            except Lost as lost:
                if heard_at_s is not None or pause_s == 0.0:
                    logger.warning("notices_lost", extra={"reason": lost.reason})
            except Exception:
                # Whatever it was: others would wait for a thread that has ended.
                logger.exception("notices_failed")
            if self._healthy:
                self._healthy = False
                self._call(self.on_gap)
            # One that is lost again and again counts like one that cannot be made.
            lasted_s = 0.0 if heard_at_s is None else time.monotonic() - heard_at_s
            longest_s = self._timing.longest_pause_s
            pause_s = min(longest_s, max(self._timing.first_pause_s, 0.0 if lasted_s > longest_s else 2 * pause_s))
            # A whole installation loses its server at the same moment, and shall not come back at the same moment.
            self._waker.sleep(pause_s * random.uniform(0.5, 1.0))  # noqa: S311 - no secret

    def _listen(self, link: Link) -> None:
        link.ask(b"SET synchronous_commit TO off")
        link.ask(f"LISTEN {CHANNEL}".encode())
        self._healthy = True
        logger.info("notices_heard")
        # What was said before we listened, nobody will say again.
        self._call(self.on_gap)
        if self.on_job is not None:
            self._call(self.on_job)

    def _converse(self, link: Link) -> None:
        """Send and hear until told to close.

        Raises:
            Lost: The server is gone, silent, or listens for us no more.
        """
        timing = self._timing
        sent_at_s = -timing.pace_s
        while True:
            self._hear(link)
            now_s = time.monotonic()
            until_s = link.asked_at_s + timing.pulse_s
            if self._has_something():
                until_s = min(until_s, sent_at_s + timing.pace_s)
                if now_s >= sent_at_s + timing.pace_s or self._waker.closing:
                    self._send(link)
                    sent_at_s = time.monotonic()
                    continue
            if self._waker.closing:
                return
            if now_s >= link.asked_at_s + timing.pulse_s:
                # Cheaper than a NOTIFY to ourselves, which would wake every process; and a pooler that hands each
                # statement to another session is found out by it as well.
                if link.ask(b"SELECT count(*) FROM pg_listening_channels()") in {b"0", None}:
                    raise Lost("deaf")
                continue
            link.wait(until_s - now_s)

    def _has_something(self) -> bool:
        with self._lock:
            return self._job_waits or bool(self._waiting)

    def _send(self, link: Link) -> None:
        with self._lock:
            job, self._job_waits = self._job_waits, False
            payload, taken = write_payload(self._process, self._waiting, job=job)
            for report_id in taken:
                del self._waiting[report_id]
        try:
            link.ask(b"SELECT pg_notify($1, $2)", (CHANNEL.encode(), payload))
        except Lost:
            with self._lock:
                self._job_waits |= job
                # Whatever came since is newer, and said last.
                room = MAX_WAITING - len(self._waiting)
                self._waiting = dict.fromkeys(taken[:room]) | self._waiting
            raise

    def _hear(self, link: Link) -> None:
        changed: dict[int, None] = {}
        job = False
        for _, payload in link.heard():
            said = read_payload(payload)
            if said is not None and said.process != self._process:
                changed |= dict.fromkeys(said.report_ids)
                job = job or said.job
        if changed:
            self._call(self.on_change, tuple(changed))
        if job and self.on_job is not None:
            self._call(self.on_job)

    def _call(self, tell: Callable[..., None], *what: object) -> None:
        try:
            tell(*what)
        except Exception:
            logger.exception("notice_not_taken")


@dataclass(frozen=True, slots=True)
class Said:
    """What one notice says."""

    process: str
    report_ids: tuple[int, ...]
    job: bool
    """A run may be waiting."""


def write_payload(process: str, report_ids: dict[int, None], *, job: bool) -> tuple[bytes, tuple[int, ...]]:
    """(a payload, the ids in it): the first ones, as many as there is room for."""
    text = [f"{process} {'+' if job else ''}"]
    room = MAX_PAYLOAD_BYTES - len(text[0])
    taken = []
    for report_id in report_ids:
        room -= len(str(report_id)) + 1
        if room < 0:
            break
        taken.append(report_id)
    return (text[0] + ",".join(map(str, taken))).encode("ascii"), tuple(taken)


def read_payload(payload: bytes) -> Said | None:
    """What a notice says; ``None``: it is none of ours. Whoever may connect may send anything."""
    found = _PAYLOAD.fullmatch(payload.decode("ascii", "replace"))
    if found is None:
        return None
    ids = tuple(int(each) for each in found["ids"].split(",") if 0 < len(each) < 20)  # noqa: PLR2004 - of 64 bits
    return Said(found["process"], ids, bool(found["job"]))
