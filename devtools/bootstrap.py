"""Set up ``.venv`` with nothing but a Python: ``python devtools/bootstrap.py run|test|dev``.

Run by the Makefile before every command, so it must be cheap when there is nothing to do (one hash of two files),
uses the standard library only, and prints its progress on stderr: stdout belongs to the command.

Inside ``.venv``: ``.uv/`` holds the installer (apart, because ``uv pip sync`` removes what a lock does not name), and
``.ready-LEVEL`` the hash of what was installed. A level contains those before it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
LEVELS: Final = ("run", "test", "dev")
OLDEST: Final = (3, 11)


def fingerprint(root: Path, level: str) -> str:
    """Hash of everything that decides what ``level`` installs from the folder ``root``."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "requirements/uv.txt", "requirements/build.txt", f"requirements/{level}.txt"):
        digest.update((root / name).read_bytes() + b"\0")
    digest.update(str(root).encode())  # A folder that was moved or copied has scripts that point elsewhere.
    return digest.hexdigest()


def ready(root: Path, level: str) -> bool:
    """Return whether ``root/.venv`` already contains ``level`` or more, made from the current locks."""
    for candidate in LEVELS[LEVELS.index(level) :]:
        stamp = root / ".venv" / f".ready-{candidate}"
        if stamp.exists() and stamp.read_text() == fingerprint(root, candidate):
            return True
    return False


def run(*command: str | Path) -> None:
    """Run a command of the set-up with its output on stderr.

    Raises:
        SystemExit: It failed; its own message precedes.
    """
    status = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=sys.stderr, check=False).returncode
    if status:
        sys.exit(f"Set-up stopped: `{Path(command[0]).name} {command[1]}` ended with status {status}.")


def make_environment(venv: Path) -> list[str]:
    """Create ``venv`` if it is missing, and return the command that runs a pip for it."""
    python = venv / "bin" / "python"
    if python.exists() and subprocess.run([python, "-c", ""], check=False, capture_output=True).returncode:
        shutil.rmtree(venv)  # Its Python is gone, as after an upgrade of the system.
    if not python.exists():
        try:
            import ensurepip  # noqa: F401 - some systems ship Python without it
        except ImportError:
            run(sys.executable, "-m", "venv", "--without-pip", venv)
        else:
            run(sys.executable, "-m", "venv", venv)
    if subprocess.run([python, "-m", "pip", "--version"], check=False, capture_output=True).returncode == 0:
        return [str(python), "-m", "pip"]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], check=False, capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip", "--python", str(python)]
    sys.exit("This Python has neither ensurepip nor pip; on Debian and Ubuntu install the package python3-venv.")


def bring_uv(venv: Path) -> Path:
    """Return the pinned uv inside ``venv``, installed on the first call and whenever its pin changes."""
    home = venv / ".uv"
    pin = ROOT / "requirements" / "uv.txt"
    stamp = home / ".pin"
    if not (stamp.exists() and stamp.read_bytes() == pin.read_bytes()):
        pip = make_environment(venv)
        shutil.rmtree(home, ignore_errors=True)
        run(*pip, "install", "-qq", "--require-hashes", "--no-deps", "--target", home, "--requirement", pin)
        stamp.write_bytes(pin.read_bytes())
    return home / "bin" / "uv"


def report(step: str) -> None:
    """Print a step of the set-up on stderr."""
    print(f"  {step} ...", file=sys.stderr, flush=True)


def install(level: str) -> None:
    """Make ``.venv`` contain exactly what the lock of ``level`` names, and the project itself, editable."""
    begun_s = time.monotonic()
    venv = ROOT / ".venv"
    count = len(re.findall(r"^[\w.-]+==", (ROOT / "requirements" / f"{level}.txt").read_text(), re.MULTILINE))
    print(f"Setting up .venv ({level}), once:", file=sys.stderr, flush=True)
    report("create the environment and the installer")
    for stamp in venv.glob(".ready-*"):
        stamp.unlink()  # An interrupted set-up must not look finished.
    make_environment(venv)
    uv = bring_uv(venv)
    # A uv that is called from inside another environment would take that one.
    os.environ["VIRTUAL_ENV"] = str(venv)
    os.environ.pop("CONDA_PREFIX", None)
    # The machine knows which authorities its network is signed by, as pip and curl do; uv brings a list of its own.
    os.environ.setdefault("UV_SYSTEM_CERTS", "true")
    requirements = ROOT / "requirements"
    report(f"install {count} packages from requirements/{level}.txt")
    run(uv, "pip", "sync", "--quiet", "--require-hashes", requirements / f"{level}.txt")
    report("install Pagegrade")
    run(
        *(uv, "pip", "install", "--quiet", "--no-deps", "--reinstall-package", "pagegrade"),
        *("--build-constraints", requirements / "build.txt", "--editable", ROOT),
    )
    (venv / f".ready-{level}").write_text(fingerprint(ROOT, level))
    print(f"  ready after {time.monotonic() - begun_s:.0f} s", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Set up the level named by the first argument; returns the exit status."""
    if sys.version_info < OLDEST:
        sys.exit("Pagegrade needs Python 3.11 or newer: install one, or name it: make PYTHON=/path/to/python3")
    level = arguments[0] if arguments else "dev"
    if level not in LEVELS:
        sys.exit(f"bootstrap.py {'|'.join(LEVELS)}, not {level!r}")
    if not ready(ROOT, level):
        install(level)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
