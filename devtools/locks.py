"""The hashed locks: which there are, how they are made, and whether they are current.

``python -m devtools.locks`` makes them anew (network), ``--check`` compares only (no network), ``--upgrade`` also
takes newer versions. A lock starts with the hash of what it was made from, so that a forgotten ``make lock`` shows
without the network.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
UV: Final = ROOT / ".venv" / ".uv" / "bin" / "uv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """One file in ``requirements/`` and what goes into it."""

    name: str
    project: bool
    """The project's own run-time dependencies are part of it."""
    groups: tuple[str, ...] = ()
    """Dependency groups of ``pyproject.toml``."""
    extras: tuple[str, ...] = ()
    """Optional dependencies of the project that are part of it."""
    within: str | None = None
    """The lock whose versions it repeats, so that two levels of one ``.venv`` never differ in a version."""

    @property
    def path(self) -> Path:
        """Path of the lock."""
        return ROOT / "requirements" / f"{self.name}.txt"


INSTALLED: Final = ("audit", "pdf", "postgresql", "uvloop")
"""Extras that an installation from this repository or from the image includes."""
LOCKS: Final = (
    Lock(name="dev", project=True, groups=("test", "lint"), extras=("client", "mcp", "otel", *INSTALLED)),
    Lock(name="test", project=True, groups=("test",), extras=("client", "mcp", "otel", *INSTALLED), within="dev"),
    Lock(name="run", project=True, extras=INSTALLED, within="dev"),
    Lock(name="otel", project=True, extras=("otel", *INSTALLED), within="dev"),
    Lock(name="site", project=False, groups=("site",)),
    Lock(name="release", project=False, groups=("release",)),
    Lock(name="build", project=False, groups=("build",)),
    Lock(name="uv", project=False, groups=("bootstrap",)),
)
"""In the order they are made: a lock comes after the one it repeats."""


def input_hash(lock: Lock, pyproject: dict[str, Any]) -> str:
    """SHA-256 (hexadecimal) of everything in ``pyproject.toml`` that decides what is in ``lock``."""
    project = pyproject["project"]
    groups = pyproject["dependency-groups"]
    inputs: dict[str, Any] = {
        "python": project["requires-python"],
        "dependencies": sorted(project["dependencies"]) if lock.project else [],
        "groups": {name: sorted(groups[name]) for name in lock.groups},
    }
    if lock.extras:
        inputs["extras"] = {name: sorted(project["optional-dependencies"][name]) for name in lock.extras}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def header(lock: Lock, pyproject: dict[str, Any]) -> str:
    """First lines of the lock's file."""
    return f"# Made by `make lock`; do not edit.\n# input: sha256:{input_hash(lock, pyproject)}\n"


def problems(root: Path = ROOT) -> list[str]:
    """List the errors of the committed locks, one sentence each; empty if all are current."""
    pyproject = tomllib.loads((root / "pyproject.toml").read_text())
    found = []
    for lock in LOCKS:
        path = root / "requirements" / lock.path.name
        text = path.read_text() if path.exists() else ""
        if not text.startswith(header(lock, pyproject)):
            found.append(f"requirements/{path.name} does not belong to this pyproject.toml: run `make lock`.")
        found += [
            f"requirements/{path.name}: {line.split()[0]} has no hash."
            for line in text.splitlines()
            if "==" in line and not line.startswith((" ", "#")) and not line.endswith("\\")
        ]
        if "://" in text:
            found.append(f"requirements/{path.name} names an address; locks hold names, versions and hashes only.")
    return found


def compile_lock(lock: Lock, pyproject: dict[str, Any], *, upgrade: bool) -> None:
    """Resolve ``lock`` for every supported Python and platform and write it.

    Raises:
        subprocess.CalledProcessError: The resolver found no answer; it has said why on stderr.
    """
    command = [str(UV), "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header"]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--python-version", "3.11"]
    command += ["--upgrade"] if upgrade else []
    if lock.within is not None:
        command += ["--constraint", f"requirements/{lock.within}.txt"]
    command += [argument for group in lock.groups for argument in ("--group", group)]
    command += [argument for extra in lock.extras for argument in ("--extra", extra)]
    command += ["pyproject.toml"] if lock.project else []
    body = lock.path.read_text() if lock.path.exists() else ""
    lock.path.write_text(body)  # What is pinned already stays, unless newer versions are asked for.
    subprocess.run([*command, "--output-file", str(lock.path)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    lock.path.write_text(header(lock, pyproject) + lock.path.read_text())


def tools(name: str) -> Path:
    """Return the environment ``.tools/NAME``, made from that lock on the first call and whenever the lock changes.

    Raises:
        subprocess.CalledProcessError: The installer failed; it has said why on stderr.
    """
    home, lock = ROOT / ".tools" / name, ROOT / "requirements" / f"{name}.txt"
    stamp = home / ".lock"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return home
    print(f"Installing requirements/{name}.txt into .tools/{name}, once ...", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    environment = os.environ | {"UV_SYSTEM_CERTS": os.environ.get("UV_SYSTEM_CERTS", "true")}
    python = home / "bin" / "python"
    for arguments in (
        ("venv", "--quiet", "--python", sys.executable, home),
        ("pip", "sync", "--quiet", "--require-hashes", "--python", python, lock),
    ):
        subprocess.run([UV, *arguments], env=environment, check=True)
    stamp.write_bytes(lock.read_bytes())
    return home


def main(arguments: list[str]) -> int:
    """Make or check the locks; returns the exit status."""
    if "--check" not in arguments:
        pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
        for lock in LOCKS:
            compile_lock(lock, pyproject, upgrade="--upgrade" in arguments)
    found = problems()
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
