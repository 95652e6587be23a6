"""Who waits for a report, and that it has changed: within one process."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator


class Changes:
    """``with changes.watch(report_id) as changed: ... await changed.wait()``.

    Watch first, read the report then: a change in between is not missed.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: defaultdict[int, set[asyncio.Event]] = defaultdict(set)

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

    def tell(self, report_id: int) -> None:
        """Wake those who watch the report; from any thread, also after the loop has ended."""
        if self._loop is not None:
            # Asking whether it is closed first would only make the moment smaller in which it closes.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._set, report_id)

    def _set(self, report_id: int) -> None:
        for changed in self._watchers.get(report_id, ()):
            changed.set()
