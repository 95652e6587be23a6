from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine import data_dir as module
from pagegrade.store.engine.data_dir import (
    LOCK_NAME,
    default_folder,
    file_system_of,
    prepare_folder,
    serving_process,
    try_writing,
)

pytestmark = pytest.mark.backend("sqlite", reason="where the file lies")

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
40 22 0:50 / {place}/net rw,relatime shared:2 master:3 - nfs4 server:/share rw
41 22 0:51 / {place}/with\\040blank rw - cifs //server/share rw
42 40 8:2 / {place}/net/local rw - xfs /dev/sdb1 rw
43 22 8:3 / {place}/twice rw - ext4 /dev/sdc1 rw
44 22 0:52 / {place}/twice rw - fuse.sshfs server: rw
damaged line
"""


def mounts(tmp_path: Path) -> Path:
    """A table of mounts with folders of ``tmp_path`` in it."""
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTS.format(place=tmp_path))
    return path


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("net", "nfs4"),
        ("net/deep/er", "nfs4"),
        ("net/local/x", "xfs"),
        ("network", "ext4"),
        ("with blank", "cifs"),
        ("twice", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_says_what_a_folder_lies_on(tmp_path: Path, name: str, kind: str) -> None:
    """By whole names, and the last of two at one place."""
    assert file_system_of(tmp_path / name, mounts(tmp_path)) == kind


def test_a_link_is_followed_to_where_it_leads(tmp_path: Path) -> None:
    """The disk that holds the bytes counts."""
    (tmp_path / "net").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "net")

    assert file_system_of(tmp_path / "link", mounts(tmp_path)) == "nfs4"


def test_a_system_without_the_figure_passes(tmp_path: Path) -> None:
    """There is no such table outside of Linux."""
    assert file_system_of(tmp_path, tmp_path / "absent") is None


def test_a_folder_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """It holds hashes of keys and passwords; folders above it stay as they are."""
    made = prepare_folder(tmp_path / "a" / "b")

    assert made.stat().st_mode & 0o777 == 0o700
    assert made.parent.stat().st_mode & 0o777 == 0o777 & ~_umask()
    assert prepare_folder(made) == made


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks do not hold there, and a database is lost weeks later."""
    (tmp_path / "net").mkdir()
    table = mounts(tmp_path)
    monkeypatch.setattr(module, "file_system_of", lambda place: file_system_of(place, table))

    with pytest.raises(InvalidInput, match=r"network file system \(nfs4\).*PAGEGRADE_DATA_DIR"):
        prepare_folder(tmp_path / "net")


def test_a_file_in_the_way_is_reported(tmp_path: Path) -> None:
    """With the path and the way out."""
    (tmp_path / "data").write_text("")

    with pytest.raises(InvalidInput, match=r"data cannot be made .*PAGEGRADE_DATA_DIR"):
        prepare_folder(tmp_path / "data")


def test_a_folder_that_may_not_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the database fails in the middle of something."""
    monkeypatch.setattr(os, "access", lambda *_: False)

    with pytest.raises(InvalidInput, match="cannot be written"):
        prepare_folder(tmp_path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("/srv/share", "/srv/share/pagegrade"),
        ("", "/srv/alice/.local/share/pagegrade"),
        ("relative", "/srv/alice/.local/share/pagegrade"),
    ],
)
def test_the_systems_folder_for_data_is_the_default(monkeypatch: pytest.MonkeyPatch, given: str, expected: str) -> None:
    """By the specification of desktops; a relative path is as if absent."""
    monkeypatch.setenv("HOME", "/srv/alice")
    monkeypatch.setenv("XDG_DATA_HOME", given)
    monkeypatch.setattr(sys, "platform", "linux")

    assert default_folder() == Path(expected)


def test_a_user_without_a_home_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Service accounts have none, and need a word instead of a traceback."""

    def fail() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)

    with pytest.raises(InvalidInput, match="PAGEGRADE_DATA_DIR"):
        default_folder()


def test_a_trial_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it fails."""
    try_writing(tmp_path)

    def fail(_descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="output"):
        try_writing(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("content", "process"), [("12\n", 12), ("", 0), ("words", 0)])
def test_the_server_of_a_folder_is_known_by_its_lock(tmp_path: Path, content: str, process: int) -> None:
    """And by nothing else; asking does not take the lock away."""
    path = tmp_path / LOCK_NAME

    assert serving_process(tmp_path) is None

    path.write_text(content)

    assert serving_process(tmp_path) is None

    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        assert serving_process(tmp_path) == process
        assert serving_process(tmp_path) == process
