"""Folders for temporary files: locked by the process that uses them, and deleted by the next start where it was killed.

A browser needs one where no file system can be mounted in memory for it, an audit while it is analyzed or its site is
proved by command, and a table while it is written as Parquet. What is named here is all that Pagegrade, in this version
or an older one, makes where no one asked for it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, get_args

Kind = Literal["audit", "browser", "proof", "table"]
_PICTURES: Final = "pagegrade-pictures-"
"""Folders that 0.2 wrote pictures to and kept: a person knew their names, so they are deleted only when asked for."""
PROBE: Final = ".pagegrade-"
"""Files in a data folder that 0.2 tried the disk with, and left there when it was killed."""
_PROBE_BYTES: Final = 4_096


@contextlib.contextmanager
def own_folder(kind: Kind) -> Iterator[Path]:
    """Make a folder that is locked while it is used, so that ``sweep_folders`` knows it, and deleted afterwards.

    Args:
        kind: Use of the folder, which its name begins with.

    Raises:
        OSError: No folder for temporary files can be used.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"pagegrade-{kind}-"))
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():  # another process may have swept it before it was locked
            break
        os.close(lock)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def sweep_folders() -> int:
    """Delete the folders whose owner was killed; return how many."""
    return sum(_delete_unless_used(folder) for kind in get_args(Kind) for folder in _found(f"pagegrade-{kind}-*"))


def find_leftovers(data_folder: Path | None = None) -> list[Path]:
    """Return what no process uses and no start deletes: folders and files that older versions left.

    Args:
        data_folder: Also look there; ``None``: the database is not in a folder of this machine.
    """
    probes = [] if data_folder is None else _found(f"{PROBE}*", data_folder)
    files = [path for path in probes if path.is_file() and path.stat().st_size <= _PROBE_BYTES]
    return sorted([*(path for path in _found(f"{_PICTURES}*") if path.is_dir()), *files])


def delete_leftovers(paths: list[Path]) -> list[Path]:
    """Delete what ``find_leftovers`` found; return what could not be deleted."""
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()
    return [path for path in paths if path.exists()]


def _found(pattern: str, folder: Path | None = None) -> list[Path]:
    """Paths by their names, without links and those of other users, which are none of ours."""
    user = os.geteuid()
    try:
        paths = list((folder or Path(tempfile.gettempdir())).glob(pattern))
        return [path for path in paths if not path.is_symlink() and (user == 0 or path.lstat().st_uid == user)]
    except OSError:
        # No folder for temporary files can be used, or another process deletes what was found: nothing is left then.
        return []


def _delete_unless_used(folder: Path) -> bool:
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        shutil.rmtree(folder, ignore_errors=True)
        return True
    finally:
        os.close(lock)
