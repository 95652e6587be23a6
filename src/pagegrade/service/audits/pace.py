"""Politeness towards one host: when the next request may begin, and how answers (429, Retry-After) change that."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from statistics import median
from typing import Final

from pagegrade.model.audit import CrawlHost

MAX_CRAWL_DELAY_S: Final = 30.0
FIRST_PAUSE_S: Final = 5.0
LONGEST_PAUSE_S: Final = 300.0
LONGEST_RETRY_AFTER_S: Final = 3_600.0
PAUSING: Final = frozenset({429, 430})
"""Answers that ask for fewer requests; 503 does if it says when to come back."""
_REFUSING: Final = frozenset({401, 403, 407, 429, 430})
WINDOW: Final = 20
REFUSALS: Final = 10
"""So many refusals among the last ``WINDOW`` answers are those of the site."""
EARNED_BACK: Final = 20
_SMALL_DELAY_S: Final = 0.1
"""Delay after the first request for fewer requests, on a host that had none."""
_SERVER_ERROR: Final = 500
_UNAVAILABLE: Final = 503


def asks_to_wait(status: int | None, retry_after: str | None) -> bool:
    """Return whether an answer asks for fewer requests."""
    return status in PAUSING or (status == _UNAVAILABLE and retry_after is not None)


class Pace:
    """The distance between requests to one host, in the time of ``clock``."""

    def __init__(
        self,
        host: CrawlHost,
        *,
        rate_per_s: float | None,
        connections: int,
        clock: Callable[[], float],
    ) -> None:
        """Go on with what is stored of the host.

        Args:
            host: Its row, which ``store`` updates.
            rate_per_s: Requests that may begin in a second; ``None``: as many as come.
            connections: Requests under way at a time, while the host does not slow us down.
            clock: Seconds since 1970, of which only differences count.
        """
        self._host = host
        self._rate_per_s = rate_per_s
        self._connections = connections
        self._clock = clock
        self._next_at = host.next_at_ms / 1_000
        self._slowed = 2.0 if host.pause_ms else 1.0
        self._successes = 0
        self._times_s: deque[float] = deque(maxlen=WINDOW)
        self._refused: deque[bool] = deque(maxlen=WINDOW)
        self.under_way = 0

    @property
    def delay_s(self) -> float:
        """Seconds between the beginnings of two requests."""
        asked_for = min(MAX_CRAWL_DELAY_S, self._host.crawl_delay_ms / 1_000)
        if self._rate_per_s is None:
            return max(asked_for, _SMALL_DELAY_S * (self._slowed - 1))
        slow = 2 * median(self._times_s) if self._times_s else 0.0
        return max(asked_for, self._slowed / self._rate_per_s, slow)

    @property
    def refuses(self) -> bool:
        """Return whether the site sends us away."""
        return sum(self._refused) >= REFUSALS

    def ready_in_s(self) -> float:
        """Seconds until a request may begin; infinite while too many are under way."""
        if self.under_way >= (self._connections if self._slowed <= 1 else 1):
            return float("inf")
        now = self._clock()
        # No pause is longer: a time farther ahead is of a clock that was set back since.
        self._next_at = min(self._next_at, now + LONGEST_RETRY_AFTER_S)
        return max(0.0, self._next_at - now)

    def start(self) -> None:
        """Note that a request begins."""
        self.under_way += 1
        self._next_at = self._clock() + self.delay_s

    def end(
        self,
        status: int | None,
        seconds: float,
        retry_after: str | None = None,
        *,
        refused: bool = False,
        asks_again: bool = False,
    ) -> bool:
        """Note how a request ended.

        Args:
            status: Of the answer; ``None`` without one.
            seconds: The request took.
            retry_after: Value of the header.
            refused: The answer was a challenge instead of the page.
            asks_again: The same is asked for in another way, whose answer says what the host thinks of us: servers
                exist that know only GET.

        Returns:
            Whether the host asks for fewer requests, so that the URL is to be tried again.
        """
        self.under_way -= 1
        self._times_s.append(seconds)
        if asks_again:
            return False
        throttled = asks_to_wait(status, retry_after)
        self._refused.append(refused or status is None or status >= _SERVER_ERROR or status in _REFUSING)
        if throttled:
            self._pause(retry_after)
        elif status is not None and status < _SERVER_ERROR:
            self._successes += 1
            if self._successes >= EARNED_BACK:
                self._successes = 0
                self._slowed = max(1.0, self._slowed / 2)
                self._host.pause_ms = 0
        else:
            self._successes = 0
        return throttled

    def _pause(self, retry_after: str | None) -> None:
        wanted = _seconds(retry_after, self._clock())
        if wanted is None:
            last = self._host.pause_ms / 1_000
            wanted = min(LONGEST_PAUSE_S, 2 * last if last else FIRST_PAUSE_S)
            self._host.pause_ms = round(wanted * 1_000)
        else:
            self._host.pause_ms = max(1, self._host.pause_ms)
        self._next_at = max(self._next_at, self._clock() + wanted)
        self._slowed = min(64.0, 2 * self._slowed)
        self._successes = 0

    def store(self) -> None:
        """Write what the next process has to know into the row of the host."""
        self._host.next_at_ms = round(self._next_at * 1_000)
        self._host.delay_ms = round(self.delay_s * 1_000)


def _seconds(retry_after: str | None, now: float) -> float | None:
    """Seconds that a Retry-After asks to wait, at most an hour; ``None`` where it says nothing.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.isdecimal() and len(text) <= 9:  # noqa: PLR2004 - thirty years
        return min(LONGEST_RETRY_AFTER_S, float(text))
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        return None
    return min(LONGEST_RETRY_AFTER_S, max(0.0, at.timestamp() - now))
