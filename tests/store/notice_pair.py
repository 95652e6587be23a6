"""Two processes that notify each other of changes through a PostgreSQL, and the notices of each of them."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from pagegrade.store.pubsub.notifications import Notices, Timing

SOON_S = 30.0
QUICK = Timing(pulse_s=0.1, patience_s=0.4, first_pause_s=0.02, longest_pause_s=0.1)


class Ear:
    """One process, and the notices that it got."""

    def __init__(self, url: str, name: str, timing: Timing = QUICK, *, jobs: bool = False) -> None:
        self.changed: list[int] = []
        self.jobs = 0
        self.gaps = 0
        self._changed = threading.Condition()
        self.notices = Notices(url, name, timing=timing)
        self.notices.on_change = self._on_change
        self.notices.on_gap = self._on_gap
        if jobs:
            self.notices.on_job = self._on_job

    def until(self, happened: Callable[[], bool]) -> bool:
        """Wait until it has happened; whether it has."""
        until_s = time.monotonic() + SOON_S
        with self._changed:
            while not happened() and (left_s := until_s - time.monotonic()) > 0:
                self._changed.wait(min(left_s, 0.02))
        return happened()

    def _on_change(self, report_ids: tuple[int, ...]) -> None:
        with self._changed:
            self.changed += report_ids
            self._changed.notify_all()

    def _on_job(self) -> None:
        with self._changed:
            self.jobs += 1
            self._changed.notify_all()

    def _on_gap(self) -> None:
        with self._changed:
            self.gaps += 1
            self._changed.notify_all()


@contextlib.contextmanager
def listening(*ears: Ear) -> Iterator[None]:
    """All of them connected, until the end of the block."""
    for ear in ears:
        ear.notices.start()
    try:
        for ear in ears:
            if not ear.until(lambda ear=ear: ear.notices.healthy):  # type: ignore[misc]
                raise AssertionError("it does not connect")
        yield
    finally:
        for ear in ears:
            ear.notices.close()
