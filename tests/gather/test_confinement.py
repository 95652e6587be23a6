from __future__ import annotations

import os
import platform
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pagegrade.gather import confinement
from pagegrade.gather.confinement import code_folders, landlock_version
from tests.kernel import knows_filters

ROOT: Final = Path(__file__).resolve().parents[2]
needs_landlock: Final = pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
needs_filters: Final = pytest.mark.skipif(not knows_filters(), reason="the kernel, or the product, knows no filter")
BEFORE: Final = """
import os, socket, subprocess, sys, threading
from pathlib import Path
from pagegrade.gather import confinement

def permitted(attempt):
    try:
        attempt()
    except PermissionError:
        return False
    return True

folder = Path(sys.argv[1])
"""


def answers(script: str, folder: Path) -> list[str]:
    """Lines that a process of its own prints: rights that are given up do not come back."""
    done = subprocess.run(
        [sys.executable, "-c", f"{BEFORE}{script}", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.split()


@needs_landlock
def test_only_the_listed_paths_can_be_read_and_changed(tmp_path: Path) -> None:
    """Each with all that is in it; a path that does not exist is no obstacle."""
    for name in ("seen", "kept", "hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("x")
    script = """
readable = (*confinement.code_folders(), folder / "seen", folder / "missing")
print(confinement.restrict_paths(readable=readable, writable=(folder / "kept",)))
for name in ("seen", "kept", "hidden"):
    print(permitted((folder / name / "a").read_text), permitted(lambda: (folder / name / "b").write_text("y")))
print(permitted(lambda: subprocess.run(["/bin/true"])))
"""

    found = answers(script, tmp_path)

    assert found == ["True", "True", "False", "True", "True", "False", "False", "False"]
    assert (tmp_path / "kept" / "b").read_text() == "y"


@needs_landlock
def test_programs_run_where_they_are_permitted(tmp_path: Path) -> None:
    """As those of a browser are."""
    script = """
confinement.restrict_paths(readable=(Path("/"),), runs_programs=True)
print(subprocess.run(["/bin/echo", "ran"], capture_output=True, text=True).stdout)
"""

    assert answers(script, tmp_path) == ["ran"]


@needs_filters
@pytest.mark.parametrize(
    "attempt",
    [
        "socket.socket",
        "lambda: socket.socketpair()",
        "lambda: os.open(folder / 'a', os.O_WRONLY | os.O_CREAT)",
        "lambda: os.open(folder, os.O_TRUNC)",
        "lambda: os.mkdir(folder / 'b')",
        "os.fork",
        "lambda: os.execv('/bin/true', ['true'])",
        "lambda: os.kill(os.getppid(), 0)",
    ],
)
def test_calls_beyond_reading_and_computing_fail(attempt: str, tmp_path: Path) -> None:
    """As if they were not permitted, so that code that tries them goes on."""
    script = f"print(confinement.restrict_calls(), permitted({attempt}))"

    assert answers(script, tmp_path) == ["True", "False"]


@needs_filters
def test_reading_computing_threads_and_signals_to_oneself_remain(tmp_path: Path) -> None:
    """Typst draws with threads, and a process may end itself."""
    (tmp_path / "a").write_text("x")
    script = """
confinement.restrict_calls()
thread = threading.Thread(target=lambda: print((folder / "a").read_text()))
thread.start(); thread.join()
os.kill(os.getpid(), 0)
print(len(os.listdir(folder)), sum(range(10)))
"""

    assert answers(script, tmp_path) == ["x", "1", "45"]


@needs_filters
def test_a_filter_belongs_to_one_kind_of_machine() -> None:
    """Every jump of it stays inside, and it ends by refusing."""
    for machine, (number, calls) in confinement._ARCHITECTURES.items():
        program = confinement._filter(number, calls)
        steps = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
        targets = [at + 1 + max(yes, no) for at, (_, yes, no, _) in enumerate(steps)]

        assert max(targets) <= len(steps), machine
        assert steps[-1] == (confinement._RETURN, 0, 0, confinement._REFUSE)
        assert len(set(calls.values())) == len(calls), machine


@pytest.mark.parametrize(
    ("machine", "header", "special"),
    [
        ("x86_64", "x86_64-linux-gnu/asm/unistd_64.h", {}),
        ("aarch64", "asm-generic/unistd.h", {"newfstatat": "fstatat"}),
    ],
)
def test_numbers_of_calls_are_those_of_the_kernel(machine: str, header: str, special: dict[str, str]) -> None:
    """Of every machine, wherever this runs: 64-bit ARM has the generic numbers, 3264 where 32 bits have other calls."""
    path = Path("/usr/include", header)
    if not path.exists():
        pytest.skip(f"{path} (linux-libc-dev) is not installed here")
    numbers = dict(re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", path.read_text(encoding="ascii"), re.MULTILINE))
    _, calls = confinement._ARCHITECTURES[machine]

    assert {name: str(number) for name, number in calls.items()} == {
        name: numbers.get(special.get(name, name)) for name in calls
    }


def test_the_machines_can_do_the_same() -> None:
    """The generic calls lack the older names of some; what replaces them is allowed."""
    older = {"access": "faccessat", "lstat": "newfstatat", "open": "openat", "pause": "ppoll", "poll": "ppoll"}
    older |= {"readlink": "readlinkat", "stat": "newfstatat", "time": "gettimeofday"}
    known = {machine: set(calls) for machine, (_, calls) in confinement._ARCHITECTURES.items()}

    assert {older.get(name, name) for name in known["x86_64"]} | {"ppoll"} == known["aarch64"]


@pytest.mark.parametrize("restrict", [confinement.restrict_calls, confinement.enter_own_namespace, landlock_version])
def test_other_systems_have_none_of_it(restrict: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is tried there, and nothing is claimed."""
    monkeypatch.setattr(sys, "platform", "darwin")

    assert not restrict()
    assert not confinement.restrict_paths(readable=())


def test_an_unknown_machine_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers of its calls are not known."""
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")

    assert not confinement.restrict_calls()


def test_the_folders_of_the_code_hold_what_is_running() -> None:
    """The interpreter's library, this package, and libraries that are loaded."""
    folders = [folder.resolve() for folder in code_folders()]

    for path in (Path(os.__file__), Path(confinement.__file__), Path(struct.__file__)):
        assert any(path.resolve().is_relative_to(folder) for folder in folders), path
