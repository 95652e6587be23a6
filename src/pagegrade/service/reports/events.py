"""Notify waiters of a report's changes: at once in this process, by ``store.pubsub`` in the others."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, Protocol

GAP_S: Final = 0.5
"""Seconds over which waiting requests poll after a gap, so that they do not all query at once."""


class Sender(Protocol):
    """Notifier of the other processes of the installation."""

    @property
    def healthy(self) -> bool:
        """Return whether what others send arrives here."""

    def send(self, report_id: int) -> None:
        """Notify them of a change; never blocks, from any thread."""


class Wait:
    """One request that waits for a change."""

    def __init__(self, changed: asyncio.Event) -> None:
        self._changed = changed
        self.is_over = False
        """True if it is to be answered now, whatever has changed."""

    def end(self) -> None:
        """End it early."""
        self.is_over = True
        self._changed.set()


class Waits:
    """Requests that wait, by account; for one event loop. Each keeps a connection, so some end early under pressure."""

    def __init__(self) -> None:
        self._by_account: defaultdict[int, dict[Wait, None]] = defaultdict(dict)

    @contextlib.contextmanager
    def hold(self, account_id: int, changed: asyncio.Event) -> Iterator[Wait]:
        """Count a wait for the length of a block.

        Args:
            changed: Set when it is to end.
        """
        wait = Wait(changed)
        self._by_account[account_id][wait] = None
        try:
            yield wait
        finally:
            self._remove(account_id, wait)

    def end_one(self) -> None:
        """End the longest wait of the account that has the most of them."""
        if self._by_account:
            account_id = max(self._by_account, key=lambda each: len(self._by_account[each]))
            wait = next(iter(self._by_account[account_id]))
            self._remove(account_id, wait)
            wait.end()

    def _remove(self, account_id: int, wait: Wait) -> None:
        waits = self._by_account.get(account_id, {})
        waits.pop(wait, None)
        if not waits:
            self._by_account.pop(account_id, None)


class Changes:
    """``with changes.watch(report_id) as changed: ... await changed.wait()``.

    Watch first, read the report then: a change in between is not missed. What happened in another process may be missed
    all the same: waiting requests poll from time to time, seldom while ``hears_others``.
    """

    def __init__(self) -> None:
        self.sender: Sender | None = None
        """``None``: there are no other processes, or none can be notified."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

    @property
    def hears_others(self) -> bool:
        """Return whether changes by other processes are received here."""
        return self.sender is not None and self.sender.healthy

    @contextlib.contextmanager
    def watch(self, report_id: int) -> Iterator[asyncio.Event]:
        """An event that is set at every change of the report, until the block is left."""
        self._loop = asyncio.get_running_loop()
        changed = asyncio.Event()
        self._watchers[report_id].add(changed)
        try:
            yield changed
        finally:
            self._watchers[report_id].discard(changed)
            if not self._watchers[report_id]:
                del self._watchers[report_id]

    def notify(self, report_id: int) -> None:
        """Wake those who watch the report, here and elsewhere; from any thread, also after the loop has ended."""
        self.hear((report_id,))
        if self.sender is not None:
            self.sender.send(report_id)

    def hear(self, report_ids: Iterable[int]) -> None:
        """Wake those who watch one of the reports, which another process has changed; from any thread."""
        if self._loop is not None:
            # Asking whether it is closed first would only make the moment smaller in which it closes.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._set, tuple(report_ids))

    def bridge_gap(self) -> None:
        """Wake all waiting requests, spread over some seconds: changes may have been missed. From any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._spread)

    def wake_all(self) -> None:
        """Wake all waiting requests now, because the process is stopping; in the loop."""
        self._set(tuple(self._watchers))

    def _set(self, report_ids: tuple[int, ...]) -> None:
        for report_id in report_ids:
            for changed in self._watchers.get(report_id, ()):
                changed.set()

    def _spread(self) -> None:
        loop = asyncio.get_running_loop()
        for report_id in self._watchers:
            loop.call_later(random.uniform(0, GAP_S), self._set, (report_id,))  # noqa: S311 - no secret
