"""The units are ones that systemd understands, and that fit how a process starts and stops."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pagegrade.config import Settings
from tests.deploy.files import PROGRAM, UNITS, unit_lines, unit_values

GRACE_S = Settings.model_fields["grace_seconds"].default
LEASE_S = Settings.model_fields["lease_seconds"].default
NEEDS_SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed here")
WORST_EXPOSURE = 15
"""Of 100, as ``systemd-analyze security`` counts; 14 is what is left with a network and limits for parsers."""
each_unit = pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)


@each_unit
def test_stopping_is_waited_for(path: Path) -> None:
    """Nothing is killed that is still finishing its work; processes with runs also need time to give them back."""
    [timeout] = unit_values(path, "TimeoutStopSec")
    [command] = unit_values(path, "ExecStart")
    works = "--no-worker" not in command

    assert float(timeout) > GRACE_S + (LEASE_S if works else 0)


@each_unit
def test_parsers_are_left_to_their_parent(path: Path) -> None:
    """A stop notifies the main process alone; a parser that runs out of memory does not end the service."""
    assert unit_values(path, "KillMode") == ["mixed"]
    assert unit_values(path, "OOMPolicy") == ["continue"]


@each_unit
def test_parsers_may_limit_themselves(path: Path) -> None:
    """The system calls with which a process limits itself are not filtered."""
    filters = unit_values(path, "SystemCallFilter")

    assert filters == ["@system-service", "~@privileged"]


@each_unit
def test_a_wrong_setting_is_not_tried_again(path: Path) -> None:
    """Failures are; status 2 would only say the same again and again."""
    assert unit_values(path, "Restart") == ["on-failure"]
    assert unit_values(path, "RestartPreventExitStatus") == ["2"]


@each_unit
def test_no_unit_runs_as_root(path: Path) -> None:
    """The user is the one that the file for systemd-sysusers makes."""
    made = (path.parent / "pagegrade.sysusers.conf").read_text(encoding="utf-8")

    assert unit_values(path, "User") == ["pagegrade"]
    assert "\nu pagegrade " in made


@each_unit
def test_no_secret_is_in_a_unit(path: Path) -> None:
    """All users may read units, and the environment shows in them."""
    for key, value in unit_lines(path):
        if key == "Environment" and value.partition("=")[0].endswith(("_KEY", "_TOKEN", "_URL")):
            pytest.fail(value)

    assert unit_values(path, "LoadCredential")


def test_the_units_confine_alike() -> None:
    """A right that one of them takes away, all do."""
    own = {"Description", "After", "ExecStart", "TimeoutStopSec", "LoadCredential", "Environment"}
    kept = {"StateDirectory", "StateDirectoryMode"}
    shared = [{pair for pair in unit_lines(path) if pair[0] not in own | kept} for path in UNITS]

    assert len(shared) == 3
    assert shared[0] == shared[1] == shared[2]


@NEEDS_SYSTEMD
@each_unit
def test_systemd_understands_the_unit(path: Path, tmp_path: Path) -> None:
    """The real program has nothing to say about it; ours is not installed where it looks, so another one stands in."""
    unit = tmp_path / path.name
    unit.write_text(path.read_text(encoding="utf-8").replace(PROGRAM, sys.executable), encoding="utf-8")
    result = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit],  # noqa: S607
        capture_output=True,
        check=False,
        text=True,
    )

    assert result.returncode == 0
    assert result.stdout + result.stderr == ""


@NEEDS_SYSTEMD
@each_unit
def test_little_is_left_to_take_away(path: Path) -> None:
    """The measure of systemd for how much a broken service could do stays where it is."""
    result = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={WORST_EXPOSURE}", path],  # noqa: S607
        capture_output=True,
        check=False,
        text=True,
    )

    assert result.returncode == 0, result.stdout[-400:]


@NEEDS_SYSTEMD
@each_unit
def test_systemd_understands_what_a_browser_needs(path: Path, tmp_path: Path) -> None:
    """The addition for browsers belongs to each unit, and opens namespaces and two calls alone."""
    unit = tmp_path / path.name
    unit.write_text(path.read_text(encoding="utf-8").replace(PROGRAM, sys.executable), encoding="utf-8")
    folder = tmp_path / f"{path.name}.d"
    folder.mkdir()
    addition = path.parent / "browser.conf"
    (folder / addition.name).write_text(addition.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit],  # noqa: S607
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert unit_values(addition, "RestrictNamespaces") == ["", "user net pid"]
    assert unit_values(addition, "SystemCallFilter") == ["chroot capset"]
