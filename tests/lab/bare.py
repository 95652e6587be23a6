"""``python -m tests.lab.bare FOLDER COMMAND...``, in a mount namespace: run a command that can write to a folder only.

Every file system but /proc is read-only, /tmp and /dev/shm too, as in a container with a read-only root and one volume.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from tests.lab.namespace import MS_BIND, MS_REC_PRIVATE, mount

_MS_RDONLY, _MS_REMOUNT = 1, 32
_KEPT: Final = {"nosuid": 2, "nodev": 4, "noexec": 8, "noatime": 1024, "nodiratime": 2048, "relatime": 1 << 21}
"""Flags of a mount that only its owner may take away."""


def make_read_only(writable: Path) -> None:
    """Make every file system of this mount namespace read-only, but /proc and one folder.

    Raises:
        OSError: A step is not permitted here.
    """
    mount(b"none", b"/", MS_REC_PRIVATE)
    mount(os.fsencode(writable), os.fsencode(writable), MS_BIND)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, options = line.split()[4:6]
        if place != str(writable) and not f"{place}/".startswith("/proc/"):
            kept = sum(_KEPT.get(option, 0) for option in options.split(","))
            mount(b"none", os.fsencode(place), _MS_REMOUNT | MS_BIND | _MS_RDONLY | kept)


if __name__ == "__main__":
    make_read_only(Path(sys.argv[1]).resolve())
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - a command of the tests
