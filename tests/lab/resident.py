"""Resident memory of a process and of everything below it."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

SAMPLE_S: Final = 0.01
_PAGE_BYTES: Final = os.sysconf("SC_PAGESIZE")


def resident_mb(pid: int) -> float:
    """The memory that the processes hold now, pages that they share counted for each."""
    total, waiting = 0, [pid]
    while waiting:
        each = waiting.pop()
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{each}/statm").read_text().split()[1]) * _PAGE_BYTES
            for task in Path(f"/proc/{each}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return total / 1_000_000


class ResidentPeak:
    """``with ResidentPeak(pid) as seen: ...; seen.growth_mb``."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.before_mb = self.peak_mb = resident_mb(pid)
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    @property
    def growth_mb(self) -> float:
        """The most that was held above what was held at first."""
        return self.peak_mb - self.before_mb

    def __enter__(self) -> Self:
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_S):
            self.peak_mb = max(self.peak_mb, resident_mb(self._pid))
