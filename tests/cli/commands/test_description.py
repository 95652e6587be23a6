from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagegrade.cli.app import run


def test_the_description_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """For a pipe."""
    code = run(["openapi"])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.0"


def test_the_description_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same, and nothing else is said."""
    path = tmp_path / "openapi.json"
    run(["openapi"])
    shown = capsys.readouterr().out
    code = run(["openapi", "--output", str(path)])

    assert code == 0
    assert path.read_text(encoding="utf-8") == shown
    assert capsys.readouterr().out == ""


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason."""
    path = tmp_path / "nowhere" / "openapi.json"

    assert run(["openapi", "--output", str(path)]) == 2
    assert f"{path} cannot be written" in " ".join(capsys.readouterr().err.split())
