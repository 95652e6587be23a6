"""The folder that keeps everything: made for its owner only, on a disk that SQLite can trust."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.server_lock import LOCK_NAME

DATABASE_NAME: Final = "pagegrade.db"
MOUNTS: Final = Path("/proc/self/mountinfo")
NETWORK_FILE_SYSTEMS: Final = frozenset(
    "9p afs ceph cifs coda fuse.glusterfs fuse.s3fs fuse.sshfs glusterfs lustre ncpfs nfs nfs4 smb smb3 smbfs".split()
)
"""Types on which locks and shared memory do not hold between machines, so that SQLite's log can be damaged.

Source: https://www.sqlite.org/wal.html#overview, disadvantage 2
"""


def default_folder() -> Path:
    """The folder for a user's data as the system has it.

    Raises:
        InvalidInput: The system knows no home of this user.

    Source: https://specifications.freedesktop.org/basedir-spec/latest/#variables
    """
    given = os.environ.get("XDG_DATA_HOME", "")
    # A relative path there is to be ignored, by the specification.
    if given and Path(given).is_absolute():
        return Path(given) / "pagegrade"
    try:
        home = Path.home()
    except RuntimeError:
        raise InvalidInput("This user has no home folder. Set PAGEGRADE_DATA_DIR.") from None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "pagegrade"
    return home / ".local" / "share" / "pagegrade"


def prepare_folder(folder: Path) -> Path:
    """Make the folder where it is missing, readable for its owner only; its absolute path.

    Raises:
        InvalidInput: It cannot be made or written, or lies on a network file system.
    """
    folder = folder.absolute()
    try:
        # Parents keep the usual rights: they may be shared with other programs.
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InvalidInput(_cannot(folder, "be made", error)) from None
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise InvalidInput(_cannot(folder, "be written", None))
    kind = file_system_of(folder)
    if kind in NETWORK_FILE_SYSTEMS:
        raise InvalidInput(
            f"The data folder {folder} lies on a network file system ({kind}), where SQLite databases get damaged. "
            "Set PAGEGRADE_DATA_DIR to a folder on a disk of this machine."
        )
    return folder


def _cannot(folder: Path, what: str, error: OSError | None) -> str:
    reason = f" ({error.strerror.lower()})" if error is not None and error.strerror else ""
    return (
        f"The data folder {folder} cannot {what}{reason}. "
        "Set PAGEGRADE_DATA_DIR to a folder that this user may write, or change its owner."
    )


def file_system_of(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """Type of the file system a folder lies on, as the kernel names it; ``None`` where the system does not tell.

    Args:
        folder: An absolute path that exists.
        mounts: The table of mounts.

    Source: https://www.kernel.org/doc/html/latest/filesystems/proc.html, 3.5
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place = folder.resolve()
    best, kind = -1, None
    for line in lines:
        fields, _, rest = line.partition(" - ")
        parts = fields.split(" ")
        if len(parts) < 5 or not rest:  # noqa: PLR2004 - the fifth field is the mount point
            continue
        point = Path(_unescape(parts[4]))
        # A later line covers an earlier one at the same place.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), rest.split(" ", 1)[0]
    return kind


def _unescape(text: str) -> str:
    """Blanks in paths are written as octal escapes."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def try_writing(folder: Path) -> None:
    """Write a file, wait until it is on the disk, and remove it.

    Raises:
        OSError: Something of that cannot be done.
    """
    descriptor, name = tempfile.mkstemp(prefix=".pagegrade-", dir=folder)
    try:
        os.write(descriptor, b"x" * 4096)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
        Path(name).unlink()


def serving_process(folder: Path) -> int | None:
    """Id of the process that serves this folder: 0 where it does not say, ``None`` where there is none."""
    try:
        with (folder / LOCK_NAME).open("rb") as file:
            try:
                # For readers only, and given back at once: who holds it alone is a server.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                said = file.read(20).split()
                return int(said[0]) if said and said[0].isdigit() else 0
            return None
    except OSError:
        return None
