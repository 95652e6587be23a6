"""Sources of generated data: files on the web, and packages of npm and their contents."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path
from typing import Final

TIMEOUT_S: Final = 20
MAX_BYTES: Final = 64 << 20


class Unreachable(Exception):
    """A source cannot be read from here."""


def download(url: str) -> bytes:
    """Return the content of a file on the web.

    Raises:
        Unreachable: curl is not installed, cannot read the file, or it is larger than ``MAX_BYTES``.
    """
    command = ["curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https"]
    command += ["--max-time", str(TIMEOUT_S), "--max-filesize", str(MAX_BYTES), "--", url]
    return _run(command)


def npm_package(name: str, folder: Path) -> Path:
    """Unpack the newest version of a package of npm and return its folder.

    Args:
        name: Of the package.
        folder: Where it is unpacked; it must exist and be empty.

    Raises:
        Unreachable: npm is not installed, or cannot reach the package.
    """
    _run(["npm", "pack", "--silent", name], cwd=folder)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    return folder / "package"


def _run(command: list[str], cwd: Path | None = None) -> bytes:
    """Return what a command prints."""
    try:
        return subprocess.run(command, cwd=cwd, check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise Unreachable(f"{command[0]} is not installed") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unreachable(f"{' '.join(command[-2:])}: {said[-1] if said else f'status {error.returncode}'}") from None
