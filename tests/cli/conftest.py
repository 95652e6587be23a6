"""A command line of its own for each test that asks for one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine


@pytest.fixture
def command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Commands on an empty data folder; whatever else the machine sets does not count."""
    for name in list(os.environ):
        if name.startswith("PAGEGRADE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)  # away from any .env of the project
    return CommandLine(tmp_path / "data", capfd)
