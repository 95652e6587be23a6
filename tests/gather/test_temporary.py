from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import get_args

import pytest

from pagegrade.cli.app import run
from pagegrade.gather.temporary import PROBE, Kind, delete_leftovers, find_leftovers, own_folder, sweep_folders

OWNER = """
import os, signal, sys
from pagegrade.gather.temporary import own_folder
with own_folder(sys.argv[1]) as folder:
    (folder / "profile").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.mark.parametrize("kind", get_args(Kind))
def test_folders_without_an_owner_are_swept(kind: Kind, temporary: Path) -> None:
    """Those that a killed process left, by the next start of any command; not one that is used."""
    subprocess.run([sys.executable, "-c", OWNER, kind], check=False)
    (temporary / "another").mkdir()
    with own_folder(kind) as used:
        before = {path.name for path in temporary.iterdir()}
        run(["checks", "--format", "json"])
        left = {path.name for path in temporary.iterdir()}

    assert len(before) == 3
    assert left == {used.name, "another"}
    assert {path.name for path in temporary.iterdir()} == {"another"}


def test_a_link_is_never_followed(temporary: Path, tmp_path: Path) -> None:
    """Everyone can make one in a folder for temporary files."""
    (tmp_path / "kept").mkdir()
    for name in ("pagegrade-audit-link", "pagegrade-browser-link", "pagegrade-pictures-link"):
        (temporary / name).symlink_to(tmp_path / "kept")

    assert sweep_folders() == 0
    assert find_leftovers() == []
    assert (tmp_path / "kept").is_dir()


def test_leftovers_of_older_versions_are_found_and_deleted(temporary: Path, tmp_path: Path) -> None:
    """By their names: pictures, and files that a disk was tried with; large files are something else."""
    (temporary / "pagegrade-pictures-x").mkdir()
    (temporary / "pagegrade-pictures-x" / "a.webp").touch()
    (temporary / "pagegrade-pictures.txt").touch()
    (tmp_path / f"{PROBE}x").write_bytes(b"x" * 4_096)
    (tmp_path / f"{PROBE}y").write_bytes(b"x" * 4_097)
    found = find_leftovers(tmp_path)
    kept = delete_leftovers(found)

    assert found == [tmp_path / f"{PROBE}x", temporary / "pagegrade-pictures-x"]
    assert kept == find_leftovers(tmp_path) == []
    assert sorted(path.name for path in temporary.iterdir()) == ["pagegrade-pictures.txt"]


def test_no_folder_for_temporary_files_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a browser are in memory."""

    def none() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(tempfile, "gettempdir", none)

    assert sweep_folders() == 0
