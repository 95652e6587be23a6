"""One live line on a terminal's stderr while pages are analyzed."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Final, TextIO

from pagegrade.render.escape import visible

_CLEAR: Final = "\r\x1b[2K"
"""Back to the first column, erase the line (ECMA-48 8.3.41)."""


class Progress:
    """Shows how many pages are done and which one is in progress; silent without a terminal."""

    def __init__(self, stream: TextIO, total: int, *, quiet: bool, environment: Mapping[str, str]) -> None:
        """Prepare; nothing is written when ``stream`` is no terminal."""
        self._stream = stream
        self._total = total
        self._done = 0
        self._under_way: dict[str, None] = {}
        self._live = not quiet and stream.isatty() and environment.get("TERM") != "dumb"

    def start(self, url: str) -> None:
        """A page is being analyzed."""
        self._under_way[url] = None
        self._draw()

    def finish(self, url: str) -> None:
        """It is done, well or not."""
        self._under_way.pop(url, None)
        self._done += 1
        self._draw()

    def clear(self) -> None:
        """Leave the line as it was found."""
        if self._live:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _draw(self) -> None:
        if not self._live:
            return
        count = f"{self._done}/{self._total} " if self._total > 1 else ""
        line = f"{count}analyzing {next(iter(self._under_way), '')}".rstrip()
        width = shutil.get_terminal_size((80, 24)).columns
        self._stream.write(_CLEAR + visible(line, max(20, width - 1)))
        self._stream.flush()
