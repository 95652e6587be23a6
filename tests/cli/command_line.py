"""Commands that look after a database, run in this process on a database of the test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from pagegrade.cli.app import run
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database


@dataclass(slots=True)
class Said:
    """The outcome of a command."""

    code: int
    out: str
    err: str


@dataclass(slots=True)
class CommandLine:
    """``command_line("keys", "list")``."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    server_url: str | None = None
    """Of a database that is no file."""

    def __call__(self, *arguments: str) -> Said:
        self.capture.readouterr()
        code = run(arguments)
        captured = self.capture.readouterr()
        return Said(code, captured.out, captured.err)

    @property
    def url(self) -> str:
        """Of the database the commands work on."""
        return self.server_url or f"sqlite:///{self.folder / 'pagegrade.db'}"

    def open(self) -> Database:
        """The same database; close it."""
        return open_database(self.url)
