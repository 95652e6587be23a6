"""The data directory: created with access for its owner only, on a file system that SQLite supports.

And file locks that allow one server per database; the system releases them when the process ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pagegrade.model.errors import InvalidInput

LOCK_NAME: Final = "serve.lock"
ANOTHER_FOLDER: Final = "Stop it first, or set PAGEGRADE_DATA_DIR to another folder."
_MAX_PID_BYTES: Final = 20


def lock_files(folder: Path, database: Path) -> tuple[Path, ...]:
    """Return the files to lock for a data directory and a database, which may lie elsewhere."""
    inside = database.absolute().parent == folder.absolute()
    return (folder / LOCK_NAME,) if inside else (folder / LOCK_NAME, database.with_name(f"{database.name}.{LOCK_NAME}"))


def all_lock_files(database: Path) -> tuple[Path, ...]:
    """Return the files that a server of this database may have locked, whatever its data directory is."""
    path = database.absolute()
    return (path.parent / LOCK_NAME, path.with_name(f"{path.name}.{LOCK_NAME}"))


@contextlib.contextmanager
def hold_locks(paths: Iterable[Path], *, advice: str = ANOTHER_FOLDER) -> Iterator[None]:
    """Hold the locks until the block or this process ends.

    The files are kept: deleting one while another process waits for it would allow two holders.

    Args:
        advice: Instruction for the user in the error message.

    Raises:
        InvalidInput: Another process holds one of the locks; the message names it.
    """
    with contextlib.ExitStack() as held:
        for path in paths:
            held.enter_context(_hold(path, advice))
        yield


@contextlib.contextmanager
def _hold(path: Path, advice: str) -> Iterator[None]:
    try:
        # Not inherited by children (PEP 446): a parser process that outlives the server must not hold the lock.
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise InvalidInput(f"The lock {path} cannot be opened: {reason}. Change its owner or its folder.") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InvalidInput(f"Another pagegrade serve ({_holder(file)}) works in {path.parent}. {advice}") from None
        os.ftruncate(file, 0)
        os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)


def _holder(file: int) -> str:
    pid = os.pread(file, _MAX_PID_BYTES, 0).strip()
    return f"process {pid.decode()}" if pid.isdigit() else "just starting"


DATABASE_NAME: Final = "pagegrade.db"
MOUNTS: Final = Path("/proc/self/mountinfo")
NETWORK_FILE_SYSTEMS: Final = frozenset(
    "9p afs ceph cifs coda fuse.glusterfs fuse.s3fs fuse.sshfs glusterfs lustre ncpfs nfs nfs4 smb smb3 smbfs".split()
)
"""File systems without reliable locks and shared memory between machines, on which SQLite's log can be corrupted.

Source: https://www.sqlite.org/wal.html#overview, disadvantage 2
"""


def default_folder() -> Path:
    """Return the platform's default directory for user data.

    Raises:
        InvalidInput: The user has no home directory.

    Source: https://specifications.freedesktop.org/basedir-spec/latest/#variables
    """
    given = os.environ.get("XDG_DATA_HOME", "")
    # The specification requires relative paths to be ignored.
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
    """Create the directory if it is missing, with access for its owner only, and return its absolute path.

    Raises:
        InvalidInput: It cannot be created or written, or lies on a network file system.
    """
    folder = folder.absolute()
    try:
        # Parent directories keep their usual permissions: they may be shared with other programs.
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
    """Return the kernel's name of the file system type of a directory; ``None`` if the system does not provide it.

    Args:
        folder: An absolute path that exists.
        mounts: Path of the mount table.

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
        # A later mount at the same path hides an earlier one.
        if place.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), rest.split(" ", 1)[0]
    return kind


def _unescape(text: str) -> str:
    """Decode the octal escapes of whitespace in paths."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text


def try_writing(folder: Path, *, syncs: bool = True) -> None:
    """Write a file and sync it to disk; it is gone afterwards.

    Args:
        syncs: ``False``: leave out what waits for the disk.

    Raises:
        OSError: One of the steps failed.
    """
    # Without a name, where the system can make such files: it ends with this process, however that ends.
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(b"x" * 4096)
        if syncs:
            os.fsync(file.fileno())


def serving_process(folder: Path) -> int | None:
    """Return the id of the process that serves this directory: 0 if it is not recorded, ``None`` if there is none."""
    try:
        with (folder / LOCK_NAME).open("rb") as file:
            try:
                # A shared lock, released at once: only a server holds an exclusive one.
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                said = file.read(20).split()
                return int(said[0]) if said and said[0].isdigit() else 0
            return None
    except OSError:
        return None
