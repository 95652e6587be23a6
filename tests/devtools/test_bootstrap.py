"""When the set-up has something to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devtools import bootstrap

ROOT = Path(__file__).resolve().parents[2]


def make_project(root: Path) -> Path:
    """A folder that looks like a fresh clone."""
    (root / "requirements").mkdir()
    (root / ".venv").mkdir()
    for name in ("pyproject.toml", *(f"requirements/{lock}.txt" for lock in ("uv", "build", "run", "test", "dev"))):
        (root / name).write_text(name)
    return root


def mark_ready(root: Path, level: str) -> None:
    """The files that a finished set-up leaves behind."""
    (root / ".venv" / f".ready-{level}").write_text(bootstrap.fingerprint(root, level))


def test_a_fresh_clone_is_not_ready(tmp_path: Path) -> None:
    """Nothing is installed before the first set-up."""
    root = make_project(tmp_path)

    assert not any(bootstrap.ready(root, level) for level in bootstrap.LEVELS)


def test_a_level_contains_those_before_it(tmp_path: Path) -> None:
    """After `make setup`, `make test` and `make analyze` install nothing."""
    root = make_project(tmp_path)
    mark_ready(root, "test")

    assert bootstrap.ready(root, "run")
    assert bootstrap.ready(root, "test")
    assert not bootstrap.ready(root, "dev")


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "requirements/uv.txt", "requirements/build.txt", "requirements/dev.txt"]
)
def test_a_changed_input_asks_for_a_new_set_up(tmp_path: Path, name: str) -> None:
    """A pull that brings a new lock leads to a new set-up by itself."""
    root = make_project(tmp_path)
    mark_ready(root, "dev")
    (root / name).write_text("changed")

    assert not bootstrap.ready(root, "dev")


def test_a_moved_folder_asks_for_a_new_set_up(tmp_path: Path) -> None:
    """Scripts of an environment hold its path."""
    (tmp_path / "before").mkdir()
    root = make_project(tmp_path / "before")
    mark_ready(root, "dev")
    moved = root.rename(tmp_path / "after")

    assert not bootstrap.ready(moved, "dev")


def test_an_unknown_level_is_refused_without_touching_anything() -> None:
    """A typo in the Makefile must not destroy an environment."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "devtools" / "bootstrap.py"), "everything"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert "run|test|dev" in done.stderr
