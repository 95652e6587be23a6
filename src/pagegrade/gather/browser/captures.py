"""Captures of a load: its pictures, and its trace as a file that Chromium's developer tools and Perfetto open.

Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (JSON object format).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import msgspec

from pagegrade.model.rendering import Picture
from pagegrade.report.masking import without_secrets

MAX_FRAMES: Final = 60
"""Pictures of one load that its speed index is computed from."""
MAX_PICTURE_BYTES: Final = 2_000_000


def frames_of(shots: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """At most 60 pictures after the navigation; of equal neighbors the first."""
    found: list[tuple[float, str]] = []
    for time, picture in shots:
        if time >= 0 and (not found or found[-1][1] != picture):
            found.append((time, picture))
    if len(found) <= MAX_FRAMES:
        return found
    step = (len(found) - 1) / (MAX_FRAMES - 1)
    return [found[round(index * step)] for index in range(MAX_FRAMES)]


def read_picture(kind: Any, entry: object, *, time_ms: float | None = None) -> Picture | None:
    """A picture from (width, height, WebP in Base64); ``None`` for anything else."""
    if not isinstance(entry, list) or len(entry) != 3:
        return None
    width, height, text = entry
    if not isinstance(width, int) or not isinstance(height, int) or not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not data.startswith(b"RIFF") or len(data) > MAX_PICTURE_BYTES:
        return None
    return Picture(kind=kind, width_px=width, height_px=height, data=data, time_ms=time_ms)


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
