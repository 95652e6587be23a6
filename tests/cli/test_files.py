"""Files named on the command line."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import typer

from pagegrade.cli import files
from pagegrade.cli.files import read_file, typed_lines


def test_file_is_read_whole(tmp_path: Path) -> None:
    """Its bytes, nothing else."""
    path = tmp_path / "page.html"
    path.write_bytes(b"\x00\xff<p>")

    assert read_file(str(path), "--html") == b"\x00\xff<p>"


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped")))

    assert read_file("-", "--html") == b"piped"


@pytest.mark.parametrize("name", ["missing.html", "."])
def test_unreadable_file_names_the_option_and_the_path(tmp_path: Path, name: str) -> None:
    """The message says which file and what is wrong with it."""
    with pytest.raises(typer.BadParameter) as failure:
        read_file(str(tmp_path / name), "--html")

    assert str(tmp_path / name) in failure.value.message
    assert failure.value.param_hint == "'--html'"


def test_limit_is_the_last_size_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit it is read, one byte past it is refused."""
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    path = tmp_path / "x"
    path.write_bytes(b"x" * 10)

    assert len(read_file(str(path), "--html")) == 10
    path.write_bytes(b"x" * 11)
    with pytest.raises(typer.BadParameter, match="larger"):
        read_file(str(path), "--html")


def test_a_value_may_stand_in_a_file(tmp_path: Path) -> None:
    """Then it is in no list of processes; empty lines count nothing."""
    path = tmp_path / "headers"
    path.write_text("X-One: 1\n\nX-Two: 2\n")

    assert typed_lines("X-One: 1", "--header") == ["X-One: 1"]
    assert typed_lines(f"@{path}", "--header") == ["X-One: 1", "X-Two: 2"]
