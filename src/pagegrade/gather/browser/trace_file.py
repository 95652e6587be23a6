"""File with the trace of a load, as Chromium's developer tools and Perfetto open it.

Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (JSON object format).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

import msgspec

from pagegrade.report.masking import without_secrets

_FOR_READERS: Final = (
    "blink.console",
    "disabled-by-default-devtools.timeline.frame",
    "latencyInfo",
    "v8.execute",
)
"""Categories that the tools of people show and the metrics do not need."""


class TraceFile:
    """Writes the events of a trace as they arrive; their size is limited by what is read from a browser.

    Args:
        path: The file, which is replaced; ``None`` to keep nothing.
        secrets: Texts that are masked in it.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path | None, secrets: Sequence[str] = ()) -> None:
        self.categories = () if path is None else _FOR_READERS
        """Categories to record besides those of the metrics."""
        self._path = path
        self._secrets = secrets
        self._file: BinaryIO | None = None
        self._is_empty = True

    def __enter__(self) -> Self:
        if self._path is not None:
            self._file = self._path.open("wb")
            self._file.write(b'{"traceEvents":[')
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            with self._file as file:
                file.write(b"]}\n")

    def add(self, events: Sequence[object]) -> None:
        """Write a part of the trace."""
        if self._file is not None and events:
            self._file.write(b"" if self._is_empty else b",\n")
            self._file.write(without_secrets(b",\n".join(map(msgspec.json.encode, events)), self._secrets))
            self._is_empty = False
