"""A command line of its own for each test that asks for one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagegrade import wiring
from tests.cli.command_line import CommandLine
from tests.postgres import databases
from tests.store_builders import Backend


@pytest.fixture
def command_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, backend: Backend
) -> CommandLine:
    """Commands on an empty data folder or database; whatever else the machine sets does not count."""
    for name in list(os.environ):
        if name.startswith("PAGEGRADE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)  # away from any .env of the project
    monkeypatch.setattr(wiring, "_env_file", None)
    url = None
    if backend == "postgresql":
        url = databases().make_empty()
        monkeypatch.setenv("PAGEGRADE_DATABASE_URL", url)
    return CommandLine(tmp_path / "data", capfd, url)
